import { hash } from 'node:crypto';
import { html } from 'hono/html';
import { consolePath, consoleToken, isKey, refusePages } from '../guard.ts';
import { type Answering, type HttpAnswer, type HttpRequest, placeOf, type Route, routeFor } from '../http.ts';
import { catchUp } from '../payments.ts';
import type { RequestLog } from '../request-log.ts';
import type { ConsoleOptions } from '../room.ts';
import { bytesOf, nowOf, ProblemError, refusal, respond, type Service } from '../service.ts';
import { ACTIONS, act } from './actions.ts';
import { documentOf, type Said } from './layout.ts';
import { openLive } from './live.ts';
import { clockPage } from './pages/clock.ts';
import { faultsPage } from './pages/faults.ts';
import { onyeListPage, onyePage } from './pages/onye.ts';
import { requestPage, requestsPage } from './pages/requests.ts';
import { ugwoPage } from './pages/ugwo.ts';
import { ugwoListPage } from './pages/ugwo-list.ts';
import { webhooksPage } from './pages/webhooks.ts';
import { SCRIPT } from './script.ts';
import { ICON, STYLE } from './style.ts';
import { type CallService, type Desk, openView, type Page, type PageView } from './view.ts';

/** Nothing but what the console itself serves, and no markup out of a text. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  // The token stands in the address. Without any referrer at all a browser would not say from which origin a form comes.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

const FORM = 'application/x-www-form-urlencoded';

/** A write comes from a form of the console itself. */
const refuseForeign = ({ headers }: HttpRequest): void => {
  const host = headers['host'] ?? '';
  if (headers['origin'] !== `http://${host}`) throw refusal(403, 'this form is not one of the console');
  if (headers['content-type']?.split(';')[0]?.trim() !== FORM) throw refusal(415, 'a form is wanted');
};

/** Stores the messages of actions by number. The page after an action shows the message whose number it names. */
const openSayings = () => {
  const kept = new Map<string, Said>();
  let count = 0;
  return {
    keep: (said: Said): string => {
      count += 1;
      kept.set(String(count), said);
      return String(count);
    },
    /** Once, so that it does not stay. */
    take: (number: string | null): Said | undefined => {
      const said = kept.get(number ?? '');
      kept.delete(number ?? '');
      return said;
    },
  };
};

const NOTHING: Page = {
  title: 'There is nothing here',
  section: 'none',
  status: 404,
  body: html`<p>A record that was removed, or a request that is no longer kept: only the newest are.</p>`,
};

const pageAt = (view: PageView, path: string): Page => {
  const { store } = view.service;
  const [section = '', id = ''] = path.split('/');
  const found =
    id === '' ? undefined : { ugwo: store.ugwo(id), onye: store.customer(id), seen: view.requests.find(Number(id)) };
  if (path === '') return requestsPage(view);
  if (path === 'ugwo') return ugwoListPage(view);
  if (path === 'onye') return onyeListPage(view);
  if (path === 'webhooks') return webhooksPage(view);
  if (path === 'faults') return faultsPage(view);
  if (path === 'clock') return clockPage(view);
  if (section === 'ugwo' && found?.ugwo !== undefined) return ugwoPage(view, found.ugwo);
  if (section === 'onye' && found?.onye !== undefined) return onyePage(view, found.onye);
  if (section === 'requests' && found?.seen !== undefined) return requestPage(view, found.seen);
  return NOTHING;
};

/** A page as a document, and as the texts of its cells for the script. */
const rendered = async (desk: Desk, path: string, query: URLSearchParams) => {
  const now = nowOf(desk.service);
  const blank = await pageAt(openView(desk, now, query, true).view, path).body;
  const { view, cells } = openView(desk, now, query, false);
  return { view, cells, page: pageAt(view, path), shape: hash('sha256', String(blank), 'base64url') };
};

/**
 * Calls the service itself, without fault rules and without recording the request. An answer that `lost` would cut off is
 * returned here.
 */
const asking =
  ({ service, place }: Desk, answering: Answering): CallService =>
  async (method, path, body) => {
    const { host, port } = new URL(place.origin);
    const headers = {
      host,
      authorization: `Bearer ${service.store.key}`,
      'content-type': 'application/json',
    };
    const answer = (await answering({
      ...{ method, ...placeOf(path, host), headers, port: Number(port), isNear: true },
      body: [Buffer.from(JSON.stringify(body ?? {}))],
      hangUp: () => undefined,
      isGone: () => false,
    })) as HttpAnswer;
    return { status: answer.status, json: JSON.parse(answer.text) };
  };

/** Builds the console of a running service. None of its answers contains a secret key. */
export const openConsole = (
  service: Service,
  requests: RequestLog,
  answering: Answering,
  options: ConsoleOptions,
): Answering => {
  requests.watch();
  const root = consolePath(service.store);
  const secrets = [service.store.key, service.store.setting('control_token') ?? ''].filter((secret) => secret !== '');
  const clean = (text: string): string => secrets.reduce((left, secret) => left.replaceAll(secret, '[key]'), text);
  const [sayings, live] = [openSayings(), openLive()];
  const desk = ({ port }: HttpRequest): Desk => ({
    service,
    requests,
    root,
    place: { origin: `http://127.0.0.1:${port}`, data: options.data },
  });
  const show = (status: number, type: string, text: string, headers = {}): HttpAnswer =>
    respond(service, status, type, clean(text), { ...HEADERS, ...headers });
  const admit = (asked: HttpRequest): void => {
    const { method, segments, headers } = asked;
    refusePages(headers, asked, method === 'GET');
    if (!isKey(segments[2] ?? '', consoleToken(service.store))) {
      throw refusal(403, 'open the address that `paycli emulator start` has printed as console: a token stands in it');
    }
    if (method !== 'GET') refuseForeign(asked);
  };
  const acting = (action: string): Route => ({
    method: 'POST',
    path: `${root}${action}`,
    answer: async (asked, { uid = '' }) => {
      const form = new URLSearchParams(Buffer.from(await bytesOf(asked)).toString());
      const at = desk(asked);
      const { said, page } = await act(action, { desk: at, form, ask: asking(at, answering), uid });
      const location = `${root}${page.split('/').map(encodeURIComponent).join('/')}?said=${sayings.keep(said)}`;
      return show(303, 'text/plain', '', { location });
    },
  });
  const file = (name: string, type: string, text: string): Route => ({
    method: 'GET',
    path: `${root}${name}`,
    answer: () => show(200, type, text),
  });
  const routes: readonly Route[] = [
    file('style.css', 'text/css; charset=utf-8', STYLE),
    file('script.js', 'text/javascript; charset=utf-8', SCRIPT),
    file('icon.svg', 'image/svg+xml', ICON),
    {
      method: 'GET',
      path: `${root}live`,
      answer: (asked) => ({ ...show(200, 'text/event-stream', ''), sending: live(desk(asked), asked) }),
    },
    ...Object.keys(ACTIONS).map(acting),
  ];
  const page = async (asked: HttpRequest): Promise<HttpAnswer> => {
    catchUp(service.store, nowOf(service));
    const { segments, query } = asked;
    const { view, cells, page: shown, shape } = await rendered(desk(asked), segments.slice(3).join('/'), query);
    const status = shown.status ?? 200;
    if (asked.headers['accept'] === 'application/json') {
      return show(status, 'application/json', JSON.stringify({ shape, cells }));
    }
    const said = sayings.take(query.get('said'));
    return show(status, 'text/html; charset=utf-8', String(await documentOf(view, shown, shape, said)));
  };
  const handled = async (asked: HttpRequest): Promise<HttpAnswer> => {
    admit(asked);
    const found = routeFor(routes, asked);
    if (found !== undefined && 'route' in found) return found.route.answer(asked, found.params);
    if (asked.method === 'GET' && asked.segments.length > 3) return page(asked);
    return show(404, 'text/plain; charset=utf-8', 'there is nothing at this address\n');
  };
  return (asked) =>
    handled(asked).catch((thrown: unknown) => {
      if (!(thrown instanceof ProblemError)) throw thrown;
      const { status, detail, title } = thrown.problem;
      return show(status, 'text/plain; charset=utf-8', `${detail ?? title}\n`);
    });
};

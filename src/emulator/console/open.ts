import { hash } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { html } from 'hono/html';
import { nowOf, respond, type Service } from '../answer.ts';
import { bytesOf } from '../body.ts';
import { CONSOLE, consolePath, consoleToken } from '../console-path.ts';
import { catchUp } from '../ends.ts';
import type { Fetch } from '../faults.ts';
import { isKey, refusePages } from '../guard.ts';
import { Refusal, refusal } from '../refusal.ts';
import type { RequestLog } from '../request-log.ts';
import type { ConsoleOptions } from '../room.ts';
import { ACTIONS, type Ask, act } from './actions.ts';
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
import { type Desk, openView, type Page, type View } from './view.ts';

type Env = { Bindings: HttpBindings };

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
const refuseForeign = (request: Request): void => {
  const host = request.headers.get('host') ?? '';
  if (request.headers.get('origin') !== `http://${host}`) throw refusal(403, 'this form is not one of the console');
  if (request.headers.get('content-type')?.split(';')[0]?.trim() !== FORM) throw refusal(415, 'a form is wanted');
};

/** What was said of an action is shown by the page that follows, which names it by a number. */
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

const pageAt = (view: View, path: string): Page => {
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

/** Asks the service itself, past its faults and the list of requests. An answer that is to be lost is lost on nobody here. */
const asking =
  ({ service, place }: Desk, fetch: Fetch): Ask =>
  async (method, path, body) => {
    const { host, port } = new URL(place.origin);
    const headers = { host, authorization: `Bearer ${service.store.key}`, 'content-type': 'application/json' };
    const request = new Request(`${place.origin}${path}`, { method, headers, body: JSON.stringify(body) });
    const socket = { localPort: Number(port), destroy: () => undefined };
    const answer = await fetch(request, { incoming: { socket } } as unknown as HttpBindings);
    return { status: answer.status, json: await answer.json() };
  };

/** The console over a running service. The secret keys are in none of its answers. */
export const openConsole = (service: Service, requests: RequestLog, fetch: Fetch, options: ConsoleOptions): Fetch => {
  requests.watch();
  const root = consolePath(service.store);
  const secrets = [service.store.key, service.store.setting('control_token') ?? ''].filter((secret) => secret !== '');
  const clean = (text: string): string => secrets.reduce((left, secret) => left.replaceAll(secret, '[key]'), text);
  const [sayings, live] = [openSayings(), openLive()];
  const deskFor = (port: number): Desk => ({
    service,
    requests,
    root,
    place: { origin: `http://127.0.0.1:${port}`, data: options.data },
  });
  const show = (status: number, type: string, text: string, headers = {}): Response =>
    respond(service, status, type, clean(text), { ...HEADERS, ...headers });
  const app = new Hono<Env>();
  app.use(async (context, next) => {
    const { method, path } = context.req;
    refusePages(context.req.header(), context.env.incoming.socket.localPort ?? 0, method === 'GET');
    const token = path.slice(CONSOLE.length).split('/')[0] ?? '';
    if (!isKey(token, consoleToken(service.store))) {
      throw refusal(403, 'open the address that `paycli emulator start` has printed as console: a token stands in it');
    }
    if (method !== 'GET') refuseForeign(context.req.raw);
    await next();
  });
  const desk = (context: { env: HttpBindings }): Desk => deskFor(context.env.incoming.socket.localPort ?? 0);
  app.get(`${root}style.css`, () => show(200, 'text/css; charset=utf-8', STYLE));
  app.get(`${root}script.js`, () => show(200, 'text/javascript; charset=utf-8', SCRIPT));
  app.get(`${root}icon.svg`, () => show(200, 'image/svg+xml', ICON));
  app.get(`${root}live`, (context) => live(desk(context), context));
  for (const action of Object.keys(ACTIONS)) {
    app.post(`${root}${action}`, async (context) => {
      const form = new URLSearchParams(Buffer.from(await bytesOf(context.req.raw)).toString());
      const at = desk(context);
      const doing = { desk: at, form, ask: asking(at, fetch), uid: context.req.param('uid') ?? '' };
      const { said, page } = await act(action, doing);
      return show(303, 'text/plain', '', { location: `${root}${page}?said=${sayings.keep(said)}` });
    });
  }
  app.get(`${root}*`, async (context) => {
    catchUp(service.store, nowOf(service));
    const url = new URL(context.req.url);
    const { view, cells, page, shape } = await rendered(
      desk(context),
      url.pathname.slice(root.length),
      url.searchParams,
    );
    if (context.req.header('accept') === 'application/json') {
      return show(page.status ?? 200, 'application/json', JSON.stringify({ shape, cells }));
    }
    const said = sayings.take(url.searchParams.get('said'));
    return show(page.status ?? 200, 'text/html; charset=utf-8', String(await documentOf(view, page, shape, said)));
  });
  app.notFound(() => show(404, 'text/plain; charset=utf-8', 'there is nothing at this address\n'));
  app.onError((thrown) => {
    if (!(thrown instanceof Refusal)) throw thrown;
    const { status, detail, title } = thrown.problem;
    return show(status, 'text/plain; charset=utf-8', `${detail ?? title}\n`);
  });
  return (request, env) => app.fetch(request, env);
};

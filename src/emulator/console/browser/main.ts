/** The script of the console: the request log, and the page that the address names. */
import { visibleLines } from '../../../core/text.ts';
import { REQUESTS_LIMIT } from '../../request-log.ts';
import type { requestDetail, seenRequestRow } from '../open.ts';
import { clockView, faultsView, webhooksView } from './controls.ts';
import {
  ask,
  block,
  card,
  columns,
  facts,
  h,
  id,
  line,
  moment,
  onService,
  type Part,
  page,
  pill,
  root,
  row,
  type Screen,
  shortened,
  soft,
  table,
} from './parts.ts';
import { paymentLink, paymentsView, paymentView } from './payments.ts';

// Requests

type RequestRow = ReturnType<typeof seenRequestRow>;
type Request = ReturnType<typeof requestDetail>;

/** Rows of the log, newest first. */
const log: RequestRow[] = [];
/** Number of connections. Each begins with the earlier requests; a new row needs no new table. */
let connections = 0;

const gotPill = ({ got, isGood }: RequestRow): HTMLElement => pill(got, isGood ? 'good' : 'bad');
const reasonsOf = ({ reasons }: RequestRow): readonly HTMLElement[] => reasons.map((reason) => h('p', reason));

const requestRow = (seen: RequestRow): HTMLElement => {
  const { seq, at, method, url } = seen;
  const link = h('a.id', { href: `#requests/${seq}`, 'data-key': `request ${seq}` }, `${method} ${shortened(url)}`);
  return row(moment(at), gotPill(seen), link, reasonsOf(seen));
};

const requestsView: Screen<readonly [connections: number, isEmpty: boolean]> = {
  load: async () => [connections, log.length === 0],
  draw: () => [
    'Requests',
    log.length > 0
      ? table('Requests, newest first', ['Time', 'Answer', 'Request', 'Refused or changed by'], log.map(requestRow))
      : card(
          'No request yet',
          h('p', `Point a client at ${location.origin} with the key that paycli emulator start has printed.`),
          block(onService('ugwo', 'list')),
          soft('It takes the key from PAYCLI_SECRET_KEY. Requests of --local don’t come through here.'),
        ),
  ],
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Formats JSON with a line for each member, unless that would round a number. */
const pretty = (text: string): string =>
  isJson(text) && !/\d{16}/.test(text) ? JSON.stringify(JSON.parse(text), null, 2) : text;

/** Builds the command that sends the request again, without a body that was cut off. A control needs another key. */
const again = ({ method, url, body }: Request): Part => {
  if (!url.startsWith('/v1/')) return undefined;
  const command = ['api', ...(method === 'GET' ? [] : ['-X', method]), url];
  const text =
    body && isJson(body)
      ? `${line('printf', '%s', body)} | ${onService(...command, '--input', '-')}`
      : onService(...command);
  const title = 'The same request again';
  return h('div', { 'data-command': title }, h('h3', title), block(text));
};

const requestView: Screen<Request> = {
  load: (seq) => ask('GET', `requests/${seq}`),
  draw: (seen) => {
    const { method, url, at, took, agent, body, executed } = seen;
    const uid = /\bugw\.\w+\.\w+/.exec(`${url} ${executed?.text ?? ''}`)?.[0];
    const entries = facts([
      ['Answer', gotPill(seen)],
      ['Rule', reasonsOf(seen)],
      ['Path', id(url)],
      ['Time', [moment(at), `, took ${took} ms`]],
      ['Client', agent],
      ['About', uid !== undefined && paymentLink(uid)],
    ]);
    return [
      `${method} ${shortened(url.split('?')[0] ?? url)}`,
      card('Request', entries, again(seen)),
      columns(
        card('Body', body ? block(pretty(body)) : soft('The log has no body.')),
        card(
          `Answer of the service${executed ? `: ${executed.status}` : ''}`,
          executed ? block(pretty(executed.text)) : soft('It was not executed.'),
        ),
      ),
      soft('The log leaves out headers and the bodies of controls. It cuts texts after 8,192 characters.'),
    ];
  },
};

// The page

interface Loaded {
  readonly data: unknown;
  readonly draw: () => ReturnType<Screen<unknown>['draw']>;
}

const loaded = async <T>({ load, draw }: Screen<T>, part: string): Promise<Loaded> => {
  const data = await load(part);
  return { data, draw: () => draw(data) };
};

const VIEWS = {
  requests: (part) => (part ? loaded(requestView, part) : loaded(requestsView, part)),
  payments: (part) => (part ? loaded(paymentView, part) : loaded(paymentsView, part)),
  older: (part) => loaded(paymentsView, part),
  webhooks: (part) => loaded(webhooksView, part),
  faults: (part) => loaded(faultsView, part),
  clock: (part) => loaded(clockView, part),
} satisfies Readonly<Record<string, (part: string) => Promise<Loaded>>>;
const isView = (name: string): name is keyof typeof VIEWS => Object.hasOwn(VIEWS, name);
const SECTIONS: Readonly<Record<string, string>> = { older: 'payments' };

const focused = (): HTMLElement | SVGElement =>
  document.activeElement instanceof HTMLElement ? document.activeElement : document.body;

/** True while the user types or selects text: the view is not replaced then. */
const isHeld = (): boolean => focused().matches('#view input, #view select') || getSelection()?.isCollapsed === false;

const isField = (node: Element): node is HTMLInputElement | HTMLSelectElement =>
  node instanceof HTMLInputElement || node instanceof HTMLSelectElement;

const keepValue = (node: HTMLElement, was: HTMLElement): void => {
  if (!isField(node) || !isField(was)) return;
  if (node instanceof HTMLInputElement && was instanceof HTMLInputElement) node.checked = was.checked;
  node.value = was.value;
  node.dispatchEvent(new Event('input', { bubbles: true }));
};

const keyedIn = (view: HTMLElement): readonly HTMLElement[] => [...view.querySelectorAll<HTMLElement>('[data-key]')];

/** Keeps the focus, opened blocks, and the text in fields unless an action has used it. */
const replaceView = (content: HTMLElement, keepsValues: boolean): void => {
  const view = page('view');
  const hadFocus = view.contains(focused());
  const { key } = focused().dataset;
  const before = new Map(keyedIn(view).map((node) => [node.dataset['key'], node]));
  view.replaceChildren(...content.childNodes);
  for (const node of keyedIn(view)) {
    const was = before.get(node.dataset['key']);
    if (was instanceof HTMLDetailsElement && node instanceof HTMLDetailsElement) node.open = was.open;
    if (was !== undefined && keepsValues) keepValue(node, was);
    if (key !== undefined && node.dataset['key'] === key) node.focus();
  }
  if (hadFocus && !view.contains(focused())) page('title').focus();
};

const unavailable = ({ message }: Error): Loaded => ({
  data: message,
  draw: () => ['There is nothing here', soft(message)],
});

const showTitle = (title: string, section: string): void => {
  page('title').textContent = title;
  document.title = `${title} · paycli emulator (practice)`;
  for (const link of document.querySelectorAll<HTMLAnchorElement>('nav a')) {
    if (link.hash === `#${section}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
};

let turn = 0;
let drawn: { readonly hash: string; readonly text: string } | undefined;
let isForced = false;

const draw = (view: Loaded, section: string, isSame: boolean): void => {
  const [title, ...content] = view.draw();
  replaceView(h('div', content), isSame && !isForced);
  showTitle(visibleLines(title), section);
  if (!isSame && drawn !== undefined) page('title').focus();
};

/** Shows the page of the address, if it has changed. `isAsked`: also while the user types. */
const show = async (isAsked = false): Promise<void> => {
  isForced ||= isAsked;
  turn += 1;
  const [mine, { hash }] = [turn, location];
  const [asked = '', ...parts] = hash.slice(1).split('/').map(decodeURIComponent);
  const name = isView(asked) ? asked : 'requests';
  const view = await VIEWS[name](parts.join('/')).catch(unavailable);
  if (mine !== turn) return;
  const text = JSON.stringify(view.data);
  const isSame = hash === drawn?.hash;
  const isDrawn = isSame && text === drawn?.text;
  const isWaiting = isSame && !isDrawn && !isForced && isHeld();
  page('changed').hidden = !isWaiting;
  if (isWaiting) return;
  if (!isDrawn) draw(view, SECTIONS[name] ?? name, isSame);
  drawn = { hash, text };
  isForced = false;
};

/** True once the earlier requests have arrived. */
let isReady = false;

const addRequest = (seen: RequestRow): void => {
  log.unshift(seen);
  log.length = Math.min(log.length, REQUESTS_LIMIT);
  if (!isReady || !['', '#requests'].includes(location.hash) || drawn?.hash !== location.hash) return;
  const body = document.querySelector<HTMLTableSectionElement>('#view tbody');
  if (body === null) return void show(true);
  const made = requestRow(seen);
  made.className = 'fresh';
  body.prepend(made);
  while (body.rows.length > log.length) body.lastElementChild?.remove();
};

let source: EventSource | undefined;
const tell = (text: string, tone = ''): void => {
  page('link').textContent = text;
  page('link').dataset['tone'] = tone;
};

/** Listens only while the page is seen: a browser opens few connections to one place. */
const listen = (): void => {
  source?.close();
  if (document.hidden) return;
  source = new EventSource(`${root}updates`);
  source.addEventListener('open', () => {
    log.length = 0;
    connections += 1;
    isReady = false;
  });
  source.addEventListener('ready', () => {
    isReady = true;
    tell('connected');
    void show();
  });
  source.addEventListener('error', () => tell('not connected', 'bad'));
  source.addEventListener('changed', () => void show());
  source.addEventListener('request', ({ data }) => addRequest(JSON.parse(data)));
};

page('skip').addEventListener('click', () => page('title').focus());
page('refresh').addEventListener('click', () => void show(true));
addEventListener('acted', () => void show(true));
addEventListener('hashchange', () => {
  page('said').hidden = true;
  void show(true);
});
document.addEventListener('visibilitychange', listen);
addEventListener('pagehide', () => source?.close());
addEventListener('pageshow', listen);
listen();

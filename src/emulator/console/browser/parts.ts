import { formatMoney } from '../../../core/money.ts';
import { shellLine } from '../../../core/shell.ts';
import { STATUSES, statusWord, type Tone } from '../../../core/status.ts';
import { visibleLines } from '../../../core/text.ts';

/** Content of an element. Texts become text nodes, never markup; an empty part is left out. */
export type Part = string | number | Node | false | undefined | null | readonly Part[];
/** Attributes may be left out; a function is a listener. */
type Attributes = Readonly<Record<string, string | number | undefined | ((event: Event) => void)>>;

export const page = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found;
};

const isAttributes = (value: Part | Attributes): value is Attributes =>
  typeof value === 'object' && value !== null && value.constructor === Object;

const setAttributes = (made: Element, attributes: Attributes): void => {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name, value);
    else if (value !== undefined) made.setAttribute(name, String(value));
  }
};

const nodesOf = (part: Part): readonly (Node | string)[] => {
  if (Array.isArray(part)) return part.flatMap(nodesOf);
  if (part instanceof Node) return [part];
  return part === undefined || part === null || part === false || part === '' ? [] : [visibleLines(String(part))];
};

/** Builds an element: `h('p.soft', { title: 'x' }, 'text', …)`. */
export const h = (kind: string, ...inside: readonly (Part | Attributes)[]): HTMLElement => {
  const [name = '', className] = kind.split('.');
  const made = document.createElement(name);
  if (className !== undefined) made.className = className;
  for (const one of inside) {
    if (isAttributes(one)) setAttributes(made, one);
    else made.append(...nodesOf(one));
  }
  return made;
};

export const id = (text: string): HTMLElement => h('span.id', text);
export const soft = (...inside: readonly Part[]): HTMLElement => h('p.soft', ...inside);
export const block = (text: string): HTMLElement => h('pre', h('code', text));
export const card = (title: string, ...inside: readonly Part[]): HTMLElement =>
  h('section.card', h('h2', title), ...inside);
export const columns = (...inside: readonly Part[]): HTMLElement => h('div.columns', ...inside);

export const facts = (entries: readonly (readonly [name: string, value: Part])[]): HTMLElement => {
  const known = entries.filter(([, value]) => nodesOf(value).length > 0);
  return h(
    'dl',
    known.map(([name, value]) => h('div', h('dt', name), h('dd', value))),
  );
};

export const table = (caption: string, heads: readonly string[], rows: readonly Node[]): HTMLElement =>
  h(
    'table',
    h('caption.unseen', caption),
    h(
      'thead',
      h(
        'tr',
        heads.map((head) => h('th', { scope: 'col' }, head)),
      ),
    ),
    h('tbody', rows),
  );
export const row = (...cells: readonly Part[]): HTMLElement =>
  h(
    'tr',
    cells.map((cell) => h('td', cell)),
  );

/** Shows a word with its tone; `title` is the value that it stands for. */
export const pill = (word: string, tone: Tone, title?: string): HTMLElement =>
  h('span.pill', { 'data-tone': tone, title }, word);
/** Shows a status as the terminal does, with its value on hover. */
export const statusPill = (status: string): HTMLElement => pill(statusWord(status), toneOf(status), status);
export const toneOf = (status: string): Tone => STATUSES.get(status)?.[1] ?? 'off';

export const money = (amount: number | null | undefined, currency: string): string =>
  formatMoney(amount ?? 0, currency);

/** Reads an ISO 8601 time as milliseconds since the epoch. */
export const msOf = (value: string): number => new Date(value).getTime();

/** Shows the time of today's events, and the date of others. */
export const moment = (value: string | number): HTMLElement | string => {
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return String(value);
  const isToday = at.toDateString() === new Date().toDateString();
  const text = isToday ? at.toLocaleTimeString('en-GB') : at.toLocaleString('en-GB');
  return h('time', { datetime: at.toISOString(), title: at.toISOString() }, text);
};

/** Shortens identifiers: their ends tell people nothing. */
export const shortened = (path: string): string =>
  path.replaceAll(/\b((?:ugw|act|ony|chk|rfd)\.\w+\.\w{6})\w{10,}/g, '$1…');

/** Shows what came of an action. */
const say = (text: string, tone: Tone): void => {
  page('said').textContent = visibleLines(text);
  page('said').dataset['tone'] = tone;
  page('said').hidden = false;
};

/** Shows one page of the console: `load` reads the data of the address, `draw` gives the title and the content. */
export interface Screen<T> {
  readonly load: (part: string) => Promise<T>;
  readonly draw: (data: T) => readonly [title: string, ...content: Part[]];
}

/** The path of this console, which ends in its token. */
export const root = location.pathname;

/** Calls this console: the service, its controls, or what only the console reads. */
export const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const sent = body !== undefined && {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const answer = await fetch(root + path, { method, ...sent });
  const isJson = /json/.test(answer.headers.get('content-type') ?? '');
  const content = await (isJson ? answer.json() : answer.text());
  if (!answer.ok) throw new Error(isJson ? (content.detail ?? content.message) : content);
  return content;
};

/** Calls a control of the emulator. */
export const emulator = <T>(method: string, path: string, body?: unknown): Promise<T> =>
  ask<T>(method, `emulator/${path}`, body);

/** Resolves to the text once the emulator has done it. */
export const done = async (text: string, ...call: Parameters<typeof emulator>): Promise<string> => {
  await emulator(...call);
  return text;
};

const { data } = await ask<{ readonly data?: string }>('GET', 'about');

export const line = (...words: readonly (string | number)[]): string => shellLine(words.map(String));
/** Builds a command on the data file. */
export const onData = (...words: readonly (string | number)[]): string =>
  line('paycli', 'emulator', ...words, ...(data === undefined ? [] : ['--data', data]));
/** Builds a command that calls the service, at the address where the browser reaches it. */
export const onService = (...words: readonly string[]): string =>
  line('paycli', ...words, '--base-url', location.origin);

export type Values = Readonly<Record<string, string>>;

export const valuesOf = (form: HTMLFormElement): Values =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));

let isBusy = false;
/** Runs an action once, says what came of it, and has the page drawn anew. */
const act = async (run: Action['run'], values: Values): Promise<void> => {
  if (isBusy) return;
  isBusy = true;
  await run(values).then(
    (text) => say(text, 'good'),
    (error: Error) => say(`Not done: ${error.message}`, 'bad'),
  );
  isBusy = false;
  dispatchEvent(new Event('acted'));
};

/** `data-key` names an element across drawings, so that its focus and text are kept. */
export const keyed = (name: string, key: string, attributes: Attributes = {}): Attributes => ({
  name,
  'data-key': `${key} ${name}`,
  ...attributes,
});
export const input = (label: string, name: string, key: string, attributes: Attributes): HTMLElement =>
  h('label', label, h('input', keyed(name, key, attributes)));
export const select = (label: string, name: string, key: string, options: readonly string[]): HTMLElement =>
  h(
    'label',
    label,
    h(
      'select',
      keyed(name, key),
      options.map((one) => h('option', one)),
    ),
  );

/** A button with its fields, and the command that does the same. Both get the values of `inputs`. */
export interface Action {
  readonly label: string;
  readonly tone?: Tone;
  readonly inputs?: readonly Part[];
  /** Resolves to a message. */
  readonly run: (values: Values) => Promise<string>;
  readonly command: (values: Values) => string;
}

const formOf = (key: string, { label, tone, inputs = [], run, command }: Action) => {
  const code = h('code');
  const form = document.createElement('form');
  form.append(...inputs.filter((one) => one instanceof Node));
  form.append(h('button', { 'data-key': `${key} ${label}`, 'data-tone': tone }, label));
  const update = (): void => code.replaceChildren(...h('code', command(valuesOf(form))).childNodes);
  form.addEventListener('input', update);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void act(run, valuesOf(form));
  });
  update();
  return { form, label, code: h('pre', code) };
};

/** Builds forms side by side, and their commands. */
export const actions = (key: string, ...list: readonly Action[]): readonly HTMLElement[] => {
  const made = list.map((action) => formOf(key, action));
  const isOne = made.length === 1;
  return [
    h(
      'div.buttons',
      made.map(({ form }) => form),
    ),
    h(
      'details',
      { 'data-key': `${key} commands` },
      h('summary', { 'data-key': `${key} summary` }, isOne ? 'As a command' : 'As commands'),
      made.map(({ label, code }) => h('div', { 'data-command': label }, !isOne && h('h3', label), code)),
    ),
  ];
};

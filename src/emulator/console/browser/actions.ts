import { shellLine } from '../../../core/shell.ts';
import type { Tone } from '../../../core/status.ts';
import { h, type Part, say } from './elements.ts';

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

type Attributes = Readonly<Record<string, string | number>>;

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

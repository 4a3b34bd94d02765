import { html } from 'hono/html';
import type { Ugwo } from '../../contract/ugwo.ts';
import { machineValue } from '../../core/charge.ts';
import { valueAt } from '../../core/json.ts';
import { formatMoney } from '../../core/money.ts';
import { visible } from '../../core/text.ts';
import { formatLocal, readInstant } from '../../core/time.ts';
import { linesBlock, type ShellLines } from './lines.ts';
import type { State } from './states.ts';
import type { Markup, PageView } from './view.ts';

/** Converts a value to text with invisible characters made visible, since a name may contain anything. */
export const text = (value: unknown): string => visible(typeof value === 'string' ? value : machineValue(value));

export const money = (amount: unknown, currency: unknown): string =>
  text(formatMoney(String(amount ?? 0), machineValue(currency ?? '')));

export const amountOf = ({ amount, currency }: Ugwo): string => money(amount, currency);

const seconds = (ms: number): string => String(new Date(ms).getSeconds()).padStart(2, '0');

/** Formats a time as `14:05:09`, preceded by the date if it isn't today. */
export const clockText = (ms: number, now: number): string => `${formatLocal(ms, now)}:${seconds(ms)}`;

/** Renders a time of a record in the machine's time zone. */
export const moment = (value: unknown, now: number): Markup | string => {
  const ms = readInstant(value);
  if (ms === undefined) return text(value);
  return html`<time datetime="${new Date(ms).toISOString()}">${clockText(ms, now)}</time>`;
};

/** Names a customer, or gives the e-mail address; empty if neither is known. */
export const nameOf = (customer: unknown): string => {
  const [first, last, email = ''] = ['first_name', 'last_name', 'email'].map((name) => text(valueAt(customer, name)));
  return `${first} ${last}`.trim() || email;
};

/** Renders a state as a coloured label. */
export const pill = ({ live }: Pick<PageView, 'live'>, id: string, [word, tone]: State): Markup =>
  html`<span class="pill">${live(id, text(word), tone)}</span>`;

/** A button with its commands for a terminal. */
export interface Action {
  /** Relative to the root of the console. */
  readonly path: string;
  readonly label: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** Additional inputs before the button. */
  readonly inputs?: Markup;
  readonly tone?: 'good' | 'bad';
  readonly lines: ShellLines;
}

const formOf = ({ root }: Pick<PageView, 'root'>, action: Action): Markup => {
  const { path, label, fields = {}, inputs = html``, tone = 'plain' } = action;
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form method="post" action="${root}${path}">${hidden}${inputs}<button data-tone="${tone}">${label}</button></form>`;
};

/** Renders buttons side by side, with their commands for a terminal. */
export const actionForms = (view: Pick<PageView, 'root'>, actions: readonly Action[]): Markup =>
  html`<div class="buttons">${actions.map((action) => formOf(view, action))}</div>
${linesBlock(actions.map(({ label, lines }) => [label, lines] as const))}`;

/** Columns whose figures stand below each other. */
const NUMBERS = ['Amount', 'Struck'];

/** Renders a table whose rows become blocks on narrow screens. */
export const table = (caption: string, heads: readonly string[], rows: readonly Markup[], id = ''): Markup =>
  html`<table${id === '' ? '' : html` id="${id}"`}><caption class="unseen">${caption}</caption>
<thead><tr>${heads.map((head) => html`<th scope="col"${NUMBERS.includes(head) ? html` class="number"` : ''}>${head}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table>`;

/** Renders names and values as a list; leaves out names without a value. */
export const facts = (
  entries: readonly (readonly [name: string, value: Markup | string | false | undefined])[],
): Markup =>
  html`<dl class="facts">${entries
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

import { activityFacts, paymentOf, requestFacts } from '../../charge/payment.ts';
import type { Activity } from '../../contract/activity.ts';
import type { Ugwo, UgwoWithActivities } from '../../contract/ugwo.ts';
import { machineValue, readNextAction } from '../../core/charge.ts';
import type { ActivityEnding } from '../../core/data-files.ts';
import { PayError } from '../../core/error.ts';
import { isJsonObject, valueAt } from '../../core/json.ts';
import { formatMoney } from '../../core/money.ts';
import { STATUSES, statusWord } from '../../core/status.ts';
import { formatDuration, formatLocalFull, parseDuration, readInstant } from '../../core/time.ts';
import { setClock } from '../control.ts';
import { WIRE_FORMS } from '../dialect.ts';
import type { HttpAnswer, HttpRequest } from '../http.ts';
import { catchUp, endingsOf, settle, withActivities } from '../payments.ts';
import { consoleToken, isKey, nowOf, present, problemError, readForm, type Service } from '../service.ts';
import { html, type Part, respondPage, showAgain } from './html.ts';

const STYLE = `
:root { color-scheme: light dark; font: 14px/1.5 ui-monospace, "DejaVu Sans Mono", Consolas, monospace; }
body { margin: 0; padding: 1rem; overflow-wrap: anywhere; }
h1, h2 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; border-bottom: 1px solid GrayText; }
th, td { padding: .2rem 1.5rem .2rem 0; vertical-align: top; white-space: nowrap; }
.free { white-space: normal; min-width: 10ch; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1.5rem; }
dd { margin: 0; }
button { font: inherit; min-height: 1.8rem; margin: 0 .3rem .3rem 0; }
:focus-visible { outline: 2px solid; outline-offset: 2px; }
tr:target { background: light-dark(#eef, #223); }
.money { text-align: right; }
.good { color: light-dark(#17663a, #7fd19d); }
.open { color: light-dark(#7a4a00, #f0bf66); }
.busy { color: light-dark(#00616b, #6fd3df); }
.bad, .alarm { color: light-dark(#a32018, #ff9e94); }
.alarm { font-weight: bold; }
@media (max-width: 75rem) {
  thead { display: none; }
  tr { display: block; padding: .5rem 0; border-bottom: 1px solid GrayText; }
  td { display: grid; grid-template-columns: 16ch 1fr; padding: 0; white-space: normal; }
  td::before { content: attr(data-column); opacity: .75; }
  td:empty { display: none; }
  .money { text-align: left; }
}
`;

/** Number of payment requests on a page. */
const PAGE_SIZE = 50;

/** A button that ends an activity. `comes` computes the money from the amount that was asked. */
interface Button {
  readonly label: string;
  readonly as: ActivityEnding;
  readonly comes?: (asked: number) => number;
}

const BUTTONS: readonly Button[] = [
  { label: 'paid', as: 'successful', comes: (asked) => asked },
  { label: 'part', as: 'successful', comes: (asked) => Math.ceil(asked / 2) },
  { label: 'too much', as: 'successful', comes: (asked) => asked + Math.ceil(asked / 2) },
  { label: 'failed', as: 'failed' },
  { label: 'reversed', as: 'reversed' },
];

/** Steps of the clock, as `emulator clock` takes them. */
const STEPS = ['1m', '15m', '1h', '24h'];

/** A column of a table. Words, columns and their order are those of `ugwo list` and `ugwo get`. */
interface Column<T> {
  readonly name: string;
  readonly show: (record: T) => Part;
  /** `money` stands at the right; `free` is text of any length. */
  readonly look?: 'money' | 'free';
}

const table = <T>(columns: readonly Column<T>[], records: readonly T[], idOf: (record: T) => string): Part => {
  const rows = records.map((record) => {
    const cells = columns.map(
      ({ name, show, look }) => html`<td data-column="${name}" class="${look}">${show(record)}</td>`,
    );
    return html`<tr id="${idOf(record)}">${cells}</tr>\n`;
  });
  return html`<table>
<thead><tr>${columns.map(({ name }) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${rows}</tbody>
</table>`;
};

const word = (status: string): Part => html`<span class="${STATUSES.get(status)?.[1]}">${statusWord(status)}</span>`;

const time = (value: unknown): string => {
  const ms = readInstant(value);
  return ms === undefined ? '' : formatLocalFull(ms);
};

const moneyOf = ({ currency }: Ugwo, amount: unknown): string =>
  formatMoney(Number(amount ?? 0), machineValue(currency));

const customerOf = ({ onye }: Ugwo): string => (isJsonObject(onye) ? String(onye['email'] ?? onye['uid'] ?? '') : '');

const listPart = ({ store, dialect }: Service, query: URLSearchParams): Part => {
  const idOf = ({ uid }: Ugwo): string => WIRE_FORMS[dialect].id(uid);
  const columns: readonly Column<Ugwo>[] = [
    { name: 'ref', show: ({ ref }) => ref, look: 'free' },
    { name: 'customer', show: customerOf, look: 'free' },
    { name: 'amount', show: (ugwo) => moneyOf(ugwo, ugwo.amount), look: 'money' },
    { name: 'status', show: ({ status }) => word(machineValue(status)) },
    { name: 'created_at', show: ({ created_at }) => time(created_at) },
    { name: 'uid', show: (ugwo) => html`<a href="${idOf(ugwo)}">${idOf(ugwo)}</a>` },
    { name: 'description', show: ({ description }) => description, look: 'free' },
  ];
  const before = Number(query.get('before') ?? Number.NaN);
  const placed = store.ugwoBefore(Number.isSafeInteger(before) ? before : undefined, PAGE_SIZE);
  const records = placed.map(({ record }) => record);
  const last = placed.length < PAGE_SIZE ? undefined : placed.at(-1)?.position;
  return html`<h1>Payment requests</h1>
${records.length === 0 ? html`<p>There are no more.</p>` : table(columns, records, idOf)}
${last === undefined ? '' : html`<p><a href="?before=${last}">Older</a></p>`}`;
};

/** Renders the buttons for the endings that an activity can still get. */
const endingButtons = (activity: Activity, uid: string, ugwo: Ugwo): Part => {
  const possible = endingsOf(activity);
  const buttons = BUTTONS.filter(({ as }) => possible.includes(as)).map(({ label, comes }) => {
    const sum = comes === undefined ? '' : ` ${moneyOf(ugwo, comes(activity.amount ?? 0))}`;
    return html`<button name="end" value="${label}">${label}${sum}</button>\n`;
  });
  if (buttons.length === 0) return undefined;
  return html`<form method="post"><input type="hidden" name="activity" value="${uid}">${buttons}</form>`;
};

const requestPart = ({ store, dialect }: Service, ugwo: UgwoWithActivities): Part => {
  const { id } = WIRE_FORMS[dialect];
  const idOf = ({ uid }: Activity): string => id(uid);
  const request = requestFacts(ugwo);
  const paymentFor = (activity: Activity) => paymentOf(activityFacts(activity), { request });
  const columns: readonly Column<Activity>[] = [
    {
      name: 'status',
      show: (activity) => {
        const { payment } = paymentFor(activity);
        return word(payment === 'open' ? machineValue(activity.status) : payment);
      },
    },
    { name: 'medium', show: (activity) => store.activity(activity.uid)?.medium },
    {
      name: 'account_or_code',
      show: (activity) => {
        const action = readNextAction(activity);
        return action?.kind === 'transfer' ? action.accountNumber : action?.kind === 'dial' ? action.code : '';
      },
    },
    {
      name: 'received',
      show: (activity) => {
        const { received } = paymentFor(activity);
        return received ? moneyOf(ugwo, received) : '';
      },
      look: 'money',
    },
    { name: 'expires_at', show: (activity) => time(valueAt(activity, 'next_action.headers.expires_at')) },
    { name: 'created_at', show: ({ created_at }) => time(created_at) },
    { name: 'uid', show: idOf },
    { name: 'settle as', show: (activity) => endingButtons(activity, idOf(activity), ugwo), look: 'free' },
  ];
  const facts: readonly (readonly [name: string, value: Part])[] = [
    ['uid', id(ugwo.uid)],
    ['status', word(machineValue(ugwo.status))],
    ['amount', moneyOf(ugwo, ugwo.amount)],
    ['ref', ugwo.ref],
    ['customer', customerOf(ugwo)],
    ['description', ugwo.description],
    ['created', time(ugwo.created_at)],
    ['paid', moneyOf(ugwo, ugwo.total_amount_paid)],
    ['mediums', (ugwo.checkout?.mediums ?? []).map(({ medium }) => machineValue(medium)).join(', ')],
  ];
  const activities = ugwo.activities ?? [];
  return html`<p><a href="./">Payment requests</a></p>
<h1>Payment request</h1>
<dl>${facts.map(([name, value]) => (value ? html`<dt>${name}</dt><dd>${value}</dd>\n` : ''))}</dl>
<p><a href="/${id(ugwo.uid)}?pk=${store.setting('public_key')}">The customer's page</a> charges it.</p>
<h2>Activities</h2>
${activities.length === 0 ? html`<p>There are none.</p>` : table(columns, activities, idOf)}`;
};

const clockPart = (service: Service): Part => {
  const moved = service.store.clockOffset();
  const state = moved === 0 ? 'the real time' : `${formatDuration(moved)} ahead`;
  return html`<h2>Clock</h2>
<form method="post"><p>${formatLocalFull(nowOf(service))}, ${state}</p>
<p>${STEPS.map((step) => html`<button name="by" value="${step}">+${step}</button>\n`)}<button name="by" value="back">back to the real time</button></p></form>`;
};

const page = (service: Service, status: number, title: string, content: Part): HttpAnswer => {
  const around = html`<p>paycli emulator. Practice: no money moves.</p>
${content}
${clockPart(service)}
<p>Keep the address of this page secret: it gives full access.</p>`;
  return respondPage(service, status, { title: `${title} (practice)`, content: around, style: STYLE });
};

/** Ends an activity, or moves the clock. Returns the activity, where the page goes on. */
const act = (service: Service, form: URLSearchParams): string | undefined => {
  const { store } = service;
  const [by, activity] = [form.get('by'), form.get('activity') ?? ''];
  if (by !== null) {
    setClock(service, by === 'back' ? 'back' : parseDuration(by));
    return undefined;
  }
  const button = BUTTONS.find(({ label }) => label === form.get('end'));
  if (button === undefined) throw problemError(422, 'the form is none of the console');
  const asked = store.activity(activity)?.activity.amount ?? 0;
  const comes = button.comes?.(asked);
  settle(
    store,
    { activity, as: button.as, after: undefined, amount: comes === undefined ? undefined : () => comes },
    nowOf(service),
  );
  return activity;
};

/** Shows the console: the list, or one payment request. A form of it changes data and shows the page again. */
export const showConsole = async (
  service: Service,
  asked: HttpRequest,
  token: string,
  uid: string | undefined,
): Promise<HttpAnswer> => {
  const { store } = service;
  if (!isKey(token, consoleToken(store))) {
    const where = 'open the address that `paycli emulator start` prints as console';
    throw problemError(403, `wrong token in the address: ${where}`);
  }
  catchUp(store, nowOf(service));
  if (asked.method === 'POST') {
    const form = await readForm(asked);
    try {
      const activity = act(service, form);
      return showAgain(service, activity === undefined ? asked.target : `${asked.target}#${activity}`);
    } catch (thrown) {
      if (!(thrown instanceof PayError)) throw thrown;
      const back = html`<p><a href="">Back</a></p>`;
      return page(service, 409, 'Not done', html`<h1>Not done</h1>\n<p role="alert">${thrown.message}</p>\n${back}`);
    }
  }
  if (uid === undefined) return page(service, 200, 'Payment requests', listPart(service, asked.query));
  const ugwo = present(store.ugwo(uid), 'ugwo.error.not_found');
  return page(service, 200, ugwo.ref ?? uid, requestPart(service, withActivities(store, ugwo)));
};

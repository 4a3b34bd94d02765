import { hash } from 'node:crypto';
import { balanceOf, PAYMENTS, paymentShown, requestFacts } from '../charge/payment.ts';
import type { Activity } from '../contract/activity.ts';
import type { Ugwo } from '../contract/ugwo.ts';
import { machineValue } from '../core/charge.ts';
import { valueAt } from '../core/json.ts';
import { formatMoney } from '../core/money.ts';
import { isLoopback } from '../core/origin.ts';
import { shellLine } from '../core/shell.ts';
import type { HttpAnswer, HttpRequest } from './http.ts';
import { catchUp, isPaid, missingAmount } from './payments.ts';
import { isKey, nowOf, respond, type Service } from './service.ts';

/**
 * Script of the hosted page. Posts `{source: "kwugwo", type, …}` (public material) to the frame's parent, and only to
 * the named origin.
 */
const SCRIPT = `
'use strict';
const { origin, code, message } = document.body.dataset;
const PAID = ['ugwo_successful', 'partially_refunded', 'refunded'];
const [EVERY_MS, TIMES] = [2000, 150];
const say = (type, more) => {
  if (origin && window.parent !== window) window.parent.postMessage({ source: 'kwugwo', type, ...more }, origin);
};
const resize = () => say('resize', { height: document.documentElement.scrollHeight });
const tell = (text) => {
  document.getElementById('said').textContent = text;
  resize();
};
const fail = (code, message) => {
  tell(message);
  say('error', { code, message });
  return true;
};
const isOver = async () => {
  const answer = await fetch(location.href, { headers: { accept: 'application/json' } });
  const { status, activity, money, code, message } = await answer.json();
  if (PAID.includes(status)) {
    tell('Paid. Thank you. ' + money);
    say('success', { activityUid: activity.uid });
    return true;
  }
  if (code) return fail(code, message);
  if (activity && activity.status === 'failed') return fail(activity.code, activity.message);
  if (status === 'requires_ugwo' && activity) {
    tell(money);
    return true;
  }
  return false;
};
const lookUntilOver = async () => {
  tell('Waiting for the payment …');
  for (let turn = 0; turn < TIMES; turn += 1) {
    if (await isOver()) return;
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  tell('No payment was seen.');
};
document.getElementById('paid')?.addEventListener('click', (event) => {
  event.target.disabled = true;
  lookUntilOver().catch(() => fail('unreachable', 'The service could not be reached.')).finally(() => {
    event.target.disabled = false;
  });
});
document.getElementById('close')?.addEventListener('click', () => say('close'));
say('ready');
say('theme', { theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light' });
resize();
if (code) say('error', { code, message });
`;

const STYLE = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
body { margin: 0 auto; max-width: 26rem; padding: 1rem; }
dt { opacity: .7; }
dd { font-size: 1.2rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
button { font: inherit; padding: .5rem 1rem; }
small { opacity: .7; }
`;

/** Start of the path of a payment request's page. */
export const PAGE_START = 'ugw.';
export const PAGE_PATH = `/${PAGE_START}{rest}`;

/** A reason why there is nothing to pay (public material). */
interface Stop {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const STOPS = {
  key: { status: 401, code: 'unauthorized', message: 'The public key is missing, or another one.' },
  unknown: { status: 404, code: 'ugwo.error.not_found', message: 'There is no such payment request.' },
  origin: { status: 403, code: 'forbidden', message: 'Only a page of this machine may frame this one.' },
  processed: { status: 200, code: 'ugwo_processed', message: 'This has been paid already.' },
  cancelled: { status: 200, code: 'ugwo_cancelled', message: 'This was cancelled.' },
} as const satisfies Record<string, Stop>;

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const sourceHash = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

/** Allows only the content of the page itself; `framed` is the one origin that may show it in a frame. */
const headersFor = (framed: string | undefined): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'none'",
    `script-src ${sourceHash(SCRIPT)}`,
    `style-src ${sourceHash(STYLE)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${framed ?? "'none'"}`,
  ].join('; '),
  // The page's own address contains the public key.
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
});

const attributes = (values: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` data-${name}="${escapeHtml(value)}"`))
    .join('');

const htmlOf = (title: string, body: string, data: Readonly<Record<string, string | undefined>>): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body${attributes(data)}>
<h1>${escapeHtml(title)}</h1>
${body}
<p id="said" role="status"></p>
<p><button id="close" type="button">Close</button></p>
<p><small>A test: no money moves.</small></p>
<script>${SCRIPT}</script>
</body></html>
`;

/** Says what was paid: `NGN 500.00 of NGN 900.00 is missing. NGN 400.00 was paid.` Empty if nothing was. */
const moneyWords = (ugwo: Ugwo): string => {
  const { asked = 0, received, missing = 0, excess = 0 } = balanceOf(requestFacts(ugwo));
  const money = (minor: number): string => formatMoney(minor, machineValue(ugwo.currency ?? ''));
  if (received === 0) return '';
  const paid = `${money(received)} was paid`;
  if (missing > 0 && stopOf(ugwo) === undefined) return `${money(missing)} of ${money(asked)} is missing. ${paid}.`;
  return excess > 0 ? `${paid}, ${money(excess)} too much.` : `${paid}.`;
};

/** Renders the customer's next step: the account, or the code to dial. */
const actionHtml = ({ next_action: action }: Activity): string => {
  const entries = Object.entries(action?.['headers'] ?? {});
  const rows = entries.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(String(value))}</dd>`);
  return `<p>${escapeHtml(String(action?.['instruction'] ?? ''))}</p>\n<dl>${rows.join('')}</dl>`;
};

const pageBody = (ugwo: Ugwo, activities: readonly Activity[]): string => {
  const mediums = (ugwo.checkout?.mediums ?? []).map(({ medium }) => `<li>${escapeHtml(machineValue(medium))}</li>`);
  const open = activities.findLast(({ status }) => paymentShown({ status }) === 'open');
  const action =
    open === undefined
      ? `<p>Nothing is to be paid yet. For the developer: <code>${escapeHtml(shellLine(['paycli', 'ugwo', 'charge', ugwo.uid, '--medium']))} …</code></p>`
      : `${actionHtml(open)}
<p><button id="paid" type="button">I have paid</button></p>
<p><small>For the developer: <code>${escapeHtml(shellLine(['paycli', 'emulator', 'settle', open.uid, '--as', 'successful']))}</code></small></p>`;
  return `<p>${escapeHtml(ugwo.description ?? '')}</p>\n<p>${moneyWords(ugwo)}</p>\n<ul>${mediums.join('')}</ul>\n${action}`;
};

const stopOf = (ugwo: Ugwo): Stop | undefined => {
  if (isPaid(ugwo)) return STOPS.processed;
  return machineValue(ugwo.status ?? '') === 'cancelled' ? STOPS.cancelled : undefined;
};

/** Returns the state of the payment as JSON, for the page's own script. */
const pageState = (ugwo: Ugwo, activities: readonly Activity[]): string => {
  const paid = activities.find(({ status }) => PAYMENTS[paymentShown({ status })].brings);
  const latest = isPaid(ugwo) ? paid : activities.at(-1);
  const fault = { code: valueAt(latest, 'error.code'), message: valueAt(latest, 'error.message') };
  const activity = latest === undefined ? null : { uid: latest.uid, status: machineValue(latest.status), ...fault };
  const { code, message }: Partial<Stop> = stopOf(ugwo) ?? {};
  const status = machineValue(ugwo.status ?? '');
  return JSON.stringify({ status, activity, money: moneyWords(ugwo), code, message });
};

/** Returns the origin that frames the page; undefined without a frame, null if the origin isn't on this machine. */
const framerOf = (query: URLSearchParams): string | null | undefined => {
  if (query.get('embed') !== '1') return undefined;
  const origin = query.get('embed_origin') ?? '';
  const isOrigin = /^https?:/.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin;
  return isOrigin && isLoopback(origin) ? origin : null;
};

/** Shows the hosted page of a payment request, or its state as JSON. The public key allows reading only. */
export const showPage = (service: Service, { segments, query, headers }: HttpRequest): HttpAnswer => {
  const { store } = service;
  const framer = framerOf(query);
  const framed = framer ?? undefined;
  const show = (status: number, type: string, text: string) => respond(service, status, type, text, headersFor(framed));
  const page = (status: number, ...html: Parameters<typeof htmlOf>) =>
    show(status, 'text/html; charset=utf-8', htmlOf(...html));
  const stop = ({ status, code, message }: Stop, words = ''): HttpAnswer =>
    page(status, message, `<p>${words}</p>`, { origin: framed, code, message });
  if (framer === null) return stop(STOPS.origin);
  if (!isKey(query.get('pk') ?? '', store.setting('public_key') ?? '')) return stop(STOPS.key);
  catchUp(store, nowOf(service));
  const ugwo = store.ugwo(segments[1] ?? '');
  if (ugwo === undefined) return stop(STOPS.unknown);
  const activities = store.activitiesOn(ugwo.uid);
  if (headers['accept'] === 'application/json') {
    return show(200, 'application/json', pageState(ugwo, activities));
  }
  const stopped = stopOf(ugwo);
  if (stopped !== undefined) return stop(stopped, moneyWords(ugwo));
  const title = `Pay ${formatMoney(missingAmount(ugwo), machineValue(ugwo.currency ?? ''))}`;
  return page(200, title, pageBody(ugwo, activities), { origin: framed });
};

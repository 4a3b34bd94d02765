import { buildExample, mediumNamed } from '../../charge/mediums.ts';
import { balanceOf, PAYMENTS, paymentShown, requestFacts } from '../../charge/payment.ts';
import type { Activity } from '../../contract/activity.ts';
import type { Ugwo } from '../../contract/ugwo.ts';
import { machineValue } from '../../core/charge.ts';
import { valueAt } from '../../core/json.ts';
import { formatMoney } from '../../core/money.ts';
import { isLoopback } from '../../core/origin.ts';
import { explained } from '../../core/service-codes.ts';
import { shellLine } from '../../core/shell.ts';
import { createCharge } from '../charge.ts';
import { WIRE_FORMS } from '../dialect.ts';
import type { HttpAnswer, HttpRequest } from '../http.ts';
import { catchUp, isPaid, missingAmount } from '../payments.ts';
import { isKey, nowOf, ProblemError, readForm, respond, type Service } from '../service.ts';
import { html, type Part, respondPage, showAgain } from './html.ts';

/**
 * Script of the hosted page. Posts `{source: "kwugwo", type, payload}` (docs/service.md, Payment page) to the frame's
 * parent, and only to the named origin. Shops read the fields inside `payload` only.
 */
const SCRIPT = `
'use strict';
const { origin, code, message } = document.body.dataset;
const PAID = ['ugwo_successful', 'partially_refunded', 'refunded'];
const [EVERY_MS, TIMES] = [2000, 150];
const say = (type, payload = {}) => {
  if (origin && window.parent !== window) window.parent.postMessage({ source: 'kwugwo', type, payload }, origin);
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

/** A reason why there is nothing to pay (docs/service.md, Payment page). */
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
const actionPart = ({ next_action: action }: Activity): Part => {
  const entries = Object.entries(action?.['headers'] ?? {});
  return html`<p>${String(action?.['instruction'] ?? '')}</p>
<dl>${entries.map(([name, value]) => html`<dt>${name}</dt><dd>${String(value)}</dd>`)}</dl>`;
};

/** Renders a button for each medium of the checkout, with the words that come before them. */
const mediumButtons = ({ checkout }: Ugwo, words: string): Part => {
  const mediums = (checkout?.mediums ?? []).map(({ medium }) => machineValue(medium));
  if (mediums.length === 0) return html`<p>It has no checkout, so it can't be paid.</p>`;
  const buttons = mediums.map(
    (medium) => html`<button name="medium" value="${medium}">${medium.replaceAll('_', ' ')}</button>\n`,
  );
  return html`<form method="post"><p>${words}</p>\n<p>${buttons}</p></form>`;
};

const pageContent = (ugwo: Ugwo, activities: readonly Activity[], idOf: (uid: string) => string): Part => {
  const open = activities.findLast(({ status }) => paymentShown({ status }) === 'open');
  const about = html`<p>${ugwo.description}</p>\n<p>${moneyWords(ugwo)}</p>`;
  if (open === undefined) return [about, mediumButtons(ugwo, 'Pay by')];
  const settle = shellLine(['paycli', 'emulator', 'settle', idOf(open.uid), '--as', 'successful']);
  return html`${about}
${actionPart(open)}
<p><button id="paid" type="button">I have paid</button></p>
${mediumButtons(ugwo, 'Or pay by')}
<p><small>For the developer: the money comes with a button of the console, or with <code>${settle}</code></small></p>`;
};

const stopOf = (ugwo: Ugwo): Stop | undefined => {
  if (isPaid(ugwo)) return STOPS.processed;
  return machineValue(ugwo.status ?? '') === 'cancelled' ? STOPS.cancelled : undefined;
};

/** Returns the state of the payment as JSON, for the page's own script. */
const pageState = (ugwo: Ugwo, activities: readonly Activity[], idOf: (uid: string) => string): string => {
  const paid = activities.find(({ status }) => PAYMENTS[paymentShown({ status })].brings);
  const latest = isPaid(ugwo) ? paid : activities.at(-1);
  const fault = { code: valueAt(latest, 'error.code'), message: valueAt(latest, 'error.message') };
  const activity =
    latest === undefined ? null : { uid: idOf(latest.uid), status: machineValue(latest.status), ...fault };
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

/** Charges by the medium of a button, as a client would. `lost` cuts no answer off here. */
const chargeBy = (service: Service, ugwoUid: string, name: string): void => {
  const [{ store }, known] = [service, mediumNamed(name)];
  const data = known === undefined ? { medium: name } : buildExample(known);
  const request = {
    params: { ugwoUid },
    query: undefined,
    body: { type: 'charge' as const, data },
    now: nowOf(service),
  };
  store.write(() => createCharge({ ...request, hangUp: () => undefined }, store));
};

/**
 * Shows the hosted page of a payment request, or its state as JSON. The public key opens it, and charges by its
 * buttons.
 */
export const showPaymentPage = async (service: Service, asked: HttpRequest): Promise<HttpAnswer> => {
  const { segments, query, headers, method, target } = asked;
  const { store, dialect } = service;
  const [framer, idOf] = [framerOf(query), WIRE_FORMS[dialect].id];
  const page = (status: number, title: string, content: Part, stop?: Stop): HttpAnswer =>
    respondPage(service, status, {
      title,
      content: html`<h1>${title}</h1>
${content}
<p id="said" role="status"></p>
<p><button id="close" type="button">Close</button></p>
<p><small>A test: no money moves.</small></p>`,
      style: STYLE,
      script: SCRIPT,
      data: { origin: framer ?? undefined, code: stop?.code, message: stop?.message },
      framer: framer ?? undefined,
    });
  const stopped = (stop: Stop, words = ''): HttpAnswer => page(stop.status, stop.message, html`<p>${words}</p>`, stop);
  if (framer === null) return stopped(STOPS.origin);
  if (!isKey(query.get('pk') ?? '', store.setting('public_key') ?? '')) return stopped(STOPS.key);
  catchUp(store, nowOf(service));
  const ugwo = store.ugwo(segments[1] ?? '');
  if (ugwo === undefined) return stopped(STOPS.unknown);
  if (method === 'POST') {
    const medium = (await readForm(asked)).get('medium') ?? '';
    try {
      chargeBy(service, ugwo.uid, medium);
    } catch (thrown) {
      if (!(thrown instanceof ProblemError)) throw thrown;
      const { status, detail, title } = thrown.problem;
      const code = detail ?? title;
      return stopped({ status, code, message: explained(code) });
    }
    return showAgain(service, target);
  }
  const activities = store.activitiesOn(ugwo.uid);
  if (headers['accept'] === 'application/json') {
    return respond(service, 200, 'application/json', pageState(ugwo, activities, idOf));
  }
  const stop = stopOf(ugwo);
  if (stop !== undefined) return stopped(stop, moneyWords(ugwo));
  const title = `Pay ${formatMoney(missingAmount(ugwo), machineValue(ugwo.currency ?? ''))}`;
  return page(200, title, pageContent(ugwo, activities, idOf));
};

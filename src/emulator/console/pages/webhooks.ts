import { html } from 'hono/html';
import { EVENTS } from '../../../core/webhook-event.ts';
import type { DeliveryAttempt } from '../../store.ts';
import { listDeliveries, listWebhooks, type ShownDelivery, type ShownWebhook } from '../../webhooks.ts';
import { aboutData, controlCurl, linesBlock, type ShellLines } from '../lines.ts';
import { type Action, actionForms, moment, pill, table, text } from '../parts.ts';
import type { State } from '../states.ts';
import type { EmulatorPlace, Markup, Page, PageView } from '../view.ts';

const SHOWN = 100;
const URL_PROPOSED = 'http://127.0.0.1:4242/webhooks';
const TRIGGERED = 'ugwo.successful';

const STATES: Readonly<Record<ShownDelivery['state'], State>> = {
  waiting: ['waiting', 'open'],
  delivered: ['delivered', 'good'],
  failed: ['failed', 'bad'],
  dropped: ['dropped', 'off'],
};

const addAction = (place: EmulatorPlace): Action => ({
  path: 'webhooks/add',
  label: 'Add',
  inputs: html`<label>Address<input name="url" type="url" value="${URL_PROPOSED}" required></label>
<label>Events<input name="event" placeholder="all, or ugwo.activity.*"></label>
<label>Secret<input name="secret" type="password" autocomplete="off" placeholder="none: not signed"></label>`,
  lines: {
    paycli: aboutData(place, 'webhook', 'add', URL_PROPOSED, '--unsigned'),
    curl: controlCurl(place, 'POST', 'webhooks', { url: URL_PROPOSED }),
  },
});

const triggerAction = (place: EmulatorPlace): Action => ({
  path: 'webhooks/trigger',
  label: 'Send',
  inputs: html`<label>Event<select name="event">${EVENTS.map(
    (event) => html`<option${event === TRIGGERED ? html` selected` : ''}>${event}</option>`,
  )}</select></label>
<label>Payment request<input name="ugwo" placeholder="made up, or ugw.…"></label>`,
  lines: {
    paycli: aboutData(place, 'webhook', 'trigger', TRIGGERED),
    curl: controlCurl(place, 'POST', 'webhooks/trigger', { event: TRIGGERED }),
  },
});

const rowOf = ({ root }: PageView, { id, url, events, signed }: ShownWebhook): Markup => html`<tr>
<td class="wide id">${text(url)}</td><td>${events.map((event) => (event === '*' ? 'all' : text(event))).join(', ')}</td><td class="end">${signed ? 'signed' : 'not signed'}</td>
<td><form method="post" action="${root}webhooks/remove"><input type="hidden" name="id" value="${id}"><button>Remove<span class="unseen"> ${text(url)}</span></button></form></td></tr>`;

const removeLines = ({ place }: PageView, { id, url }: ShownWebhook): readonly [string, ShellLines] => [
  `Remove ${text(url)}`,
  {
    paycli: aboutData(place, 'webhook', 'remove', String(id)),
    curl: controlCurl(place, 'POST', 'webhooks/remove', { id }),
  },
];

const attemptText = ({ status, error, ms, fault }: DeliveryAttempt): string => {
  const heard = status === null ? (error ?? 'no answer') : String(status);
  return text(`${heard}, ${ms} ms${fault === undefined ? '' : `, fault: ${fault}`}`);
};

const attemptsOf = (view: PageView, { id, attempts, due }: ShownDelivery): Markup => {
  const next = due === null ? '' : html`<p class="soft">next try ${moment(due, view.now)}</p>`;
  const last = attempts.at(-1);
  if (last === undefined) return html`${view.live(`attempts-${id}`, 'not sent yet')}${next}`;
  return html`<details><summary>${view.live(`attempts-${id}`, `${attempts.length} × sent, last: ${attemptText(last)}`)}</summary>
<ol>${attempts.map(
    (one) =>
      html`<li>${moment(one.at, view.now)}: ${attemptText(one)} <span class="id soft">${text(one.delivery_id)}</span></li>`,
  )}</ol></details>${next}`;
};

const deliveryRow = (view: PageView, delivery: ShownDelivery): Markup => {
  const { id, event, about, url, state, at, event_uid: uid } = delivery;
  const { ugwo, customer } = view.service.store;
  const section = [ugwo(about) && 'ugwo', customer(about) && 'onye'].find((found) => found !== undefined);
  // A made-up record is not stored, so it has no page.
  const subject =
    section === undefined
      ? html`<span class="id">${text(about)}</span>`
      : html`<a class="id" href="${view.root}${section}/${about}">${text(about)}</a>`;
  return html`<tr><td>${moment(at, view.now)}</td>
<td class="end">${pill(view, `delivery-${id}`, STATES[state])}</td>
<td class="wide"><strong>${text(event)}</strong><br>${subject}
<p class="soft">to <span class="id">${text(url)}</span> · <span class="id">${text(uid)}</span></p></td>
<td class="wide">${attemptsOf(view, delivery)}</td>
<td><form method="post" action="${view.root}webhooks/replay"><input type="hidden" name="id" value="${id}"><button>Replay<span class="unseen"> ${id}, ${text(event)}</span></button></form></td></tr>`;
};

const deliveriesBlock = (view: PageView, deliveries: readonly ShownDelivery[]): Markup => {
  const [newest] = deliveries;
  if (newest === undefined) return html`<p class="soft">Nothing was sent yet.</p>`;
  const replay: readonly [string, ShellLines] = [
    'Replay the newest',
    {
      paycli: aboutData(view.place, 'webhook', 'deliveries', '--replay', String(newest.id)),
      curl: controlCurl(view.place, 'POST', 'deliveries/replay', { id: newest.id }),
    },
  ];
  const rows = deliveries.map((one) => deliveryRow(view, one));
  return html`${table('Deliveries, newest first', ['Time', 'State', 'Event', 'Attempts', ''], rows)}${linesBlock([replay])}`;
};

/** Renders webhooks, their deliveries and the outcomes. */
export const webhooksPage = (view: PageView): Page => {
  const { store } = view.service;
  const webhooks = listWebhooks(store);
  const listed =
    webhooks.length === 0
      ? html`<p class="soft">Nobody is told yet. Add the address of your receiver on this machine.</p>`
      : html`${table(
          'Webhooks',
          ['Address', 'Events', 'Signature', ''],
          webhooks.map((one) => rowOf(view, one)),
        )}${linesBlock(webhooks.map((one) => removeLines(view, one)))}`;
  const trigger =
    webhooks.length === 0
      ? ''
      : html`<section class="card"><h2>Send a made-up event</h2>${actionForms(view, [triggerAction(view.place)])}</section>`;
  return {
    title: 'Webhooks',
    section: 'webhooks',
    body: html`<h2>Addresses</h2>${listed}
<section class="card"><h2>Add an address</h2>${actionForms(view, [addAction(view.place)])}</section>${trigger}
<h2>Deliveries</h2>${deliveriesBlock(view, listDeliveries(store, SHOWN))}`,
  };
};

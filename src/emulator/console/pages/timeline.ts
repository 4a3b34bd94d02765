import { html } from 'hono/html';
import type { Activity } from '../../../contract/activity.ts';
import type { Refund, Ugwo } from '../../../contract/ugwo.ts';
import { MEDIUMS, machineValue } from '../../../core/charge.ts';
import { valueAt } from '../../../core/json.ts';
import { readInstant } from '../../../core/time.ts';
import { derivedId } from '../../ids.ts';
import { amountOf, moment, money, text } from '../parts.ts';
import { activityState, isOpen, requestState } from '../states.ts';
import type { Markup, PageView, Tone } from '../view.ts';

/** Something that happened, or is still to. */
interface Happened {
  readonly at: unknown;
  readonly what: string;
  readonly tone: Tone;
  readonly more?: string | undefined;
  readonly id: string;
}

/** Names the medium of an activity, derived from its provider's identifier. */
export const mediumOf = ({ psp }: Activity): string =>
  (MEDIUMS.find((medium) => derivedId('psp', medium) === machineValue(psp)) ?? 'unknown medium').replace('_', ' ');

const faultOf = (record: unknown): string | undefined => {
  const [code, message] = ['code', 'message'].map((name) => machineValue(valueAt(record, `error.${name}`)));
  return [code, message].filter((part) => part !== '').join(': ') || undefined;
};

const paidText = (activity: Activity, { currency }: Ugwo): string => {
  const paid = activity['charged_amount'];
  return paid === undefined ? '' : `, with ${money(paid, currency)}`;
};

const refunded = (refund: Refund, currency: string): readonly Happened[] => {
  const of = `Refund of ${money(refund.amount, currency)}`;
  const status = machineValue(refund.status);
  const begun: Happened = { at: refund.created_at, what: `${of} asked for`, tone: 'plain', id: refund.uid };
  if (status === 'processing') return [{ ...begun, what: `${of} is processing`, tone: 'open' }];
  const tone = status === 'failed' ? 'bad' : 'off';
  return [
    begun,
    { at: refund.updated_at, what: `${of}: ${text(status)}`, tone, more: faultOf(refund), id: refund.uid },
  ];
};

const charged = ({ service }: PageView, activity: Activity, ugwo: Ugwo): readonly Happened[] => {
  const [word, tone] = activityState(activity);
  const id = activity.uid;
  const by = `Charged by ${mediumOf(activity)}`;
  const refunds = service.store.refundsOf(id).flatMap((one) => refunded(one, machineValue(ugwo.currency ?? '')));
  if (isOpen(activity)) return [{ at: activity.created_at, what: `${by}: ${word}`, tone, id }];
  const what = `${word[0]?.toUpperCase()}${word.slice(1)}${paidText(activity, ugwo)}`;
  return [
    { at: activity.created_at, what: by, tone: 'plain', id },
    { at: activity.updated_at, what, tone, more: faultOf(activity), id },
    ...refunds,
  ];
};

const made = (ugwo: Ugwo): Happened => {
  const about = text(ugwo.description ?? '') || text(ugwo.ref ?? '');
  return {
    at: ugwo.created_at,
    what: `Payment request over ${amountOf(ugwo)}`,
    tone: 'plain',
    more: about,
    id: ugwo.uid,
  };
};

const byTime = (one: Happened, other: Happened): number => (readInstant(one.at) ?? 0) - (readInstant(other.at) ?? 0);

const list = (view: PageView, happened: readonly Happened[]): Markup =>
  html`<ol class="timeline">${happened.map(
    ({ at, what, tone, more, id }) => html`<li data-tone="${tone}"><p>${text(what)}</p>
${more === undefined || more === '' ? '' : html`<p class="soft">${text(more)}</p>`}
<p class="soft">${moment(at, view.now)} · <span class="id">${id}</span></p></li>`,
  )}</ol>`;

/** Renders the history of a payment request and its activities, in order. */
export const timelineOf = (view: PageView, ugwo: Ugwo, activities: readonly Activity[]): Markup => {
  const cancelled: Happened[] =
    machineValue(ugwo.status ?? '') === 'cancelled'
      ? [{ at: '', what: `Is ${requestState(ugwo.status)[0]}`, tone: 'off', id: ugwo.uid }]
      : [];
  const happened = activities.flatMap((activity) => charged(view, activity, ugwo));
  return list(view, [made(ugwo), ...happened.toSorted(byTime), ...cancelled]);
};

/** Renders the history of several payment requests. */
export const historyOf = (view: PageView, requests: readonly Ugwo[]): Markup => {
  if (requests.length === 0) return html`<p class="soft">Nothing yet.</p>`;
  const happened = requests.flatMap((ugwo) => [
    made(ugwo),
    ...view.service.store.activitiesOn(ugwo.uid).flatMap((activity) => charged(view, activity, ugwo)),
  ]);
  return list(view, happened.toSorted(byTime).toReversed());
};

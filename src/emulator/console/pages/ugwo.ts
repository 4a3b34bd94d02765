import { html } from 'hono/html';
import type { Activity } from '../../../contract/activity.ts';
import type { Ugwo } from '../../../contract/ugwo.ts';
import { BANK_CODES } from '../../../core/banks.ts';
import { machineValue } from '../../../core/charge.ts';
import { valueAt } from '../../../core/json.ts';
import { isPaid } from '../../payments.ts';
import { chargeAction } from '../actions-ugwo.ts';
import { actionForms, amountOf, facts, moment, money, pill, text } from '../parts.ts';
import { isOpen, requestState } from '../states.ts';
import type { Markup, Page, PageView } from '../view.ts';
import { customerView } from './customer-view.ts';
import { mapText } from './onye.ts';
import { timelineOf } from './timeline.ts';

const payer = ({ root }: PageView, ugwo: Ugwo): Markup | string => {
  const uid = valueAt(ugwo.onye, 'uid');
  if (typeof uid !== 'string') return 'nobody';
  return html`<a href="${root}onye/${uid}">${text(valueAt(ugwo.onye, 'email') ?? '') || uid}</a>`;
};

const INPUTS: Readonly<Record<string, () => Markup>> = {
  ussd: () =>
    html`<label>Bank<select name="provider">${BANK_CODES.map(
      (code) => html`<option${code === 'gtb' ? html` selected` : ''}>${code}</option>`,
    )}</select></label>`,
  mobile_money: () => html`<label>Provider<select name="provider">${['mtn', 'telecel', 'at'].map(
    (code) => html`<option>${code}</option>`,
  )}</select></label>
<label>Phone<input name="phone" type="tel" inputmode="tel" value="+233241234567" required></label>`,
};

const chargeForms = (view: PageView, ugwo: Ugwo): Markup => {
  const mediums = (ugwo.checkout?.mediums ?? []).map(({ medium }) => machineValue(medium));
  if (mediums.length === 0) return html`<p>It has no checkout, so it can't be charged.</p>`;
  const actions = mediums.map((medium) => ({
    ...chargeAction(view.place, ugwo, medium),
    inputs: INPUTS[medium]?.() ?? html``,
  }));
  return actionForms(view, actions);
};

const mayBeCharged = (ugwo: Ugwo): boolean => !isPaid(ugwo) && machineValue(ugwo.status ?? '') !== 'cancelled';

const charging = (view: PageView, ugwo: Ugwo, open: readonly Activity[]): Markup | string =>
  mayBeCharged(ugwo)
    ? html`<section class="card"><h2>${open.length === 0 ? 'Charge it' : 'Charge it again'}</h2>
<p class="soft">As a client would. Each charge is an activity of its own.</p>${chargeForms(view, ugwo)}</section>`
    : '';

/** Renders a payment request: its state, its customer's view and its history. */
export const ugwoPage = (view: PageView, ugwo: Ugwo): Page => {
  const activities = view.service.store.activitiesOn(ugwo.uid);
  const open = activities.filter(isOpen);
  return {
    title: text(ugwo.description ?? '') || text(ugwo.ref ?? '') || 'Payment request',
    section: 'ugwo',
    body: html`<div class="columns request"><section class="card facts-card"><h2>Payment request</h2>${facts([
      ['Amount', html`<strong class="tabular">${amountOf(ugwo)}</strong>`],
      [
        'State',
        html`${pill(view, 'state', requestState(ugwo.status))} <code>${view.live('status', machineValue(ugwo.status ?? ''))}</code>`,
      ],
      [
        'Paid',
        html`<span class="tabular">${view.live('paid', money(ugwo['total_amount_paid'], ugwo.currency))}</span>`,
      ],
      ['Customer', payer(view, ugwo)],
      ['Reference', text(ugwo.ref ?? '') || 'none'],
      ['Identifier', html`<span class="id">${ugwo.uid}</span>`],
      ['Metadata', mapText(ugwo.metadata)],
      ['Created', html`${moment(ugwo.created_at, view.now)}`],
    ])}</section>
<div class="beside">${customerView(view, ugwo, activities)}${charging(view, ugwo, open)}</div>
<section class="card"><h2>What happened</h2>${timelineOf(view, ugwo, activities)}</section></div>`,
  };
};

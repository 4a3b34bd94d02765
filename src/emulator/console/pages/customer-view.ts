import { html, raw } from 'hono/html';
import type { Activity } from '../../../contract/activity.ts';
import type { Ugwo } from '../../../contract/ugwo.ts';
import { machineValue, type NextAction, readNextAction } from '../../../core/charge.ts';
import { telLink, visibleExactly } from '../../../core/text.ts';
import { modulesOf } from '../../../qr/modules.ts';
import { payTwiceAction, settleAction } from '../actions-ugwo.ts';
import { actionForms, amountOf, clockText, facts, money, text } from '../parts.ts';
import { activityState, isOpen } from '../states.ts';
import type { Markup, PageView } from '../view.ts';
import { mediumOf } from './timeline.ts';

/** One path of squares; it holds nothing but numbers. */
const qrOf = (code: string): Markup | string => {
  const link = telLink(code);
  if (link === undefined) return '';
  const modules = modulesOf(link);
  const squares = modules.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return html`<svg class="qr" viewBox="0 0 ${modules.length} ${modules.length}" role="img" aria-label="QR code that dials the code" shape-rendering="crispEdges"><rect width="100%" height="100%" fill="#fff"/><path d="${raw(squares.join(''))}" fill="#000"/></svg>`;
};

const entries = ({ entries: more }: NextAction): (readonly [string, string])[] =>
  more.map(([name, value]) => [text(name), text(value)] as const);

const stepOf = (action: NextAction | undefined, now: number): Markup => {
  if (action === undefined) return html`<p>The customer confirms the payment on the phone.</p>`;
  const instruction = html`<p class="soft">${text(action.instruction ?? '')}</p>`;
  if (action.kind === 'dial') {
    const code = visibleExactly(action.code);
    return html`${qrOf(action.code)}<p>Dial <span class="copy">${code}</span></p>${facts(entries(action))}${instruction}`;
  }
  if (action.kind === 'other') return html`${facts(entries(action))}${instruction}`;
  const { bank, accountName, accountNumber, expiresAt } = action;
  const expiry = expiresAt === undefined ? 'not said' : clockText(expiresAt, now);
  return html`<p class="copy">${visibleExactly(accountNumber)}</p>${facts([
    ['Bank', text(bank)],
    ['Account name', text(accountName)],
    ['Expires', expiry],
    ...entries(action),
  ])}${instruction}`;
};

const endings = (view: PageView, ugwo: Ugwo, activity: Activity, other: Activity | undefined): Markup => {
  const { place } = view;
  const medium = mediumOf(activity).replace(' ', '_');
  const half = Math.max(1, Math.floor((ugwo.amount ?? 0) / 2));
  const amount = html`<label>Amount, in the minor unit<input name="amount" inputmode="numeric" pattern="[1-9][0-9]*" value="${half}" required></label>`;
  return actionForms(view, [
    settleAction(place, activity, 'successful', { label: 'Pay', tone: 'good' }),
    settleAction(place, activity, 'failed', { label: 'Fail', tone: 'bad' }),
    settleAction(place, activity, 'expired', { label: 'Expire', tone: 'bad' }),
    payTwiceAction(place, activity, other, medium),
    settleAction(place, activity, 'successful', { label: 'Pay another amount', inputs: amount, amount: half }),
  ]);
};

const openView = (view: PageView, ugwo: Ugwo, activity: Activity, open: readonly Activity[]): Markup => {
  const other = open.find(({ uid }) => uid !== activity.uid);
  return html`<section class="card"><h2>What the customer sees</h2>
<div class="phone"><p class="sum">${amountOf(ugwo)}</p><p class="soft">by ${mediumOf(activity)}</p>
${stepOf(readNextAction(activity), view.now)}</div>
<h3 class="then">And then</h3>
${endings(view, ugwo, activity, other)}
</section>`;
};

const paidView = (view: PageView, ugwo: Ugwo, activity: Activity): Markup => {
  const action = settleAction(view.place, activity, 'taken_back', { label: 'Take the payment back', tone: 'bad' });
  return html`<section class="card"><h2>What the customer sees</h2><div class="phone"><p class="sum">${money(
    activity['charged_amount'] ?? ugwo.amount,
    ugwo.currency,
  )}</p><p>${activityState(activity)[0]}, by ${mediumOf(activity)}</p></div>
<div class="then">${actionForms(view, [action])}</div></section>`;
};

/**
 * Renders the customer's view of each open activity, newest first, with its possible outcomes; without open ones, that
 * of the last paid activity.
 */
export const customerView = (view: PageView, ugwo: Ugwo, activities: readonly Activity[]): Markup => {
  const open = activities.filter(isOpen).toReversed();
  if (open.length > 0) return html`${open.map((activity) => openView(view, ugwo, activity, open))}`;
  const paid = activities.filter(({ status }) => machineValue(status) === 'successful').toReversed();
  return html`${paid.map((activity) => paidView(view, ugwo, activity))}`;
};

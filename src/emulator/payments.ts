import { balanceOf, paymentShown, requestFacts } from '../charge/payment.ts';
import type { Activity } from '../contract/activity.ts';
import type { Refund, Ugwo, UgwoWithActivities } from '../contract/ugwo.ts';
import { machineValue, readNextAction } from '../core/charge.ts';
import { type ActivityEnding, ENDINGS } from '../core/data-files.ts';
import { type PayError, usageError } from '../core/error.ts';
import { printExact, valueAt } from '../core/json.ts';
import { statusWord } from '../core/status.ts';
import { parseDuration, utcAtom } from '../core/time.ts';
import { type EventName, isWanted, readEvent } from '../core/webhook-event.ts';
import { newServiceId } from './ids.ts';
import { emulatorLine } from './schema.ts';
import type { ActivityPlan, EmittedEvent, EmulatorStore, RefundEnding, StoredActivity } from './store.ts';

/** True if the customer has paid a request, even if it was refunded since. */
export const isPaid = ({ status }: Pick<Ugwo, 'status'>): boolean =>
  ['ugwo_successful', 'partially_refunded', 'refunded'].includes(machineValue(status ?? ''));

/** Outcomes of a charge that `metadata.emulate` of a payment request can ask for. */
export type Scripted =
  /** `fail`, or `fail:<medium>` for one medium: fails at once. */
  | { readonly kind: 'fail' }
  /** `402`: refused, since the workspace's own balance is too low. */
  | { readonly kind: 'unfunded' }
  /**
   * `successful:30s`, `failed:30s`, `expired:30s`: the ending, and its delay after the charge; `after` is in
   * milliseconds. `successful:30s:250000`: paid with another amount than requested.
   */
  | { readonly kind: 'end'; readonly ending: ActivityEnding; readonly after: number; readonly paid?: number }
  /** Cuts the connection without an answer: `lost` after making the charge, `lost:unmade` without making it. */
  | { readonly kind: 'lost'; readonly made: boolean };

type Asking = Pick<Ugwo, 'metadata'>;

/** Splits the metadata at blanks. Unknown words are ordinary metadata and have no effect. */
const emulateWords = ({ metadata }: Asking): readonly string[] => {
  const text = valueAt(metadata, 'emulate');
  return typeof text === 'string' ? text.trim().split(/\s+/) : [];
};

/** Parses a word like `failed:30s` into an ending and its delay in milliseconds. */
const readEnding = <T extends string>(word: string, endings: readonly T[]) => {
  const [name, duration = '', paid = '', ...more] = word.split(':');
  const [ending, after] = [endings.find((known) => known === name), parseDuration(duration)];
  if (ending === undefined || after === undefined || more.length > 0) return undefined;
  if (paid === '') return { ending, after };
  return /^[1-9]\d{0,14}$/.test(paid) && name === 'successful' ? { ending, after, paid: Number(paid) } : undefined;
};

const scriptedCharge = (word: string, medium: string): Scripted | undefined => {
  if (word === 'fail' || word === `fail:${medium}`) return { kind: 'fail' };
  if (word === '402') return { kind: 'unfunded' };
  if (word === 'lost' || word === 'lost:unmade') return { kind: 'lost', made: word === 'lost' };
  const end = readEnding(word, ENDINGS);
  return end === undefined || end.ending === 'reversed' ? undefined : { kind: 'end', ...end };
};

/** Returns the first word that `read` understands, parsed. */
const firstScripted = <T>(ugwo: Asking, read: (word: string) => T | undefined): T | undefined =>
  emulateWords(ugwo)
    .map(read)
    .find((wish) => wish !== undefined);

export const scriptedOf = (ugwo: Asking, medium: string): Scripted | undefined =>
  firstScripted(ugwo, (word) => scriptedCharge(word, medium));

/** `reversed:2m`, or `taken_back:2m`: the delay in milliseconds from the payment until the provider reverses it. */
const reversalDelay = (ugwo: Asking): number | undefined =>
  firstScripted(ugwo, (word) => readEnding(word, ['reversed', 'taken_back'])?.after);

/**
 * Returns the scripted outcome of a refund and its delay: `refund:failed` (at once), `refund:failed:30s`,
 * `refund:successful:30s`; undefined if none is scripted.
 */
export const scriptedRefund = (ugwo: Asking) =>
  firstScripted(ugwo, (word) => {
    if (word === 'refund:failed') return { ending: 'failed', after: 0 } as const;
    return word.startsWith('refund:') ? readEnding(word.slice('refund:'.length), ['successful', 'failed']) : undefined;
  });

/**
 * Checks for a word: `402` (charges and refunds are refused), `402:create` (creation is refused), `unrouted` (gets no
 * checkout).
 */
export const asksFor = (ugwo: Asking, what: '402' | '402:create' | 'unrouted'): boolean =>
  emulateWords(ugwo).includes(what);

/**
 * Returns a payment request as its GET shows it (docs/service.md, Payment requests): with all its activities, oldest
 * first.
 */
export const withActivities = (store: EmulatorStore, ugwo: Ugwo): UgwoWithActivities => ({
  ...ugwo,
  activities: store.activitiesOn(ugwo.uid),
});

/**
 * Puts an event into the outbox, once for each webhook that subscribes to it (docs/service.md, Events). Must be
 * called inside the transaction of the change; `data` returns the resource as its GET shows it at that time. Returns
 * the event, or undefined if no webhook subscribes to it.
 */
export const emit = (
  store: EmulatorStore,
  at: number,
  event: EventName,
  data: () => { readonly uid: string },
): (EmittedEvent & { readonly webhooks: number }) | undefined => {
  const subscribers = store.webhooks().filter(({ events }) => isWanted(event, events));
  if (subscribers.length === 0) return undefined;
  const resource = data();
  const subject = readEvent({ event, data: resource }).ugwo ?? resource.uid;
  const emitted = { uid: newServiceId('evt'), event, subject, data: printExact(resource), at };
  for (const { id } of subscribers) store.addDelivery(id, emitted);
  return { ...emitted, webhooks: subscribers.length };
};

const statusAndPaid = ({ status, total_amount_paid: paid }: Ugwo): string =>
  `${machineValue(status ?? '')} ${Number(paid ?? 0)}`;

/** Emits the events of a payment request if its status or paid total has changed since `before`. */
export const emitRequestChange = (store: EmulatorStore, at: number, before: Ugwo): void => {
  const ugwo = store.ugwo(before.uid);
  if (ugwo === undefined || statusAndPaid(ugwo) === statusAndPaid(before)) return;
  emit(store, at, 'ugwo.updated', () => withActivities(store, ugwo));
  if (isPaid(ugwo) && !isPaid(before)) emit(store, at, 'ugwo.successful', () => withActivities(store, ugwo));
};

const emitActivityEnd = (store: EmulatorStore, at: number, activity: Activity): void => {
  emit(store, at, 'ugwo.activity.updated', () => activity);
  if (activity['is_double_charge'] === true && machineValue(activity.status) === 'successful') {
    emit(store, at, 'ugwo.activity.double_charge_detected', () => activity);
  }
};

const ENDING_FAULTS = {
  failed: { code: 'psp.error.declined', message: 'The provider refused this charge, as the emulator was asked to.' },
  expired: { code: 'psp.error.expired', message: 'The customer did not pay in time.' },
  reversed: { code: 'psp.error.reversed', message: 'The provider reversed the payment.' },
} as const satisfies Partial<Record<ActivityEnding, unknown>>;

export const REFUND_FAULT = { message: 'The bank of the destination refused this refund.' };

export const chargedBy = ({ charged_amount, amount }: Activity): number => Number(charged_amount ?? amount ?? 0);

/**
 * Returns an activity in its final state. The contract has no status for an expired account, so that is a failure too.
 */
const endedActivity = (activity: Activity, ending: ActivityEnding, at: number): Activity => ({
  ...activity,
  next_action: null,
  status: ending === 'successful' ? 'successful' : 'failed',
  error: ending === 'successful' ? null : ENDING_FAULTS[ending],
  updated_at: utcAtom(at),
});

/** Returns what is missing of a payment request, in the minor unit. */
export const missingAmount = (ugwo: Ugwo): number => balanceOf(requestFacts(ugwo)).missing ?? 0;

/** Derives the status of a payment request from its payments. A cancelled or refunded one keeps its status. */
const statusBy = (ugwo: Ugwo, activities: readonly Activity[]): string => {
  const status = machineValue(ugwo.status ?? '');
  if (status === 'cancelled' || (isPaid(ugwo) && status !== 'ugwo_successful')) return status;
  const paid = Number(ugwo['total_amount_paid'] ?? 0);
  if (paid > 0 && paid >= (ugwo.amount ?? 0)) return 'ugwo_successful';
  return activities.some((activity) => paymentShown(activity) === 'open') ? 'processing' : 'requires_ugwo';
};

/** Updates the status of a payment request after a change of its payments or activities. */
export const settleRequest = (store: EmulatorStore, uid: string): void => {
  const ugwo = store.ugwo(uid);
  if (ugwo === undefined) return;
  const status = statusBy(ugwo, store.activitiesOn(uid));
  if (status !== machineValue(ugwo.status ?? '')) store.setUgwoStatus(uid, status);
};

/**
 * Adds the money that came to a success. A success on a request that was already paid is a double charge
 * (docs/service.md, Activities).
 */
const paidActivity = (activity: Activity, ugwo: Ugwo, paid: number): Activity => ({
  ...activity,
  charged_amount: paid,
  ...(isPaid(ugwo) ? { is_double_charge: true } : {}),
});

/** Ends an activity as planned, and updates its payment request. */
export const endActivity = (
  store: EmulatorStore,
  kept: StoredActivity,
  { ending, due, paid = chargedBy(kept.activity) }: ActivityPlan,
): Activity => {
  const ugwo = store.ugwo(kept.ugwo);
  const plain = endedActivity(kept.activity, ending, due);
  const result = ending === 'successful' && ugwo !== undefined ? paidActivity(plain, ugwo, paid) : plain;
  const backAfter = ending === 'successful' && ugwo !== undefined ? reversalDelay(ugwo) : undefined;
  store.replaceActivity(result, backAfter === undefined ? undefined : { ending: 'reversed', due: due + backAfter });
  if (ending === 'successful') store.addPayment(kept.ugwo, paid);
  if (ending === 'reversed') store.addPayment(kept.ugwo, -paid);
  settleRequest(store, kept.ugwo);
  emitActivityEnd(store, due, result);
  if (ugwo !== undefined) emitRequestChange(store, due, ugwo);
  return result;
};

/** Sums the refunds of an activity whose status `counts` accepts. */
export const refundedOf = (store: EmulatorStore, activity: string, counts: (status: string) => boolean): number =>
  store
    .refundsOf(activity)
    .filter(({ status }) => counts(machineValue(status)))
    .reduce((sum, { amount }) => sum + (amount ?? 0), 0);

const isRefundDone = (status: string): boolean => status === 'successful';

/** Marks an activity and its payment request as refunded, in part or whole. */
const markRefunded = (store: EmulatorStore, { activity, ugwo }: StoredActivity, at: number): void => {
  const before = store.ugwo(ugwo);
  const isWhole = refundedOf(store, activity.uid, isRefundDone) >= chargedBy(activity);
  const result = { ...activity, status: isWhole ? 'refunded' : 'partially_refunded', updated_at: utcAtom(at) };
  store.replaceActivity(result, undefined);
  const all = store.activitiesOn(ugwo).reduce((sum, { uid }) => sum + refundedOf(store, uid, isRefundDone), 0);
  const paid = Number(before?.['total_amount_paid'] ?? 0);
  store.setUgwoStatus(ugwo, all >= paid ? 'refunded' : 'partially_refunded');
  emitActivityEnd(store, at, result);
  if (before !== undefined) emitRequestChange(store, at, before);
};

/** Ends a refund, and updates its activity and payment request. */
export const endRefund = (store: EmulatorStore, refund: Refund, ending: RefundEnding, at: number): Refund => {
  const error = ending === 'failed' ? REFUND_FAULT : null;
  const result = { ...refund, status: ending, error, updated_at: utcAtom(at) };
  store.endRefund(result);
  emit(store, at, ending === 'failed' ? 'refund.failed' : 'refund.successful', () => result);
  const kept = store.activity(machineValue(refund['ugwo_activity']));
  if (ending === 'successful' && kept !== undefined) markRefunded(store, kept, at);
  return result;
};

/** Ends everything that is due, in the order of due times. An ended activity may get a new plan that is due as well. */
const endDue = (store: EmulatorStore, now: number): void => {
  for (let next = store.dueActivity(now); next !== undefined; next = store.dueActivity(now)) {
    endActivity(store, next, next);
  }
  for (let next = store.dueRefund(now); next !== undefined; next = store.dueRefund(now)) {
    endRefund(store, next.refund, next.ending, next.due);
  }
};

/** Runs `endDue` before a read, so that the reader sees the results. */
export const catchUp = (store: EmulatorStore, now: number): void => {
  if ((store.dueActivity(now) ?? store.dueRefund(now)) !== undefined) store.write(() => endDue(store, now));
};

export interface Settling {
  readonly activity: string;
  readonly as: ActivityEnding;
  /** Milliseconds from now; undefined if at once. */
  readonly after: number | undefined;
  /** Amount that comes with a success, in the minor unit of the given currency; undefined if it is the full amount. */
  readonly amount?: ((currency: string) => number) | undefined;
}

export interface Settled {
  readonly activity: Activity;
  /** Planned end, in milliseconds since the epoch; undefined if it has ended. */
  readonly due: number | undefined;
}

export const unknownActivity = (uid: string): PayError =>
  usageError(`there is no activity ${uid} in the emulator's data`, {
    hint: 'name the data file that it was charged in with --data',
  });

/** The ways in which an activity can still end. An expired one is paid if money comes late; a paid one is reversed. */
export const endingsOf = (activity: Activity): readonly ActivityEnding[] => {
  const payment = paymentShown(activity);
  if (payment === 'open') return ['successful', 'failed', 'expired'];
  if (payment === 'expired') return ['successful'];
  return machineValue(activity.status) === 'successful' ? ['reversed'] : [];
};

/** Returns the activity if it can end this way; throws usage errors. */
const endable = (store: EmulatorStore, uid: string, as: ActivityEnding): StoredActivity => {
  const kept = store.activity(uid);
  if (kept === undefined) throw unknownActivity(uid);
  if (endingsOf(kept.activity).includes(as)) return kept;
  const why = as === 'reversed' ? "can't be reversed" : 'has ended already';
  throw usageError(`the activity ${uid} ${why}: it is ${statusWord(machineValue(kept.activity.status))}`);
};

const refuseAfterExpiry = ({ path }: EmulatorStore, activity: Activity, due: number): void => {
  const action = readNextAction(activity);
  if (action?.kind !== 'transfer' || action.expiresAt === undefined || due <= action.expiresAt) return;
  const at = utcAtom(action.expiresAt);
  throw usageError(`the account of the activity ${activity.uid} expires before that, at ${at}`, {
    hint: `for a late transfer, let it expire first: ${emulatorLine(path, 'clock', '+15m')}`,
  });
};

/** Ends an activity now or later. Throws usage errors. */
export const settle = (store: EmulatorStore, { activity: uid, as, after, amount }: Settling, now: number): Settled =>
  store.write(() => {
    endDue(store, now);
    const kept = endable(store, uid, as);
    const currency = machineValue(store.ugwo(kept.ugwo)?.currency ?? '');
    const plan = { ending: as, due: now + (after ?? 0), paid: amount?.(currency) };
    if (after === undefined) return { activity: endActivity(store, kept, plan), due: undefined };
    refuseAfterExpiry(store, kept.activity, plan.due);
    store.replaceActivity(kept.activity, plan);
    return { activity: kept.activity, due: plan.due };
  });

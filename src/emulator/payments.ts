import type { Activity } from '../contract/activity.ts';
import type { Refund, Ugwo, UgwoWithActivities } from '../contract/ugwo.ts';
import { machineValue, paymentStatusOf, readNextAction } from '../core/charge.ts';
import { type ActivityEnding, ENDINGS } from '../core/data-files.ts';
import { type PayError, usageError } from '../core/error.ts';
import { printExact, valueAt } from '../core/json.ts';
import { parseDuration, utcAtom } from '../core/time.ts';
import { type EventName, isWanted, readEvent } from '../core/webhook-event.ts';
import { newId } from './ids.ts';
import type { ActivityPlan, EmittedEvent, EmulatorStore, RefundEnding, StoredActivity } from './store.ts';

/** Where the money of a payment request is in already (public material). */
const PAID = ['ugwo_successful', 'partially_refunded', 'refunded'];

/** The customer has paid it, whatever was given back since. */
export const isPaid = ({ status }: Pick<Ugwo, 'status'>): boolean => PAID.includes(machineValue(status ?? ''));

/** What `metadata.emulate` of a payment request asks for when it is charged. */
export type Scripted =
  /** `fail`, or `fail:<medium>` for that one alone: it fails at once. */
  | { readonly kind: 'fail' }
  /** `402`: refused, since the workspace's own balance is too low. */
  | { readonly kind: 'unfunded' }
  /**
   * `successful:30s`, `failed:30s`, `expired:30s`: what it becomes, and so many milliseconds after the charge.
   * `successful:30s:250000`: paid with another amount than was asked for.
   */
  | { readonly kind: 'end'; readonly ending: ActivityEnding; readonly after: number; readonly paid?: number }
  /** The connection is cut without an answer: `lost` when the charge is made, `lost:unmade` in place of making it. */
  | { readonly kind: 'lost'; readonly made: boolean };

type Asking = Pick<Ugwo, 'metadata'>;

/** There may be several, parted by blanks; any other word is metadata like any other, and asks for nothing. */
const wordsOf = ({ metadata }: Asking): readonly string[] => {
  const text = valueAt(metadata, 'emulate');
  return typeof text === 'string' ? text.trim().split(/\s+/) : [];
};

/** What a word like `failed:30s` says becomes of something, and how many milliseconds later. */
const endOf = <T extends string>(word: string, endings: readonly T[]) => {
  const [name, duration = '', paid = '', ...more] = word.split(':');
  const [ending, after] = [endings.find((known) => known === name), parseDuration(duration)];
  if (ending === undefined || after === undefined || more.length > 0) return undefined;
  if (paid === '') return { ending, after };
  return /^[1-9]\d{0,14}$/.test(paid) && name === 'successful' ? { ending, after, paid: Number(paid) } : undefined;
};

const chargeWish = (word: string, medium: string): Scripted | undefined => {
  if (word === 'fail' || word === `fail:${medium}`) return { kind: 'fail' };
  if (word === '402') return { kind: 'unfunded' };
  if (word === 'lost' || word === 'lost:unmade') return { kind: 'lost', made: word === 'lost' };
  const end = endOf(word, ENDINGS);
  return end === undefined || end.ending === 'taken_back' ? undefined : { kind: 'end', ...end };
};

/** What the first word says that `read` can read. */
const firstWish = <T>(ugwo: Asking, read: (word: string) => T | undefined): T | undefined =>
  wordsOf(ugwo)
    .map(read)
    .find((wish) => wish !== undefined);

/** What its next charge is to become. */
export const scriptedOf = (ugwo: Asking, medium: string): Scripted | undefined =>
  firstWish(ugwo, (word) => chargeWish(word, medium));

/** `taken_back:2m`: how many milliseconds after it was paid the provider takes the money back. */
const takenBackAfter = (ugwo: Asking): number | undefined =>
  firstWish(ugwo, (word) => endOf(word, ['taken_back'])?.after);

/**
 * What becomes of a refund, and when: `refund:failed` (at once), `refund:failed:30s`, `refund:successful:30s`; undefined
 * where nothing is asked for.
 */
export const refundWish = (ugwo: Asking) =>
  firstWish(ugwo, (word) => {
    if (word === 'refund:failed') return { ending: 'failed', after: 0 } as const;
    return word.startsWith('refund:') ? endOf(word.slice('refund:'.length), ['successful', 'failed']) : undefined;
  });

/** `402` (charges and refunds are refused), `402:create` (it can't be made at all), `unrouted` (it gets no checkout). */
export const asksFor = (ugwo: Asking, what: '402' | '402:create' | 'unrouted'): boolean => wordsOf(ugwo).includes(what);

/** A payment request as its GET shows it (public material): with every activity on it, oldest first. */
export const whole = (store: EmulatorStore, ugwo: Ugwo): UgwoWithActivities => ({
  ...ugwo,
  activities: store.activitiesOn(ugwo.uid),
});

/**
 * Puts an event into the outbox, once for each webhook that wants it (public material, webhooks). To be called inside the
 * transaction of the change that it tells of; `data` is the resource as its GET shows it then. Gives what was
 * put there, undefined where nobody wants it.
 */
export const tell = (
  store: EmulatorStore,
  at: number,
  event: EventName,
  data: () => { readonly uid: string },
): (EmittedEvent & { readonly webhooks: number }) | undefined => {
  const wanting = store.webhooks().filter(({ events }) => isWanted(event, events));
  if (wanting.length === 0) return undefined;
  const resource = data();
  const subject = readEvent({ event, data: resource }).ugwo ?? resource.uid;
  const told = { uid: newId('evt'), event, subject, data: printExact(resource), at };
  for (const { id } of wanting) store.addDelivery(id, told);
  return { ...told, webhooks: wanting.length };
};

const standing = ({ status, total_amount_paid: paid }: Ugwo): string =>
  `${machineValue(status ?? '')} ${Number(paid ?? 0)}`;

/** Tells what became of a payment request that stood so before; nothing where nothing did. */
export const tellRequest = (store: EmulatorStore, at: number, before: Ugwo): void => {
  const ugwo = store.ugwo(before.uid);
  if (ugwo === undefined || standing(ugwo) === standing(before)) return;
  tell(store, at, 'ugwo.updated', () => whole(store, ugwo));
  if (isPaid(ugwo) && !isPaid(before)) tell(store, at, 'ugwo.successful', () => whole(store, ugwo));
};

/** Tells how an activity has ended. */
const tellEnd = (store: EmulatorStore, at: number, activity: Activity): void => {
  tell(store, at, 'ugwo.activity.updated', () => activity);
  if (activity['is_double_charge'] === true && machineValue(activity.status) === 'successful') {
    tell(store, at, 'ugwo.activity.double_charge_detected', () => activity);
  }
};

const FAULTS = {
  failed: { code: 'psp.error.declined', message: 'The provider refused this charge, as the emulator was asked to.' },
  expired: { code: 'psp.error.expired', message: 'The customer did not pay in time.' },
  taken_back: { code: 'psp.error.reversed', message: 'The provider took the payment back.' },
} as const satisfies Partial<Record<ActivityEnding, unknown>>;

export const REFUND_FAULT = { message: 'The bank of the destination refused this refund.' };

/** What an activity has brought in, or would. */
export const chargedBy = ({ charged_amount, amount }: Activity): number => Number(charged_amount ?? amount ?? 0);

/** An activity as it has ended. The contract knows no status for an account that expired: that is a failure, too. */
const ended = (activity: Activity, ending: ActivityEnding, at: number): Activity => ({
  ...activity,
  next_action: null,
  status: ending === 'successful' ? 'successful' : 'failed',
  error: ending === 'successful' ? null : FAULTS[ending],
  updated_at: utcAtom(at),
});

const isProcessing = ({ status }: Activity): boolean => machineValue(status) === 'processing';

/** The status of a payment request by what was paid of it; one that was called off, or refunded, stays so. */
const statusBy = (ugwo: Ugwo, activities: readonly Activity[]): string => {
  const status = machineValue(ugwo.status ?? '');
  if (status === 'cancelled' || (isPaid(ugwo) && status !== 'ugwo_successful')) return status;
  const paid = Number(ugwo['total_amount_paid'] ?? 0);
  if (paid > 0 && paid >= (ugwo.amount ?? 0)) return 'ugwo_successful';
  return activities.some(isProcessing) ? 'processing' : 'requires_ugwo';
};

/** Brings a payment request to where its payments and its activities leave it. */
const settleRequest = (store: EmulatorStore, uid: string): void => {
  const ugwo = store.ugwo(uid);
  if (ugwo === undefined) return;
  const status = statusBy(ugwo, store.activitiesOn(uid));
  if (status !== machineValue(ugwo.status ?? '')) store.setUgwoStatus(uid, status);
};

/** A success: with another amount than was asked for where that was paid, and twice where it had been paid before (public material). */
const paidWith = (activity: Activity, ugwo: Ugwo, paid: number): Activity => ({
  ...activity,
  ...(paid === activity['amount'] ? {} : { charged_amount: paid }),
  ...(isPaid(ugwo) ? { is_double_charge: true } : {}),
});

/** Ends an activity as it is told, with its payment request. */
export const endActivity = (
  store: EmulatorStore,
  kept: StoredActivity,
  { ending, due, paid = chargedBy(kept.activity) }: ActivityPlan,
): Activity => {
  const ugwo = store.ugwo(kept.ugwo);
  const plain = ended(kept.activity, ending, due);
  const result = ending === 'successful' && ugwo !== undefined ? paidWith(plain, ugwo, paid) : plain;
  const backAfter = ending === 'successful' && ugwo !== undefined ? takenBackAfter(ugwo) : undefined;
  store.replaceActivity(result, backAfter === undefined ? undefined : { ending: 'taken_back', due: due + backAfter });
  if (ending === 'successful') store.addPayment(kept.ugwo, paid);
  if (ending === 'taken_back') store.addPayment(kept.ugwo, -paid);
  settleRequest(store, kept.ugwo);
  tellEnd(store, due, result);
  if (ugwo !== undefined) tellRequest(store, due, ugwo);
  return result;
};

/** What was given back of an activity, counting those refunds that `counts` does. */
export const refundedOf = (store: EmulatorStore, activity: string, counts: (status: string) => boolean): number =>
  store
    .refundsOf(activity)
    .filter(({ status }) => counts(machineValue(status)))
    .reduce((sum, { amount }) => sum + (amount ?? 0), 0);

const isDone = (status: string): boolean => status === 'successful';

/** Marks an activity and its payment request as given back, in part or whole. */
const markRefunded = (store: EmulatorStore, { activity, ugwo }: StoredActivity, at: number): void => {
  const before = store.ugwo(ugwo);
  const isWhole = refundedOf(store, activity.uid, isDone) >= chargedBy(activity);
  const result = { ...activity, status: isWhole ? 'refunded' : 'partially_refunded', updated_at: utcAtom(at) };
  store.replaceActivity(result, undefined);
  const all = store.activitiesOn(ugwo).reduce((sum, { uid }) => sum + refundedOf(store, uid, isDone), 0);
  const paid = Number(before?.['total_amount_paid'] ?? 0);
  store.setUgwoStatus(ugwo, all >= paid ? 'refunded' : 'partially_refunded');
  tellEnd(store, at, result);
  if (before !== undefined) tellRequest(store, at, before);
};

/** Ends a refund as it is told, with what it was of. */
export const endRefund = (store: EmulatorStore, refund: Refund, ending: RefundEnding, at: number): Refund => {
  const error = ending === 'failed' ? REFUND_FAULT : null;
  const result = { ...refund, status: ending, error, updated_at: utcAtom(at) };
  store.endRefund(result);
  tell(store, at, ending === 'failed' ? 'refund.failed' : 'refund.successful', () => result);
  const kept = store.activity(machineValue(refund['ugwo_activity']));
  if (ending === 'successful' && kept !== undefined) markRefunded(store, kept, at);
  return result;
};

/** Ends all whose time has come, in the order of their times; what ends may be to become something else later. */
const endDue = (store: EmulatorStore, now: number): void => {
  for (let next = store.dueActivity(now); next !== undefined; next = store.dueActivity(now)) {
    endActivity(store, next, next);
  }
  for (let next = store.dueRefund(now); next !== undefined; next = store.dueRefund(now)) {
    endRefund(store, next.refund, next.ending, next.due);
  }
};

/** The same, so that whoever reads next sees what it was to become. */
export const catchUp = (store: EmulatorStore, now: number): void => {
  if ((store.dueActivity(now) ?? store.dueRefund(now)) !== undefined) store.write(() => endDue(store, now));
};

export interface Settling {
  readonly activity: string;
  readonly as: ActivityEnding;
  /** Milliseconds from now; at once when it is undefined. */
  readonly after: number | undefined;
  /** What is paid with a success, in the minor unit; all that was asked for when it is undefined. */
  readonly amount?: number | undefined;
}

export interface Settled {
  /** The activity as it now stands. */
  readonly activity: Activity;
  /** When it will end, in milliseconds since the epoch; undefined when it has. */
  readonly due: number | undefined;
}

export const unknownActivity = (uid: string): PayError =>
  usageError(`there is no activity ${uid} in the emulator's data`, {
    hint: 'name the data file that it was charged in with --data',
  });

/** One that can end so: an open one, or a paid one whose money is taken back. */
const endable = (store: EmulatorStore, uid: string, as: ActivityEnding): StoredActivity => {
  const kept = store.activity(uid);
  if (kept === undefined) throw unknownActivity(uid);
  const status = machineValue(kept.activity.status);
  if (as === 'taken_back') {
    if (status === 'successful') return kept;
    throw usageError(`the activity ${uid} is not paid: its status is ${status}`);
  }
  if (paymentStatusOf(status) === 'open') return kept;
  throw usageError(`the activity ${uid} has ended already: its status is ${status}`);
};

const refuseAfterExpiry = (activity: Activity, due: number): void => {
  const action = readNextAction(activity);
  if (action?.kind !== 'transfer' || action.expiresAt === undefined || due <= action.expiresAt) return;
  const at = utcAtom(action.expiresAt);
  throw usageError(`the account of the activity ${activity.uid} expires before that, at ${at}`);
};

/** Ends an activity as it is told, now or later. Throws usage errors. */
export const settle = (store: EmulatorStore, { activity: uid, as, after, amount }: Settling, now: number): Settled =>
  store.write(() => {
    endDue(store, now);
    const kept = endable(store, uid, as);
    const plan = { ending: as, due: now + (after ?? 0), paid: amount };
    if (after === undefined) return { activity: endActivity(store, kept, plan), due: undefined };
    refuseAfterExpiry(kept.activity, plan.due);
    store.replaceActivity(kept.activity, plan);
    return { activity: kept.activity, due: plan.due };
  });

import {
  activityFacts,
  type Balance,
  balanceOf,
  endKindOf,
  PAYMENTS,
  type Payment,
  paymentOf,
  paymentShown,
  requestFacts,
  verdictOn,
} from '../../charge/payment.ts';
import { paidTwiceText, partText } from '../../charge/words.ts';
import type { Client } from '../../client/client.ts';
import { BOUNDS, cutText } from '../../core/bounds.ts';
import { about, failureReason, prunedText, readNextAction, statusOf, textAt } from '../../core/charge.ts';
import { PayError, signalWord } from '../../core/error.ts';
import { commandLine, type TargetOptions } from '../../core/input.ts';
import { valueAt } from '../../core/json.ts';
import type { ApiRecord } from '../../core/record.ts';
import type { Waited } from '../../core/result.ts';
import { statusWord } from '../../core/status.ts';
import { durationWord, formatDuration } from '../../core/time.ts';
import type { Run } from '../run.ts';
import type { ActivityLike, Followed } from './follow-shared.ts';

/** Options of the wait, to build the command that waits again. */
export interface WaitOptions {
  readonly ugwoUid: string;
  /** In milliseconds. */
  readonly limit: number;
  readonly place: TargetOptions;
  /** True if this run created the charge that it waits for. */
  readonly made?: boolean;
}

/** Text about an activity that brought nothing, with its reason if it shows one. A stored one needs `payment`. */
export const failedText = (activity: unknown, payment: string | undefined = paymentShown(activity)): string => {
  if (payment === 'reversed') return 'the payment was reversed: the provider took the money back';
  if (payment === 'expired') return 'the time to pay is over, and nothing came';
  const reason = failureReason(valueAt(activity, 'error'));
  return reason === undefined ? 'the charge failed' : `the charge failed: ${cutText(reason, BOUNDS.sentence)}`;
};

/** Error of a run whose activity failed. `medium` is the charged medium, if known. */
export const chargeFailed = (activity: ActivityLike, medium?: string): PayError => {
  const other = medium === undefined ? 'another medium' : `a medium other than ${medium}`;
  return new PayError('charge_failed', failedText(activity), {
    hint: `the customer can't pay ${activity.uid} any more; charge the payment request again with ${other}`,
    ...about(activity),
  });
};

/** Explains why the next action of a made charge can't be passed on. */
export const unreadableText = (activity: unknown): string =>
  `the charge was made, but ${prunedText(readNextAction(activity)) ?? "its next action couldn't be read"}`;

/** Error of a run that created a charge with a next action that paycli can't read. */
export const stepUnreadable = ({ value, text }: ApiRecord<ActivityLike>): PayError =>
  new PayError('unrecorded', unreadableText(value), {
    hint: `do not charge again; see the answer shown here, and ${value.uid} in the dashboard`,
    answer: text,
    ...about(value),
  });

const wasRefunded = (activity: ActivityLike): PayError =>
  new PayError('charge_failed', 'the payment was refunded', {
    hint: `the customer paid ${activity.uid} and got the money back`,
    ...about(activity),
  });

const wasReversed = (activity: ActivityLike): PayError =>
  new PayError('charge_failed', failedText(activity, 'reversed'), {
    hint: `${activity.uid} brought no money; charge the payment request again`,
    ...about(activity),
  });

const hasExpired = (activity: ActivityLike, { ugwoUid, place }: WaitOptions): PayError =>
  new PayError('pending', failedText(activity, 'expired'), {
    hint: `charge again: ${commandLine(place, 'ugwo', 'charge', ugwoUid)}`,
    ...about(activity),
  });

const againLine = ({ uid }: ActivityLike, { ugwoUid, limit, place }: WaitOptions): string =>
  commandLine(place, 'activity', 'wait', ugwoUid, uid, '--wait-timeout', durationWord(limit));

const stillOpen = (activity: ActivityLike, followed: Followed, options: WaitOptions): PayError => {
  const { waited, fault, unanswered } = followed;
  const seen = `the payment is still open after ${formatDuration(waited)} (last status: ${statusWord(statusOf(activity)) || 'unreadable'})`;
  const parts = [
    seen,
    ...(fault === undefined ? [] : [fault.message]),
    ...(fault === undefined && unanswered ? ['the service stopped answering'] : []),
  ];
  const first = fault?.kind === 'auth' && fault.detail.hint !== undefined ? `${fault.detail.hint}\n` : '';
  return new PayError('pending', parts.join('; '), {
    hint: `${first}wait again with: ${againLine(activity, options)}`,
    ...about(activity),
    ...(fault === undefined ? {} : { cause: fault }),
  });
};

const nothingRead = ({ fault, waited }: Followed): PayError =>
  fault ??
  new PayError(
    'read_failed',
    `couldn't reach the service: no answer within ${formatDuration(waited)} (--wait-timeout)`,
  );

/** Error of a run that created a charge and was stopped by `signal` before it could wait for the payment. */
export const notWaitedFor = (activity: ActivityLike, signal: string, options: WaitOptions): PayError =>
  new PayError('pending', `stopped by ${signalWord(signal)} before waiting; the charge was made and is in the ledger`, {
    hint: `wait for the payment with: ${againLine(activity, options)}`,
    ...about(activity),
  });

const stoppedWait = (activity: ActivityLike, interrupted: PayError, options: WaitOptions): PayError => {
  const hint = `wait again with: ${againLine(activity, options)}`;
  if (options.made !== true) {
    return interrupted.with({ hint: `the payment itself goes on; ${hint}`, ...about(activity) });
  }
  const message = 'stopped waiting; the charge was made and is in the ledger';
  return new PayError('interrupted', message, { ...interrupted.detail, hint, ...about(activity) });
};

/** Error of a wait that saw a payment, but could not read how much came. */
const amountUnread = (activity: ActivityLike, fault: PayError, options: WaitOptions): PayError =>
  fault.kind === 'interrupted'
    ? stoppedWait(activity, fault, options)
    : new PayError('pending', `the customer has paid, but how much couldn't be read: ${fault.message}`, {
        hint: `read it again with: ${againLine(activity, options)}`,
        ...about(activity),
        cause: fault,
      });

/** Money that a wait has found. */
interface Outcome {
  readonly payment: Payment;
  /** Of the payment request; undefined if it was not read, or shows less than the activity's own answer. */
  readonly balance?: Balance;
  readonly currency?: string;
  /** True if the payment request shows less, and doesn't prove that it is newer. */
  readonly isDisputed?: boolean;
}

/** Access to the payment request of a followed activity. */
interface WaitDeps {
  readonly client: Pick<Client, 'look'>;
  readonly observe: Run['observe'];
}

/**
 * Reads the payment request once after a payment: a successful activity doesn't say how much of the amount came. A
 * service that can't show the request is believed. Throws what the read throws.
 */
const waitOutcome = async (
  { value, servedAt }: ApiRecord<ActivityLike>,
  payment: Payment,
  ugwoUid: string,
  { client, observe }: WaitDeps,
): Promise<Outcome> => {
  const asks = PAYMENTS[payment].brings && payment !== 'refunded';
  const shown = asks ? await client.look('ugwo.get', { params: { uid: ugwoUid } }) : undefined;
  if (shown === undefined) return { payment };
  const paidBack = (await observe('request', shown))?.paidBack;
  const [facts, request] = [activityFacts(value), requestFacts(shown.value)];
  const listed = request.activities?.find(({ uid, status }) => uid === facts.uid && status !== '') ?? facts;
  const own = { ...paymentOf(facts), updatedAt: facts.updatedAt, servedAt };
  const read = paymentOf(listed, { request, earlier: payment });
  const time = { updatedAt: listed.updatedAt, servedAt: shown.servedAt };
  const verdict = verdictOn(own, { ...read, ...time }, listed, true);
  if (verdict !== 'replaces') return { payment, isDisputed: verdict === 'disputes' };
  return {
    payment: read.payment,
    balance: balanceOf(request, { paidBack }),
    currency: textAt(shown.value, 'currency'),
  };
};

/** Notice about a payment that its payment request doesn't confirm. */
const disputedText = ({ ugwoUid, place }: WaitOptions): string => {
  const look = commandLine(place, 'ugwo', 'get', ugwoUid);
  return `the payment request shows less money than the payment itself, and not which is newer; read it again later: ${look}`;
};

const partPaid = (
  activity: ActivityLike,
  { balance, currency = '', isDisputed = false }: Outcome,
  options: WaitOptions,
): PayError => {
  const { ugwoUid, place } = options;
  const how = balance?.asked === undefined ? '' : `: ${partText(balance.received, balance.asked, currency)}`;
  const again = commandLine(place, 'ugwo', 'charge', ugwoUid, '--remaining');
  const hint = isDisputed ? disputedText(options) : `charge the rest: ${again}`;
  return new PayError('underpaid', `part paid${how}`, { hint, ...about(activity) });
};

const waitFailure = (activity: ActivityLike, outcome: Outcome, followed: Followed, options: WaitOptions) => {
  const { payment, balance } = outcome;
  if (endKindOf(payment, balance?.missing) === undefined) return undefined;
  switch (payment) {
    case 'open':
      return stillOpen(activity, followed, options);
    case 'expired':
      return hasExpired(activity, options);
    case 'failed':
      return chargeFailed(activity);
    case 'reversed':
      return wasReversed(activity);
    case 'refunded':
      return wasRefunded(activity);
    default:
      return partPaid(activity, outcome, options);
  }
};

const noticeOf = (
  { balance, currency = '', isDisputed = false }: Outcome,
  options: WaitOptions,
): string | undefined => {
  if (isDisputed) return disputedText(options);
  return balance?.excess ? paidTwiceText(options.ugwoUid, balance, currency, options.place) : undefined;
};

/**
 * Result of a command that waited: the last answer, and an error if not all of the money came. Throws if no read ever
 * succeeded.
 */
export const waitedOf = async (followed: Followed, options: WaitOptions, run: WaitDeps): Promise<Waited> => {
  const { record, interrupted } = followed;
  if (record === undefined) throw interrupted ?? nothingRead(followed);
  const activity = record.value;
  if (interrupted !== undefined) return { record, failure: stoppedWait(activity, interrupted, options) };
  try {
    const outcome = await waitOutcome(record, followed.payment, options.ugwoUid, run);
    return { record, failure: waitFailure(activity, outcome, followed, options), notice: noticeOf(outcome, options) };
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    return { record, failure: amountUnread(activity, thrown, options) };
  }
};

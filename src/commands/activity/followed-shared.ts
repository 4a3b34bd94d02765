import type { Followed, Following } from '../../client/follow.ts';
import { BOUNDS, cutText } from '../../core/bounds.ts';
import { about, failureReason, isRefunded, statusOf } from '../../core/charge.ts';
import { PayError, signalWord } from '../../core/error.ts';
import { type TargetOptions, targetFlags } from '../../core/input.ts';
import { valueAt } from '../../core/json.ts';
import type { ApiRecord } from '../../core/record.ts';
import type { Waiting } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import { statusWord } from '../../core/status.ts';
import { durationWord, formatDuration } from '../../core/time.ts';

type Step = Awaited<ReturnType<Following['next']>>;

/** Waits to the end, and reports each state to `tell`. `begun` is a step that was taken before. */
export const followedToEnd = async (following: Following, tell: (waiting: Waiting) => void, begun?: Step) => {
  let step = begun ?? (await following.next());
  while (step.done !== true) {
    tell(step.value);
    step = await following.next();
  }
  return step.value;
};

/** An activity. Only `uid` is certain: the other fields may be missing or of any shape. */
interface ActivityLike {
  readonly uid: string;
}

/** Options of the wait, to build the command that waits again. */
export interface WaitOptions {
  readonly ugwoUid: string;
  /** In milliseconds. */
  readonly limit: number;
  readonly place: TargetOptions;
  /** True if this run created the charge that it waits for. */
  readonly made?: boolean;
}

/** Error of a run whose activity failed or expired. `medium` is the charged medium, if known. */
export const chargeFailed = (activity: ActivityLike, medium?: string): PayError => {
  const [reason, { uid }] = [failureReason(valueAt(activity, 'error')), activity];
  const why = reason === undefined ? '' : `: ${cutText(reason, BOUNDS.sentence)}`;
  const how = statusOf(activity) === 'expired' ? 'expired' : 'failed';
  const other = medium === undefined ? 'another medium' : `a medium other than ${medium}`;
  return new PayError('charge_failed', `the charge ${how}${why}`, {
    hint: `the customer can't pay ${uid} any more; charge the payment request again with ${other}`,
    ...about(activity),
  });
};

export const STEP_UNREADABLE = "the charge was made, but its next action couldn't be read";

/** Error of a run that created a charge with a next action that paycli can't read. */
export const stepUnreadable = ({ value, text }: ApiRecord<ActivityLike>): PayError =>
  new PayError('unrecorded', STEP_UNREADABLE, {
    hint: `do not charge again; see the answer shown here, and ${value.uid} in the dashboard`,
    answer: text,
    ...about(value),
  });

const wasRefunded = (activity: ActivityLike): PayError =>
  new PayError('charge_failed', 'the payment was refunded', {
    hint: `the customer paid ${activity.uid} and got the money back`,
    ...about(activity),
  });

const againLine = ({ uid }: ActivityLike, { ugwoUid, limit, place }: WaitOptions): string => {
  const words = ['paycli', 'activity', 'wait', ugwoUid, uid, ...targetFlags(place)];
  return shellLine([...words, '--wait-timeout', durationWord(limit)]);
};

const stillOpen = (activity: ActivityLike, followed: Followed, options: WaitOptions): PayError => {
  const { waited, expired, fault, unanswered } = followed;
  const seen = `the payment is still open after ${formatDuration(waited)} (last status: ${statusWord(statusOf(activity)) || 'unreadable'})`;
  const parts = [
    seen,
    ...(expired ? ['the time to pay is over'] : []),
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

/** Error of a wait that a signal stopped. */
const stopped = (activity: ActivityLike, interrupted: PayError, options: WaitOptions): PayError => {
  const hint = `wait again with: ${againLine(activity, options)}`;
  if (options.made !== true) {
    return interrupted.with({ hint: `the payment itself goes on; ${hint}`, ...about(activity) });
  }
  const message = 'stopped waiting; the charge was made and is in the ledger';
  return new PayError('interrupted', message, { ...interrupted.detail, hint, ...about(activity) });
};

const failureOf = (activity: ActivityLike, followed: Followed, options: WaitOptions): PayError | undefined => {
  if (followed.interrupted !== undefined) return stopped(activity, followed.interrupted, options);
  if (followed.payment === 'paid') return isRefunded(statusOf(activity)) ? wasRefunded(activity) : undefined;
  return followed.payment === 'failed' ? chargeFailed(activity) : stillOpen(activity, followed, options);
};

/**
 * Result of a command that waited: the last answer, and an error if the payment did not succeed. Throws if no read ever
 * succeeded.
 */
export const waitedOf = <T extends ActivityLike>(
  followed: Followed<T>,
  options: WaitOptions,
): { readonly record: ApiRecord<T>; readonly failure?: PayError } => {
  const { record, interrupted } = followed;
  if (record === undefined) throw interrupted ?? nothingRead(followed);
  const failure = failureOf(record.value, followed, options);
  return failure === undefined ? { record } : { record, failure };
};

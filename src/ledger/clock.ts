import { payableUntil } from '../core/charge.ts';
import { parseInstant } from '../core/time.ts';
import type { Charge, Entry, Evidence, KeptActivity, Moment, ServiceTime, UptimeReading } from './entry.ts';

/**
 * Milliseconds between two moments by the monotonic clock; undefined if they are of different boots or one is unknown.
 */
export const elapsed = (from: UptimeReading, to: UptimeReading): number | undefined =>
  from.boot !== '' && from.boot === to.boot && Math.min(from.uptime, to.uptime) >= 0
    ? to.uptime - from.uptime
    : undefined;

/** Milliseconds since a moment by the clock that counts more: one can be set, and the other may stand still in sleep. */
export const passedSince = (from: Moment, now: Moment): number =>
  Math.max(now.at - from.at, elapsed(from.mark, now.mark) ?? 0);

/** Maximum age of the read that a first try relies on, in milliseconds; each further try doubles it. */
export const FRESH_MS = 5000;

/** Assumed difference of clocks that were never compared, in milliseconds. */
const UNCOMPARED_MS = 2 * 60_000;
/**
 * Largest plausible distance of an activity's creation from the service's `Date`, in milliseconds. Beyond it, the
 * creation time is ignored: it may come from a fixed answer.
 */
export const FAR_CREATED_MS = 2 * 3_600_000;

/** Estimates the service's clock now, from an earlier reading and the time since. */
const since = ({ service, at, mark }: ServiceTime, now: Moment): number => {
  const passed = elapsed(mark, now.mark);
  // After a restart the machine's clock may have been set, so the earlier of two guesses counts.
  return passed === undefined ? Math.min(now.at, now.at + service - at) : service + passed;
};

/** Time allowed for sending a charge, in milliseconds. */
export const boundOf = ({ deadline, createdAt }: Entry): number => deadline - createdAt;

/**
 * Time after which the sending of a charge was over, in milliseconds. If the machine slept, it exceeds the allowed
 * time.
 */
export const sendingTime = (charge: Entry): number => Math.max(charge.took ?? boundOf(charge), 0);

/** Latest moment at which the sending of a charge had ended. */
const sendEnd = (charge: Entry): Moment => {
  const { createdAt, begun, told } = charge;
  const took = sendingTime(charge);
  const at = createdAt + took;
  const uptime = { ...begun, uptime: begun.uptime + took };
  const early = told !== undefined && (elapsed(told.mark, uptime) ?? at - told.at) > 0;
  return early ? told : { at, mark: uptime };
};

/** Takes the activity's creation time as a reading of the service's clock at the end of the sending. */
const fromCreationTime = (charge: Entry): ServiceTime | undefined => {
  const created = parseInstant(charge.activity?.createdAt ?? '')?.ms;
  if (created === undefined) return undefined;
  const sent = sendEnd(charge);
  const { told } = charge;
  if (told !== undefined && Math.abs(since({ ...sent, service: created }, told) - told.service) > FAR_CREATED_MS)
    return undefined;
  return { ...sent, service: created };
};

/**
 * Estimates the service's clock now from what is stored with a charge: the `Date` of an answer and the activity's
 * creation time. The earlier one counts, since a front end's clock may be fast.
 */
const serviceTime = (charge: Entry, now: Moment): number => {
  const { told } = charge;
  const readings = [told, fromCreationTime(charge)].filter((one) => one !== undefined);
  const bound = told === undefined ? now.at - UNCOMPARED_MS : Infinity;
  return Math.min(bound, ...readings.map((one) => since(one, now)));
};

/** Moment until which the customer can still pay an activity; undefined if no end is known (see `payableUntil`). */
export const payableUntilOf = (activity: KeptActivity | undefined): number | undefined =>
  activity && payableUntil({ status: activity.status, next_action: activity.nextAction });

/** Milliseconds that the customer still has to pay a charge; undefined if no end is known. */
export const payableFor = (charge: Entry, moment: Moment): number | undefined => {
  const until = payableUntilOf(charge.activity);
  return until === undefined ? undefined : until - serviceTime(charge, moment);
};

/** Time for which a code or a step without an end counts as open before a charge by another medium, in milliseconds. */
const CODE_OPEN_MS = 30 * 60_000;

/** True if a customer is asked for a step, such as a code to dial. */
const asksForStep = (activity: KeptActivity | undefined): boolean => activity?.status === 'requires_action';

/** Moment until which an activity without an end counts as open, by the service's clock; undefined if it has no limit. */
export const codeUntil = (activity: KeptActivity): number | undefined => {
  const created = parseInstant(activity.createdAt ?? '')?.ms;
  return asksForStep(activity) && created !== undefined ? created + CODE_OPEN_MS : undefined;
};

/**
 * Milliseconds from the end of an open activity to its last read; negative if unknown. The service's clock or this one may
 * be wrong, so the shorter time counts.
 */
export const readAfterEnd = ({ activity, createdAt, told }: Charge): number => {
  const until = activity && (payableUntilOf(activity) ?? codeUntil(activity));
  return told === undefined || until === undefined ? -1 : Math.min(told.service - until, told.at - createdAt);
};

/** Milliseconds in which a charge without an end counts as open, since it was sent; undefined if it has no limit. */
export const codeOpenFor = (charge: Charge, { at, mark }: Moment): number | undefined =>
  asksForStep(charge.activity) ? CODE_OPEN_MS - (elapsed(charge.begun, mark) ?? at - charge.createdAt) : undefined;

/** Largest difference at which both clocks may be right, in milliseconds. */
const DOUBTFUL_MS = 30 * 60_000;

/**
 * Service's clock for an answer that just arrived. Where its `Date` and this machine's clock may both be right, the
 * earlier one counts.
 */
export const earliestServiceTime = (servedAt: number | undefined, { at }: Moment): number => {
  if (servedAt === undefined) return at - UNCOMPARED_MS;
  return Math.abs(servedAt - at) > DOUBTFUL_MS ? servedAt : Math.min(servedAt, at);
};

/**
 * Service's clock now, after a read: this machine's where both may be right; undefined if the read doesn't tell. `Date`
 * has a resolution of one second, and was set between the start of the read and now.
 */
export const provenServiceTime = (
  { servedAt, askedAt }: { readonly servedAt?: number; readonly askedAt?: number } = {},
  now: number,
): number | undefined => {
  if (servedAt === undefined || askedAt === undefined) return undefined;
  return now + Math.max(servedAt - now, 0) + Math.min(servedAt + 1000 - askedAt, 0);
};

/** Clock readings of one read of a payment request: this machine's and the service's. */
export interface ReadTime {
  /** This machine's clock, in milliseconds; undefined if the stored time can't be parsed. */
  readonly at: number | undefined;
  readonly mark: UptimeReading;
  readonly servedAt?: number | undefined;
}

/** Minimum distance of two reads that prove something together, in milliseconds. */
export const APART_MS = 60_000;
/** Tolerated drift between the service's clock and ours from one read to the next, in milliseconds. */
const UNPROVEN_MS = 30_000;

/** Stored reads of a charge, oldest first. */
export const readsOf = ({ evidence }: Charge): Evidence[] => evidence.filter(({ kind }) => kind === 'look');

/** Returns an empty list for a read whose uptime mark was not stored. */
export const timeOf = ({ at, mark, served_at: servedAt }: Evidence): ReadTime[] => {
  if (mark === undefined) return [];
  const served = typeof servedAt === 'number' ? servedAt : undefined;
  return [{ at: parseInstant(at)?.ms, mark: mark as UptimeReading, servedAt: served }];
};

/** Milliseconds between two reads, by the monotonic clock or else by the service's; undefined if neither can tell. */
export const steadyElapsed = (from: ReadTime, to: ReadTime): number | undefined => {
  const passed = elapsed(from.mark, to.mark);
  if (passed !== undefined || from.servedAt === undefined || to.servedAt === undefined) return passed;
  return to.servedAt - from.servedAt;
};

/**
 * Milliseconds between two reads. Falls back to the wall clock after a restart, between machines, and where the system
 * has no monotonic clock.
 */
const elapsedBetween = (from: ReadTime, to: ReadTime): number =>
  elapsed(from.mark, to.mark) ?? (to.at ?? Number.NaN) - (from.at ?? Number.NaN);

/**
 * True if the service's clock advanced between two reads as ours did; undefined if one of them has no `Date`. A cache
 * that hides its age repeats an old `Date`.
 */
const clockAgreement = (from: ReadTime, to: ReadTime): boolean | undefined =>
  from.servedAt === undefined || to.servedAt === undefined
    ? undefined
    : Math.abs(to.servedAt - from.servedAt - elapsedBetween(from, to)) <= UNPROVEN_MS;

/** True unless two reads show that the service's clock advanced otherwise than ours. */
export const clocksAgree = (from: ReadTime, to: ReadTime): boolean => clockAgreement(from, to) ?? true;

/** True if an earlier read of the charge proves that the service's clock advances as ours does. */
export const clockAdvances = (charge: Charge, now: ReadTime): boolean =>
  readsOf(charge)
    .flatMap(timeOf)
    .some((one) => elapsedBetween(one, now) >= APART_MS && clockAgreement(one, now) === true);

import { parseInstant } from '../core/time.ts';
import type { Charge, Entry, Evidence, Moment, ServiceTime, UptimeMark } from './entry.ts';

/** How long it is from one moment to another by the clock that nobody sets; undefined when that can't be told. */
export const elapsed = (from: UptimeMark, to: UptimeMark): number | undefined =>
  from.boot !== '' && from.boot === to.boot && Math.min(from.uptime, to.uptime) >= 0
    ? to.uptime - from.uptime
    : undefined;

/** Clocks that were never compared may differ by so much, in milliseconds. */
const UNCOMPARED_MS = 2 * 60_000;
/** An activity that says it was made longer than this before or after the service's `Date` tells no time: a fixed answer, say. */
const FAR_MS = 2 * 3_600_000;

/** What the service's clock shows now, going by what it told once and how long ago that was. */
const since = ({ service, at, mark }: ServiceTime, now: Moment): number => {
  const passed = elapsed(mark, now.mark);
  // After a restart of the machine, whose clock may have been set, the earlier of two guesses.
  return passed === undefined ? Math.min(now.at, now.at + service - at) : service + passed;
};

/** How long the sending of a charge was let to take, in milliseconds. */
export const boundOf = ({ deadline, createdAt }: Entry): number => deadline - createdAt;

/** After how long the sending of a charge was over, in milliseconds. On a machine that slept it is more than it was let to. */
export const sendingTime = (charge: Entry): number => Math.max(charge.took ?? boundOf(charge), 0);

/** When the sending of a charge had ended at the latest. */
const sentBy = (charge: Entry): Moment => {
  const { createdAt, begun, told } = charge;
  const took = sendingTime(charge);
  const at = createdAt + took;
  const mark = { ...begun, uptime: begun.uptime + took };
  const early = told !== undefined && (elapsed(told.mark, mark) ?? at - told.at) > 0;
  return early ? told : { at, mark };
};

/** What the service said that its activity was made at, as a clock that was read when the charge had been sent. */
const toldByCreation = (charge: Entry): ServiceTime | undefined => {
  const created = parseInstant(charge.activity?.createdAt ?? '')?.ms;
  if (created === undefined) return undefined;
  const sent = sentBy(charge);
  const { told } = charge;
  if (told !== undefined && Math.abs(since({ ...sent, service: created }, told) - told.service) > FAR_MS)
    return undefined;
  return { ...sent, service: created };
};

/**
 * What the service's clock shows now, as far as a charge lets us know: by the `Date` that came with an answer, and by the
 * time that the activity says it was made at. The earlier counts, since a front end's clock may be fast.
 */
export const serviceTime = (charge: Entry, now: Moment): number => {
  const told = [charge.told, toldByCreation(charge)].filter((one) => one !== undefined);
  return charge.told === undefined
    ? Math.min(now.at - UNCOMPARED_MS, ...told.map((one) => since(one, now)))
    : Math.min(...told.map((one) => since(one, now)));
};

/** Clocks that differ by less than this may both be right. */
const DOUBTFUL_MS = 30 * 60_000;

/** What the service's clock showed when it answered just now: the earlier of its own word and this machine's, where they may both be right. */
export const serviceTimeNow = (servedAt: number | undefined, { at }: Moment): number => {
  if (servedAt === undefined) return at - UNCOMPARED_MS;
  return Math.abs(servedAt - at) > DOUBTFUL_MS ? servedAt : Math.min(servedAt, at);
};

/** A look at a payment request, as far as time goes: when it was, and what the service's clock showed. */
export interface LookTime {
  /** By this machine's clock, in milliseconds; undefined where it can't be read. */
  readonly at: number | undefined;
  readonly mark: UptimeMark;
  readonly servedAt?: number | undefined;
}

/** Two looks that prove something together must be this far apart, in milliseconds. */
export const APART_MS = 60_000;
/** By so much the service's clock may seem to run otherwise than ours between two looks, in milliseconds. */
const STEADY_MS = 30_000;

/** The looks that are kept of a charge; oldest first. */
export const looksOf = ({ evidence }: Charge): Evidence[] => evidence.filter(({ kind }) => kind === 'look');

/** Nothing for a look whose mark was not kept. */
export const timeOf = ({ at, mark, served_at: servedAt }: Evidence): LookTime[] => {
  if (mark === undefined) return [];
  const told = typeof servedAt === 'number' ? servedAt : undefined;
  return [{ at: parseInstant(at)?.ms, mark: mark as UptimeMark, servedAt: told }];
};

/** How long two looks are apart: by the clock that nobody sets, else by the service's; undefined where neither can tell. */
export const apart = (from: LookTime, to: LookTime): number | undefined => {
  const passed = elapsed(from.mark, to.mark);
  if (passed !== undefined || from.servedAt === undefined || to.servedAt === undefined) return passed;
  return to.servedAt - from.servedAt;
};

/** What has passed between two looks: by this machine's clock after a restart, between machines, and where a system tells no other. */
const passedBetween = (from: LookTime, to: LookTime): number =>
  elapsed(from.mark, to.mark) ?? (to.at ?? Number.NaN) - (from.at ?? Number.NaN);

/**
 * Whether the service's clock has gone on between two looks as ours has; undefined where one of them did not tell its time. A cache that
 * says nothing of its age tells an old one.
 */
const keptPace = (from: LookTime, to: LookTime): boolean | undefined =>
  from.servedAt === undefined || to.servedAt === undefined
    ? undefined
    : Math.abs(to.servedAt - from.servedAt - passedBetween(from, to)) <= STEADY_MS;

/** Whether nothing shows that the service's clock went otherwise than ours between two looks. */
export const areSteady = (from: LookTime, to: LookTime): boolean => keptPace(from, to) ?? true;

/** Whether an earlier look of a charge proves that the service's clock goes on as ours does. */
export const hasGoneOn = (charge: Charge, now: LookTime): boolean =>
  looksOf(charge)
    .flatMap(timeOf)
    .some((one) => passedBetween(one, now) >= APART_MS && keptPace(one, now) === true);

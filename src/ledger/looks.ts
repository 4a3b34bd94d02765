import { parseInstant } from '../core/time.ts';
import { elapsed } from './clock.ts';
import type { Charge, Evidence, UptimeMark } from './entry.ts';

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

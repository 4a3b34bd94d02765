import { elapsed } from './clock.ts';
import type { Charge, Evidence, UptimeMark } from './entry.ts';

/** A look at a payment request, as far as time goes: when it was, and what the service's clock showed. */
export interface LookTime {
  readonly mark: UptimeMark;
  readonly servedAt?: number | undefined;
}

/** Two looks that prove something together must be this far apart, in milliseconds. */
export const APART_MS = 60_000;
/** By so much the service's clock may seem to run otherwise than ours between two looks, in milliseconds. */
const STEADY_MS = 30_000;

/** The looks that are kept of a charge; oldest first. */
export const looksOf = ({ evidence }: Charge): Evidence[] => evidence.filter(({ kind }) => kind === 'look');

export const timeOf = ({ mark, served_at: servedAt }: Evidence): LookTime[] =>
  mark === undefined
    ? []
    : [{ mark: mark as UptimeMark, servedAt: typeof servedAt === 'number' ? servedAt : undefined }];

/** How long two looks are apart: by the clock that nobody sets, else by the service's; undefined where neither can tell. */
export const apart = (from: LookTime, to: LookTime): number | undefined => {
  const passed = elapsed(from.mark, to.mark);
  if (passed !== undefined || from.servedAt === undefined || to.servedAt === undefined) return passed;
  return to.servedAt - from.servedAt;
};

/** By how much the service's clock went otherwise than ours between two looks, in milliseconds; undefined where that can't be told. */
const drift = (from: LookTime, to: LookTime): number | undefined => {
  const passed = elapsed(from.mark, to.mark);
  if (passed === undefined || from.servedAt === undefined || to.servedAt === undefined) return undefined;
  return Math.abs(to.servedAt - from.servedAt - passed);
};

/** Whether the service's clock has gone on between two looks as ours has, as far as can be told; a cache that says nothing of its age tells an old time. */
export const areSteady = (from: LookTime, to: LookTime): boolean => (drift(from, to) ?? 0) <= STEADY_MS;

/** Whether an earlier look of a charge proves that the service's clock goes on as ours does. */
export const hasGoneOn = (charge: Charge, now: LookTime): boolean =>
  looksOf(charge)
    .flatMap(timeOf)
    .some(
      (one) =>
        (elapsed(one.mark, now.mark) ?? 0) >= APART_MS && (drift(one, now) ?? Number.POSITIVE_INFINITY) <= STEADY_MS,
    );

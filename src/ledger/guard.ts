import { standingOf } from '../core/charge.ts';
import { isMedium } from '../core/medium.ts';
import { payableUntil } from '../core/payable.ts';
import { serviceTime } from './clock.ts';
import type { Charge, Moment, Refusal } from './ledger.ts';

/** For so long the customer can still do what a charge asks of them, in milliseconds; undefined where nothing says so. */
export const payableFor = (charge: Charge, moment: Moment): number | undefined => {
  const { activity } = charge;
  const until = activity && payableUntil({ status: activity.status, next_action: activity.nextAction });
  return until === undefined ? undefined : until - serviceTime(charge, moment);
};

/** What is no medium that we know may be any. */
const isOther = (charge: Charge, medium: string): boolean =>
  charge.medium !== medium && isMedium(charge.medium) && isMedium(medium);

const refusalBy = (charge: Charge, medium: string, moment: Moment): Refusal | undefined => {
  if (charge.state === 'unknown') return 'unresolved';
  if (charge.state === 'sending') return 'in_progress';
  if (charge.state !== 'accepted') return undefined;
  const standing = standingOf(charge.activity?.status ?? '');
  if (standing === 'paid') return 'paid';
  if (standing === 'failed' || isOther(charge, medium)) return undefined;
  return (payableFor(charge, moment) ?? Number.POSITIVE_INFINITY) > 0 ? 'payable' : undefined;
};

/** From the gravest on: what can't be overridden comes first. */
const GRAVITY: readonly Refusal[] = ['unresolved', 'in_progress', 'paid', 'payable', 'done'];
const OVERRIDABLE: readonly Refusal[] = ['paid', 'payable'];

/**
 * Whether an earlier charge of a payment request stands in the way of one by `medium` (charge-protocol, The guard; ADR 10).
 * `charges` are all that its service and payment request have, in any order.
 */
export const guard = (
  charges: readonly Charge[],
  medium: string,
  how: { readonly again: boolean },
  moment: Moment,
): { readonly why: Refusal; readonly by: Charge } | undefined => {
  const standing = charges.flatMap((by) => {
    const why = refusalBy(by, medium, moment);
    return why === undefined || (how.again && OVERRIDABLE.includes(why)) ? [] : [{ why, by }];
  });
  return standing.sort((a, b) => GRAVITY.indexOf(a.why) - GRAVITY.indexOf(b.why) || b.by.seq - a.by.seq)[0];
};

import { standingOf } from '../core/charge.ts';
import { readNextAction } from '../core/next-action.ts';
import type { Charge, Refusal } from './ledger.ts';

/** When an account stops accepting transfers; undefined where the service did not say. */
const expiryOf = ({ activity }: Charge): number | undefined => {
  const action = readNextAction({ next_action: activity?.nextAction });
  return action?.kind === 'transfer' ? action.expiresAt : undefined;
};

const refusalBy = (charge: Charge, medium: string, now: number): Refusal | undefined => {
  if (charge.state === 'unknown') return 'unresolved';
  if (charge.state === 'sending') return 'in_progress';
  if (charge.state !== 'accepted') return undefined;
  const standing = standingOf(charge.activity?.status ?? '');
  if (standing === 'paid') return 'paid';
  if (standing === 'failed' || charge.medium !== medium) return undefined;
  return now < (expiryOf(charge) ?? Number.POSITIVE_INFINITY) ? 'payable' : undefined;
};

/** From the gravest on: what can't be overridden comes first. */
const GRAVITY: readonly Refusal[] = ['unresolved', 'in_progress', 'paid', 'payable'];
const OVERRIDABLE: readonly Refusal[] = ['paid', 'payable'];

/**
 * Whether an earlier charge of a payment request stands in the way of one by `medium` at the moment `now` in milliseconds
 * (charge-protocol, The guard). `charges` are all that its service and payment request have, in any order.
 */
export const guard = (
  charges: readonly Charge[],
  medium: string,
  how: { readonly again: boolean },
  now: number,
): { readonly why: Refusal; readonly by: Charge } | undefined => {
  const standing = charges.flatMap((by) => {
    const why = refusalBy(by, medium, now);
    return why === undefined || (how.again && OVERRIDABLE.includes(why)) ? [] : [{ why, by }];
  });
  return standing.sort((a, b) => GRAVITY.indexOf(a.why) - GRAVITY.indexOf(b.why) || b.by.seq - a.by.seq)[0];
};

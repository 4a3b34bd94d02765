import { PRUNED, payableUntil } from '../core/charge.ts';
import { definedIn, pick, valueAt } from '../core/json.ts';
import type { Entry, Evidence, KeptActivity, Money } from './entry.ts';
import { DECISIVE } from './transitions.ts';

/**
 * Next action for a pruned charge. It keeps the expiry, in case a read shows its activity open again, and drops the
 * account number.
 */
const nextActionOf = (activity: KeptActivity): unknown => {
  const open = { status: 'requires_action', next_action: activity.nextAction };
  const until = payableUntil(open);
  if (until === undefined) return null;
  return { type: PRUNED, headers: { expires_at: new Date(until).toISOString() } };
};

const withoutAccount = ({ accountLast4: _last4, accountDigest: _digest, ...money }: Money): Money => money;

/** Reduces decisive evidence to its kind, its moment and who gave it. */
const reduceEvidence = ({ kind, at, as, by, line }: Evidence): Evidence => ({
  kind,
  at,
  ...definedIn({ as, by, line: line === undefined ? undefined : { recorded_at: valueAt(line, 'recorded_at') } }),
});

const evidenceLeft = (evidence: readonly Evidence[], at: string): readonly Evidence[] => {
  const pruned = evidence.find(({ kind }) => kind === PRUNED)?.at ?? at;
  return [...evidence.filter(({ kind }) => DECISIVE.includes(kind)).map(reduceEvidence), { kind: PRUNED, at: pruned }];
};

/**
 * Reduces an entry to the fields that keep it from being made twice and that reports add up. Removes the customer, the
 * reference, the account, the sent data and the observations.
 */
export const pruned = (entry: Entry, at: string): Entry => {
  const { activity, asked, money } = entry;
  return {
    ...entry,
    path: undefined,
    body: undefined,
    activity: activity && { ...activity, nextAction: nextActionOf(activity) },
    ...(asked && { asked: pick(asked, ['amount', 'currency']) }),
    money: money && withoutAccount(money),
    evidence: evidenceLeft(entry.evidence, at),
  };
};

/** True if pruning would not change the entry. A later reading may have brought something back. */
export const isPrunedEntry = ({ path, body, activity, asked, money, evidence }: Entry): boolean => {
  if (evidence.at(-1)?.kind !== PRUNED) return false;
  const { nextAction = null } = activity ?? {};
  const isReduced = nextAction === null || valueAt(nextAction, 'type') === PRUNED;
  const removed = [path, body, asked?.ref, asked?.customer, asked?.email, money?.accountDigest];
  return isReduced && removed.every((value) => value === undefined);
};

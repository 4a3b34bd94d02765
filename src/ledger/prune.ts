import { isDeepStrictEqual } from 'node:util';
import { standingOf } from '../core/charge.ts';
import { payableUntil } from '../core/payable.ts';
import { utcAtom } from '../core/time.ts';
import type { Backend } from './backend.ts';
import { type Entry, type Evidence, isCharge, type KeptActivity } from './entry.ts';
import type { Prunable } from './keeping.ts';
import { isIn, type Scope } from './place.ts';
import { DECISIVE } from './precedence.ts';
import type { Taker } from './walk.ts';

const PRUNED = 'pruned';

/** Whether nothing more can become of an entry by itself: a charge that was made has been paid, or has failed. */
const hasEnded = (entry: Entry): boolean => {
  if (entry.state === 'sending' || entry.state === 'unknown') return false;
  if (entry.state !== 'accepted' || !isCharge(entry)) return true;
  return standingOf(entry.activity?.status ?? '') !== 'open';
};

/** Until when an account could be paid into stays known, for a look that shows its activity open again; the account does not. */
const nextActionOf = (activity: KeptActivity): unknown => {
  const open = { status: 'requires_action', next_action: activity.nextAction };
  const until = payableUntil(open);
  if (until === undefined) return null;
  return { headers: { account_number: PRUNED, expires_at: new Date(until).toISOString() } };
};

/** Of what decided how it stands: that it did, and who said so. */
const wordOf = ({ kind, at, as, by, line }: Evidence): Evidence => ({
  kind,
  at,
  ...(as === undefined ? {} : { as }),
  ...(by === undefined ? {} : { by }),
  ...(line === undefined ? {} : { line: { recorded_at: (line as { recorded_at?: unknown }).recorded_at } }),
});

const evidenceLeft = (evidence: readonly Evidence[], at: string): readonly Evidence[] => {
  const pruned = evidence.find(({ kind }) => kind === PRUNED) ?? { kind: PRUNED, at };
  return [...evidence.filter(({ kind }) => DECISIVE.includes(kind)).map(wordOf), pruned];
};

/**
 * An entry with no more than what keeps it from being made twice, and what a report adds up: without the customer, the
 * reference, the account, what was sent, and what was seen.
 */
export const pruned = (entry: Entry, at: string): Entry => {
  const { path: _path, body: _body, ...rest } = entry;
  const { activity, asked } = entry;
  return {
    ...rest,
    ...(isCharge(entry) ? {} : { path: undefined, body: undefined }),
    ...(activity === undefined ? {} : { activity: { ...activity, nextAction: nextActionOf(activity) } }),
    ...(asked === undefined
      ? {}
      : { asked: { amount: asked.amount, currency: asked.currency, ref: undefined, customer: undefined } }),
    evidence: evidenceLeft(entry.evidence, at),
  };
};

/** Whether there is something to prune of an entry. */
const isPrunable = (entry: Entry): boolean => hasEnded(entry) && !isDeepStrictEqual(pruned(entry, ''), entry);

const openCount = (scope: Scope) => (): Taker<Prunable> => {
  let [count, open] = [0, 0];
  return {
    take: (all) => {
      const entries = all.filter(isIn(scope));
      count += entries.filter(isPrunable).length;
      open += entries.filter((entry) => !hasEnded(entry)).length;
    },
    end: () => ({ count, open }),
  };
};

export const prunable = (backend: Backend, before: number, scope: Scope): Promise<Prunable> =>
  backend.walk({ begun: { until: before } }, openCount(scope));

const AT_ONCE = 500;

/** Prunes what was begun before a moment and has ended, some at a time: who charges meanwhile waits for one step at most. */
export const prune = async (backend: Backend, before: number, scope: Scope): Promise<number> => {
  const at = utcAtom(backend.moment().at);
  let count = 0;
  for (let after = 0; ; ) {
    const query = { ...scope, begun: { until: before }, after, limit: AT_ONCE };
    const step = await backend.change('prune', [query], ([found = []]) => {
      const write = found.filter(isPrunable).map((entry) => pruned(entry, at));
      return { write, result: { pruned: write.length, seen: found.length, last: found.at(-1)?.seq ?? 0 } };
    });
    count += step.pruned;
    if (step.seen < AT_ONCE) return count;
    after = step.last;
  }
};

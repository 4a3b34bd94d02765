import { PayError, usageError } from '../../core/error.ts';
import { interrupted } from '../../core/interrupt.ts';
import { madeHere } from '../../core/received.ts';
import type { Moment } from '../../core/record-filter.ts';
import { instantOf } from '../../core/record-filter.ts';
import type { Result, View } from '../../core/result.ts';
import { atom, formatLocalFull } from '../../core/time.ts';
import type { Deps } from '../deps.ts';

const view: View = {
  columns: [
    { path: 'before', kind: 'time' },
    { path: 'pruned', kind: 'count', always: true },
    { path: 'open', kind: 'count', always: true, label: 'left, still open' },
  ],
};

const DAY_MS = 24 * 3_600_000;

const entries = (count: number): string => (count === 1 ? '1 entry' : `${count} entries`);

const questionOf = (count: number, before: number, all: boolean): string[] => [
  `Prune ${entries(count)}${all ? ' of all profiles' : ''} begun before ${formatLocalFull(before)}?`,
  'References, customers, account details and evidence are removed for good. Amounts and states stay, and nothing can be charged twice.',
];

/** An operator's role can't take back what was sent. Entries are pruned some at a time, and a signal comes in between. */
const failureOf = (thrown: unknown, stop: AbortSignal): unknown => {
  if (!(thrown instanceof PayError)) return thrown;
  if (thrown.kind === 'interrupted') return interrupted(stop.reason, 'what is pruned by now stays pruned');
  if (thrown.detail.code !== '42501') return thrown;
  return new PayError('ledger', thrown.message, { ...thrown.detail, hint: 'prune as the owner of the database' });
};

/** Keeps of what has ended no more than what keeps it from being made twice. */
export const run = async (
  input: { readonly before: Moment; readonly allProfiles: boolean },
  deps: Deps,
): Promise<Result> => {
  const ledger = await deps.ledger();
  const now = ledger.moment().at;
  const before = instantOf(input.before, now);
  if (before > now - DAY_MS) throw usageError('--before must be at least a day ago');
  const scope = input.allProfiles ? {} : await deps.scope();
  const { count, open } = await ledger.prunable(before, scope);
  if (count > 0) await deps.confirm(questionOf(count, before, input.allProfiles), 'refuse', String(count));
  const done =
    count === 0
      ? { count: 0, compacted: true }
      : await ledger.prune(before, scope).catch((thrown: unknown) => {
          throw failureOf(thrown, deps.io.signals.stop);
        });
  if (!done.compacted) {
    await deps.notice(
      'The file keeps its size for now, since it is in use or the disk is full. New charges use the room.',
    );
  }
  return { kind: 'record', record: madeHere({ before: atom(before), pruned: done.count, open }), view };
};

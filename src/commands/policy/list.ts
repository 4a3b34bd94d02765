import type { ReceivedPage } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Allowance } from '../../ledger/policy.ts';
import type { Deps } from '../deps.ts';
import { policyRecordOf, policyView } from './view.ts';
import { today } from './whose.ts';

async function* onePage(kept: readonly Allowance['kept'][], deps: Deps): AsyncIterable<ReceivedPage> {
  const ledger = await deps.ledger();
  const { OTHERS } = await deps.protocol();
  const records = [];
  for (const one of kept) {
    // Of all others each counts for itself.
    const spent = one.profile === OTHERS ? undefined : (await today(ledger, one.profile, deps))?.spent;
    records.push(policyRecordOf(one, spent));
  }
  yield { records, cursor: undefined, nextCursor: null };
}

/** Every policy, as one page. */
export const run = async (_input: unknown, deps: Deps): Promise<Result> => {
  const kept = await (await deps.ledger()).policies.list();
  return { kind: 'list', pages: onePage(kept, deps), view: policyView };
};

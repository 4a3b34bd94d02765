import { PayError } from '../../core/error.ts';
import { madeHere } from '../../core/received.ts';
import type { Result, View } from '../../core/result.ts';
import type { Deps } from '../deps.ts';

const view: View = {
  columns: [
    { path: 'at', flexible: true },
    { path: 'charges', kind: 'count', always: true },
    { path: 'jobs', kind: 'count' },
    { path: 'updates', kind: 'count' },
    { path: 'known', kind: 'count' },
    { path: 'kept' },
  ],
};

/** Copies what this machine's ledger knows into the shared one. */
export const run = async (_input: unknown, deps: Deps): Promise<Result> => {
  const pushed = await (await deps.ledgerAdmin()).push();
  const { kept } = pushed;
  const failure = new PayError('refused', `${kept.length} charges stay in the local ledger alone: ${kept.join(', ')}`, {
    hint: 'the shared ledger has another open charge of the same payment request; reconcile that, then run this again',
  });
  return { kind: 'record', record: madeHere(pushed), view, ...(kept.length === 0 ? {} : { failure }) };
};

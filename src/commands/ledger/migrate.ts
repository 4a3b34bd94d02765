import { madeHere } from '../../core/received.ts';
import type { Result, View } from '../../core/result.ts';
import type { Deps } from '../deps.ts';

const view: View = { columns: [{ path: 'at', flexible: true }, { path: 'from' }, { path: 'to' }] };

/** Brings the tables of a shared ledger to this version. */
export const run = async (_input: unknown, deps: Deps): Promise<Result> => ({
  kind: 'record',
  record: madeHere(await (await deps.ledgerAdmin()).migrate()),
  view,
});

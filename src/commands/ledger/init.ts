import { madeHere } from '../../core/received.ts';
import type { Result, View } from '../../core/result.ts';
import type { Deps } from '../deps.ts';

const view: View = {
  columns: [{ path: 'at', flexible: true }, { path: 'made' }, { path: 'schema' }, { path: 'operators' }],
};

/** Makes the tables of a shared ledger, and names its operators. */
export const run = async ({ operators }: { readonly operators: readonly string[] }, deps: Deps): Promise<Result> => {
  const made = await (await deps.ledgerAdmin()).init(operators);
  return { kind: 'record', record: madeHere({ ...made, operators }), view };
};

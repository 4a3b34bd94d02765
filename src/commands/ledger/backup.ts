import { madeHere } from '../../core/received.ts';
import type { Result, View } from '../../core/result.ts';
import type { Deps } from '../deps.ts';

const view: View = {
  columns: [{ path: 'file' }, { path: 'bytes', kind: 'count' }, { path: 'entries', kind: 'count', always: true }],
};

/** A copy of the ledger, made while it is in use. */
export const run = async ({ file }: { readonly file: string }, deps: Deps): Promise<Result> => {
  const copied = await (await deps.ledgerAdmin()).backUp(file);
  return { kind: 'record', record: madeHere(copied), view };
};

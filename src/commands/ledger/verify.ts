import { PayError } from '../../core/error.ts';
import { madeHere } from '../../core/received.ts';
import type { Result, View } from '../../core/result.ts';
import type { Deps } from '../deps.ts';

const view: View = {
  columns: [
    { path: 'ok' },
    { path: 'entries', kind: 'count', always: true },
    { path: 'jobs', kind: 'count', always: true },
    { path: 'faults', flexible: true },
  ],
};

const HINT =
  'charge nothing more. Copy the ledger and all files beside it, then restore the last backup that passes `paycli ledger verify`, and ' +
  'check at the service what was charged since';

const failureOf = (faults: readonly string[]): PayError => {
  const [first = '', ...others] = faults;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return new PayError('ledger', `the ledger is damaged: ${first}${more}`, { hint: HINT });
};

/** Whether the whole ledger is what was written. */
export const run = async (_input: unknown, deps: Deps): Promise<Result> => {
  const { entries, jobs, faults } = await (await deps.ledger()).verify();
  const record = madeHere({ ok: faults.length === 0, entries, jobs, faults });
  return { kind: 'record', record, view, ...(faults.length === 0 ? {} : { failure: failureOf(faults) }) };
};

import { madeHere } from '../../core/received.ts';
import type { Result, View } from '../../core/result.ts';
import type { Deps } from '../deps.ts';

const view: View = {
  columns: [
    { path: 'kind' },
    { path: 'at', flexible: true },
    { path: 'from', label: 'set by' },
    { path: 'schema' },
    { path: 'version', flexible: true },
    { path: 'user' },
    { path: 'owner' },
    { path: 'clock_ahead_ms' },
    { path: 'standbys' },
    { path: 'settings' },
    { path: 'warnings', flexible: true },
  ],
};

/** Where the ledger is, and what keeps it from being safe. */
export const run = async (_input: unknown, deps: Deps): Promise<Result> => {
  const { clockAhead, warnings, from, schema, standbys, ...status } = await (await deps.ledgerAdmin()).status();
  const record = madeHere({
    ...status,
    from: from ?? null,
    schema: schema ?? null,
    ...(clockAhead === undefined ? {} : { clock_ahead_ms: clockAhead, standbys: standbys ?? [] }),
    warnings,
  });
  return { kind: 'record', record, view, ...(warnings.length === 0 ? {} : { notice: warnings }) };
};

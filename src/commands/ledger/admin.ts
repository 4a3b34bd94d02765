import { PayError } from '../../core/error.ts';
import { madeHere } from '../../core/received.ts';
import type { Result, View } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import type { UseInput } from './shared-spec.ts';

const statusView: View = {
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
export const status = async (_input: unknown, deps: Deps): Promise<Result> => {
  const { clockAhead, warnings, from, schema, standbys, ...said } = await (await deps.ledgerAdmin()).status();
  const record = madeHere({
    ...said,
    from: from ?? null,
    schema: schema ?? null,
    ...(clockAhead === undefined ? {} : { clock_ahead_ms: clockAhead, standbys: standbys ?? [] }),
    warnings,
  });
  return { kind: 'record', record, view: statusView, ...(warnings.length === 0 ? {} : { notice: warnings }) };
};

const useView: View = {
  columns: [
    { path: 'name', label: 'profile' },
    { path: 'ledger', flexible: true },
  ],
};

/** Stores which ledger a profile uses. */
export const use = async ({ url, passwordCommand }: UseInput, deps: Deps): Promise<Result> => {
  if (url !== undefined) await deps.checkLedger(url);
  const name = (await deps.profiles()).useLedger(deps.globals.profile, url, passwordCommand);
  return {
    kind: 'record',
    record: madeHere({ name, ledger: url ?? null }),
    view: useView,
    ...(url === undefined ? {} : { notice: 'See whether it can be used: `paycli ledger status`' }),
  };
};

const initView: View = {
  columns: [{ path: 'at', flexible: true }, { path: 'made' }, { path: 'schema' }, { path: 'operators' }],
};

/** Makes the tables of a shared ledger, and names its operators. */
export const init = async ({ operators }: { readonly operators: readonly string[] }, deps: Deps): Promise<Result> => {
  const made = await (await deps.ledgerAdmin()).init(operators);
  return { kind: 'record', record: madeHere({ ...made, operators }), view: initView };
};

const migrateView: View = { columns: [{ path: 'at', flexible: true }, { path: 'from' }, { path: 'to' }] };

/** Brings the tables of a shared ledger to this version. */
export const migrate = async (_input: unknown, deps: Deps): Promise<Result> => ({
  kind: 'record',
  record: madeHere(await (await deps.ledgerAdmin()).migrate()),
  view: migrateView,
});

const pushView: View = {
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
export const push = async (_input: unknown, deps: Deps): Promise<Result> => {
  const pushed = await (await deps.ledgerAdmin()).push();
  const { kept } = pushed;
  const failure = new PayError('refused', `${kept.length} charges stay in the local ledger alone: ${kept.join(', ')}`, {
    hint: 'the shared ledger has another open charge of the same payment request; reconcile that, then run this again',
  });
  return { kind: 'record', record: madeHere(pushed), view: pushView, ...(kept.length === 0 ? {} : { failure }) };
};

const backupView: View = {
  columns: [{ path: 'file' }, { path: 'bytes', kind: 'count' }, { path: 'entries', kind: 'count', always: true }],
};

/** A copy of the ledger, made while it is in use. */
export const backup = async ({ file }: { readonly file: string }, deps: Deps): Promise<Result> => {
  const copied = await (await deps.ledgerAdmin()).backUp(file);
  return { kind: 'record', record: madeHere(copied), view: backupView };
};

import type { InputOf } from '../../cli/define.ts';
import { scopeOf } from '../../compose/client.ts';
import { openLedgerAdmin } from '../../compose/ledger-admin.ts';
import { foldersOf, profilesToChange } from '../../compose/run.ts';
import { realMachine } from '../../config/machine.ts';
import { counted } from '../../core/bounds.ts';
import { interrupted, PayError, usageError } from '../../core/error.ts';
import { commandLine } from '../../core/input.ts';
import { instantOf, madeHere, type RequestedTime } from '../../core/record.ts';
import { columnsNamed, type Result, type View } from '../../core/result.ts';
import { atom, DAY_MS, formatLocalFull } from '../../core/time.ts';
import { prunableIn, pruneQueues, queueQuestion, withQueues } from '../../webhook/prune.ts';
import type { Run } from '../run.ts';
import type { useInput } from './keeping-spec.ts';

const prunedEntriesView: View = {
  columns: [
    { path: 'before', kind: 'time' },
    { path: 'pruned', kind: 'count', always: true },
    { path: 'open', kind: 'count', always: true, label: 'left, still open' },
    { path: 'events', kind: 'count' },
  ],
};

const pruneQuestion = (count: number, before: number, all: boolean): string[] => [
  `Prune ${counted(count, 'entry', 'entries')}${all ? ' of all profiles' : ''} that started before ${formatLocalFull(before)}?`,
  'References, customers, account details and evidence are removed for good. Amounts and states stay, and nothing can be charged twice.',
];

/**
 * Converts an error of pruning. 42501: an operator's role may not delete entries. Entries are pruned in batches, so a
 * signal may stop in between.
 */
const pruneFailure = (thrown: unknown, stop: AbortSignal): unknown => {
  if (!(thrown instanceof PayError)) return thrown;
  if (thrown.kind === 'interrupted') return interrupted(stop.reason, 'what is pruned by now stays pruned');
  if (thrown.detail.code !== '42501') return thrown;
  return new PayError('ledger', thrown.message, { ...thrown.detail, hint: 'prune as the owner of the database' });
};

/**
 * Prunes ended entries, and the events of that age. Stores only what prevents a second charge, with amounts and states.
 */
export const pruneLedger = async (
  input: { readonly before: RequestedTime; readonly allProfiles: boolean },
  run: Run,
): Promise<Result> => {
  const ledger = await run.ledger();
  const now = ledger.moment().at;
  const before = instantOf(input.before, now);
  if (before > now - DAY_MS) throw usageError('--before must be at least a day ago');
  const scope = input.allProfiles ? {} : await scopeOf(run);
  await ledger.jobs.endPlans(now - DAY_MS);
  const { count, open } = await ledger.prunable(before, scope);
  return withQueues((await foldersOf(run)).data, realMachine.uid, async (queues) => {
    const found = prunableIn(queues, before);
    const ofEvents = queueQuestion(found, before);
    const question = [...(count === 0 ? [] : pruneQuestion(count, before, input.allProfiles)), ...ofEvents];
    if (question.length > 0) await run.ask(question, 'refuse', count === 0 ? undefined : String(count));
    const done =
      count === 0
        ? { count: 0, compacted: true }
        : await ledger.prune(before, scope, run.io.signals.stop).catch((thrown: unknown) => {
            throw pruneFailure(thrown, run.io.signals.stop);
          });
    if (!done.compacted) {
      await run.say(
        'The file keeps its size for now, since it is in use or the disk is full. New charges use the room.',
      );
    }
    if (ofEvents.length > 0) await pruneQueues(queues, before, run);
    return {
      kind: 'record',
      record: madeHere({ before: atom(before), pruned: done.count, open, events: found.events }),
      view: prunedEntriesView,
    };
  });
};

const verifiedLedgerView: View = {
  columns: [
    { path: 'ok' },
    ...columnsNamed('entries jobs', { kind: 'count', always: true }),
    { path: 'faults', flexible: true },
  ],
};

const verifyFailure = (faults: readonly string[]): PayError => {
  const [first = '', ...others] = faults;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return new PayError('ledger', `the ledger is damaged: ${first}${more}`, {
    hint:
      'charge nothing more. Copy the ledger and all files beside it, then restore the last backup that passes `paycli ledger verify`, and ' +
      'check at the service which charges were made since',
  });
};

/** Verifies that the whole ledger is unchanged since it was written. Opening it could change what is to be verified. */
export const verifyLedger = async (_input: unknown, run: Run): Promise<Result> => {
  run.state.readOnly = true;
  const { entries, jobs, faults } = await (await run.ledger()).verify(run.io.signals.stop);
  const record = madeHere({ ok: faults.length === 0, entries, jobs, faults });
  return {
    kind: 'record',
    record,
    view: verifiedLedgerView,
    ...(faults.length === 0 ? {} : { failure: verifyFailure(faults) }),
  };
};

const ledgerStatusView: View = {
  columns: [
    { path: 'kind' },
    { path: 'at', flexible: true },
    { path: 'from', label: 'set by' },
    { path: 'schema' },
    { path: 'version', flexible: true },
    ...columnsNamed('user owner clock_ahead_ms standbys settings'),
    { path: 'warnings', flexible: true },
  ],
};

/** Shows the place of the ledger, and warnings about its safety. */
export const showLedgerStatus = async (_input: unknown, run: Run): Promise<Result> => {
  const { clockAhead, warnings, from, schema, standbys, ...said } = await (await openLedgerAdmin(run)).status();
  const record = madeHere({
    ...said,
    from: from ?? null,
    schema: schema ?? null,
    ...(clockAhead === undefined ? {} : { clock_ahead_ms: clockAhead, standbys: standbys ?? [] }),
    warnings,
  });
  return { kind: 'record', record, view: ledgerStatusView, notice: warnings };
};

const useView: View = {
  columns: [
    { path: 'name', label: 'profile' },
    { path: 'ledger', flexible: true },
  ],
};

export const useLedger = async ({ url, passwordCommand }: InputOf<typeof useInput>, run: Run): Promise<Result> => {
  if (url !== undefined) (await import('../../ledger/postgres/url.ts')).parseAddress(url);
  const room = await profilesToChange(run);
  const name = room.useLedger(room.chosen(run.globals).name, url, passwordCommand);
  return {
    kind: 'record',
    record: madeHere({ name, ledger: url ?? null }),
    view: useView,
    ...(url === undefined
      ? {}
      : { notice: `See whether it can be used: \`${commandLine(run.globals, 'ledger', 'status')}\`` }),
  };
};

/** Creates the tables of a shared ledger and registers its operators. */
export const initSharedLedger = async (
  { operators }: { readonly operators: readonly string[] },
  run: Run,
): Promise<Result> => {
  const made = await (await openLedgerAdmin(run)).init(operators);
  return {
    kind: 'record',
    record: madeHere({ ...made, operators }),
    view: {
      columns: [{ path: 'at', flexible: true }, { path: 'made' }, { path: 'schema' }, { path: 'operators' }],
    },
  };
};

export const migrateSharedLedger = async (_input: unknown, run: Run): Promise<Result> => ({
  kind: 'record',
  record: madeHere(await (await openLedgerAdmin(run)).migrate()),
  view: { columns: [{ path: 'at', flexible: true }, { path: 'from' }, { path: 'to' }] },
});

const pushView: View = {
  columns: [
    { path: 'at', flexible: true },
    { path: 'charges', kind: 'count', always: true },
    ...columnsNamed('jobs updates known', { kind: 'count' }),
    { path: 'kept' },
  ],
};

export const pushLedger = async (_input: unknown, run: Run): Promise<Result> => {
  const pushed = await (await openLedgerAdmin(run)).push();
  const { kept } = pushed;
  const failure = new PayError(
    'refused',
    `${counted(kept.length, 'charge stays', 'charges stay')} in the local ledger alone: ${kept.join(', ')}`,
    {
      hint: 'the shared ledger has another open charge of the same payment request; run `paycli ledger sync`, then push again',
    },
  );
  return { kind: 'record', record: madeHere(pushed), view: pushView, ...(kept.length === 0 ? {} : { failure }) };
};

/** Backs up the ledger while it is in use. */
export const backUpLedger = async ({ file }: { readonly file: string }, run: Run): Promise<Result> => {
  const copied = await (await openLedgerAdmin(run)).backUp(file);
  return {
    kind: 'record',
    record: madeHere(copied),
    view: {
      columns: [{ path: 'file' }, { path: 'bytes', kind: 'count' }, { path: 'entries', kind: 'count', always: true }],
    },
  };
};

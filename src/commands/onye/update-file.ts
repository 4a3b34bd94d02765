import type { Sending } from '../../bulk/job.ts';
import type { Input, InputRow } from '../../bulk/reading/input.ts';
import type { Reader } from '../../bulk/trade.ts';
import type { Client } from '../../client/client.ts';
import type { PayError } from '../../core/error.ts';
import { namingFlags } from '../../core/flags.ts';
import { printExact } from '../../core/json.ts';
import { namesAlong } from '../../core/property-path.ts';
import type { Result } from '../../core/result.ts';
import type { ColumnFault } from '../../core/row-end.ts';
import { faultsOf } from '../../core/row-end.ts';
import { unusedNotices } from '../../core/unused-columns.ts';
import type { Deps } from '../deps.ts';
import type { FileOfUpdates } from './spec.ts';
import type { RowOptions } from './update-row.ts';
import { checkOnyeColumns, isOnyeColumn, ONYE_COLUMNS, onyeColumnOf, onyeRow } from './update-row.ts';
import type { UpdateItem } from './update-worker.ts';
import { checkOnye, updateWorker } from './update-worker.ts';
import { updatesView } from './view.ts';

const COMMAND = 'onye update';

/** How the question calls a field; others by their names. */
const WORDS: Readonly<Record<string, string>> = { meta: 'all metadata', merge_meta: 'keys of metadata' };

/** An error about a row, whose violations name the column or the flag behind each property. */
const namingIn =
  (columns: readonly string[], options: RowOptions) =>
  (thrown: unknown): unknown =>
    namingFlags(
      thrown,
      (path) =>
        onyeColumnOf(columns, path) ??
        options.fields.get(namesAlong(path, [...options.fields.keys()])[0] ?? path)?.flag ??
        path,
    );

/** What the contract has against an update; nothing is sent. */
const breachesOf = (
  { uid, body }: UpdateItem,
  client: Client,
  naming: (thrown: unknown) => unknown,
): readonly ColumnFault[] => {
  try {
    client.check('onye.update', { params: { uid }, body });
    return [];
  } catch (thrown) {
    return faultsOf(naming(thrown));
  }
};

const readerOf = (
  { columns, format }: Pick<Input, 'columns' | 'format'>,
  options: RowOptions,
  {
    client,
    validate,
    changed,
  }: { readonly client: Client; readonly validate: boolean; readonly changed: Map<string, number> },
): Reader<UpdateItem> => {
  checkOnyeColumns(columns, options);
  const naming = namingIn(columns, options);
  return {
    keyColumn: 'uid',
    keyOf: ({ uid }) => uid,
    read: ({ fields }: InputRow) => {
      const row = onyeRow(fields, format, options, validate);
      return row.kind === 'faulty' ? row : { item: row };
    },
    breaches: (item) => breachesOf(item, client, naming),
    check: checkOnye(client),
    onGood: ({ body, change }) => {
      const names = change === undefined ? Object.keys(body) : [...Object.keys(body), 'merge_meta'];
      for (const name of names) changed.set(name, (changed.get(name) ?? 0) + 1);
    },
    notices: unusedNotices(columns, isOnyeColumn, ONYE_COLUMNS),
  };
};

/** The options that shape the requests: with the same file, the same ones again are the same job. */
const optionsText = ({ fields, change }: RowOptions): string => {
  const given = [...fields].map(([name, { value }]) => [name, value]);
  return printExact(change === undefined ? given : [...given, change]);
};

const sending = async (
  file: FileOfUpdates,
  options: RowOptions,
  client: Client,
  deps: Deps,
  { changed, unrecorded }: { readonly changed: ReadonlyMap<string, number>; readonly unrecorded: PayError[] },
): Promise<Sending<UpdateItem>> => {
  const [ledger, protocol, place] = [await deps.ledger(), await deps.protocol(), await deps.place()];
  const countText = (): string => [...changed].map(([name, count]) => `${WORDS[name] ?? name} ${count}`).join(', ');
  return (await deps.bulk()).sendingOf({
    kind: 'update',
    command: COMMAND,
    options: optionsText(options),
    worker: (job, { columns }) =>
      updateWorker({ job, file, client, jobs: ledger.jobs, deps, naming: namingIn(columns, options), unrecorded }),
    question: () => ({ verb: 'Update', one: 'customer', what: countText() }),
    ledger,
    protocol,
    place,
    confirm: deps.confirm,
    atOnce: file.bulk.concurrency,
  });
};

/** Updates the customers of a file, each row once over any number of runs (charge-protocol, Bulk; PATCH's rules). */
export const updateFile = async (file: FileOfUpdates, options: RowOptions, deps: Deps): Promise<Result> => {
  const { globals, io } = deps;
  const { bulk } = file;
  const { dryRun } = globals;
  const world = await deps.jobWorld();
  const client = await deps.client(dryRun ? (bulk.check ? 'read' : 'preview') : 'write');
  const changed = new Map<string, number>();
  const unrecorded: PayError[] = [];
  const room = await deps.bulk();
  const end = await room.runJob(
    {
      bulk,
      known: ONYE_COLUMNS,
      columns: [],
      reader: (input) => readerOf(input, options, { client, validate: globals.validate, changed }),
      sending: dryRun ? undefined : await sending(file, options, client, deps, { changed, unrecorded }),
    },
    world,
  );
  const findOut = 'run the same command again: it checks customers whose update is unknown before it sends anything';
  return room.jobResult(end, { command: COMMAND, bulk, unrecorded, stop: io.signals.stop, findOut }, updatesView);
};

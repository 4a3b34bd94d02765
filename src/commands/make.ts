import type { Protected, RowKind } from '../bulk/kind.ts';
import type { RowEnd } from '../bulk/row-end.ts';
import type { Client } from '../client/client.ts';
import type { ListId, OperationId } from '../contract/operations.ts';
import { machineValue } from '../core/charge.ts';
import { EXIT_CODES, PayError } from '../core/error.ts';
import { targetFlags } from '../core/input.ts';
import { valueAt } from '../core/json.ts';
import type { ApiRecord } from '../core/record.ts';
import type { Result, View } from '../core/result.ts';
import { shellLine } from '../core/shell.ts';
import type { Entry } from '../ledger/entry.ts';
import type { Deps } from './deps.ts';

/** A field in which something is another than what was asked for, and what it is there. */
export interface Difference {
  readonly name: string;
  readonly there: string;
}

/** A field that the service gives to one thing alone, so that what was made with it can be found again. */
export interface UniqueKey {
  readonly field: string;
  /** What it is called, and what has it. */
  readonly word: string;
  readonly one: string;
  readonly list: ListId;
  readonly get: OperationId;
  /** Whether the service says that another has it. */
  readonly isTaken: (thrown: PayError) => boolean;
  /** Two texts that come to the same here are the same to the service. */
  readonly folded: (text: string) => string;
  /** In what something that is there is another than a body asks for. */
  readonly differences: (found: ApiRecord, body: Readonly<Record<string, unknown>>) => readonly Difference[];
  /** What is thrown of one that differs. */
  readonly conflict: (wanted: string, found: ApiRecord) => { readonly message: string; readonly hint: string };
}

/** Finds what has a field's value; undefined where nothing that is listed has it. */
type Find = (wanted: string) => Promise<ApiRecord | undefined>;

/** What the service said, in all its places. */
export const said = ({ message, detail }: PayError): string =>
  [message, ...(detail.violations ?? []).map(({ title }) => title)].join('\n');

/** The value of a unique field that a body gives; undefined where it gives none. */
export const uniqueIn = ({ field }: UniqueKey, body: Readonly<Record<string, unknown>>): string | undefined => {
  const value = body[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Finds one after another in a single walk of the list: of what it has come by it remembers the identifiers alone. */
export const openFind = ({ field, list, get, folded }: UniqueKey, client: Client): Find => {
  const uids = new Map<string, string>();
  let cursor: string | null | undefined;
  const walk = async (wanted: string): Promise<ApiRecord | undefined> => {
    if (cursor === null) return undefined;
    for await (const { records, nextCursor } of client.pages(list, { query: { limit: '100' } }, { from: cursor })) {
      cursor = nextCursor;
      let found: ApiRecord | undefined;
      for (const record of records) {
        const key = folded(String(record.value[field] ?? ''));
        if (typeof record.value['uid'] === 'string') uids.set(key, record.value['uid']);
        if (key === wanted) found = record;
      }
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const find = async (wanted: string): Promise<ApiRecord | undefined> => {
    const uid = uids.get(wanted);
    return uid === undefined ? walk(wanted) : client.call(get, { params: { uid } });
  };
  let turn: Promise<unknown> = Promise.resolve();
  return (text) => {
    const found = turn.then(() => find(folded(text)));
    turn = found.catch(() => undefined);
    return found;
  };
};

/** What has the value that is taken, where it is what was asked for; else what is thrown names what differs. */
const uniqueConflict = async (
  unique: UniqueKey,
  body: Readonly<Record<string, unknown>>,
  taken: PayError,
  find: Find,
): Promise<ApiRecord> => {
  const { word, one } = unique;
  const wanted = uniqueIn(unique, body) ?? '';
  const found = await find(wanted);
  if (found === undefined) throw taken.with({ hint: `no ${one} with this ${word} is listed; use another` });
  const differing = unique.differences(found, body);
  if (differing.length === 0) return found;
  const { message, hint } = unique.conflict(wanted, found);
  throw new PayError('rejected', message, {
    ...taken.detail,
    violations: differing.map(({ name, there }) => ({ propertyPath: name, title: there })),
    hint,
  });
};

/** How the rows of a file are made that must not be made twice, and are no charges. */
interface Making<T> {
  readonly request: RowKind<T>['request'];
  /** What a row is about: while one is unknown, no other is sent. */
  readonly about: (item: T) => string;
  /** One that was made stands in the way of another, unless `again`. */
  readonly once?: boolean;
  readonly again?: boolean;
  /** Throws what keeps a row from being sent. */
  readonly look?: (item: T) => Promise<void>;
  /** A field by which what was made before is found and compared. */
  readonly unique?: UniqueKey;
  /** Whether an answer says that nothing came of it, and its words. */
  readonly failure?: (value: unknown) => string | undefined;
  /** The column of the report for what was made. */
  readonly uidColumn: string;
}

/** The columns of the report. */
export const madeColumns = (uidColumn: string): readonly string[] => [uidColumn, 'status', 'entry'];

/** What to do about rows that are unknown: the service shows nobody but a person what became of them. */
export const findOutByHand = (globals: Deps['globals']): string =>
  `look for each unknown row at the service, then record what you found: \`${shellLine(['paycli', 'ledger', 'list', '--state', 'unknown', ...targetFlags(globals)])}\` names them, \`paycli ledger resolve\` records it`;

/** What was last said of an entry; undefined where nothing was. */
export const lastMessage = ({ evidence }: Entry): string | undefined => {
  const word = evidence.findLast(({ message, why }) => message !== undefined || why !== undefined);
  return word === undefined ? undefined : String(word['message'] ?? word['why']);
};

/** What has a unique field that is taken, where that is what a row asks for; else throws. */
const found = async (
  unique: UniqueKey | undefined,
  body: Readonly<Record<string, unknown>>,
  thrown: unknown,
  find: Find,
): Promise<ApiRecord> => {
  const isTaken =
    unique !== undefined && thrown instanceof PayError && thrown.kind === 'rejected' && unique.isTaken(thrown);
  if (!isTaken || uniqueIn(unique, body) === undefined) throw thrown;
  try {
    return await uniqueConflict(unique, body, thrown, find);
  } catch (other) {
    // The service's no stays one, whatever keeps us from looking.
    if (other instanceof PayError && other.kind === 'rejected') throw other;
    throw thrown.with({ hint: `what has this ${unique.word} couldn't be read; run again with --retry-failed` });
  }
};

/** Rows that are sent under the ledger's protocol, each once over any number of runs. */
export const rowsMade = <T>(
  { request, about, once = false, again = false, look, unique, failure, uidColumn }: Making<T>,
  client: Client,
  { io, globals }: Deps,
): Protected<T> => {
  const find: Find = unique === undefined ? async () => undefined : openFind(unique, client);
  const clean = (text: string): string => io.redactor.cleanAll(text);

  const madeNow = (value: unknown, entry: string): RowEnd => {
    const uid = machineValue(valueAt(value, 'uid'));
    const fields = { [uidColumn]: uid, status: machineValue(valueAt(value, 'status')), entry };
    const why = failure?.(value);
    if (why === undefined) return { state: 'accepted', exitCode: 0, fields };
    return { state: 'failed', exitCode: EXIT_CODES.charge_failed, fields, error: why };
  };

  return {
    kind: 'protected',
    idColumn: 'entry',
    once: async (item, { row, signals, judged, tellOnce }, { ledger, protocol, place }) => {
      const since = ledger.moment();
      await look?.(item);
      const { operation, input } = request(item);
      const send = async (overdue: () => boolean): Promise<ApiRecord> => {
        try {
          return await client.call(operation, { ...input, overdue, slowDown: signals.slowDown });
        } catch (thrown) {
          const record = await found(unique, input.body ?? {}, thrown, find);
          // It counts as an answer that is still to be told, as one of its own would.
          io.flight.accepted += 1;
          return record;
        }
      };
      const made = await protocol.makeRow(
        ledger,
        {
          ...client.check(operation, input),
          ...{ place, bound: client.longestWrite, attempt: client.longestAttempt, words: targetFlags(globals) },
          ...{ about: about(item), once, again, row, since },
          isFailed: (value) => failure?.(value) !== undefined,
        },
        {
          ...{ now: io.clock.now, clean, judged, send },
          elsewhere: ({ id, origin }) =>
            tellOnce('elsewhere', `Row ${row.number}: there is an earlier one of the same at ${origin} (${id}).`),
        },
      );
      if (made.kind === 'kept') return made;
      const { record, id, unrecorded } = made;
      return { kind: 'made', end: madeNow(record.value, id), odd: [], unrecorded };
    },
    kept: (entry) => {
      const { id, state, exitCode, evidence } = entry;
      const made = evidence.findLast(({ uid }) => uid !== undefined);
      const fields = { entry: id, [uidColumn]: made?.['uid'], status: made?.['status'] };
      if (state === 'accepted' && exitCode === EXIT_CODES.charge_failed) {
        return { state: 'failed', exitCode, fields, error: lastMessage(entry) };
      }
      if (state === 'accepted' || state === 'sending') return { state, exitCode, fields };
      return { state, exitCode, fields, error: lastMessage(entry) ?? state.replaceAll('_', ' ') };
    },
  };
};

/** Something that the service itself keeps from being made twice. */
interface Creation {
  readonly operation: OperationId;
  readonly body: Readonly<Record<string, unknown>>;
  readonly unique: UniqueKey;
  /** What is said on a terminal before. */
  readonly saying: string;
  readonly view: View;
}

/** Creates it; where its unique field is taken, what has it is compared, and was made or is another's. */
export const createUnique = async (
  { operation, body, unique, saying, view }: Creation,
  deps: Deps,
): Promise<Result> => {
  const client = await deps.client('write');
  const { word, one } = unique;
  if (deps.io.stderr.isTerminal) await deps.notice(saying);
  try {
    return { kind: 'record', record: await client.call(operation, { body }), view, wrote: true };
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    if (thrown.kind === 'unknown') {
      throw thrown.with({ hint: `run the same command again: the ${word} keeps it from being made twice` });
    }
    const wanted = uniqueIn(unique, body);
    if (thrown.kind !== 'rejected' || wanted === undefined || !unique.isTaken(thrown)) throw thrown;
    await deps.notice(`The ${word} ${wanted} exists already; looking for its ${one}.`);
    await deps.holdMemory();
    const record = await uniqueConflict(unique, body, thrown, openFind(unique, client));
    return { kind: 'record', record, view, notice: 'It exists already, with the same fields; nothing was created.' };
  }
};

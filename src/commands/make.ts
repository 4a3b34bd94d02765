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

/** A field that differs from the request, and the existing value in words. */
export interface Difference {
  readonly name: string;
  readonly there: string;
}

/** A field whose value is unique at the service, so that a created record can be found again. */
export interface UniqueKey {
  readonly field: string;
  /** Name of the field (`word`) and of the record that has it (`one`), for messages. */
  readonly word: string;
  readonly one: string;
  readonly list: ListId;
  readonly get: OperationId;
  /** True if the error says that the value is already in use. */
  readonly isTaken: (thrown: PayError) => boolean;
  /** Normalizes a value: two texts with the same result are equal for the service. */
  readonly folded: (text: string) => string;
  /** Lists the fields in which an existing record differs from a body. */
  readonly differences: (found: ApiRecord, body: Readonly<Record<string, unknown>>) => readonly Difference[];
  /** Error text for an existing record that differs. */
  readonly conflict: (wanted: string, found: ApiRecord) => { readonly message: string; readonly hint: string };
}

/** Finds the record with a field's value. Resolves to undefined if the list has none. */
type Find = (wanted: string) => Promise<ApiRecord | undefined>;

/** Joins the service's message and its violations. */
export const said = ({ message, detail }: PayError): string =>
  [message, ...(detail.violations ?? []).map(({ title }) => title)].join('\n');

/** The unique field's value in a body; undefined if there is none. */
export const uniqueIn = ({ field }: UniqueKey, body: Readonly<Record<string, unknown>>): string | undefined => {
  const value = body[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/**
 * Finds records in a single walk of the list, across calls. Remembers only the identifiers of the records that it
 * passes.
 */
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

/**
 * Finds the record that has the value. Resolves to it if it equals the request; otherwise throws an error that names
 * the differences.
 */
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

/** Options for rows that must not be sent twice and are not charges. */
interface Making<T> {
  readonly request: RowKind<T>['request'];
  /** Target of a row. While one request for it is unknown, no other is sent. */
  readonly about: (item: T) => string;
  /** An earlier one blocks another, unless `again`. */
  readonly once?: boolean;
  readonly again?: boolean;
  /** Checks a row before it is sent. Throws to prevent it. */
  readonly look?: (item: T) => Promise<void>;
  /** Unique field to find and compare an earlier record. */
  readonly unique?: UniqueKey;
  /** Reason of a failure that an accepted answer reports; undefined if there is none. */
  readonly failure?: (value: unknown) => string | undefined;
  /** Report column for the uid of the created record. */
  readonly uidColumn: string;
}

/** Columns of the report. */
export const madeColumns = (uidColumn: string): readonly string[] => [uidColumn, 'status', 'entry'];

/** Advice for unknown rows: only a person can find out their outcome at the service. */
export const findOutByHand = (globals: Deps['globals']): string =>
  `look for each unknown row at the service, then record what you found: \`${shellLine(['paycli', 'ledger', 'list', '--state', 'unknown', ...targetFlags(globals)])}\` names them, \`paycli ledger resolve\` records it`;

/** Last message in the evidence of an entry; undefined if there is none. */
export const lastMessage = ({ evidence }: Entry): string | undefined => {
  const word = evidence.findLast(({ message, why }) => message !== undefined || why !== undefined);
  return word === undefined ? undefined : String(word['message'] ?? word['why']);
};

/** Resolves to the existing record if the unique field is taken and the record equals the row. Otherwise throws. */
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
    // The service's rejection stands, even if the existing record can't be read.
    if (other instanceof PayError && other.kind === 'rejected') throw other;
    throw thrown.with({ hint: `what has this ${unique.word} couldn't be read; run again with --retry-failed` });
  }
};

/** Sends rows under the ledger protocol: each once, over any number of runs. */
export const rowsMade = <T>(
  { request, about, once = false, again = false, look, unique, failure, uidColumn }: Making<T>,
  client: Client,
  { io, globals }: Deps,
): Protected<T> => {
  const find: Find = unique === undefined ? async () => undefined : openFind(unique, client);

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
    once: async (item, { row, signals, judged, tellOnce }, { ledger, place }) => {
      const since = ledger.moment();
      await look?.(item);
      const { operation, input } = request(item);
      const send = async (overdue: () => boolean): Promise<ApiRecord> => {
        try {
          return await client.call(operation, { ...input, overdue, slowDown: signals.slowDown });
        } catch (thrown) {
          const record = await found(unique, input.body ?? {}, thrown, find);
          // Counts as an accepted answer that is not yet reported, like an answer to this row's own request.
          io.flight.accepted += 1;
          return record;
        }
      };
      const { makeRow } = await import('../ledger/send.ts');
      const made = await makeRow(
        ledger,
        {
          ...client.check(operation, input),
          ...{ place, bound: client.longestWrite, attempt: client.longestAttempt, words: targetFlags(globals) },
          ...{ about: about(item), once, again, row, since },
          isFailed: (value) => failure?.(value) !== undefined,
        },
        {
          ...{ now: io.clock.now, judged, send },
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

/** A record that the service itself protects from duplicates. */
interface Creation {
  readonly operation: OperationId;
  readonly body: Readonly<Record<string, unknown>>;
  readonly unique: UniqueKey;
  /** Notice on a terminal before the request. */
  readonly saying: string;
  readonly view: View;
}

/**
 * Creates a record. If its unique field is taken, compares the existing record: returns it if equal, otherwise throws.
 */
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
    const record = await uniqueConflict(unique, body, thrown, openFind(unique, client));
    return { kind: 'record', record, view, notice: 'It exists already, with the same fields; nothing was created.' };
  }
};

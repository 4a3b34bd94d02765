import type { Client } from '../client/client.ts';
import type { ListId, OperationId } from '../contract/operations.ts';
import { isRejected, PayError } from '../core/error.ts';
import type { ApiRecord } from '../core/record.ts';
import type { Result, View } from '../core/result.ts';
import type { Run } from './run.ts';

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
export type Find = (wanted: string) => Promise<ApiRecord | undefined>;

export const allTitles = ({ message, detail }: PayError): string =>
  [message, ...(detail.violations ?? []).map(({ title }) => title)].join('\n');

/** The unique field's value in a body; undefined if there is none. */
export const uniqueIn = ({ field }: UniqueKey, body: Readonly<Record<string, unknown>>): string | undefined => {
  const value = body[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/**
 * Finds records in a single walk of the list, across calls, and reads them, since a list may show only some fields.
 * Remembers only the unique value and the identifier of each record that it passes.
 */
export const openFind = ({ field, list, get, folded }: UniqueKey, client: Client): Find => {
  const uids = new Map<string, string>();
  let cursor: string | null | undefined;
  const walk = async (wanted: string): Promise<void> => {
    if (cursor === null || uids.has(wanted)) return;
    for await (const { records, nextCursor } of client.pages(list, { query: { limit: '100' } }, { from: cursor })) {
      cursor = nextCursor;
      for (const { value } of records) {
        if (typeof value['uid'] === 'string') uids.set(folded(String(value[field] ?? '')), value['uid']);
      }
      if (uids.has(wanted)) return;
    }
  };
  const find = async (wanted: string): Promise<ApiRecord | undefined> => {
    await walk(wanted);
    const uid = uids.get(wanted);
    return uid === undefined ? undefined : client.call(get, { params: { uid } });
  };
  let turn: Promise<unknown> = Promise.resolve();
  return (text) => {
    const found = turn.then(() => find(folded(text)));
    turn = found.catch(() => undefined);
    return found;
  };
};

/**
 * Finds the record that has the value, if the error says that it is taken. Resolves to it if it equals the request;
 * otherwise throws an error that names the differences. Throws any other error as it is.
 */
const existingIfTaken = async (
  unique: UniqueKey,
  body: Readonly<Record<string, unknown>>,
  thrown: unknown,
  find: Find,
): Promise<ApiRecord> => {
  const { word, one } = unique;
  const wanted = uniqueIn(unique, body);
  if (!isRejected(thrown) || wanted === undefined || !unique.isTaken(thrown)) throw thrown;
  const found = await find(wanted);
  if (found === undefined) throw thrown.with({ hint: `no ${one} with this ${word} is listed; use another` });
  const differing = unique.differences(found, body);
  if (differing.length === 0) return found;
  const { message, hint } = unique.conflict(wanted, found);
  throw new PayError('rejected', message, {
    ...thrown.detail,
    violations: differing.map(({ name, there }) => ({ propertyPath: name, title: there })),
    hint,
  });
};

/** Finds the existing record for a row. The service's rejection stands if that record can't be read. */
export const existingForRow = async (
  unique: UniqueKey,
  body: Readonly<Record<string, unknown>>,
  thrown: unknown,
  find: Find,
): Promise<ApiRecord> => {
  try {
    return await existingIfTaken(unique, body, thrown, find);
  } catch (other) {
    const stands = other === thrown || isRejected(other);
    if (stands || !(thrown instanceof PayError)) throw other;
    throw thrown.with({
      hint: `couldn't read the ${unique.one} with this ${unique.word}; run again with --retry-failed`,
    });
  }
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
export const createUnique = async ({ operation, body, unique, saying, view }: Creation, run: Run): Promise<Result> => {
  const client = await run.client('write');
  const { word, one } = unique;
  if (run.io.stderr.isTerminal) await run.say(saying);
  try {
    return { kind: 'record', record: await client.call(operation, { body }), view, wrote: true };
  } catch (thrown) {
    if (thrown instanceof PayError && thrown.kind === 'unknown') {
      throw thrown.with({ hint: `run the same command again: the ${word} keeps it from being made twice` });
    }
    const find: Find = async (wanted) => {
      await run.say(`The ${word} ${wanted} exists already; looking for its ${one}.`);
      return openFind(unique, client)(wanted);
    };
    const record = await existingIfTaken(unique, body, thrown, find);
    return { kind: 'record', record, view, notice: 'It exists already, with the same fields; nothing was created.' };
  }
};

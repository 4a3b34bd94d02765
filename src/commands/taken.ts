import type { Client } from '../client/client.ts';
import type { ListId, OperationId } from '../contract/operations.ts';
import { PayError } from '../core/error.ts';
import type { Received } from '../core/received.ts';

/** A field in which something is another than what was asked for, and what it is there. */
export interface Difference {
  readonly name: string;
  readonly there: string;
}

/** A field that the service gives to one thing alone, so that what was made with it can be found again. */
export interface Unique {
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
  readonly differences: (found: Received, body: Readonly<Record<string, unknown>>) => readonly Difference[];
  /** What is thrown of one that differs. */
  readonly conflict: (wanted: string, found: Received) => { readonly message: string; readonly hint: string };
}

/** Finds what has a field's value; undefined where nothing that is listed has it. */
export type Find = (wanted: string) => Promise<Received | undefined>;

/** What the service said, in all its places. */
export const said = ({ message, detail }: PayError): string =>
  [message, ...(detail.violations ?? []).map(({ title }) => title)].join('\n');

/** The value of a unique field that a body gives; undefined where it gives none. */
export const uniqueIn = ({ field }: Unique, body: Readonly<Record<string, unknown>>): string | undefined => {
  const value = body[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Finds one after another in a single walk of the list: of what it has come by it remembers the identifiers alone. */
export const openFind = ({ field, list, get, folded }: Unique, client: Client): Find => {
  const uids = new Map<string, string>();
  let cursor: string | null | undefined;
  const walk = async (wanted: string): Promise<Received | undefined> => {
    if (cursor === null) return undefined;
    for await (const { records, nextCursor } of client.pages(list, { query: { limit: '100' } }, { from: cursor })) {
      cursor = nextCursor;
      let found: Received | undefined;
      for (const record of records) {
        const key = folded(String(record.value[field] ?? ''));
        if (typeof record.value['uid'] === 'string') uids.set(key, record.value['uid']);
        if (key === wanted) found = record;
      }
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const find = async (wanted: string): Promise<Received | undefined> => {
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
export const existing = async (
  unique: Unique,
  body: Readonly<Record<string, unknown>>,
  taken: PayError,
  find: Find,
): Promise<Received> => {
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

import type { Client } from '../client/client.ts';
import type { ListId, OperationId } from '../contract/operations.ts';
import { parseExact } from '../core/json.ts';
import type { Received, ReceivedPage } from '../core/received.ts';
import { receivedOf } from '../core/received.ts';
import type { RecordFilter } from '../core/record-filter.ts';
import { matcher } from '../core/record-filter.ts';
import type { Deps, SeenBefore } from './deps.ts';

/** The fields that one record alone has, by its list, and how that is read (public material). */
const UNIQUE: Readonly<Record<ListId, { readonly get: OperationId; readonly fields: readonly ('ref' | 'email')[] }>> = {
  'ugwo.list': { get: 'ugwo.get', fields: ['ref'] },
  'onye.list': { get: 'onye.get', fields: ['ref', 'email'] },
};

const folded = (field: string, text: string): string => (field === 'email' ? text.toLowerCase() : text);

/** The one field that is searched for, where nothing else is. */
const wantedIn = (list: ListId, filter: RecordFilter): readonly [field: 'ref' | 'email', text: string] | undefined => {
  const [field, ...others] = UNIQUE[list].fields.filter((name) => filter[name] !== undefined);
  if (field === undefined || others.length > 0 || Object.keys(filter).length > 1) return undefined;
  return [field, folded(field, filter[field] ?? '')];
};

/** A record as its list shows it: without what a read of it alone adds. */
const asListed = ({ text }: Received): Received => {
  const { activities: _, ...listed } = parseExact(text) as Record<string, unknown>;
  return receivedOf(listed);
};

/** The record that a search was for, where this machine has seen it before and it still is that one. */
export const recalled = async (
  list: ListId,
  filter: RecordFilter,
  seen: SeenBefore,
  client: Client,
  { io }: Pick<Deps, 'io'>,
): Promise<Received | undefined> => {
  const wanted = wantedIn(list, filter);
  const [uid, ...others] = wanted === undefined ? [] : seen.find(list, ...wanted);
  // Which of several it is only the list can tell.
  if (uid === undefined || others.length > 0) return undefined;
  const found = await client.look(UNIQUE[list].get, { params: { uid } });
  return found !== undefined && matcher(filter, io.clock.now())(found.value) ? asListed(found) : undefined;
};

/** So many records of a search are noted, the newest, besides the one that it was for: to note all would double what a walk costs. */
const MOST = 1000;

type Field = 'ref' | 'email';
type Trace = Parameters<SeenBefore['note']>[1][number];

/** What is noted of a record: of each of these fields its text. */
const tracesOf = ({ value }: Received, fields: readonly Field[]): Trace[] => {
  const { uid, ...record } = value as Readonly<Record<string, unknown>>;
  return fields.flatMap((field) => {
    const text = record[field];
    const isText = typeof uid === 'string' && typeof text === 'string' && text !== '';
    return isText ? [{ field, text: folded(field, text), uid }] : [];
  });
};

/** The same pages, noted as they pass, and written down once at the end. */
export async function* remembering(
  pages: AsyncIterable<ReceivedPage>,
  list: ListId,
  filter: RecordFilter,
  seen: SeenBefore,
): AsyncGenerator<ReceivedPage> {
  const { fields } = UNIQUE[list];
  const [field, wanted] = wantedIn(list, filter) ?? [];
  const traces: Trace[] = [];
  let passed = 0;
  try {
    for await (const page of pages) {
      if (passed < MOST) traces.push(...page.records.flatMap((record) => tracesOf(record, fields)));
      else if (field !== undefined) {
        const found = page.records.flatMap((record) => tracesOf(record, [field])).filter(({ text }) => text === wanted);
        traces.push(...found);
      }
      passed += page.records.length;
      yield page;
    }
  } finally {
    seen.note(list, traces);
  }
}

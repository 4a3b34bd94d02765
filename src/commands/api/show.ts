import { elementsOf } from '../../core/json-scan.ts';
import { valueAt } from '../../core/path.ts';
import type { Received, ReceivedPage } from '../../core/received.ts';
import type { Result, View } from '../../core/result.ts';

type RecordResult = Extract<Result, { readonly kind: 'record' }>;

/** So many records tell which fields a list has. */
const LOOKED_AT = 10;

/** The fields that the first records have, in the order in which they come. */
const viewOf = (records: readonly unknown[]): View => {
  const names = records
    .slice(0, LOOKED_AT)
    .flatMap((record) => (typeof record === 'object' && record !== null ? Object.keys(record) : []));
  return { columns: [...new Set(names)].map((path) => ({ path, flexible: path !== 'uid' })) };
};

async function* all(first: ReceivedPage | undefined, rest: AsyncIterator<ReceivedPage>): AsyncGenerator<ReceivedPage> {
  try {
    if (first !== undefined) yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** The pages of a list, whose columns are those of its first one. */
export const shownPages = async (pages: AsyncIterable<ReceivedPage>): Promise<Result> => {
  const rest = pages[Symbol.asyncIterator]();
  const first = await rest.next();
  const page = first.done === true ? undefined : first.value;
  return { kind: 'list', pages: all(page, rest), view: viewOf((page?.records ?? []).map(({ value }) => value)) };
};

/** The records of an answer that is a list, or a page of one; undefined where it is neither. */
const pageIn = ({ value, text }: Received): ReceivedPage | undefined => {
  const [data, next] = Array.isArray(value) ? [value, null] : [valueAt(value, 'data'), valueAt(value, 'next_cursor')];
  if (!Array.isArray(data) || (next !== null && typeof next !== 'string')) return undefined;
  const texts = elementsOf(Array.isArray(value) ? `{"data":${text}}` : text, 'data');
  const records = texts.map((own, index) => ({
    value: data[index] as ReceivedPage['records'][number]['value'],
    text: own,
  }));
  return { records, cursor: undefined, nextCursor: next };
};

/** An answer of any shape: lists as lists, all else as one record. What a write has answered is a record, which must not get lost. */
export const resultOf = (record: Received, rest: Pick<RecordResult, 'wrote' | 'failure'>): Result => {
  const page = rest.wrote === true ? undefined : pageIn(record);
  if (page === undefined) return { kind: 'record', record, view: viewOf([record.value]), ...rest };
  async function* one(): AsyncGenerator<ReceivedPage> {
    yield page as ReceivedPage;
  }
  return { kind: 'list', pages: one(), view: viewOf(page.records.map(({ value }) => value)) };
};

import { createHash } from 'node:crypto';
import { previewResult } from '../../cli/preview.ts';
import type { AnswerHead } from '../../client/body.ts';
import type { Called, CallInput, Client } from '../../client/client.ts';
import { sourceOf } from '../../compose/run.ts';
import { barePath, readQuery } from '../../core/api-path.ts';
import { PayError, usageError } from '../../core/error.ts';
import { namingFlags, type ReadSource, readJsonObject } from '../../core/input.ts';
import { isObject, printExact, printSorted, valueAt } from '../../core/json.ts';
import { elementsOf } from '../../core/json-scan.ts';
import { isGuarded } from '../../core/origin.ts';
import { type ApiPage, type ApiRecord, pageOf } from '../../core/record.ts';
import type { Result, View } from '../../core/result.ts';
import { cleanedUrl, SECRET_NAME, withoutTokens } from '../../core/secret.ts';
import { visible } from '../../core/text.ts';
import { requestWords } from '../record.ts';
import type { Run } from '../run.ts';
import type { ApiInput, Field } from './spec.ts';

type ReadField = readonly [name: string, value: unknown];
type PlacedField = readonly [keys: readonly string[], value: unknown];

/** Reads the fields whose value is the text of a file, without its last line break. */
const readFieldValues = async (fields: readonly Field[], source: ReadSource): Promise<readonly ReadField[]> => {
  const read: ReadField[] = [];
  for (const { name, value } of fields) {
    const known = 'known' in value ? value.known : (await source(value.source)).replace(/\r?\n$/, '');
    read.push([name, known]);
  }
  return read;
};

/** The keys in the name of a field: `a[b][]` has `a`, `b` and an empty one. */
const readKeys = (name: string): readonly string[] => {
  const [, first = '', rest = ''] = /^([^[\]]+)((?:\[[^[\]]+\])*(?:\[\])?)$/.exec(name) ?? [];
  if (first === '') throw usageError(`"${name}" is not the name of a field, such as a, a[b] or a[]`);
  return [first, ...[...rest.matchAll(/\[(.*?)\]/g)].map(([, key = '']) => key)];
};

/** The members that fields set below a name, or of the body. Throws a usage error if two contradict each other. */
const placeMembers = (fields: readonly PlacedField[], name = ''): Readonly<Record<string, unknown>> => {
  const groups = Map.groupBy(fields, ([[key = '']]) => key);
  return Object.fromEntries(
    [...groups].map(([key, some]) => {
      const below = some.map(([[, ...keys], value]): PlacedField => [keys, value]);
      return [key, memberValue(below, name === '' ? key : `${name}[${key}]`)];
    }),
  );
};

/** The value of the fields whose names start with this one: their only value, a list or an object. */
const memberValue = (fields: readonly PlacedField[], name: string): unknown => {
  const [only] = fields;
  if (only?.[0].length === 0 && fields.length === 1) return only[1];
  if (fields.every(([[key]]) => key === '')) return fields.map(([, value]) => value);
  if (fields.every(([[key = '']]) => key !== '')) return placeMembers(fields, name);
  throw usageError(`"${name}" is given twice; leave one out`);
};

/** Number of records that determine the columns of a list. */
const SAMPLE_SIZE = 10;

/** View with the fields of the first records, in order of appearance. */
const recordsView = (records: readonly unknown[]): View => {
  const names = records.slice(0, SAMPLE_SIZE).flatMap((record) => (isObject(record) ? Object.keys(record) : []));
  return { columns: [...new Set(names)].map((path) => ({ path, flexible: path !== 'uid' })) };
};

async function* joinPages(first: IteratorResult<ApiPage>, rest: AsyncIterator<ApiPage>): AsyncGenerator<ApiPage> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** Result of a list whose columns come from its first page. */
const shownPages = async (pages: AsyncIterable<ApiPage>): Promise<Result> => {
  const rest = pages[Symbol.asyncIterator]();
  const first = await rest.next();
  const records: ApiPage['records'] = first.done === true ? [] : first.value.records;
  return { kind: 'list', pages: joinPages(first, rest), view: recordsView(records.map(({ value }) => value)) };
};

/** Records of an answer that is a list or a page of one; undefined if it is neither. */
const pageIn = ({ value, text }: ApiRecord): ApiPage | undefined => {
  const [data, next] = Array.isArray(value) ? [value, null] : [valueAt(value, 'data'), valueAt(value, 'next_cursor')];
  if (!Array.isArray(data) || (next !== null && typeof next !== 'string')) return undefined;
  const texts = elementsOf(Array.isArray(value) ? `{"data":${text}}` : text, 'data');
  return {
    records: texts.map((own, at): ApiRecord => ({ value: data[at], text: own })),
    cursor: undefined,
    nextCursor: next,
  };
};

/**
 * Result of an answer of any shape: a list, or else one record. The answer of a write always stays one record, so that
 * nothing gets lost.
 */
const resultOf = (
  record: ApiRecord,
  rest: { readonly wrote?: true; readonly failure?: PayError | undefined },
): Result => {
  const page = rest.wrote === true ? undefined : pageIn(record);
  if (page === undefined) return { kind: 'record', record, view: recordsView([record.value]), ...rest };
  const { records, nextCursor } = page;
  return { kind: 'list', pages: pageOf(records, nextCursor), view: recordsView(records.map(({ value }) => value)) };
};

/** The request: the operation or path to call, and its input. */
interface ApiRequest {
  readonly called: Called;
  readonly call: CallInput;
}

const readApiRequest = async (input: ApiInput, { match }: Client, run: Run): Promise<ApiRequest> => {
  const source = sourceOf(run);
  const { method, path, paginate: paged } = input;
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const given = input.input === undefined ? {} : await readJsonObject(source, input.input, '--input');
  const request = { method, path: barePath(path), paged };
  const known = match(request);
  const fields = await readFieldValues(input.fields, source);
  const members = (): object => placeMembers(fields.map(([name, value]) => [readKeys(name), value]));
  const body = hasBody ? { body: { ...given, ...members() } } : {};
  const asText = (value: unknown): string => (typeof value === 'string' ? value : printExact(value));
  const query = readQuery(path, hasBody ? [] : fields.map(([name, value]) => [name, asText(value)]));
  const headers = Object.keys(input.headers).length === 0 ? {} : { headers: input.headers };
  if (known === undefined) return { called: request, call: { query, ...headers, ...body } };
  return { called: known.id, call: { params: known.params, query, ...headers, ...body } };
};

/**
 * Sends a POST under the ledger protocol. If a command of its own sends the same operation, uses that command's kind
 * and target, so that each blocks the other.
 */
const sendPost = async ({ called, call }: ApiRequest, { path, again }: ApiInput, run: Run): Promise<Result> => {
  const { body = {} } = call;
  const what = `POST ${barePath(path)}`;
  const activity = body['ugwo_activity'];
  const saying = `Sending ${what}`;
  const digest = (): string => createHash('sha256').update(printSorted(body)).digest('hex').slice(0, 16);
  const how =
    called === 'refund.create' && typeof activity === 'string'
      ? { about: activity, question: [`${what} for ${activity}`, 'Pay this back?'], typed: activity, once: true, again }
      : { about: called === 'ugwo.create' ? requestWords(body) : `${what} ${digest()}`, saying };
  // Imported here, since a GET needs no ledger.
  const { makeOnce } = await import('../make.ts');
  const { record, ...rest } = await makeOnce(called, call, how, run);
  return resultOf(record, rest);
};

/** Asks before a DELETE. Unless it is practice, the person types the last part of the path, which is the identifier. */
const confirmDelete = async (path: string, { ask, target }: Run): Promise<void> => {
  const typed = isGuarded((await target()).origin)
    ? (path.split('/').findLast((part) => part !== '') ?? path)
    : undefined;
  await ask([`DELETE ${path}`, 'Send this?'], 'refuse', typed);
};

/** The status line and the headers as HTTP writes them, without secrets. */
const headText = ({ status, reasonPhrase, headers }: AnswerHead, { stdout, redactor }: Run['io']): string => {
  const shown = (text: string): string =>
    visible(cleanedUrl(withoutTokens(text), (read) => withoutTokens(redactor.cleanAll(read))));
  const lines = Object.entries(headers).flatMap(([name, values = []]) =>
    [values].flat().map((value) => `${shown(name)}: ${SECRET_NAME.test(name) ? '[secret]' : shown(value)}`),
  );
  return [`HTTP/1.1 ${status} ${shown(reasonPhrase)}`, ...lines, '', ''].join(stdout.isTerminal ? '\n' : '\r\n');
};

const sendRequest = async (input: ApiInput, run: Run, onHead: CallInput['onHead']): Promise<Result> => {
  const { method, path, paginate } = input;
  const { globals } = run;
  const client = await run.client(globals.dryRun ? 'preview' : method === 'GET' ? 'read' : 'write');
  const { called, call: given } = await readApiRequest(input, client, run);
  const call = { ...given, onHead };
  if (globals.dryRun) return previewResult(client.preview(called, call), run);
  if (method === 'POST') return sendPost({ called, call }, input, run);
  if (method !== 'GET') {
    client.check(called, call);
    if (method === 'DELETE') await confirmDelete(barePath(path), run);
    return resultOf(await client.call(called, call), { wrote: true });
  }
  if (!paginate) return resultOf(await client.call(called, call), {});
  const { cursor, ...query } = call.query ?? {};
  const from = typeof cursor === 'string' ? { from: cursor } : {};
  const isKnown = typeof called !== 'string' || called === 'ugwo.list' || called === 'onye.list';
  const list = isKnown ? called : { method, path: barePath(path), paged: true };
  return shownPages(client.pages(list, { ...call, query }, from));
};

/** Sends any request to the service. Known operations keep their rules. */
export const callApi = async (input: ApiInput, run: Run): Promise<Result> => {
  let head: string | undefined;
  const onHead = (answered: AnswerHead): void => {
    head = headText(answered, run.io);
  };
  try {
    return { ...(await sendRequest(input, run, input.include ? onHead : undefined)), head };
  } catch (thrown) {
    const given = new Map(
      input.fields.map(({ name, option }) => [name.replaceAll(/\[(.*?)\]/g, '.$1'), `${option} ${name}`]),
    );
    const error = namingFlags(thrown, (path) => given.get(path));
    // An error without a status has no answer: the head is that of an earlier attempt.
    if (head === undefined || !(error instanceof PayError) || error.detail.status === undefined) throw error;
    return { kind: 'text', text: '', head, failure: error };
  }
};

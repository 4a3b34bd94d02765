import { createHash } from 'node:crypto';
import type { Called, CallInput, Client } from '../../client/client.ts';
import type { ListId } from '../../contract/operations.ts';
import { barePath, queryOf } from '../../core/api-path.ts';
import { namingFlags } from '../../core/flags.ts';
import { printExact } from '../../core/json.ts';
import { isGuarded } from '../../core/origin.ts';
import { pairsToObject } from '../../core/pairs.ts';
import type { Result } from '../../core/result.ts';
import { readJsonObject } from '../../core/source.ts';
import type { Deps } from '../deps.ts';
import { resultOf, shownPages } from './show.ts';
import type { ApiInput } from './spec.ts';

/** A request as it was asked for: what is called, and what with. */
interface Request {
  readonly called: Called;
  readonly call: CallInput;
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : printExact(value));

const readRequest = async (input: ApiInput, { match }: Client, { source }: Deps): Promise<Request> => {
  const { method, path, paginate: paged } = input;
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const given = input.input === undefined ? {} : await readJsonObject(source, input.input, '--input');
  const request = { method, path: barePath(path), paged };
  const known = match(request);
  const body = hasBody ? { body: { ...given, ...pairsToObject(input.fields, '--field') } } : {};
  const query = queryOf(path, hasBody ? [] : input.fields.map(([name, value]) => [name, asText(value)]));
  if (known === undefined) return { called: request, call: { query, ...body } };
  return { called: known.id, call: { params: known.params, query, ...body } };
};

/** Something that only ever is made anew: by the ledger's protocol. A refund is one of its activity, as one made by itself. */
const make = async ({ called, call }: Request, { path, again }: ApiInput, deps: Deps): Promise<Result> => {
  const text = printExact(call.body ?? {});
  const what = `POST ${barePath(path)}`;
  const activity = call.body?.['ugwo_activity'];
  const how =
    called === 'refund.create' && typeof activity === 'string'
      ? { about: activity, question: [`${what} ${text}`, 'Pay this back?'], typed: activity, once: true, again }
      : { about: `${what} ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`, saying: `Sending ${what}` };
  const { record, ...rest } = await deps.once(called, call, how);
  return resultOf(record, rest);
};

/** What is deleted is typed where it is no practice: the last word of its path, which is its identifier. */
const confirmDelete = async (path: string, { confirm, place }: Deps): Promise<void> => {
  const typed = isGuarded((await place()).origin)
    ? (path.split('/').findLast((part) => part !== '') ?? path)
    : undefined;
  await confirm([`DELETE ${path}`, 'Send this?'], 'refuse', typed);
};

const send = async (input: ApiInput, deps: Deps): Promise<Result> => {
  const { method, path, paginate } = input;
  const { globals } = deps;
  const client = await deps.client(globals.dryRun ? 'preview' : method === 'GET' ? 'read' : 'write');
  const request = await readRequest(input, client, deps);
  const { called, call } = request;
  if (globals.dryRun) return deps.preview(client.preview(called, call));
  if (method === 'POST') return make(request, input, deps);
  if (method !== 'GET') {
    client.check(called, call);
    if (method === 'DELETE') await confirmDelete(barePath(path), deps);
    return resultOf(await client.call(called, call), { wrote: true });
  }
  if (!paginate) return resultOf(await client.call(called, call), {});
  await deps.holdMemory();
  const { cursor, ...query } = call.query ?? {};
  const from = typeof cursor === 'string' ? { from: cursor } : {};
  const list = typeof called === 'string' ? { method, path: barePath(path), paged: true } : called;
  return shownPages(client.pages(isList(called) ? called : list, { ...call, query }, from));
};

const isList = (called: Called): called is ListId => called === 'ugwo.list' || called === 'onye.list';

/** Sends any request to the service, by the rules of those that are known. */
export const run = async (input: ApiInput, deps: Deps): Promise<Result> => {
  try {
    return await send(input, deps);
  } catch (thrown) {
    const given = new Set(input.fields.map(([name]) => name));
    throw namingFlags(thrown, (path) => (given.has(path) ? `--field ${path}` : undefined));
  }
};

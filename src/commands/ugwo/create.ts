import type { Client } from '../../client/client.ts';
import { PayError } from '../../core/error.ts';
import { namingFlags } from '../../core/flags.ts';
import type { Received } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import { readJsonObject } from '../../core/source.ts';
import type { Deps } from '../deps.ts';
import type { Body } from './create-body.ts';
import { createBody, described, differences, flagOf } from './create-body.ts';
import type { CreateInput } from './create-spec.ts';
import { wholeUgwoView } from './view.ts';

type Needs = Pick<Deps, 'io' | 'globals' | 'client' | 'once' | 'notice' | 'preview' | 'source' | 'holdMemory'>;

export const view = wholeUgwoView;

/** The service's word for a reference that another payment request has (public material). */
const isRefTaken = (thrown: unknown): thrown is PayError =>
  thrown instanceof PayError &&
  thrown.kind === 'rejected' &&
  [thrown.message, ...(thrown.detail.violations ?? []).map(({ title }) => title)].some((text) =>
    text.includes('ref_already_exists'),
  );

/** The payment request with a reference, of which a workspace has at most one. */
const findByRef = async (client: Client, ref: unknown): Promise<Received | undefined> => {
  for await (const { records } of client.pages('ugwo.list', { query: { limit: '100' } }, {})) {
    const found = records.find(({ value }) => value['ref'] === ref);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The request that has the reference, where it is the one that was asked for; else what is thrown names what differs. */
const existing = async (body: Body, taken: PayError, client: Client, deps: Needs): Promise<Result> => {
  await deps.notice(`The reference ${String(body['ref'])} exists already; looking for its payment request.`);
  await deps.holdMemory();
  const found = await findByRef(client, body['ref']);
  if (found === undefined) throw taken.with({ hint: 'no payment request with this reference is listed; use another' });
  const differing = differences(found.value, body);
  if (differing.length === 0) {
    return {
      kind: 'record',
      record: found,
      view,
      notice: 'It exists already, with the same fields; nothing was created.',
    };
  }
  throw new PayError('rejected', `the reference ${String(body['ref'])} belongs to another payment request`, {
    ...taken.detail,
    violations: differing.map(({ name, there }) => ({ propertyPath: name, title: there })),
    hint: 'use another --ref, or ask for the same',
  });
};

/** Created with a reference: the service itself keeps it from being made twice. */
const createWithRef = async (body: Body, deps: Needs): Promise<Result> => {
  const client = await deps.client('write');
  if (deps.io.stderr.isTerminal) await deps.notice(`Creating a payment request: ${described(body)}`);
  try {
    return { kind: 'record', record: await client.call('ugwo.create', { body }), view, wrote: true };
  } catch (thrown) {
    if (isRefTaken(thrown)) return existing(body, thrown, client, deps);
    if (!(thrown instanceof PayError) || thrown.kind !== 'unknown') throw thrown;
    throw thrown.with({ hint: 'run the same command again: the reference keeps it from being made twice' });
  }
};

/** Creates a payment request (public material, Payment requests). */
export const run = async ({ words, data }: CreateInput, deps: Needs): Promise<Result> => {
  const given = data === undefined ? {} : await readJsonObject(deps.source, data, '--data');
  const body: Body = { ...given, ...createBody(words) };
  try {
    if (deps.globals.dryRun) return deps.preview((await deps.client('preview')).preview('ugwo.create', { body }));
    if (typeof body['ref'] === 'string' && body['ref'] !== '') return await createWithRef(body, deps);
    const about = described(body);
    const made = await deps.once('ugwo.create', { body }, { about, saying: `Creating a payment request: ${about}` });
    return { kind: 'record', view, ...made };
  } catch (thrown) {
    throw namingFlags(thrown, flagOf);
  }
};

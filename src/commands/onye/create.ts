import type { Client } from '../../client/client.ts';
import { namingFlags } from '../../core/flags.ts';
import { machineValue } from '../../core/medium.ts';
import type { Result, View } from '../../core/result.ts';
import { createUnique } from '../create-once.ts';
import type { Deps } from '../deps.ts';
import { previewCall } from '../preview.ts';
import { BY_EMAIL } from './create-body.ts';
import type { CreateInput } from './create-spec.ts';
import type { Fields } from './fields.ts';
import { bodyOf, flagOf, readFields } from './fields.ts';
import { createdView, onyeView } from './view.ts';

const createOne = async (fields: Fields, deps: Deps): Promise<Result> => {
  const body = bodyOf(fields);
  const operation = 'onye.create';
  try {
    if (deps.globals.dryRun) return await previewCall(operation, { body }, deps);
    const saying = `Creating a customer: ${machineValue(body['email'])}`;
    return await createUnique({ operation, body, unique: BY_EMAIL, saying, view: onyeView }, deps);
  } catch (thrown) {
    throw namingFlags(thrown, flagOf(fields));
  }
};

export const view = ({ kind }: CreateInput): View => (kind === 'one' ? onyeView : createdView);

/** Creates a customer, or a file of them (public material, Customers). */
export const run = async (input: CreateInput, deps: Deps): Promise<Result> => {
  const fields = await readFields(input.fields, deps);
  if (input.kind === 'one') return createOne(fields, deps);
  const [{ createKind }, { runFile }] = [await import('./create-kind.ts'), await deps.bulk()];
  const kindOf = (client: Client) => createKind(fields, client, deps);
  return runFile({ bulk: input.bulk, kindOf, view: createdView }, deps);
};

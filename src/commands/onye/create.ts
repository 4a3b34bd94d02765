import { namingFlags } from '../../core/flags.ts';
import { machineValue } from '../../core/medium.ts';
import type { Result } from '../../core/result.ts';
import { createUnique } from '../create-once.ts';
import type { Deps } from '../deps.ts';
import { BY_EMAIL } from './create-body.ts';
import type { CreateInput } from './create-spec.ts';
import { bodyOf, flagOf, readFields } from './fields.ts';
import { onyeView } from './view.ts';

type Needs = Pick<Deps, 'io' | 'globals' | 'client' | 'notice' | 'preview' | 'source' | 'holdMemory'>;

export const view = onyeView;

/** Creates a customer (public material, Customers). */
export const run = async (input: CreateInput, deps: Needs): Promise<Result> => {
  const fields = await readFields(input.fields, deps);
  const body = bodyOf(fields);
  const operation = 'onye.create';
  try {
    if (deps.globals.dryRun) return deps.preview((await deps.client('preview')).preview(operation, { body }));
    const saying = `Creating a customer: ${machineValue(body['email'])}`;
    return await createUnique({ operation, body, unique: BY_EMAIL, saying, view }, deps);
  } catch (thrown) {
    throw namingFlags(thrown, flagOf(fields));
  }
};

import { namingFlags } from '../../core/flags.ts';
import type { Result } from '../../core/result.ts';
import { readJsonObject } from '../../core/source.ts';
import { createUnique } from '../create-once.ts';
import type { Deps } from '../deps.ts';
import { uniqueIn } from '../taken.ts';
import type { Body } from './create-body.ts';
import { BY_REF, createBody, described, flagOf } from './create-body.ts';
import type { CreateInput } from './create-spec.ts';
import { wholeUgwoView } from './view.ts';

type Needs = Pick<Deps, 'io' | 'globals' | 'client' | 'once' | 'notice' | 'preview' | 'source' | 'holdMemory'>;

export const view = wholeUgwoView;

/** Creates a payment request (public material, Payment requests). */
export const run = async ({ words, data }: CreateInput, deps: Needs): Promise<Result> => {
  const given = data === undefined ? {} : await readJsonObject(deps.source, data, '--data');
  const body: Body = { ...given, ...createBody(words) };
  const operation = 'ugwo.create';
  try {
    if (deps.globals.dryRun) return deps.preview((await deps.client('preview')).preview(operation, { body }));
    const about = described(body);
    const saying = `Creating a payment request: ${about}`;
    if (uniqueIn(BY_REF, body) !== undefined) {
      return await createUnique({ operation, body, unique: BY_REF, saying, view }, deps);
    }
    return { kind: 'record', view, ...(await deps.once(operation, { body }, { about, saying })) };
  } catch (thrown) {
    throw namingFlags(thrown, flagOf);
  }
};

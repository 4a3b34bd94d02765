import type { Client } from '../../client/client.ts';
import { namingFlags } from '../../core/flags.ts';
import type { Result, View } from '../../core/result.ts';
import { readJsonObject } from '../../core/source.ts';
import { createUnique } from '../create-once.ts';
import type { Deps } from '../deps.ts';
import { described } from '../described.ts';
import { previewCall } from '../preview.ts';
import { uniqueIn } from '../taken.ts';
import type { Body } from './create-body.ts';
import { BY_REF, createBody, flagOf } from './create-body.ts';
import type { CreateInput, CreateWords } from './create-spec.ts';
import { createdView, wholeUgwoView } from './view.ts';

const createOne = async (given: Body, words: CreateWords, deps: Deps): Promise<Result> => {
  const body: Body = { ...given, ...createBody(words) };
  const operation = 'ugwo.create';
  try {
    if (deps.globals.dryRun) return await previewCall(operation, { body }, deps);
    const about = described(body);
    const saying = `Creating a payment request: ${about}`;
    if (uniqueIn(BY_REF, body) !== undefined) {
      return await createUnique({ operation, body, unique: BY_REF, saying, view: wholeUgwoView }, deps);
    }
    return { kind: 'record', view: wholeUgwoView, ...(await deps.once(operation, { body }, { about, saying })) };
  } catch (thrown) {
    const nameOf = (path: string) => {
      const flag = flagOf(path);
      return flag === '--amount' ? words.amount.flag : flag;
    };
    throw namingFlags(thrown, nameOf, undefined, words.currency);
  }
};

export const view = ({ kind }: CreateInput): View => (kind === 'one' ? wholeUgwoView : createdView);

/** Creates a payment request, or a file of them (public material, Payment requests). */
export const run = async (input: CreateInput, deps: Deps): Promise<Result> => {
  const { data } = input;
  const given = data === undefined ? {} : await readJsonObject(deps.source, data, '--data');
  if (input.kind === 'one') return createOne(given, input.words, deps);
  const [{ createKind }, { runFile }] = [await import('./create-kind.ts'), await deps.bulk()];
  const kindOf = (client: Client) => createKind({ ...input, given }, client, deps);
  return runFile({ bulk: input.bulk, kindOf, view: createdView }, deps);
};

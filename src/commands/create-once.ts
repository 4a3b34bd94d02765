import type { OperationId } from '../contract/operations.ts';
import { PayError } from '../core/error.ts';
import type { Result, View } from '../core/result.ts';
import type { Deps } from './deps.ts';
import type { Unique } from './taken.ts';
import { existing, openFind, uniqueIn } from './taken.ts';

/** Something that the service itself keeps from being made twice. */
export interface Creation {
  readonly operation: OperationId;
  readonly body: Readonly<Record<string, unknown>>;
  readonly unique: Unique;
  /** What is said on a terminal before. */
  readonly saying: string;
  readonly view: View;
}

/** Creates it; where its unique field is taken, what has it is compared, and was made or is another's. */
export const createUnique = async (
  { operation, body, unique, saying, view }: Creation,
  deps: Deps,
): Promise<Result> => {
  const client = await deps.client('write');
  const { word, one } = unique;
  if (deps.io.stderr.isTerminal) await deps.notice(saying);
  try {
    return { kind: 'record', record: await client.call(operation, { body }), view, wrote: true };
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    if (thrown.kind === 'unknown') {
      throw thrown.with({ hint: `run the same command again: the ${word} keeps it from being made twice` });
    }
    const wanted = uniqueIn(unique, body);
    if (thrown.kind !== 'rejected' || wanted === undefined || !unique.isTaken(thrown)) throw thrown;
    await deps.notice(`The ${word} ${wanted} exists already; looking for its ${one}.`);
    await deps.holdMemory();
    const record = await existing(unique, body, thrown, openFind(unique, client));
    return { kind: 'record', record, view, notice: 'It exists already, with the same fields; nothing was created.' };
  }
};

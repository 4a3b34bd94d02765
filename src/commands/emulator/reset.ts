import type { Deps } from '../../cli/deps.ts';
import { usageError } from '../../core/error.ts';
import { madeHere } from '../../core/received.ts';
import type { Result } from '../../output/view.ts';
import { dataFile, refuseSendingOptions } from './data-file.ts';
import type { ResetInput } from './spec.ts';
import { resetView } from './view.ts';

const confirm = async (question: string, { io, globals }: Deps): Promise<void> => {
  if (globals.yes) return;
  if (!globals.input || !io.stdin.isTerminal) {
    throw usageError('removing every record needs a yes, and nobody can be asked', { hint: 'Say it with --yes.' });
  }
  const answer = await io.stdin.line(`${question} [y/N] `, { hidden: false });
  if (!/^y(?:es)?$/i.test(answer?.trim() ?? '')) throw usageError('not confirmed; nothing was removed');
};

/** Empties the emulator's data after a confirmation. */
export const run = async ({ data }: ResetInput, deps: Deps): Promise<Result> => {
  refuseSendingOptions(deps);
  const file = await dataFile(data, deps);
  await confirm(`Remove every record from ${file}?`, deps);
  const emulator = await deps.emulator();
  await emulator.reset({ file, clock: deps.io.clock });
  return { kind: 'record', record: madeHere({ data: file }), view: resetView };
};

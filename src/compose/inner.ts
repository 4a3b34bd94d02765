import packageJson from '../../package.json' with { type: 'json' };
import type { Globals } from '../cli/globals.ts';
import { type OpenRun, runProgram } from '../cli/run.ts';
import type { Tree } from '../cli/tree.ts';
import { allSpecs, NOUNS, specsFor } from '../commands/all.ts';
import type { Inner, Run } from '../commands/run.ts';
import { targetFlags } from '../core/input.ts';
import type { Io, Output } from '../core/io.ts';
import type { RunContext } from './run.ts';

const NO_INPUT: Io['stdin'] = {
  isTerminal: false,
  text: async () => '',
  bytes: async function* () {},
  line: async () => undefined,
};

/** An output that is collected in memory. */
const collector = (clean: (text: string) => string) => {
  const pieces: Buffer[] = [];
  const output: Output = {
    isTerminal: false,
    columns: 80,
    closed: false,
    copy: async () => false,
    drawn: () => undefined,
    // A copy, since the writer may use the bytes again once this resolves.
    write: async (piece) => void pieces.push(Buffer.from(piece)),
  };
  const text = (): string => clean(Buffer.concat(pieces).toString());
  return { output, text };
};

export const treeOfAll = async (): Promise<Tree> =>
  (await import('../cli/tree.ts')).commandTree(await allSpecs(), NOUNS);

/** Runs commands within this run, for the same target, without a terminal, each with services of its own. */
export const openInner =
  ({ io, globals }: RunContext, open: (io: Io, globals: Globals) => OpenRun<Run>): Inner =>
  async (argv, signal, around = (run, go) => go(run)) => {
    const [out, err] = [collector((text) => io.redactor.clean(text)), collector((text) => io.redactor.cleanAll(text))];
    const signals = { ...io.signals, stop: AbortSignal.any([io.signals.stop, signal]) };
    const inside: Io = { ...io, signals, stdin: NO_INPUT, stdout: out.output, stderr: err.output };
    const { timeout, validate } = globals;
    const code = await runProgram([...targetFlags(globals), '--json', '--no-input', '--quiet', ...argv], inside, {
      allSpecs,
      nouns: NOUNS,
      version: packageJson.version,
      open: (given) => open(inside, { ...given, timeout, validate }),
      defaults: async () => undefined,
      specsFor: async (words) =>
        (await specsFor(words)).map((spec) => ({
          ...spec,
          load: async () => {
            const handler = await spec.load();
            return {
              ...handler,
              run: (input, run) =>
                around(run, (given, plan) =>
                  handler.run(plan === undefined ? input : { ...(input as object), plan }, given),
                ),
            };
          },
        })),
    });
    return { code, stdout: out.text(), stderr: err.text() };
  };

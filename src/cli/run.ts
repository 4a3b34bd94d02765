import { PayError, reasonOf, usageError } from '../core/error.ts';
import { EXIT_CODES } from '../core/exit.ts';
import type { Format, OutputOptions, Result } from '../output/view.ts';
import { usesColor } from './color.ts';
import type { CommandSpec, Handler } from './define.ts';
import type { Deps } from './deps.ts';
import type { Globals } from './globals.ts';
import type { Io } from './io.ts';
import type { ProgramOptions } from './program.ts';
import { parseArgv } from './program.ts';

/** What a command may reach, and how to let go of it. */
export interface OpenDeps {
  readonly deps: Deps;
  close(): Promise<void>;
}

export interface Program extends Omit<ProgramOptions, 'width'> {
  readonly specs: readonly CommandSpec[];
  readonly open: (globals: Globals) => OpenDeps;
}

const formatOf = (globals: Globals, io: Io): Format => globals.format ?? (io.stdout.isTerminal ? 'table' : 'tsv');

const outputOptions = (globals: Globals, io: Io): OutputOptions => ({
  format: formatOf(globals, io),
  columns: globals.columns,
  color: usesColor(globals.color, io.env, io.stdout.isTerminal),
  quiet: globals.quiet,
  rawCsv: globals.rawCsv,
});

const asPayError = (thrown: unknown): PayError =>
  thrown instanceof PayError
    ? thrown
    : new PayError('internal', `a defect in paycli: ${reasonOf(thrown)}`, {
        cause: thrown,
        hint: 'run it again with --debug and report what it prints',
      });

const exitCodeOf = (error: PayError): number => error.detail.exitCode ?? EXIT_CODES[error.kind];

/** Renders an error on stderr, for people or as its JSON twin, and gives its exit code. */
const report = async (thrown: unknown, globals: Globals, io: Io): Promise<number> => {
  const error = asPayError(thrown);
  const exitCode = exitCodeOf(error);
  const { errorBlock, errorLine } = await import('../output/error.ts');
  const json = globals.format === 'json' || globals.format === 'ndjson';
  const color = usesColor(globals.color, io.env, io.stderr.isTerminal);
  await io.stderr.write(
    json
      ? errorLine(error, exitCode)
      : await errorBlock(error, { color, debug: globals.debug && error.kind === 'internal' }),
  );
  return exitCode;
};

/** A write whose result could not be printed: the line to keep goes to stderr. */
const unrecorded = async (thrown: unknown, text: string, io: Io): Promise<PayError> => {
  await io.stderr.write(`${text}\n`);
  return new PayError('unrecorded', `the service did it, but the result could not be printed: ${reasonOf(thrown)}`, {
    hint: 'the result is the line above; keep it, and do not run the command again',
  });
};

const show = async (result: Result, globals: Globals, io: Io): Promise<void> => {
  const { render } = await import('../output/render.ts');
  try {
    await render(
      result,
      { stdout: io.stdout, stderr: io.stderr, now: io.clock.now, env: io.env },
      outputOptions(globals, io),
    );
  } catch (thrown) {
    if (result.kind !== 'record' || result.wrote !== true) throw thrown;
    throw await unrecorded(thrown, result.record.text, io);
  }
};

/** All that is wrong with --columns and can be known before anything is sent. */
const checkColumns = async (
  columns: readonly string[],
  { view }: Handler<unknown>,
  globals: Globals,
  io: Io,
): Promise<void> => {
  const { checkColumnsAhead, checkColumnsFormat } = await import('../output/columns.ts');
  checkColumnsFormat(formatOf(globals, io));
  if (view !== undefined && !globals.dryRun) checkColumnsAhead(columns, view);
};

const execute = async (
  spec: CommandSpec,
  input: unknown,
  globals: Globals,
  io: Io,
  program: Program,
): Promise<void> => {
  if (globals.dryRun && spec.previews !== true) {
    throw usageError('--dry-run and --as-curl show a request, and this command is not one', {
      hint: 'leave them out; nothing was changed',
    });
  }
  const handler = await spec.load();
  if (globals.columns !== undefined) await checkColumns(globals.columns, handler, globals, io);
  const opened = program.open(globals);
  try {
    const result = await handler.run(input, opened.deps);
    await show(result, globals, io);
    if (result.kind === 'record' && result.failure !== undefined) throw result.failure;
  } finally {
    await opened.close();
  }
};

/** One run, from argv to exit code. Everything that goes wrong ends in one place: here. */
export const run = async (argv: readonly string[], io: Io, program: Program): Promise<number> => {
  const parsed = parseArgv(argv, program.specs, { ...program, width: io.stdout.columns });
  try {
    if (parsed.kind === 'error') throw parsed.error;
    if (parsed.kind === 'text') await io.stdout.write(parsed.text);
    else await execute(parsed.spec, parsed.input, parsed.globals, io, program);
    return 0;
  } catch (thrown) {
    return await report(thrown, parsed.globals, io);
  }
};

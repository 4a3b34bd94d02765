import { rejectAt } from '../core/async.ts';
import { about } from '../core/charge.ts';
import {
  abruptExit,
  defect,
  type ErrorDetail,
  EXIT_CODES,
  interrupted,
  PayError,
  reasonOf,
  usageError,
} from '../core/error.ts';
import { isId } from '../core/ids.ts';
import { aimed } from '../core/input.ts';
import type { Io } from '../core/io.ts';
import { valueAt } from '../core/json.ts';
import {
  type Filter,
  type Format,
  isJsonFormat,
  type OutputOptions,
  type Result,
  type ResultNotices,
} from '../core/result.ts';
import type { StoredDefaults } from '../core/settings.ts';
import type { CommandSpec, Handler } from './define.ts';
import { type Globals, usesColor } from './globals.ts';
import { type Names, type Parsed, type ProgramOptions, parseArgv } from './program.ts';

/** Dependencies that this file itself uses. */
interface OwnRun {
  /** The streams of the run, which a line about its silence shares. */
  readonly io: Io;
  say(said: string | readonly string[]): Promise<void>;
}

/**
 * A program that shows the output on its `io` page by page. Notices are printed at `end`, after the person has left it.
 */
export interface Pager {
  readonly io: Io;
  end(): Promise<void>;
}

/** Dependencies of a command, and the function that releases them. */
export interface OpenRun<D> {
  readonly run: D;
  /** Reads a command's input with ids in place of its names. */
  readonly readNamed: (names: Names, spec: CommandSpec<D>) => Promise<unknown>;
  /** The compiled filter of --jq; undefined without --jq. */
  filter(): Promise<Filter | undefined>;
  /** The pager to read through; undefined if none is wanted. */
  pager(): Promise<Pager | undefined>;
  /** Prints a reminder on a terminal if charges are unknown. */
  remind(): Promise<void>;
  close(): Promise<void>;
}

export interface Program<D extends OwnRun> extends Omit<ProgramOptions, 'env'> {
  readonly allSpecs: () => Promise<readonly CommandSpec<D>[]>;
  /** Only the commands that argv can mean. */
  readonly specsFor: (argv: readonly string[]) => Promise<readonly CommandSpec<D>[]>;
  /** `words` name the command where its silence needs an explanation. */
  readonly open: (globals: Globals, words?: string) => OpenRun<D>;
  /** True if the ledger of this machine has charges. */
  readonly hasCharges?: () => Promise<boolean>;
  /** The defaults that the profile stores for terminal output. */
  readonly defaults: (globals: Globals) => Promise<StoredDefaults | undefined>;
  /** Makes a time zone that of the process, before dates are parsed, unless a variable names another. */
  readonly useZone?: (zone: string) => void;
}

/** Applies the requested format, else the command's own format; a filter requires JSON. */
const withFormat = (globals: Globals, { format, endless }: Pick<CommandSpec, 'format' | 'endless'>): Globals => {
  const filtered = endless === true ? 'ndjson' : 'json';
  if (globals.jq !== undefined && endless === true && globals.format === 'json') {
    throw usageError("--jq and -o json can't be used together here: the document would end only with the command", {
      hint: 'leave out -o json; the filter then gets each record as it comes',
    });
  }
  return { ...globals, format: globals.format ?? format ?? (globals.jq === undefined ? undefined : filtered) };
};

const formatFor = ({ format }: Globals, { stdout }: Io): Format => format ?? (stdout.isTerminal ? 'table' : 'tsv');

const outputOptions = (globals: Globals, io: Io): OutputOptions => ({
  format: formatFor(globals, io),
  columns: globals.columns,
  color: usesColor(globals.color, io.env, io.stdout.isTerminal),
  noticeColor: usesColor(globals.color, io.env, io.stderr.isTerminal),
  plain: globals.debug,
  quiet: globals.quiet,
  decimal: globals.decimal,
  rawCsv: globals.rawCsv,
  bom: globals.bom,
});

/** Wraps an unexpected error. With a write under way, the exit code must not invite a repeat. */
const defectIn = ({ flight }: Io, thrown: unknown): PayError => {
  const code = abruptExit(flight, EXIT_CODES.internal);
  const error = defect(thrown);
  if (code === EXIT_CODES.internal) return error;
  const kind = code === EXIT_CODES.unknown ? 'unknown' : 'unrecorded';
  const hint = 'find out whether the request was applied before you run it again';
  return new PayError(kind, error.message, { ...error.detail, hint });
};

/** Prints an error on stderr, as text or JSON, and returns its exit code. */
const reportError = async (thrown: unknown, globals: Globals, io: Io): Promise<number> => {
  const found = thrown instanceof PayError ? thrown : defectIn(io, thrown);
  const { hint } = found.detail;
  const error = hint === undefined ? found : found.with({ hint: aimed(hint, globals) });
  const exitCode = error.detail.exitCode ?? EXIT_CODES[error.kind];
  const [{ errorBlock, errorLine }, { writePieces }] = await Promise.all([
    import('../output/error.ts'),
    import('../output/walk.ts'),
  ]);
  const json = isJsonFormat(globals.format) || globals.jq !== undefined;
  const color = usesColor(globals.color, io.env, io.stderr.isTerminal);
  const { debug } = globals;
  const stack = debug && error.kind === 'internal';
  const text = json ? errorLine(error, exitCode, io) : await errorBlock(error, { color, stack, codes: debug, io });
  await writePieces(io.stderr, [text], io.clock);
  return exitCode;
};

type Print = (result: Result) => Promise<ResultNotices>;

/**
 * True for results that may go through a pager: neither the answer to a write, nor the output of an endless command.
 */
const usesPager = (result: Result, { endless }: Pick<CommandSpec, 'endless'>): boolean =>
  (result.kind === 'list' && endless !== true) ||
  (result.kind === 'record' && result.wrote !== true && result.passOn === undefined);

const openPrinter =
  (
    spec: Pick<CommandSpec, 'endless'>,
    globals: Globals,
    io: Io,
    filter: Filter | undefined,
    openPager: () => Promise<Pager | undefined>,
  ): Print =>
  async (result) => {
    const options = outputOptions({ ...globals, format: globals.format ?? result.format }, io);
    const print = async (on: Io): Promise<ResultNotices> => {
      if (result.head !== undefined) await on.stdout.write(result.head);
      return filter === undefined
        ? (await import('../output/render.ts')).render(result, on, options)
        : (await import('../output/filtered.ts')).renderFiltered(result, on, options, filter);
    };
    const pager = usesPager(result, spec) ? await openPager() : undefined;
    const printed = pager === undefined ? print(io) : print(pager.io).finally(() => pager.end());
    // The reader of the output may never read it.
    return await Promise.race([printed, rejectAt(io.signals.leave, interrupted)]);
  };

/** Prints, or reports the result's own failure if that fails or is interrupted, since a charge may be unknown. */
const printOrFail = async (result: Result, print: Print): Promise<ResultNotices> => {
  try {
    return await print(result);
  } catch (thrown) {
    const failure = 'failure' in result ? result.failure : undefined;
    throw failure !== undefined && thrown instanceof PayError ? failure : thrown;
  }
};

const aboutActivity = (value: unknown): Pick<ErrorDetail, 'activity'> => {
  const uid = valueAt(value, 'uid');
  return typeof uid === 'string' && isId('act', uid) ? about({ ...(value as object), uid }) : {};
};

/**
 * Prints a result. Once the service has applied a write, no exit code may invite a repeat: if printing fails, the
 * result is `unrecorded` and its JSON goes to stderr with the error.
 */
const showResult = async (result: Result, print: Print, { stdout }: Io): Promise<ResultNotices> => {
  const written =
    (result.kind === 'record' || result.kind === 'wait') && result.wrote === true ? result.record : undefined;
  if (written === undefined) return printOrFail(result, print);
  const lost = (why: string, cause?: unknown): PayError =>
    new PayError('unrecorded', `the request succeeded, but the result couldn't be printed: ${why}`, {
      ...aboutActivity(written.value),
      answer: written.text,
      hint: 'keep the answer shown here, and do not run the command again',
      cause,
    });
  const ending = await print(result).catch((thrown: unknown) => {
    throw lost(reasonOf(thrown), thrown);
  });
  if (stdout.closed) throw lost('the output was closed');
  return ending;
};

/** Reports every problem with --columns that can be found before anything is sent. */
const checkColumnsFirst = async (
  columns: NonNullable<Globals['columns']>,
  { view }: Pick<Handler<unknown, never>, 'view'>,
  input: unknown,
): Promise<void> => {
  const { checkColumnsAhead } = await import('../output/columns.ts');
  const shown = typeof view === 'function' ? view(input) : view;
  if (shown !== undefined) checkColumnsAhead(columns, shown);
};

const checkDecimal = (format: Format): void => {
  if (format === 'tsv' || format === 'csv') return;
  throw usageError(`--decimal and -o ${format} can't be used together`, { hint: '--decimal is for -o tsv and -o csv' });
};

const runCommand = async <D extends OwnRun>(
  { spec, input, names }: Extract<Parsed<CommandSpec<D>>, { kind: 'run' }>,
  globals: Globals,
  outer: Io,
  program: Program<D>,
  columnsHint?: string,
): Promise<number> => {
  if (globals.dryRun && spec.previews !== true) {
    throw usageError("this command doesn't support --dry-run or --as-curl", {
      hint: 'leave them out; nothing was changed',
    });
  }
  if (globals.decimal) checkDecimal(formatFor(globals, outer));
  const handler = await spec.load();
  const withColumnsHint = (thrown: unknown): never => {
    const isTheirs =
      columnsHint !== undefined &&
      thrown instanceof PayError &&
      thrown.kind === 'usage' &&
      /\bcolumn/.test(thrown.message);
    throw isTheirs ? thrown.with({ hint: columnsHint }) : thrown;
  };
  if (globals.columns !== undefined && !globals.dryRun)
    await checkColumnsFirst(globals.columns, handler, input).catch(withColumnsHint);
  const words = spec.endless === true ? undefined : spec.path.join(' ');
  const { run, readNamed, filter, pager, remind, close } = program.open(globals, words);
  const { io } = run;
  let reminds = (spec.path[0] === 'ledger' || spec.path.join(' ') === 'ugwo charge') && spec.reminds !== false;
  try {
    const compiled = await filter();
    const meant = names === undefined ? input : await readNamed(names, spec);
    const result = await handler.run(meant, run);
    const print = openPrinter(spec, globals, io, compiled, pager);
    const { notice, failure } = await showResult(result, print, io).catch(withColumnsHint);
    if (notice?.length) await run.say(notice);
    if (failure !== undefined) throw failure;
    return 0;
  } catch (thrown) {
    // An error about a ledger entry already names it.
    reminds &&= !(thrown instanceof PayError) || thrown.detail.ledgerId === undefined;
    return await reportError(thrown, globals, io);
  } finally {
    // The outcome is settled, so a failing reminder changes nothing; resources that can't be released end with the
    // process.
    if (reminds) await remind().catch(() => undefined);
    await close().catch(() => undefined);
  }
};

/** Parses again with all commands if argv names none, so that the error can suggest the likely one. */
const parseCommandLine = async <D extends OwnRun>(argv: readonly string[], io: Io, program: Program<D>) => {
  const options = { ...program, env: io.env };
  const parsed = parseArgv(argv, await program.specsFor(argv), options);
  if (parsed.kind !== 'error' || parsed.words.length > 0) return parsed;
  return parseArgv(argv, await program.allSpecs(), options);
};

/** Parses argv; on a terminal, also applies the defaults stored in the profile. */
const settleDefaults = async <D extends OwnRun>(argv: readonly string[], io: Io, program: Program<D>) => {
  const parsed = await parseCommandLine(argv, io, program);
  if (!io.stdout.isTerminal || (parsed.kind !== 'run' && parsed.kind !== 'error')) return { parsed };
  const stored = await program.defaults(parsed.globals);
  if (stored === undefined) return { parsed };
  const { withDefaults } = await import('./defaults.ts');
  const words = parsed.kind === 'run' ? parsed.spec.path : parsed.words;
  const hasFormat = parsed.kind === 'run' && parsed.spec.format !== undefined;
  try {
    const {
      argv: more,
      columnsHint,
      zone,
    } = withDefaults({ argv, words, globals: parsed.globals, hasFormat }, stored, io);
    if (zone !== undefined) program.useZone?.(zone);
    return { parsed: await parseCommandLine(more, io, program), columnsHint };
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    return { parsed: { kind: 'error', error: thrown, words, globals: parsed.globals } as const };
  }
};

/** Runs one command, from argv to exit code. Reports every error here. */
export const runProgram = async <D extends OwnRun>(
  argv: readonly string[],
  io: Io,
  program: Program<D>,
): Promise<number> => {
  const { parsed: typed, columnsHint } = await settleDefaults(argv, io, program);
  let parsed = typed;
  try {
    if (parsed.kind === 'error' && parsed.missing !== undefined) {
      parsed = await (await import('./ask.ts')).askMissing(parsed, io, program.open);
    }
    if (parsed.kind === 'error') throw parsed.error;
    if (parsed.kind === 'run') {
      const globals = withFormat(parsed.globals, parsed.spec);
      return await runCommand(parsed, globals, io, program, columnsHint);
    }
    if (parsed.kind === 'text') await io.stdout.write(parsed.text);
    else await (await import('./help/show.ts')).showHelp(parsed.wanted, parsed.globals, io, program);
    if (argv.length === 0 && io.stdout.isTerminal && (await program.hasCharges?.()))
      await io.stdout.write('What needs you now: paycli status\n');
    return 0;
  } catch (thrown) {
    return await reportError(thrown, parsed.globals, io);
  }
};

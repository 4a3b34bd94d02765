import { usageError } from '../core/error.ts';
import type { Env } from '../core/io.ts';
import { FORMATS, type Format } from '../core/result.ts';
import { flag, type GivenOptions, option, type Parse, rarely, taking } from './define.ts';
import { asDuration, asNames, asOneOf, asText } from './options.ts';

/** The parsed global options. Durations are in milliseconds. */
export interface Globals {
  readonly profile: string | undefined;
  /** Uses the built-in emulator, by flag or by the reserved profile. */
  readonly local: boolean;
  readonly baseUrl: string | undefined;
  /** undefined: table on a terminal, tsv in a pipe. */
  readonly format: Format | undefined;
  /** Writes metrics for Prometheus, which only some commands have. */
  readonly prometheus: boolean;
  readonly columns: readonly string[] | undefined;
  /** A jq filter for the output, which is then JSON. */
  readonly jq: string | undefined;
  /** Writes amounts of TSV and CSV in decimals. */
  readonly decimal: boolean;
  readonly rawCsv: boolean;
  /** Starts CSV with a byte order mark. */
  readonly bom: boolean;
  readonly color: 'auto' | 'always' | 'never';
  readonly quiet: boolean;
  readonly debug: boolean;
  readonly timeout: number;
  readonly input: boolean;
  /** False with --no-pager. */
  readonly pager: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly asCurl: boolean;
  readonly validate: boolean;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const SHORTEST_TIMEOUT_MS = 1000;
const LONGEST_TIMEOUT_MS = 3_600_000;

const asTimeout: Parse<number> = taking({ type: 'duration', default: '30s' }, (text) => {
  const ms = asDuration(text);
  if (ms >= SHORTEST_TIMEOUT_MS && ms <= LONGEST_TIMEOUT_MS) return ms;
  throw usageError(`must be between 1s and 1h (got ${text})`);
});

/** The formats of all commands, and one of those that have metrics. */
const asFormat: Parse<Format | 'prometheus'> = taking({ choices: FORMATS }, (text) =>
  text === 'prometheus' ? text : asOneOf(FORMATS)(text),
);

export const GLOBAL_OPTIONS = rarely(
  [
    'baseUrl',
    'jq',
    'decimal',
    'rawCsv',
    'bom',
    'color',
    'quiet',
    'debug',
    'timeout',
    'noInput',
    'noPager',
    'asCurl',
    'noValidate',
  ],
  {
    profile: option('--profile <name>', 'profile to use (PAYCLI_PROFILE; else the default one)', asText, {
      completes: 'profile',
    }),
    local: flag('--local', 'use the built-in service: no network, no key'),
    baseUrl: option('--base-url <url>', 'send this call to another origin (PAYCLI_BASE_URL)', asText, { type: 'url' }),
    output: option('-o, --output <format>', `output format: ${FORMATS.join(', ')}`, asFormat),
    json: flag('--json', 'same as -o json'),
    columns: option('--columns <a,b.c>', 'columns or JSON fields to show, in this order: uid,onye.email', asNames, {
      completes: 'column',
    }),
    jq: option('--jq <filter>', 'filter the JSON output with jq 1.8, built in', asText),
    decimal: flag('--decimal', 'tsv and csv: write amounts as 1500.00 under "amount", not in the minor unit'),
    rawCsv: flag(
      '--raw-csv',
      'csv and reports: write cells as they are, even if a spreadsheet would run or change them',
    ),
    bom: flag('--bom', 'csv and reports: begin with a byte order mark, for Excel'),
    color: option('--color <when>', 'use color: auto, always or never', asOneOf(['auto', 'always', 'never'] as const), {
      default: 'auto',
    }),
    quiet: flag('-q, --quiet', 'print data and errors only: no progress, no notices'),
    debug: flag('--debug', 'print one line per HTTP step on stderr, safe to paste into a ticket'),
    timeout: option('--timeout <duration>', 'time limit per request, 1s to 1h (30s)', asTimeout),
    noInput: flag('--no-input', 'never prompt; fail if an answer is needed'),
    noPager: flag('--no-pager', 'do not use a pager (PAYCLI_PAGER, PAGER)'),
    yes: flag('-y, --yes', 'answer yes to confirmations'),
    dryRun: flag('--dry-run', 'show the request and send nothing'),
    asCurl: flag('--as-curl', 'show the request as a curl command and send nothing'),
    noValidate: flag('--no-validate', 'skip the local checks and let the service judge'),
  } as const,
);

/** Options of every command that commander handles itself. */
export const VERSION_OPTION = { ...flag('-V, --version', 'print the version'), rare: true } as const;
export const HELP_OPTION = { ...flag('-h, --help', 'show help for a command'), rare: true } as const;
export const BUILT_IN_OPTIONS = [VERSION_OPTION, HELP_OPTION];

type GivenGlobals = GivenOptions<typeof GLOBAL_OPTIONS>;

/** True if the emulator is selected by --local or by the reserved profile. */
const isLocal = (given: GivenGlobals, env: Env): boolean =>
  given.local === true || (given.profile ?? env['PAYCLI_PROFILE']) === 'local';

const checkJq = ({ output, asCurl }: GivenGlobals): void => {
  if (output !== undefined && output !== 'json' && output !== 'ndjson') {
    throw usageError(`--jq and -o ${output} can't be used together`, { hint: '--jq filters json or ndjson' });
  }
  if (asCurl === true) throw usageError("--jq and --as-curl can't be used together");
};

/** Throws a usage error for options that contradict each other. */
export const checkGlobals = (given: GivenGlobals, env: Env): void => {
  if (given.json === true && given.output !== undefined && given.output !== 'json') {
    throw usageError(`--json and -o ${given.output} can't be used together`);
  }
  if (given.jq !== undefined) checkJq(given);
  if (given.local === true && given.profile !== undefined && given.profile !== 'local') {
    throw usageError(`--local and --profile ${given.profile} can't be used together`);
  }
  // The emulator must not silently win over a base URL that was given as explicitly.
  const place = given.baseUrl ?? (given.local === true ? undefined : env['PAYCLI_BASE_URL']);
  if (isLocal(given, env) && place !== undefined) {
    throw usageError(`the built-in emulator (--local, or the profile "local") and a base URL can't be used together`);
  }
};

/** Fills in defaults for options that were not given. */
export const readGlobals = (given: GivenGlobals, env: Env): Globals => ({
  profile: given.profile,
  local: isLocal(given, env),
  baseUrl: given.baseUrl,
  format: given.json === true ? 'json' : given.output === 'prometheus' ? 'table' : given.output,
  prometheus: given.output === 'prometheus',
  columns: given.columns,
  jq: given.jq,
  decimal: given.decimal ?? false,
  rawCsv: given.rawCsv ?? false,
  bom: given.bom ?? false,
  color: given.color ?? 'auto',
  quiet: given.quiet ?? false,
  debug: given.debug ?? false,
  timeout: given.timeout ?? DEFAULT_TIMEOUT_MS,
  input: given.noInput !== true,
  pager: given.noPager !== true,
  yes: given.yes ?? false,
  dryRun: given.dryRun === true || given.asCurl === true,
  asCurl: given.asCurl ?? false,
  validate: given.noValidate !== true,
});

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '';

/**
 * True if a stream gets colour. Checks the flag first, then NO_COLOR, FORCE_COLOR and CLICOLOR_FORCE, which apply in a
 * pipe too. Otherwise the stream must be a terminal that supports colour, without CLICOLOR=0.
 */
export const usesColor = (when: 'auto' | 'always' | 'never', env: Env, isTerminal: boolean): boolean => {
  if (when !== 'auto') return when === 'always';
  if (isSet(env['NO_COLOR'])) return false;
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (isSet(env['CLICOLOR_FORCE']) && env['CLICOLOR_FORCE'] !== '0') return true;
  return isTerminal && env['TERM'] !== 'dumb' && env['CLICOLOR'] !== '0';
};

const DEFAULT_WIDTH = 80;

/** Width of a stream in columns: that of its terminal if known, else COLUMNS, else 80. */
export const widthFor = (terminal: number | undefined, env: Env): number => {
  if (terminal !== undefined && terminal > 0) return terminal;
  return /^[1-9]\d{0,3}$/.test(env['COLUMNS'] ?? '') ? Number(env['COLUMNS']) : DEFAULT_WIDTH;
};

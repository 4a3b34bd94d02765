import { usageError } from '../core/error.ts';
import { asFlag } from '../core/input.ts';
import { type FieldTable, flag, type GivenOptions, option, type Parse, rarely, taking } from './define.ts';
import { asFile, asInteger, asNames, asOneOf, asRate, asText } from './options.ts';

const MOST_AT_ONCE = 128;
const DEFAULT_PARALLEL = 8;

const asJob: Parse<string> = taking({ completes: 'job' }, (text) => {
  if (/^job-[0-9a-z]{16}$/.test(text)) return text;
  throw usageError(`"${text}" is not a job id, such as job-0123456789abcdef`, {
    hint: 'list the jobs: `paycli ledger jobs`',
  });
});

/** Options of a command that reads rows from a file (docs/files.md). */
export const BULK_OPTIONS = rarely(
  [
    'inputFormat',
    'delimiter',
    'ignoreColumns',
    'concurrency',
    'rate',
    'check',
    'skipInvalid',
    'allowRepeats',
    'continueOnUnknown',
    'resume',
  ],
  {
    from: option('--from <file|->', 'read rows from a file: CSV with a header, or NDJSON; - is standard input', asFile),
    template: flag('--template', 'print an empty file for --from: all columns, and an example row to replace'),
    inputFormat: option(
      '--input-format <format>',
      "with --from: csv or ndjson, if the file name doesn't say",
      asOneOf(['csv', 'ndjson'] as const),
    ),
    delimiter: option('--delimiter <character>', 'with --from: column separator (detected from the header)', asText),
    ignoreColumns: option('--ignore-columns <a,b>', "with --from: columns of the file that aren't read", asNames),
    concurrency: option(
      '--concurrency <n>',
      `with --from: maximum rows in flight, 1 to ${MOST_AT_ONCE} (${DEFAULT_PARALLEL})`,
      asInteger(1, MOST_AT_ONCE),
      { default: String(DEFAULT_PARALLEL) },
    ),
    rate: option('--rate <n/s>', 'with --from: maximum rows per second (n/m: per minute, n/h: per hour)', asRate),
    report: option(
      '--report <file>',
      'with --from: write one line per finished row; CSV, or NDJSON by file name',
      asFile,
    ),
    check: flag('--check', 'with --from: check every row with the service before sending any'),
    retryFailed: flag(
      '--retry-failed',
      'with --from: also retry rows that were rejected or failed, never unknown ones',
    ),
    skipInvalid: flag('--skip-invalid', 'with --from: skip invalid rows and send the others'),
    allowRepeats: flag(
      '--allow-repeats',
      'with --from: allow equal rows: the same id twice, or what a file of the last week created',
    ),
    continueOnUnknown: flag(
      '--continue-on-unknown',
      'with --from: continue when the results of three rows in a row are unknown',
    ),
    resume: option(
      '--resume <job>',
      'with --from: continue this job; refused if the file or the options differ',
      asJob,
    ),
  },
);

/** Output description for the help of commands with --from. */
export const BULK_OUTPUT =
  'With --from a summary: job, command, file, rows, a count for each state, not_started, skipped, report';

type BulkGiven = GivenOptions<typeof BULK_OPTIONS>;

/** Throws a usage error if an option that each row must set itself was given with a file. */
export const refuseRowFields = (fields: FieldTable, given: BulkGiven): void => {
  const own = Object.entries(fields).find(([name, field]) => field.own && Object.hasOwn(given, name));
  if (own === undefined) return;
  throw usageError(`${fileFlag(given)} and ${asFlag(own[0])} can't be used together`, {
    hint: 'give each row its own, in a column',
  });
};

/** The flag that makes a command work on a file. */
export const fileFlag = ({ template }: Pick<BulkGiven, 'template'>): string => (template ? '--template' : '--from');

const BULK_DEFAULTS = {
  from: '',
  concurrency: DEFAULT_PARALLEL,
  check: false,
  retryFailed: false,
  skipInvalid: false,
  allowRepeats: false,
  continueOnUnknown: false,
};

/** A file of rows (`-` is standard input) and the options for processing it. */
export type BulkInput = Omit<BulkGiven, keyof typeof BULK_DEFAULTS> & Readonly<typeof BULK_DEFAULTS>;

/**
 * Reads the options for a file; undefined without one. Throws a usage error if other options need it, or if a single
 * thing is named as well.
 */
export const readBulk = (given: BulkGiven, named?: string, thing = ''): BulkInput | undefined => {
  const { template, ...others } = given;
  if (given.from === undefined || template) {
    const stray = Object.keys(BULK_OPTIONS).find((name) => Object.hasOwn(others, name));
    const why = template ? "and --template can't be used together" : 'needs --from';
    if (stray !== undefined) throw usageError(`${asFlag(stray)} ${why}`);
    if (!template) return undefined;
  }
  if (named !== undefined) throw usageError(`${fileFlag(given)} and ${thing} can't be used together`);
  if (given.from === '') throw usageError('--from is empty');
  if (given.report === '-') {
    throw usageError('--report needs a file: standard output has the summary', {
      hint: 'name a file, such as result.csv',
    });
  }
  const own = Object.entries(given).filter(([name]) => Object.hasOwn(BULK_OPTIONS, name));
  return { ...BULK_DEFAULTS, ...Object.fromEntries(own) };
};

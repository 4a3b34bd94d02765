import { usageError } from '../core/error.ts';
import type { Rate } from '../core/rate.ts';
import type { Given } from './define.ts';
import { flag, option } from './define.ts';
import { asInteger, asOneOf, asRate, asText } from './options.ts';

const MOST_AT_ONCE = 128;
const AT_ONCE = 8;
const JOB = /^job-[0-9a-z]{16}$/;

const asJob = (text: string): string => {
  if (JOB.test(text)) return text;
  throw usageError(`"${text}" is not a job such as job-0123456789abcdef`, {
    hint: 'see which there are: `paycli ledger jobs`',
  });
};

/** The options of a command that takes its rows from a file (cli.md, Bulk). */
export const BULK_OPTIONS = {
  from: option('--from <file|->', 'many at once: a CSV file with a header, NDJSON, or standard input (-)', asText),
  inputFormat: option(
    '--input-format <format>',
    'with --from: csv or ndjson, where the name does not tell',
    asOneOf(['csv', 'ndjson'] as const),
  ),
  delimiter: option(
    '--delimiter <character>',
    'with --from: what separates the cells, where the header does not tell',
    asText,
  ),
  concurrency: option(
    '--concurrency <n>',
    `with --from: so many in flight at most, 1 to ${MOST_AT_ONCE} (${AT_ONCE})`,
    asInteger(1, MOST_AT_ONCE),
  ),
  rate: option('--rate <n/s>', 'with --from: so many at most in a second (n/m: minute, n/h: hour)', asRate),
  report: option(
    '--report <file>',
    'with --from: a line for each row, as it ends; CSV, or NDJSON by the ending',
    asText,
  ),
  check: flag('--check', 'with --from: look at each one at the service before anything is sent'),
  retryFailed: flag(
    '--retry-failed',
    'with --from: take up rows that were rejected or failed, too; never unknown ones',
  ),
  skipInvalid: flag('--skip-invalid', 'with --from: leave rows out that are not right, and send the others'),
  allowRepeats: flag('--allow-repeats', 'with --from: the same one may stand in several rows'),
  continueOnUnknown: flag('--continue-on-unknown', 'with --from: go on though it is not known what became of a row'),
  resume: option('--resume <job>', 'with --from: go on with this job; refused where the file is another one', asJob),
} as const;

/** A file of rows and how it is to be worked through. */
export interface BulkInput {
  /** `-` is standard input. */
  readonly from: string;
  readonly inputFormat: 'csv' | 'ndjson' | undefined;
  readonly delimiter: string | undefined;
  readonly concurrency: number;
  readonly rate: Rate | undefined;
  readonly report: string | undefined;
  readonly check: boolean;
  readonly retryFailed: boolean;
  readonly skipInvalid: boolean;
  readonly allowRepeats: boolean;
  readonly continueOnUnknown: boolean;
  readonly resume: string | undefined;
}

type BulkGiven = Given<typeof BULK_OPTIONS>;

/** What was given for a file; undefined where none is named, and then nothing for one may be given. */
export const readBulk = (given: BulkGiven): BulkInput | undefined => {
  if (given.from === undefined) {
    const stray = (Object.keys(BULK_OPTIONS) as (keyof BulkGiven)[]).find((name) => given[name] !== undefined);
    if (stray !== undefined) throw usageError(`${BULK_OPTIONS[stray].flags.split(' ')[0]} is for --from`);
    return undefined;
  }
  if (given.from === '') throw usageError('--from is empty');
  if (given.report === '-') {
    throw usageError('--report is a file: standard output has the summary', { hint: 'name one, such as result.csv' });
  }
  return {
    from: given.from,
    inputFormat: given.inputFormat,
    delimiter: given.delimiter,
    concurrency: given.concurrency ?? AT_ONCE,
    rate: given.rate,
    report: given.report,
    check: given.check ?? false,
    retryFailed: given.retryFailed ?? false,
    skipInvalid: given.skipInvalid ?? false,
    allowRepeats: given.allowRepeats ?? false,
    continueOnUnknown: given.continueOnUnknown ?? false,
    resume: given.resume,
  };
};

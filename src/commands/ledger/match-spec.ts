import { argument, defineCommand, flag, type InputOf, option, rarely } from '../../cli/define.ts';
import { asFile, asNames, asOneOf, asText, EVERY_PROFILE } from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';
import { readMajor, splitMoney } from '../../core/money.ts';

const matchInput = rarely(['currency', 'utc', 'saveLayout', 'sideColumn', 'statusColumn', 'ignoreColumns', 'minor'], {
  file: argument('file', 'the statement: CSV, XLSX or NDJSON; - is standard input', { completes: 'file' }),
  layout: option('--layout <name>', 'a known layout, or a file of --save-layout', asText),
  saveLayout: option('--save-layout <file>', 'write the layout that was used', asFile),
  sheet: option('--sheet <name>', 'the sheet of a workbook, instead of the first', asText),
  amountColumn: option('--amount-column <name>', 'the column with the amounts, or with the credits', asText),
  debitColumn: option('--debit-column <name>', 'the column with the debits', asText),
  sideColumn: option('--side-column <name>', 'the column with credit or debit for each row', asText),
  dateColumn: option('--date-column <name>', 'the column with the dates', asText),
  textColumn: option('--text-column <name>', 'the column with the narration', asText),
  referenceColumn: option('--reference-column <name>', 'one more column that names payments', asText),
  statusColumn: option('--status-column <name>', 'the column with the statuses', asText),
  feeColumn: option('--fee-column <name>', 'the column with fees that are missing in the amounts', asText),
  ignoreColumns: option('--ignore-columns <names>', 'columns that say nothing about the money', asNames),
  dateForm: option('--date-form <order>', 'dmy or mdy, if no date tells', asOneOf(['dmy', 'mdy'] as const)),
  minor: flag('--minor', 'amounts count the minor unit, such as kobo'),
  acceptLikely: flag('--accept-likely', 'lines that are only likely are no difference'),
  tolerance: option('--tolerance <50.00>', 'amounts agree up to this difference', asText, { type: 'amount' }),
  report: option('--report <file>', 'write each line with its payment; CSV, or NDJSON by file name', asFile),
  currency: option('--currency <code>', 'the currency of the statement (NGN)', asText, { default: 'NGN' }),
  utc: flag('--utc', "days of UTC instead of this machine's time zone"),
  ...EVERY_PROFILE,
});

/** The tolerance is in the minor unit. */
const readMatch = (input: InputOf<typeof matchInput>) => {
  const { file, tolerance: text = '0' } = input;
  const currency = input.currency.toUpperCase();
  const { currency: named = currency, amount } = splitMoney(text);
  const tolerance = Number(readMajor(amount, currency));
  if (file === '') throw usageError('name the file to compare');
  if (!/^[A-Z]{3}$/.test(currency)) throw usageError(`--currency: "${input.currency}" is not a code such as NGN`);
  if (named === currency && Number.isSafeInteger(tolerance)) return { ...input, currency, tolerance };
  throw usageError(`--tolerance: "${text}" is not an amount in ${currency}, such as 50.00`);
};
export type MatchInput = ReturnType<typeof readMatch>;

export const ledgerMatchCommand = defineCommand({
  path: ['ledger', 'match'],
  danger: 'read',
  summary: 'compare a statement of the bank or provider with the payments of the ledger',
  description:
    'It reads the ledger and the file, and sends nothing: run `paycli ledger sync` first. A line belongs to a ' +
    "payment that it names: by the provider's reference, the account number or the ref. In a narration, a name " +
    'shorter than five characters counts for nothing. A line without a name is only likely: by amount and day. A ' +
    'named payment may be ten days older than its line, or a day younger. Money out belongs to refunds and ' +
    'reversals. The layout is known by the header, or read from its words, and shown; a column that could change the ' +
    'result and has no known name is refused with the option that settles it; so are words that are not known. A ' +
    'terminal shows what does not agree. Exit 14 if anything does not.',
  input: matchInput,
  examples: {
    'a statement (exit 14: nothing was paid here)': `printf 'Date,Credit,Narration\\n2026-11-25,"5,000.00",INV-1042\\n' > bank.csv\npaycli ledger match bank.csv`,
    'only money in, with all lines for a spreadsheet (exit 14)': `printf 'Date,Debit,Credit\\n25/11/2026,,"5,000.00"\\n' | paycli ledger match - --amount-column Credit --report diff.csv`,
  },
  output:
    'a line for each line of the file, and for each payment that is not in it: result (agrees, likely, ' +
    'other_amount, two_names, only_in_file, only_here), by (reference, account, ref, amount), row, day, amount, fee, currency, difference, ' +
    'expected, kind (payment, refund, reversal), id, ugwo, ref, paid_at, profile, text, line, named, days_later; ' +
    'json: file, first_day, last_day, time_zone, currency, sums of each result, also of money in and out apart, matches, notices',
  exits: ['usage', 'auth', 'ledger', 'read_failed', 'interrupted', 'attention'],
  read: readMatch,
  load: async () => ({ run: (await import('./match.ts')).matchStatement }),
});

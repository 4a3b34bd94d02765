import { cutName } from '../core/bounds.ts';
import type { PayError } from '../core/error.ts';
import { formatMoney } from '../core/money.ts';
import { spoiltWords } from '../core/spoilt.ts';
import { fromSpreadsheet } from '../core/text.ts';
import type { Zone } from '../core/time.ts';
import { bareName, type InputRow } from './cells.ts';
import { type Fail, failIn, InputError, type IsHeader } from './formats.ts';
import { openInput, type RowsFile } from './read-file.ts';
import { missingColumn } from './rows.ts';
import {
  currencyCode,
  type DateOrder,
  type DecimalSign,
  dayWritten,
  decimalIn,
  isBlankAmount,
  minorWritten,
  orderIn,
  writtenAmount,
  writtenDate,
} from './statement-cells.ts';

/** A line of a statement: money that came in or went out. */
export interface StatementLine {
  /** The number of the row below the header, as in errors. */
  readonly number: number;
  /** `2026-11-25`: as written, or in the zone of the command if the file names an offset. */
  readonly day: string;
  /** In the minor unit, not 0. Money out is negative. */
  readonly amount: number;
  readonly currency: string;
  /** In the minor unit, not negative; undefined without --fee-column, and for an empty cell. */
  readonly fee: number | undefined;
  /** A provider's export has several. */
  readonly references: readonly string[];
  /** The narration and the references, one a line: what may name a payment. */
  readonly text: string;
  /** The row as read, for a report. */
  readonly fields: InputRow['fields'];
}

interface StatementOptions {
  /** The columns that options name: `amount` holds signed amounts, or the credits if `debit` is named too. */
  readonly columns: Partial<
    Readonly<Record<'amount' | 'debit' | 'date' | 'text' | 'reference' | 'fee', string | undefined>>
  >;
  /** Lines in another currency are left out, with a notice. */
  readonly currency: string;
  readonly zone: Zone;
  readonly dateOrder?: DateOrder | undefined;
}

/** Patterns of whole names, the best first. */
const ranked = (...names: readonly string[]): readonly RegExp[] => names.map((name) => new RegExp(`^(?:${name})$`));

const [SUM, DAY] = ['(s|amounts?|amt)?', '(date|time|datetime)'];

/**
 * Names of columns by what they hold: those of Nigerian banks and of the exports of Paystack and Flutterwave, and their
 * variants. Compared without case, blanks, signs, and what is in parentheses.
 */
const ROLE_NAMES = {
  date: ranked(
    `(trans?|txn|transaction)${DAY}|(paid|payment)(at|on|date|time)|datepaid`,
    `${DAY}|(post(ed|ing)?|entry)date|dateposted`,
    'created(at|on|date)?|datecreated|settle(d|ment)(date|at|on)|val(ue)?date',
  ),
  credit: ranked(`(settlement)?(credit|cr|deposit|lodge?ment)${SUM}|(money|paid|amount)in|inflow|amountcredited`),
  debit: ranked(`(settlement)?(debit|dr|withdrawal)${SUM}|(money|paid|amount)out|outflow|amountdebited`),
  amount: ranked(
    'amount|amt',
    '(trans?|txn|transaction|gross|total)(amount|amt)|amount(paid|received)|crdr|drcr|debitcredit|creditdebit',
    '(settle(d|ment)|net)(amount|amt)|amountsettled',
  ),
  side: ranked('(cr|dr|c|d|credit|debit){2}|.*(type|direction|indicator|sign)'),
  currency: ranked('(transaction)?(currency|ccy|cur)(code)?'),
  status: ranked('(transaction|payment|settlement)?status'),
  text: ranked('.*(narration|narrative|remarks?|descriptions?|details|particulars|memo|comments?)'),
  reference: ranked('.*(reference|ref)(no|number|id|code)?', '(trans?|txn|transaction|session|payment)?id|rrn'),
  // Never guessed: the gross amount, which is, includes it.
  fee: ranked(),
};
type Role = keyof typeof ROLE_NAMES;
const ROLES = Object.keys(ROLE_NAMES) as readonly Role[];

/** Columns that a report of matches adds begin with this, and are never guessed: a report can be read again. */
export const REPORT_PREFIX = 'ledger_';

const plainName = (name: string): string => bareName(name.replace(/\(.*\)/, '')).replaceAll(/[^\p{L}\p{N}]/gu, '');

/** The columns whose names fit a role, the best first. Their order in the file doesn't count. */
const guessed = (columns: readonly string[], role: Role): readonly string[] => {
  const rank = (name: string): number => ROLE_NAMES[role].findIndex((form) => form.test(plainName(name)));
  return columns
    .filter((name) => !name.startsWith(REPORT_PREFIX) && rank(name) !== -1)
    .sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
};

/** True if a column that an option names holds money in alone. */
export const isCreditColumn = (name = ''): boolean => guessed([name], 'credit').length > 0;

const columnNamed = (columns: readonly string[], name: string): string | undefined =>
  columns.find((column) => column === name) ?? columns.find((column) => bareName(column) === bareName(name));

/** Finds the first row that has the named columns, or a date column and an amount column by name. */
const isHeaderWith =
  ({ date, amount, debit }: StatementOptions['columns']): IsHeader =>
  (names) => {
    const has = (given: string | undefined, ...roles: readonly Role[]): boolean =>
      given === undefined ? roles.some((role) => guessed(names, role)[0]) : columnNamed(names, given) !== undefined;
    return has(date, 'date') && has(amount, 'amount', 'credit') && (debit === undefined || has(debit));
  };

/** The text of a cell, without the apostrophe that marks a text in a spreadsheet; a number of NDJSON as written. */
const textOfCell = (value: unknown): string =>
  typeof value === 'string' ? fromSpreadsheet(value.trim()).replace(/^'/, '') : String(value ?? '');

/** Statuses of rows that brought no money. */
const UNPAID_STATUS = /^(?:un|not)|fail|abandon|cancel|declin|reject|pending|processing|revers|expire|error|initiat/i;

/** Judges a cell: false if it doesn't fit its column, a word if it tells how the file is written, else true. */
type Look = (text: string) => boolean | DateOrder | DecimalSign | 'unclear' | 'any' | 'failed';

const lookAtAmount: Look = (text) => {
  const digits = writtenAmount(text)?.digits;
  return digits === undefined ? isBlankAmount(text) : !/[1-9]/.test(digits) || (decimalIn(digits) ?? 'any');
};

const LOOK_BY_ROLE: Partial<Readonly<Record<Role, Look>>> = {
  date: (text) => {
    const date = writtenDate(text);
    return date !== undefined && (orderIn(date) ?? 'any');
  },
  credit: lookAtAmount,
  debit: lookAtAmount,
  amount: lookAtAmount,
  side: (text) => /^(?:c|cr|credit|d|dr|debit)$/i.test(text),
  currency: (text) => /^[a-z]{3}$/i.test(text),
  status: (text) => !UNPAID_STATUS.test(text) || 'failed',
};
const SUM_ROLES: readonly Role[] = ['amount', 'credit', 'debit'];

/** The columns of a statement, and how it writes dates and amounts, as far as it tells. */
interface Layout {
  readonly columns: ReadonlyMap<Role, readonly string[]>;
  readonly order: DateOrder | undefined;
  readonly decimal: DecimalSign | undefined;
}

/** Chooses the columns by the options, the names and the contents. Reads the whole file once. */
const layoutOf = async (input: RowsFile, { columns: given, dateOrder }: StatementOptions): Promise<Layout> => {
  const { amount, debit, ...others } = given;
  const sums = debit === undefined ? { amount } : { credit: amount, debit };
  const named: Partial<Readonly<Record<Role, string | undefined>>> = { ...others, ...sums };
  const missing = (name: string, role: Role): PayError => {
    const hint = `name the column with --${role === 'credit' ? 'amount' : role}-column, as the file writes it`;
    return missingColumn(input.columns, { name, aliases: [] }, '').with({ hint });
  };
  /** The columns of a role, and if they hold what they should; undefined for an empty one. */
  const columnsFor = (role: Role): { role: Role; name: string; fits: boolean | undefined }[] => {
    const name = named[role];
    const column = name === undefined ? undefined : columnNamed(input.columns, name);
    if (column !== undefined) return [{ role, name: column, fits: true }];
    if (name !== undefined) throw missing(name, role);
    // A column of amounts that is named alone is the only one: a statement may be compared for its credits.
    if (amount !== undefined && SUM_ROLES.includes(role)) return [];
    return guessed(input.columns, role).map((guess) => ({ role, name: guess, fits: undefined }));
  };
  const open = ROLES.flatMap(columnsFor);
  let order = dateOrder;
  let decimal: DecimalSign | undefined = input.format === 'ndjson' ? '.' : undefined;
  for await (const { fields } of input.rows()) {
    const clues = new Set<string>();
    for (const column of open) {
      const text = textOfCell(fields[column.name]);
      const look = LOOK_BY_ROLE[column.role]?.(text) ?? true;
      if (text !== '') column.fits = column.fits === true || look !== false;
      if (text !== '' && typeof look === 'string') clues.add(column.role).add(look);
    }
    // Only lines tell how the file is written: a report has no other rows, and must be read alike.
    if (!clues.has('date') || !SUM_ROLES.some((role) => clues.has(role)) || clues.has('failed')) continue;
    order ??= (['dmy', 'mdy'] as const).find((way) => clues.has(way));
    decimal ??= (['.', ','] as const).find((way) => clues.has(way));
  }
  const found = (role: Role): readonly string[] =>
    open
      .filter((column) => column.role === role && column.fits !== false)
      .sort((one, other) => Number(other.fits ?? false) - Number(one.fits ?? false))
      .map(({ name }) => name)
      .slice(0, role === 'text' || role === 'reference' ? undefined : 1);
  const columns = new Map(ROLES.map((role) => [role, found(role)]));
  const [[single], [credit]] = [found('amount'), found('credit')];
  const only = single ?? credit;
  if (found('date').length === 0) throw missing('with dates', 'date');
  if (only === undefined) throw missing('with amounts', 'amount');
  if (credit !== undefined && found('debit').length > 0) columns.set('amount', []).set('side', []);
  else columns.set('amount', [only]).set('credit', []).set('debit', []);
  return { columns, order, decimal };
};

const ORDER_WORDS = { dmy: 'day first', mdy: 'month first' };

const quoted = (text: string): string => JSON.stringify(cutName(text));

/** Names the columns of each role, for people. */
const layoutNotice = ({ columns, order }: Layout): string => {
  const shown = [...columns].filter(([, names]) => names.length > 0);
  const all = shown.map(([role, names]) => `${role} ${names.map(quoted).join(' and ')}`).join(', ');
  return `Columns: ${all}${order === undefined ? '' : `; ${ORDER_WORDS[order]}`}`;
};

/** Labels of rows of sums, which have amounts, but no date. */
const SUM_ROW = /\b(?:totals?|balance|brought forward|carried forward|sum)\b|\b[bc]\/?f\b/i;

const NO_LINE = 'without a date or an amount';

/** Makes the reader of rows: a line, or the reason why a row is none. Throws for a row that can't be understood. */
const lineReader = ({ columns, order, decimal }: Layout, { currency, zone }: StatementOptions, fail: Fail) => {
  const named = (role: Role): string => columns.get(role)?.[0] ?? '';
  const [dateColumn, amountColumn] = [named('date'), named('credit') || named('amount')];
  const inHeader = /\(([A-Z]{3}|[₦$£€])\)\s*$/.exec(amountColumn)?.[1];

  const minorIn = (number: number, role: 'amount' | 'debit' | 'fee', text: string): number => {
    if (isBlankAmount(text)) return 0;
    const column = role === 'amount' ? amountColumn : named(role);
    const { digits = '', negative = false } = writtenAmount(text) ?? {};
    if (decimal === undefined && decimalIn(digits) === 'unclear') {
      const [one, other] = ([',', '.'] as const).map((way) =>
        formatMoney(`${minorWritten(digits, way, currency)}`, currency),
      );
      const what = `${quoted(text)} has two meanings, ${one} and ${other}, and no amount of the file tells which`;
      throw fail(number, column, what, 'write the amounts with decimals, such as 5,000.00');
    }
    const minor = minorWritten(digits, decimal ?? '.', currency);
    if (minor !== undefined) return negative ? -minor : minor;
    const like = decimal === ',' ? ', as others are, with a decimal comma' : '';
    const what = spoiltWords(text, '') ?? `${quoted(text)} is not an amount in ${currency}${like}`;
    throw fail(number, column, what, `correct the cell, or name another column with --${role}-column`);
  };

  return ({ number, fields }: InputRow): StatementLine | string => {
    const texts = (role: Role): readonly string[] =>
      (columns.get(role) ?? []).map((column) => textOfCell(fields[column])).filter((text) => text !== '');
    const [status = '', dateText = '', debit = '', side = '', fee = '', ownCurrency = inHeader] = (
      ['status', 'date', 'debit', 'side', 'fee', 'currency'] as const
    ).map((role) => texts(role)[0]);
    const credit = textOfCell(fields[amountColumn]);
    if (UNPAID_STATUS.test(status)) return `with the status ${cutName(status)}`;
    const date = writtenDate(dateText);
    const day = date && dayWritten(date, order ?? 'dmy', zone);
    const money = writtenAmount(credit) ?? writtenAmount(debit);
    if (date === undefined || day === undefined) {
      const labels = dateText === '' ? Object.values(fields).map(textOfCell) : [dateText];
      if (money === undefined || labels.some((label) => SUM_ROW.test(label))) return NO_LINE;
      const what = `${quoted(dateText)} is not a date${order === undefined ? '' : ` with the ${ORDER_WORDS[order]}`}`;
      const hint =
        'correct the cell, or name another column with --date-column; a row of sums needs a word such as Total';
      throw fail(number, dateColumn, dateText === '' ? 'the date is missing' : what, hint);
    }
    const its = currencyCode((money?.currency ?? ownCurrency ?? currency).toUpperCase());
    if (its !== currency) return `in ${its}`;
    const [paidIn, paidOut] = [minorIn(number, 'amount', credit), minorIn(number, 'debit', debit)];
    if (paidIn !== 0 && paidOut !== 0) {
      const hint =
        'correct it: a line is money in or money out; or name the columns with --amount-column and --debit-column';
      throw fail(number, named('debit'), `the row has an amount in ${quoted(amountColumn)}, too`, hint);
    }
    const amount = paidOut !== 0 || /^(?:d|dr|debit)$/i.test(side) ? -Math.abs(paidOut || paidIn) : paidIn;
    if (amount === 0) return NO_LINE;
    if (order === undefined && orderIn(date) === 'unclear') {
      const what = `${quoted(dateText)} has two meanings, and no date of the file has a day above 12`;
      throw fail(number, dateColumn, what, 'add --date-order dmy if the day is first, or --date-order mdy');
    }
    const references = texts('reference');
    const text = [...texts('text'), ...references].join('\n');
    const paidFee = isBlankAmount(fee) ? undefined : Math.abs(minorIn(number, 'fee', fee));
    return { number, day, amount, currency, fee: paidFee, references, text, fields };
  };
};

/** Reads a statement. Throws a usage error unless each row can be understood. */
export const readStatement = async (file: Parameters<typeof openInput>[0], options: StatementOptions) => {
  const input = await openInput({ ...file, isHeader: isHeaderWith(options.columns) });
  try {
    const layout = await layoutOf(input, options);
    const read = lineReader(layout, options, failIn(file.name, ''));
    const lines: StatementLine[] = [];
    const leftOut = new Map<string, { count: number; first: number }>();
    for await (const row of input.rows()) {
      const line = read(row);
      if (typeof line !== 'string') lines.push(line);
      else {
        const { count, first } = leftOut.get(line) ?? { count: 0, first: row.number };
        leftOut.set(line, { count: count + 1, first });
      }
    }
    const left = [...leftOut].map(([reason, { count, first }]) =>
      count === 1 ? `1 row ${reason} (row ${first})` : `${count} rows ${reason} (the first is row ${first})`,
    );
    // For people.
    const notices = [layoutNotice(layout), ...(left.length === 0 ? [] : [`Left out: ${left.join(', ')}`])];
    const days = lines.map(({ day }) => day).sort();
    const [first, last = ''] = [days[0], days.at(-1)];
    if (first === undefined) {
      const other = [...leftOut.keys()].find((reason) => reason.startsWith('in '))?.slice('in '.length);
      throw new InputError(
        `${file.name} has no lines in ${options.currency}: ${left.join(', ') || 'no row is below the header'}`,
        other === undefined ? `check the columns: ${notices[0]}` : `add --currency ${other}`,
      );
    }
    return { ...input, notices, days: { first, last }, lines };
  } finally {
    await input.close();
  }
};

/** A statement that was read. Its columns and format suit the report of a file of rows. */
export type BankStatement = Awaited<ReturnType<typeof readStatement>>;

import { cutName, firstNames } from '../core/bounds.ts';
import { fromSpreadsheet } from '../core/text.ts';
import type { Zone } from '../core/time.ts';
import { bareName, type InputRow } from './cells.ts';
import { type Fail, failIn, InputError } from './formats.ts';
import { openInput } from './read-file.ts';
import { REPORT_PREFIX } from './report.ts';
import {
  CURRENCY_IN_NAME,
  currencyCode,
  type DateOrder,
  isBlankAmount,
  writtenAmount,
  writtenDays,
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

/**
 * Names of columns by what they hold, the best first: those of Nigerian banks and wallets, and of the exports of
 * providers. Compared without case, blanks, signs, and a currency in parentheses.
 */
const ROLE_NAMES = {
  date: [
    /^(trans?|txn|transaction|paid|payment)(date|time|datetime|at|on)$/,
    /^date(time|paid)?$/,
    /^(post(ed|ing)?|created|completed)(date|at|on)$|^date(posted|created)$/,
    /^(val(ue)?|settle(d|ment))(date|at|on)$/,
  ],
  credit: [
    /^(settlement)?(credit|cr|deposit|lodge?ment|inflow)s?(amount|amt)?$|^amount(credit|cr)$|^(money|paid|amount)in$/,
  ],
  debit: [/^(settlement)?(debit|dr|withdrawal|outflow)s?(amount|amt)?$|^amount(debit|dr)$|^(money|paid|amount)out$/],
  // The amount alone may be the one that was asked for.
  amount: [
    /^amountpaid$|^paidamount$/,
    /^amount$/,
    /^(trans?|txn|transaction)amount$/,
    /^(settled|settlement|net)amount$|^amountsettled$/,
    /^(debitcredit|creditdebit)$/,
  ],
  side: [/^(trans?|txn|transaction|entry)?type$|^((cr|dr|credit|debit){2}|[cd]{2}|direction)(indicator|flag)?$/],
  currency: [/^currency(code)?$/],
  status: [/^(trans?|txn|transaction|payment)?status$/],
  text: [/(narrat(ion|ive)|remarks?|description|details?|particulars)$/],
  reference: [/(reference|ref)(no|number|id)?$/, /^(trans?|txn|transaction|payment|session)?id$|^rrn$/],
  // Not guessed: the gross amount includes it.
  fee: [],
} as const;
type Role = keyof typeof ROLE_NAMES;

const plainName = (name: string): string =>
  bareName(name.replace(CURRENCY_IN_NAME, '').replaceAll(/[^\p{L}\p{N}]/gu, ''));

/** The columns whose names fit a role, the best first. */
const guessed = (columns: readonly string[], role: Role): readonly string[] =>
  ROLE_NAMES[role].flatMap((form: RegExp) =>
    columns.filter((name) => !name.startsWith(REPORT_PREFIX) && form.test(plainName(name))),
  );

/** True if a column that an option names holds money in alone. */
export const isCreditColumn = (name = ''): boolean => guessed([name], 'credit').length > 0;

const columnNamed = (columns: readonly string[], name: string): string | undefined =>
  columns.find((column) => column === name) ?? columns.find((column) => bareName(column) === bareName(name));

/** Finds the header by a date column and an amount column, whose names options may give. A row of sums is none. */
const isHeaderWith =
  ({ date, amount }: StatementOptions['columns']) =>
  (names: readonly string[]): boolean => {
    const has = (given: string | undefined, ...roles: readonly Role[]): boolean =>
      roles.some((role) => guessed(names, role).length > 0) || (given !== undefined && !!columnNamed(names, given));
    const hasSum = names.some((name) => writtenAmount(name, 'NGN') !== undefined);
    return has(date, 'date') && has(amount, 'amount', 'credit') && !hasSum;
  };

/** The text of a cell, without the apostrophe that marks a text in a spreadsheet; a number of NDJSON as written. */
const textOfCell = (value: unknown): string =>
  typeof value === 'string' ? fromSpreadsheet(value.trim()).replace(/^'/, '') : String(value ?? '');

/** The side of a line in words. The group finds money out. */
const SIDE = /^(?:(d|dr|debit|withdrawal|out(?:flow|ward)?)|c|cr|credit|deposit|in(?:flow|ward)?)\.?$/i;

type Columns = Readonly<Partial<Record<Role, readonly string[]>>>;

const missing = (columns: readonly string[], name: string, hint: string): InputError =>
  new InputError(`no column ${name} (found: ${firstNames(columns.map(cutName))})`, hint);

/** Chooses the columns by the options, the names and the contents. */
const chooseColumns = (
  columns: readonly string[],
  rows: readonly InputRow[],
  { columns: given, zone }: StatementOptions,
): Columns => {
  const named: Partial<Record<Role, string | undefined>> = { ...given, credit: given.debit && given.amount };
  const candidates = (role: Role): readonly string[] => {
    const name = named[role];
    if (name === undefined) return guessed(columns, role);
    const column = columnNamed(columns, name);
    if (column !== undefined) return [column];
    throw missing(columns, name, `name the column with --${role}-column, as the file writes it`);
  };
  /** The columns with a text that fits. */
  const fitting = (names: readonly string[], fits: (text: string) => boolean): readonly string[] =>
    names.filter((name) => rows.some(({ fields }) => fits(textOfCell(fields[name]))));
  const dates = candidates('date');
  const [date = dates[0] ?? ''] = fitting(dates, (text) => Object.values(writtenDays(text, zone)).some(Boolean));
  const [amount] = candidates('amount');
  const [credit = amount ?? ''] = candidates('credit');
  // A column of amounts that is named alone is the only one: a statement may be compared for its credits.
  const [debit] = given.amount !== undefined && given.debit === undefined ? [] : candidates('debit');
  return {
    date: [date],
    ...(debit === undefined
      ? { amount: [amount ?? credit], side: fitting(candidates('side'), (text) => SIDE.test(text)).slice(0, 1) }
      : { credit: [credit], debit: [debit] }),
    ...{ currency: candidates('currency'), status: candidates('status') },
    ...{ text: candidates('text'), reference: candidates('reference'), fee: candidates('fee') },
  };
};

const ORDER_WORDS = { dmy: 'day first', mdy: 'month first' };
const DATE_ORDER_HINT = 'add --date-order dmy if the day is first, or --date-order mdy';

const quoted = (text: string): string => JSON.stringify(cutName(text));

/** Statuses of rows that brought money. */
const PAID_STATUS = /^(?:success\w*|completed?|(?:over|partially_)?paid|settled|approved|processed|posted)$/i;

/** Labels of rows of sums, which have amounts, but no date. */
const SUM_ROW = /(?:\b|sub)totals?\b|\bbalance\b|\b(?:brought|carried) forward\b|\b[bc]\/?f\b/i;

const NO_LINE = 'without a date or an amount';

/** The currency in a title such as `Currency: USD`. */
const CURRENCY_TITLE = /(?:^|[",;\t])\s*(?:account )?currency(?: code)?"?\s*[:,;\t][\s":,;]*([^",;\t\r\n]+)/im;

/** A line before the whole file has told the order of day and month. */
type DatedLine = Omit<StatementLine, 'day'> & { readonly days: ReturnType<typeof writtenDays> };

/** Makes the reader of rows: a line, or the reason why a row is none. Throws for a row that can't be understood. */
const lineReader = (columns: Columns, titles: string, { currency, zone }: StatementOptions, fail: Fail) => {
  const [amountColumn = ''] = columns.credit ?? columns.amount ?? [];
  const named = (CURRENCY_IN_NAME.exec(amountColumn) ?? CURRENCY_TITLE.exec(titles))?.[1] ?? currency;

  return ({ number, fields }: InputRow): DatedLine | string => {
    const texts = (role: Role): readonly string[] =>
      (columns[role] ?? []).map((column) => textOfCell(fields[column])).filter((text) => text !== '');
    const textIn = (role: Role): string => texts(role)[0] ?? '';
    const wrong = (role: Role, what: string, hint: string): InputError => fail(number, columns[role]?.[0], what, hint);
    const minorIn = (role: Role): number => {
      const { minor, isUnclear = false } = writtenAmount(textIn(role), currency) ?? {};
      if (minor !== undefined) return minor;
      const what = isUnclear ? 'has two meanings: its point may separate thousands' : `is not an amount in ${currency}`;
      const correct = `correct the cell, or name another column with --${role === 'credit' ? 'amount' : role}-column`;
      const hint = isUnclear ? 'write it with decimals, such as 5,000.00' : correct;
      throw wrong(role, `${quoted(textIn(role))} ${what}`, hint);
    };

    const unpaid = texts('status').find((status) => !PAID_STATUS.test(status));
    if (unpaid !== undefined) return `with the status ${cutName(unpaid)}`;
    const [dateText, side] = [textIn('date'), textIn('side')];
    const days = writtenDays(dateText, zone);
    const sums = (['amount', 'credit', 'debit'] as const)
      .map((role) => ({ role, text: textIn(role), ...writtenAmount(textIn(role), currency) }))
      .filter(({ text, minor }) => !isBlankAmount(text) && minor !== 0);
    const [sum, another] = sums;
    if (sum === undefined) return NO_LINE;
    if (days.dmy === undefined && days.mdy === undefined) {
      const labels = dateText === '' ? Object.values(fields).map(textOfCell) : [dateText];
      if (!sums.some((one) => 'minor' in one) || labels.some((label) => SUM_ROW.test(label))) return NO_LINE;
      const what = dateText === '' ? 'the date is missing' : `${quoted(dateText)} is not a date`;
      const hint =
        'correct the cell, or name another column with --date-column; a row of sums needs a word such as Total';
      throw wrong('date', what, hint);
    }
    const its = [sum.currency ?? [], texts('currency')].flat();
    const other = (its.length > 0 ? its : [named]).map(currencyCode).find((code) => code !== currency);
    if (other !== undefined) return `in ${other}`;
    if (another !== undefined) {
      const hint =
        'correct it: a line is money in or money out; or name the columns with --amount-column and --debit-column';
      throw wrong('debit', `the row has an amount in ${quoted(amountColumn)}, too`, hint);
    }
    if ((columns.side ?? []).length > 0 && !SIDE.test(side)) {
      throw wrong('side', `${quoted(side)} is neither credit nor debit`, 'correct the cell, or rename the column');
    }
    const amount = minorIn(sum.role);
    const isOut = sum.role === 'debit' || SIDE.exec(side)?.[1] !== undefined;
    const fee = isBlankAmount(textIn('fee')) ? undefined : Math.abs(minorIn('fee'));
    const references = texts('reference');
    const text = [...texts('text'), ...references].join('\n');
    return { number, days, amount: isOut ? -Math.abs(amount) : amount, currency, fee, references, text, fields };
  };
};

/** Reads a statement. Throws a usage error unless each row can be understood. */
export const readStatement = async (file: Parameters<typeof openInput>[0], options: StatementOptions) => {
  const isHeader = isHeaderWith(options.columns);
  const input = await openInput({ ...file, isHeader });
  try {
    if (!isHeader(input.columns)) {
      const hint = 'name both with --date-column and --amount-column, as the file writes them';
      throw missing(input.columns, 'with dates beside one with amounts', hint);
    }
    const [rows, names]: [InputRow[], Set<string>] = [[], new Set(input.columns)];
    for await (const row of input.rows()) {
      rows.push(row);
      // A row of NDJSON may have other members than the first.
      for (const name of Object.keys(row.fields)) names.add(name);
    }
    const columns = chooseColumns([...names], rows, options);
    const fail = failIn(file.name, '');
    const read = rows.map(lineReader(columns, input.titles, options, fail));
    const dated = read.filter((one) => typeof one !== 'string');

    // One date tells the order. Rows that are no lines don't: a report has none, and must be read alike.
    const clear = dated.find(({ days: { dmy, mdy } }) => (dmy === undefined) !== (mdy === undefined));
    const order = options.dateOrder ?? (clear && (clear.days.dmy === undefined ? 'mdy' : 'dmy'));
    const lines = dated.map(({ days, ...line }): StatementLine => {
      const isClear = order !== undefined || days.dmy === days.mdy;
      const day = days[order ?? 'dmy'];
      if (isClear && day !== undefined) return { ...line, day };
      const [what, hint] = isClear
        ? [`is not a date with the ${ORDER_WORDS[order ?? 'dmy']}`, 'correct the cell']
        : ['has two meanings, and no date of the file has a day above 12', DATE_ORDER_HINT];
      const [column = ''] = columns.date ?? [];
      throw fail(line.number, column, `${quoted(textOfCell(line.fields[column]))} ${what}`, hint);
    });

    const shown = Object.entries(columns).filter(([, found]) => found.length > 0);
    const all = shown.map(([role, found]) => `${role} ${found.map(quoted).join(' and ')}`).join(', ');
    const columnNotice = `Columns: ${all}${order === undefined ? '' : `; ${ORDER_WORDS[order]}`}`;
    const reasons = [...new Set(read.filter((one) => typeof one === 'string'))];
    const left = reasons.map((reason) => {
      const [count, first] = [read.filter((one) => one === reason).length, rows[read.indexOf(reason)]?.number];
      return count === 1 ? `1 row ${reason} (row ${first})` : `${count} rows ${reason} (the first is row ${first})`;
    });
    const sorted = lines.map(({ day }) => day).sort();
    const [first, last = ''] = [sorted[0], sorted.at(-1)];
    if (first === undefined) {
      const message = `${file.name} has no lines in ${options.currency}: ${left.join(', ') || 'no row is below the header'}`;
      const [other] = reasons.flatMap((reason) => /^in ([A-Z]{3})$/.exec(reason)?.[1] ?? []);
      throw new InputError(message, other ? `add --currency ${other}` : `check the columns: ${columnNotice}`);
    }
    const notices = [columnNotice, ...(left.length === 0 ? [] : [`Left out: ${left.join(', ')}`])];
    return { ...input, columns: [...names], notices, days: { first, last }, lines };
  } finally {
    await input.close();
  }
};

/** A statement that was read. Its columns and format suit the report of a file of rows. */
export type BankStatement = Awaited<ReturnType<typeof readStatement>>;

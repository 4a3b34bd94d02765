import { cutName, firstFew } from '../core/bounds.ts';
import { fromSpreadsheet } from '../core/text.ts';
import type { Zone } from '../core/time.ts';
import { bareName, type InputRow } from './cells.ts';
import { type Fail, failIn, InputError } from './formats.ts';
import { openInput } from './read-file.ts';
import { REPORT_PREFIX } from './report.ts';
import { CURRENCY_IN_NAME, currencyCode, type DateOrder, writtenAmount, writtenDays } from './statement-cells.ts';

/** A line of a statement: money that came in or went out. */
export interface StatementLine {
  /** The number of the row below the header, as in errors. */
  readonly number: number;
  /** `2026-11-25`: as written, or in the zone of the command if the file names an offset. */
  readonly day: string;
  /** In the minor unit, not 0. Money out is negative. */
  readonly amount: number;
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
  readonly columns: Readonly<Partial<Record<Role, string | undefined>>>;
  /** Lines in another currency are left out, with a notice. */
  readonly currency: string;
  readonly zone: Zone;
  readonly dateOrder?: DateOrder | undefined;
}

/** Names of a column with money in alone. */
const CREDIT = '(settlement)?(credit|cr|deposit|lodge?ment|inflow)s?(amount|amt)?|(money|paid)in';

/**
 * Names of columns by what they hold, the best first: those of Nigerian banks and wallets, and of the exports of
 * providers. Compared without case, blanks, signs, `transaction` in front, and a currency in parentheses.
 */
const ROLE_NAMES = {
  date:
    'date|time|datetime|(paid|payment|completed)(date|at|on)|date(paid|completed) ' +
    '(post(ed|ing)?|created)(date|at|on)|date(posted|created) (val(ue)?|settle(d|ment))date',
  // The amount beside the one that was paid is the one that was asked for.
  amount: `${CREDIT} amountpaid|paidamount amount (settled|settlement|net)amount|amountsettled|debitcredit|creditdebit`,
  debit: '(settlement)?(debit|dr|withdrawal|outflow)s?(amount|amt)?|(money|paid)out',
  side: '(entry)?type|((cr|dr|credit|debit){2}|[cd]{2}|direction)(indicator|flag)?',
  currency: 'currency(code)?',
  status: '(payment)?status',
  text: '.*(narrat(ion|ive)|remarks?|description|details?|particulars)',
  reference: '.*(reference|ref)(no|number|id)? (payment|session)?id|rrn',
  // Not guessed: the gross amount includes it.
  fee: '-',
};
type Role = keyof typeof ROLE_NAMES;

const isCalled = (column: string, names: string): boolean => {
  const plain = bareName(column.replace(CURRENCY_IN_NAME, '').replaceAll(/[^\p{L}\p{N}]/gu, ''));
  return new RegExp(`^(?:${names})$`).test(plain.replace(/^(?:transaction|trans?|txn)(?=.)/, ''));
};

/** True if a column that an option names holds money in alone. */
export const isCreditColumn = (name = ''): boolean => isCalled(name, CREDIT);

/** The columns for a role: the one that is named so, or without a name those whose names fit, the best first. */
const roleColumns = (role: Role, columns: readonly string[], name: string | undefined): readonly string[] => {
  if (name !== undefined) {
    const same = columns.filter((column) => bareName(column) === bareName(name));
    return same.includes(name) ? [name] : same.slice(0, 1);
  }
  const read = columns.filter((column) => !column.startsWith(REPORT_PREFIX));
  return ROLE_NAMES[role].split(' ').flatMap((names) => read.filter((column) => isCalled(column, names)));
};

/** True for names with a date column and an amount column. A row of sums is no header. */
const isHeader = (names: readonly string[], given: StatementOptions['columns']): boolean =>
  (['date', 'amount'] as const).every((role) =>
    [given[role], undefined].some((name) => roleColumns(role, names, name).length > 0),
  ) && !names.some((name) => /\d/.test(name) && writtenAmount(name, 'NGN') !== undefined);

/** The text of a cell, without the apostrophe that marks a text in a spreadsheet; a number of NDJSON as written. */
const textOfCell = (value: unknown): string => fromSpreadsheet(String(value ?? '').trim()).replace(/^'/, '');

/** The side of a line in words. The group finds money out. */
const SIDE = /^(?:(d|dr|debit|withdrawal|out(?:flow|ward)?)|c|cr|credit|deposit|in(?:flow|ward)?)\.?$/i;

const missing = (columns: readonly string[], name: string, hint: string): InputError =>
  new InputError(`no column ${name} (found: ${firstFew(columns.map(cutName))})`, hint);

/** Chooses the columns by the options, the names and the contents. */
const findColumns = (names: readonly string[], rows: readonly InputRow[], options: StatementOptions) => {
  const { columns: given, zone } = options;
  const found = (role: Role): readonly string[] => {
    const [name, columns] = [given[role], roleColumns(role, names, given[role])];
    if (name === undefined || columns.length > 0) return columns;
    throw missing(names, name, `name the column with --${role}-column, as the file writes it`);
  };
  const fitting = (role: Role, fits: (text: string) => boolean): readonly string[] =>
    found(role).filter((name) => rows.some(({ fields }) => fits(textOfCell(fields[name]))));
  const dates = fitting('date', (text) => writtenDays(text, zone) !== undefined);
  // A column of amounts that is named alone is the only one: a statement may be compared for its credits.
  const debits = given.amount !== undefined && given.debit === undefined ? [] : found('debit');
  const sides = debits.length > 0 ? [] : fitting('side', (text) => SIDE.test(text));
  return {
    date: [...dates, ...found('date')].slice(0, 1),
    amount: found('amount').slice(0, 1),
    debit: debits.slice(0, 1),
    side: sides.slice(0, 1),
    currency: found('currency'),
    status: found('status'),
    text: found('text'),
    reference: found('reference'),
    fee: found('fee'),
  };
};
type Columns = ReturnType<typeof findColumns>;

const quoted = (text: string): string => JSON.stringify(cutName(text));

/** Statuses of rows that brought money. */
const PAID_STATUS = /^(?:success\w*|completed?|(?:over|partially_)?paid|settled|approved|processed|posted)$/i;

/** Labels of rows of sums, which have amounts, but no date. */
const SUM_ROW = /(?:\b|sub)totals?\b|\bbalance\b|\b(?:brought|carried) forward\b|\b[bc]\/?f\b/i;

/** The currency in a title such as `Currency: USD`. */
const CURRENCY_TITLE = /(?:^|[",;\t])\s*(?:account )?currency(?: code)?"?\s*[:,;\t][\s":,;]*([^",;\t\r\n]+)/im;

/** A line before the whole file has told the order of day and month. */
type DatedLine = Omit<StatementLine, 'day'> & { readonly days: NonNullable<ReturnType<typeof writtenDays>> };

/** The cells of a row by what they hold. */
const rowCells = ({ number, fields }: InputRow, columns: Columns, currency: string, fail: Fail) => {
  const texts = (role: Role): readonly string[] =>
    columns[role].map((name) => textOfCell(fields[name])).filter((text) => text !== '');
  const text = (role: Role): string => texts(role)[0] ?? '';
  const amount = (role: Role) => writtenAmount(text(role), currency);
  const wrong = (role: Role, what: string, hint = `correct the cell, or name another column with --${role}-column`) =>
    fail(number, columns[role][0], what, hint);
  /** The amount in the minor unit. */
  const minor = (role: Role): number => {
    const { minor = Number.NaN, isUnclear = false } = amount(role) ?? {};
    if (Number.isSafeInteger(minor)) return minor;
    const unclear = 'has two meanings: its point may separate thousands; write decimals, such as 5,000.00';
    throw wrong(role, `${quoted(text(role))} ${isUnclear ? unclear : `is not an amount in ${currency}`}`);
  };
  return { texts, text, amount, minor, wrong };
};

/** Makes the reader of rows: a line, or the reason why a row is none. Throws for a row that can't be understood. */
const lineReader = (columns: Columns, titles: string, { currency, zone }: StatementOptions, fail: Fail) => {
  const [amountColumn = ''] = columns.amount;
  const [, inName = []] = CURRENCY_IN_NAME.exec(amountColumn) ?? [];
  const inTitles = CURRENCY_TITLE.exec(titles)?.[1] ?? currency;

  return (row: InputRow): DatedLine | string => {
    const { texts, text, amount, minor, wrong } = rowCells(row, columns, currency, fail);

    const unpaid = texts('status').find((status) => !PAID_STATUS.test(status));
    if (unpaid !== undefined) return `with the status ${cutName(unpaid)}`;

    const [date, side] = [text('date'), text('side')];
    const days = writtenDays(date, zone);
    const sums = (['amount', 'debit'] as const).filter((role) => amount(role)?.minor !== 0);
    const labels = date === '' ? Object.values(row.fields).map(textOfCell) : [date];
    const isOfSums = days === undefined && (!sums.some(amount) || labels.some((label) => SUM_ROW.test(label)));
    const [sum, another] = sums;
    if (sum === undefined || isOfSums) return 'without a date or an amount';
    if (days === undefined) {
      const noDate = 'the date is missing; a row of sums needs a word such as Total';
      throw wrong('date', date === '' ? noDate : `${quoted(date)} is not a date`);
    }

    const own = [amount(sum)?.currency ?? [], texts('currency'), inName].flat();
    const other = (own.length > 0 ? own : [inTitles]).map(currencyCode).find((code) => code !== currency);
    if (other !== undefined) return `in ${other}`;

    if (another !== undefined) throw wrong('debit', `the row has an amount in ${quoted(amountColumn)}, too`);
    const [known, out] = SIDE.exec(side) ?? [];
    if (columns.side.length > 0 && known === undefined) {
      throw wrong('side', `${quoted(side)} is neither credit nor debit`, 'correct the cell, or rename the column');
    }
    const [signed, isOut] = [minor(sum), sum === 'debit' || out !== undefined];
    return {
      number: row.number,
      days,
      amount: isOut ? -Math.abs(signed) : signed,
      fee: text('fee') === '' ? undefined : Math.abs(minor('fee')),
      references: texts('reference'),
      text: [...texts('text'), ...texts('reference')].join('\n'),
      fields: row.fields,
    };
  };
};

/** Gives each line its day, in the order of day and month that one date tells. */
const inOrder = (dated: readonly DatedLine[], column: string, given: DateOrder | undefined, fail: Fail) => {
  // Rows that are no lines tell nothing: a report has none, and must be read alike.
  const clear = dated.find(({ days: { dmy, mdy } }) => dmy === undefined || mdy === undefined);
  const order = given ?? (clear && (clear.days.dmy === undefined ? 'mdy' : 'dmy'));
  const word = order && { dmy: 'day first', mdy: 'month first' }[order];
  const lines = dated.map(({ days, ...line }): StatementLine => {
    const day = order === undefined && days.dmy !== days.mdy ? undefined : days[order ?? 'dmy'];
    if (day !== undefined) return { ...line, day };
    const unclear = 'has two meanings, and no date of the file has a day above 12';
    const what = word === undefined ? unclear : `is not a date with the ${word}`;
    const hint = 'add --date-order dmy if the day is first, or --date-order mdy; or correct the cell';
    throw fail(line.number, column, `${quoted(textOfCell(line.fields[column]))} ${what}`, hint);
  });
  return { lines, order: word };
};

/** Reads a statement. Throws a usage error unless each row can be understood. */
export const readStatement = async (file: Parameters<typeof openInput>[0], options: StatementOptions) => {
  const input = await openInput({ ...file, isHeader: (names) => isHeader(names, options.columns) });
  try {
    if (!isHeader(input.columns, options.columns)) {
      const hint = 'name both with --date-column and --amount-column, as the file writes them';
      throw missing(input.columns, 'with dates beside one with amounts', hint);
    }
    const rows: InputRow[] = [];
    for await (const row of input.rows()) rows.push(row);
    // A row of NDJSON may have other members than the first.
    const names = [...new Set([...input.columns, ...rows.flatMap(({ fields }) => Object.keys(fields))])];
    const columns = findColumns(names, rows, options);
    const fail = failIn(file.name, '');
    const read = rows.map(lineReader(columns, input.titles, options, fail));
    const dated = read.filter((one) => typeof one !== 'string');
    const { order, lines } = inOrder(dated, columns.date[0] ?? '', options.dateOrder, fail);

    const shown = Object.entries(columns).flatMap(([role, found]) => {
      const word = role === 'amount' && columns.debit.length > 0 ? 'credit' : role;
      return found.length === 0 ? [] : `${word} ${found.map(quoted).join(' and ')}`;
    });
    const columnNotice = `Columns: ${shown.join(', ')}${order === undefined ? '' : `; ${order}`}`;
    const reasons = [...new Set(read.filter((one) => typeof one === 'string'))];
    const left = reasons.map((reason) => {
      const [count, first] = [read.filter((one) => one === reason).length, rows[read.indexOf(reason)]?.number];
      return count === 1 ? `1 row ${reason} (row ${first})` : `${count} rows ${reason} (the first is row ${first})`;
    });
    const days = lines.map(({ day }) => day).sort();
    const [first] = days;
    if (first === undefined) {
      const why = left.join(', ') || 'no row is below the header';
      const [, other] = /\bin ([A-Z]{3}) \(/.exec(why) ?? [];
      const message = `${file.name} has no lines in ${options.currency}: ${why}`;
      throw new InputError(message, other ? `add --currency ${other}` : `check the columns: ${columnNotice}`);
    }
    const notices = [columnNotice, ...(left.length === 0 ? [] : [`Left out: ${left.join(', ')}`])];
    return { ...input, columns: names, notices, days: { first, last: days.at(-1) ?? first }, lines };
  } finally {
    await input.close();
  }
};

/** A statement that was read. Its columns and format suit the report of a file of rows. */
export type BankStatement = Awaited<ReturnType<typeof readStatement>>;

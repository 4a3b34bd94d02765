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
  currencyOf,
  type DateOrder,
  dayOf,
  isBlankAmount,
  type Mark,
  markIn,
  minorOf,
  orderIn,
  writtenAmount,
  writtenDate,
} from './statement-cells.ts';

/** A line of a statement: money that came in or went out. */
export interface StatementLine {
  /** The number of the row below the header, as errors count them: the first is 1. */
  readonly number: number;
  /** `2026-11-25`: as written, or in the zone of the command if the file names an offset. */
  readonly day: string;
  /** In the minor unit, a safe integer other than 0. Money out is negative. */
  readonly amount: number;
  /** Always the currency of the options: lines in another one are left out, with a notice. */
  readonly currency: string;
  /** In the minor unit, never negative; undefined without --fee-column, and for an empty cell. */
  readonly fee: number | undefined;
  /** The cells of the reference columns that aren't empty: a provider's export has several. */
  readonly references: readonly string[];
  /** The narration and the references, one a line: what may name a payment. */
  readonly text: string;
  /** The row as read, for a report. */
  readonly fields: InputRow['fields'];
}

/**
 * Names of columns by what they hold, the best first, in small letters without blanks, points and what is in
 * parentheses: those of Nigerian banks and of the exports of Paystack and Flutterwave, and their variants.
 */
const NAMES = {
  date: [
    /^(?:tran|trans|txn|transaction)date(?:time)?$/,
    /^(?:paid(?:at|on)|datepaid|payment(?:date|time))$/,
    /^date(?:time)?$/,
    /^(?:post(?:ed|ing)?date|dateposted|entrydate)$/,
    /^(?:created(?:at|on|date)?|datecreated)$/,
    /^settle(?:d|ment)(?:date|at|on)$/,
    /^val(?:ue)?date$/,
  ],
  credit: [/^(?:credits?|cr|deposits?|lodge?ments?|moneyin|paidin|inflow)(?:amounts?|amt)?$/],
  debit: [/^(?:debits?|dr|withdrawals?|moneyout|paidout|outflow)(?:amounts?|amt)?$/],
  amount: [
    /^am(?:oun)?t$/,
    /^(?:transaction|trans|tran|txn|gross|total)am(?:oun)?t$|^am(?:oun)?t(?:paid|received)$/,
    /^(?:crdr|drcr|debitcredit|creditdebit)$/,
    /^(?:settle(?:d|ment)|net)am(?:oun)?t$|^am(?:oun)?tsettled$/,
  ],
  side: [/^(?:cr|dr|c|d|credit|debit){2}$/, /(?:type|direction|indicator|sign)$/],
  currency: [/^(?:transaction)?(?:currency|ccy|cur)(?:code)?$/],
  status: [/^(?:transaction|payment|settlement)?status$/],
  text: [/(?:narration|narrative|remarks?|descriptions?|details|particulars|memo|comments?)$/],
  reference: [/(?:reference|ref)(?:no|number|id|code)?$/, /^(?:tran|trans|txn|transaction|session|payment)?id$|^rrn$/],
  /** Never guessed: what is paid out without its fee agrees with no payment, and the gross amount needs none. */
  fee: [],
} as const satisfies Readonly<Record<string, readonly RegExp[]>>;
type Role = keyof typeof NAMES;
const ROLES = Object.keys(NAMES) as readonly Role[];

/** The columns that options name: `amount` holds signed amounts, or the credits if `debit` is named too. */
export type StatementColumns = Readonly<
  Partial<Record<'amount' | 'debit' | 'date' | 'text' | 'reference' | 'fee', string | undefined>>
>;

export interface StatementOptions {
  readonly columns: StatementColumns;
  readonly currency: string;
  readonly zone: Zone;
  readonly dateOrder?: DateOrder | undefined;
}

/** An open statement. Its columns and format suit the report of a file of rows. */
export interface Statement extends Pick<RowsFile, 'columns' | 'format' | 'delimiter' | 'hasBom' | 'isAt' | 'close'> {
  /** What was guessed and what was left out, for people: `Columns: …`. */
  readonly notices: readonly string[];
  /** The first and the last day. */
  readonly days: { readonly first: string; readonly last: string };
  /** All lines in the order of the file, read again for each walk. */
  lines(): AsyncIterable<StatementLine>;
}

/** Columns that a report of matches adds begin with this, and are never guessed: a report can be read again. */
export const REPORT_PREFIX = 'ledger_';

const plainName = (name: string): string => bareName(name.replace(/\(.*\)/, '')).replaceAll(/[^\p{L}\p{N}]/gu, '');

/** The columns whose names fit a role, the best first. Their order in the file doesn't count. */
const guessed = (columns: readonly string[], role: Role): readonly string[] => {
  const rank = (name: string): number => NAMES[role].findIndex((form) => form.test(plainName(name)));
  return columns
    .filter((name) => !name.startsWith(REPORT_PREFIX) && rank(name) !== -1)
    .sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
};

const columnNamed = (columns: readonly string[], name: string): string | undefined =>
  columns.find((column) => column === name) ?? columns.find((column) => bareName(column) === bareName(name));

/** Finds the first row that has the named columns, or a date column and an amount column by name. */
const headerOf =
  ({ date, amount, debit = amount }: StatementColumns): IsHeader =>
  (names) => {
    const has = (name: string | undefined, ...roles: Role[]): boolean =>
      name === undefined
        ? roles.some((role) => guessed(names, role).length > 0)
        : columnNamed(names, name) !== undefined;
    return has(date, 'date') && has(amount, 'amount', 'credit') && has(debit, 'amount', 'credit');
  };

/** The text of a cell, without the apostrophe that marks a text in a spreadsheet; a number of NDJSON as written. */
const cellText = (value: unknown): string =>
  typeof value === 'string' ? fromSpreadsheet(value.trim()).replace(/^'/, '') : String(value ?? '');

/** Statuses of rows that brought no money. */
const FAILED = /^(?:un|not)|fail|abandon|cancel|declin|reject|pending|process|revers|expire|error|initiat/i;

/** What a cell of a column is: false if it doesn't fit, a word if it tells something, else true. */
type Look = (text: string) => boolean | DateOrder | Mark | 'any' | 'unclear' | 'failed';

const lookAtAmount: Look = (text) => {
  const digits = writtenAmount(text)?.digits;
  if (digits === undefined) return isBlankAmount(text);
  return !/[1-9]/.test(digits) || (markIn(digits) ?? 'any');
};

const LOOKS: Readonly<Partial<Record<Role, Look>>> = {
  date: (text) => {
    const date = writtenDate(text);
    return date !== undefined && (orderIn(date) ?? 'any');
  },
  credit: lookAtAmount,
  debit: lookAtAmount,
  amount: lookAtAmount,
  side: (text) => /^(?:c|cr|credit|d|dr|debit)$/i.test(text),
  currency: (text) => /^[a-z]{3}$/i.test(text),
  status: (text) => !FAILED.test(text) || 'failed',
};

/** The columns of a statement by role, and how it writes dates and amounts, as far as it tells. */
interface Layout {
  readonly columns: Readonly<Record<Role, readonly string[]>>;
  readonly order: DateOrder | undefined;
  readonly mark: Mark | undefined;
}

/** The columns for each role by the options and the names, the best first. */
const openColumns = (columns: readonly string[], given: StatementColumns) => {
  const { amount, debit, ...others } = given;
  // A column of amounts that is named alone is the only one: a statement may be compared for its credits.
  const sums = amount === undefined ? { debit } : debit === undefined ? { amount } : { credit: amount, debit };
  const named: Readonly<Partial<Record<Role, string | undefined>>> = { ...sums, ...others };
  return ROLES.flatMap((role) => {
    const name = named[role];
    const isOut = amount !== undefined && ['amount', 'credit', 'debit'].includes(role);
    const found = name === undefined ? (isOut ? [] : guessed(columns, role)) : [columnNamed(columns, name)];
    return found.map((column) => {
      if (column === undefined) throw missing(columns, `${name}`, role === 'credit' ? 'amount' : role);
      return { role, name: column, filled: 0, fitting: 0 };
    });
  });
};

const missing = (columns: readonly string[], name: string, role: string): PayError =>
  missingColumn(columns, { name, aliases: [] }, '').with({
    hint: `name the column with --${role}-column, as the file writes it`,
  });

/** Chooses the columns by their contents, too. Reads the whole file once. */
const layoutOf = async (input: RowsFile, { columns: given, dateOrder }: StatementOptions): Promise<Layout> => {
  const open = openColumns(input.columns, given);
  let order = dateOrder;
  let mark: Mark | undefined = input.format === 'ndjson' ? '.' : undefined;
  for await (const { fields } of input.rows()) {
    const told = new Set<string>();
    for (const column of open) {
      const text = cellText(fields[column.name]);
      if (text === '') continue;
      const look = LOOKS[column.role]?.(text) ?? true;
      column.filled += 1;
      if (look !== false) column.fitting += 1;
      if (typeof look === 'string') told.add(column.role).add(look);
    }
    // Only lines tell how the file is written: a report has no other rows, and must be read alike.
    const isMoney = (['amount', 'credit', 'debit'] as const).some((role) => told.has(role));
    if (!told.has('date') || !isMoney || told.has('failed')) continue;
    order ??= (['dmy', 'mdy'] as const).find((way) => told.has(way));
    mark ??= (['.', ','] as const).find((way) => told.has(way));
  }

  const all = (role: Role) => open.filter((column) => column.role === role);
  const fitting = (role: Role, least = 1) =>
    all(role).filter((column) => column.fitting >= least && 2 * column.fitting >= column.filled);
  const either = (...choices: readonly (typeof open)[]) => choices.find((columns) => columns.length > 0) ?? [];
  // On a day without debits, their column is empty.
  const [credit, debit] = [fitting('credit', 0), fitting('debit', 0)];
  const isPair = credit.length > 0 && debit.length > 0;
  const date = either(fitting('date'), all('date'));
  const amount = either(fitting('amount'), credit, all('amount'));
  if (date.length === 0) throw missing(input.columns, 'with dates', 'date');
  if (amount.length === 0) throw missing(input.columns, 'with amounts', 'amount');
  const one = (columns: typeof open): readonly string[] => columns.slice(0, 1).map(({ name }) => name);
  const every = (role: Role): readonly string[] => all(role).map(({ name }) => name);
  return {
    columns: {
      date: one(date),
      ...(isPair
        ? { credit: one(credit), debit: one(debit), amount: [], side: [] }
        : { credit: [], debit: [], amount: one(amount), side: one(fitting('side')) }),
      currency: one(fitting('currency')),
      status: one(all('status')),
      text: every('text'),
      reference: every('reference'),
      fee: every('fee'),
    },
    order,
    mark,
  };
};

const ORDERS = { dmy: 'day first', mdy: 'month first' };

/** Names the column of each role, for people. */
const layoutNotice = ({ columns, order }: Layout): string => {
  const shown = ROLES.filter((role) => columns[role].length > 0).map(
    (role) => `${role} ${columns[role].map((name) => JSON.stringify(cutName(name))).join(' and ')}`,
  );
  return `Columns: ${shown.join(', ')}${order === undefined ? '' : `; ${ORDERS[order]}`}`;
};

/** Rows of sums have amounts, but no date. */
const SUM = /\b(?:totals?|balance|brought forward|carried forward|sum)\b|\b[bc]\/?f\b/i;

const NO_LINE = 'without a date or an amount';

/** Makes the reader of rows: a line, or the reason why a row is none. Throws for a row that can't be understood. */
const lineReader = ({ columns, order, mark }: Layout, { currency, zone }: StatementOptions, fail: Fail) => {
  const [paidIn] = [...columns.credit, ...columns.amount];
  const inHeader = /\(([A-Z]{3}|[₦$£€])\)\s*$/.exec(paidIn ?? '')?.[1];
  const quoted = (text: string): string => JSON.stringify(cutName(text));

  const minorIn = (number: number, column: string | undefined, text: string): number => {
    const { digits = '', negative = false } = writtenAmount(text) ?? {};
    const minor = minorOf(digits, mark ?? '.', currency);
    if (isBlankAmount(text)) return 0;
    if (mark === undefined && markIn(digits) === 'unclear') {
      const [one, other] = ([',', '.'] as const).map((way) =>
        formatMoney(minorOf(digits, way, currency) ?? 0, currency),
      );
      const what = `${quoted(text)} has two meanings, ${one} and ${other}, and no amount of the file tells which`;
      throw fail(number, column, what, 'write the amounts with decimals, such as 5,000.00');
    }
    if (minor !== undefined) return negative ? -minor : minor;
    const like = mark === ',' ? ', as others are, with a decimal comma' : '';
    const what = spoiltWords(text, '') ?? `${quoted(text)} is not an amount in ${currency}${like}`;
    throw fail(number, column, what, 'correct the cell, or name another column');
  };

  const dateFault = (number: number, text: string): Error => {
    const what =
      text === ''
        ? 'the date is missing'
        : `${quoted(text)} is not a date${order === undefined ? '' : ` with the ${ORDERS[order]}`}`;
    const hint =
      'correct the cell, or name another column with --date-column; a row of sums needs a word such as Total';
    return fail(number, columns.date[0], what, hint);
  };

  return ({ number, fields }: InputRow): StatementLine | string => {
    const texts = (role: Role): readonly string[] =>
      columns[role].map((column) => cellText(fields[column])).filter((text) => text !== '');
    const [written = '', side = '', status = '', debit = '', fee = ''] = (
      ['date', 'side', 'status', 'debit', 'fee'] as const
    ).map((role) => texts(role)[0]);
    if (FAILED.test(status)) return `with the status ${status}`;
    const amountText = cellText(fields[paidIn ?? '']);
    const date = writtenDate(written);
    const day = date && dayOf(date, order ?? 'dmy', zone);
    const money = writtenAmount(amountText) ?? writtenAmount(debit);
    if (date === undefined || day === undefined) {
      if (money === undefined || Object.values(fields).some((value) => SUM.test(cellText(value)))) return NO_LINE;
      throw dateFault(number, written);
    }
    const its = currencyOf((money?.currency ?? texts('currency')[0] ?? inHeader ?? currency).toUpperCase());
    if (its !== currency) return `in ${its}`;
    const [received, spent] = [minorIn(number, paidIn, amountText), minorIn(number, columns.debit[0], debit)];
    if (received !== 0 && spent !== 0) {
      const what = `the row has an amount in ${quoted(`${paidIn}`)}, too`;
      throw fail(
        number,
        columns.debit[0],
        what,
        'a line is either money in or money out: correct it, or name the columns',
      );
    }
    const amount = spent !== 0 || /^d/i.test(side) ? -Math.abs(spent || received) : received;
    if (amount === 0) return NO_LINE;
    if (order === undefined && orderIn(date) === 'unclear') {
      const what = `${quoted(written)} has two meanings, and no date of the file has a day above 12`;
      throw fail(number, columns.date[0], what, 'add --date-order dmy if the day is first, or --date-order mdy');
    }
    const references = texts('reference');
    return {
      number,
      day,
      amount,
      currency,
      fee: isBlankAmount(fee) ? undefined : Math.abs(minorIn(number, columns.fee[0], fee)),
      references,
      text: [...texts('text'), ...references].join('\n'),
      fields,
    };
  };
};

/** The rows that are no lines, by reason. */
const leftOutText = (leftOut: ReadonlyMap<string, { readonly count: number; readonly first: number }>): string =>
  [...leftOut]
    .map(([reason, { count, first }]) =>
      count === 1 ? `1 row ${reason} (row ${first})` : `${count} rows ${reason} (the first is row ${first})`,
    )
    .join(', ');

type StatementInput = Parameters<typeof openInput>[0];

/** Opens a statement, and reads it once. Throws an InputError unless each row can be understood. */
export const openStatement = async (file: StatementInput, options: StatementOptions): Promise<Statement> => {
  const input = await openInput({ ...file, isHeader: headerOf(options.columns) });
  try {
    const layout = await layoutOf(input, options);
    const read = lineReader(layout, options, failIn(file.name, ''));
    const leftOut = new Map<string, { readonly count: number; readonly first: number }>();
    const days = new Set<string>();
    for await (const row of input.rows()) {
      const line = read(row);
      if (typeof line === 'string') {
        const { count, first } = leftOut.get(line) ?? { count: 0, first: row.number };
        leftOut.set(line, { count: count + 1, first });
      } else {
        days.add(line.day);
      }
    }
    const [first, last = first] = [...days].sort().filter((_, at) => at === 0 || at === days.size - 1);
    const notices = [layoutNotice(layout), ...(leftOut.size === 0 ? [] : [`Left out: ${leftOutText(leftOut)}`])];
    if (first === undefined || last === undefined) {
      const why = leftOut.size === 0 ? 'no row is below the header' : leftOutText(leftOut);
      const [other] = [...leftOut.keys()].filter((reason) => reason.startsWith('in '));
      const hint =
        other === undefined ? `check the columns: ${notices[0]}` : `add --currency ${other.slice('in '.length)}`;
      throw new InputError(`${file.name} has no lines in ${options.currency}: ${why}`, hint);
    }
    async function* lines(): AsyncGenerator<StatementLine> {
      for await (const row of input.rows()) {
        const line = read(row);
        if (typeof line !== 'string') yield line;
      }
    }
    return { ...input, notices, days: { first, last }, lines };
  } catch (thrown) {
    await input.close();
    throw thrown;
  }
};

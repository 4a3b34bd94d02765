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

/** The columns that options name. */
export interface StatementColumns {
  /** Signed amounts, or the credits if there is a debit column. */
  readonly amount?: string | undefined;
  readonly debit?: string | undefined;
  readonly date?: string | undefined;
  readonly text?: string | undefined;
  readonly reference?: string | undefined;
  readonly fee?: string | undefined;
}

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

/**
 * Names of columns, the best first, in small letters without blanks, points and what is in parentheses: those of
 * Nigerian banks and of the exports of Paystack and Flutterwave, and their usual variants.
 */
const NAMES = {
  date: [
    /^(?:tran|trans|txn|transaction)date(?:time)?$/,
    /^(?:paid(?:at|on)|datepaid|payment(?:date|time))$/,
    /^(?:date|datetime|date&?time)$/,
    /^(?:post(?:ed|ing)?date|dateposted|entrydate)$/,
    /^(?:created(?:at|on)?|datecreated|createddate)$/,
    /^(?:settle(?:d|ment)(?:date|at|on))$/,
    /^val(?:ue)?date$/,
  ],
  credit: [/^(?:credits?|cr|deposits?|lodge?ments?|moneyin|paidin|inflow)(?:amounts?|amt)?$/, /^amountcredited$/],
  debit: [/^(?:debits?|dr|withdrawals?|moneyout|paidout|outflow)(?:amounts?|amt)?$/, /^amountdebited$/],
  amount: [
    /^am(?:oun)?t$/,
    /^(?:transaction|trans|tran|txn|gross|total)am(?:oun)?t$|^am(?:oun)?t(?:paid|received)$/,
    /^(?:crdr|drcr|debitcredit|creditdebit)$/,
    /^(?:settle(?:d|ment)|net)am(?:oun)?t$|^am(?:oun)?tsettled$/,
  ],
  direction: [/^(?:cr|dr|c|d|credit|debit)(?:cr|dr|c|d|credit|debit)$/, /(?:type|direction|indicator|sign)$/],
  currency: [/^(?:transaction)?(?:currency|ccy|cur)(?:code)?$/],
  status: [/^(?:transaction|payment|settlement)?status$/],
  text: [/(?:narration|narrative|remarks?|descriptions?|details|particulars|memo|comments?)$/],
  reference: [/(?:reference|ref)(?:no|number|id|code)?$/, /^(?:tran|trans|txn|transaction|session|payment)?id$|^rrn$/],
} as const satisfies Readonly<Record<string, readonly RegExp[]>>;
type Role = keyof typeof NAMES;

const plainName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\(.*\)/, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** The columns whose names fit a role, the best first. Their order in the file doesn't count. */
const candidates = (columns: readonly string[], role: Role): readonly string[] => {
  const rank = (name: string): number => NAMES[role].findIndex((form) => form.test(plainName(name)));
  return columns
    .filter((name) => !name.startsWith(REPORT_PREFIX) && rank(name) !== -1)
    .sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
};

const columnNamed = (columns: readonly string[], name: string): string | undefined =>
  columns.find((column) => column === name) ?? columns.find((column) => bareName(column) === bareName(name));

/** Finds the first row that has the named columns, or a date column and an amount column by name. */
const headerOf =
  ({ date, amount, debit }: StatementColumns): IsHeader =>
  (names) => {
    const isThere = (name: string | undefined, ...roles: Role[]): boolean =>
      name === undefined
        ? roles.some((role) => candidates(names, role).length > 0)
        : columnNamed(names, name) !== undefined;
    return isThere(date, 'date') && isThere(amount, 'amount', 'credit') && (debit === undefined || isThere(debit));
  };

/** The text of a cell. Numbers of NDJSON are as written. */
const cellText = (value: unknown): string => {
  if (typeof value === 'string') return fromSpreadsheet(value.trim());
  return value === undefined || value === null ? '' : String(value);
};

const isAmount = (text: string): boolean => isBlankAmount(text) || writtenAmount(text) !== undefined;

/** What the cells of a column with a role look like; the other roles go by the name alone. */
const FITS = {
  date: (text: string): boolean => writtenDate(text) !== undefined,
  credit: isAmount,
  debit: isAmount,
  amount: isAmount,
  direction: (text: string): boolean => /^(?:c|cr|credit|d|dr|debit)$/i.test(text),
  currency: (text: string): boolean => /^[a-z]{3}$/i.test(text),
};

/** The columns of a statement, and how it writes dates and amounts, as far as it tells. */
interface Layout {
  readonly date: string;
  readonly amount: string;
  readonly debit: string | undefined;
  readonly direction: string | undefined;
  readonly fee: string | undefined;
  readonly currency: string | undefined;
  readonly status: string | undefined;
  readonly texts: readonly string[];
  readonly references: readonly string[];
  readonly order: DateOrder | undefined;
  readonly mark: Mark | undefined;
}

const missing = (columns: readonly string[], name: string, flag: string): PayError =>
  missingColumn(columns, { name, aliases: [] }, '').with({
    hint: `name the column with ${flag}, as the file writes it`,
  });

/** Statuses of lines that brought no money. */
const FAILED = /^(?:un|not)|fail|abandon|cancel|declin|reject|pending|process|revers|expire|error|initiat/i;

/** The first clue; undefined if there is none. */
const clueIn = <T>(clues: readonly (T | 'unclear' | undefined)[]): T | undefined =>
  clues.find((clue): clue is T => clue !== undefined && clue !== 'unclear');

/** Chooses the columns by the options, the names and the contents. Reads the whole file once. */
const layoutOf = async (input: RowsFile, { columns: given, dateOrder }: StatementOptions): Promise<Layout> => {
  const all = input.columns;
  const named = (role: keyof StatementColumns): string | undefined => {
    const name = given[role];
    const column = name === undefined ? undefined : columnNamed(all, name);
    if (name !== undefined && column === undefined) throw missing(all, name, `--${role}-column`);
    return column;
  };
  const open = (role: keyof typeof FITS, column?: string) =>
    (column === undefined ? candidates(all, role) : [column]).map((name) => ({
      name,
      fits: FITS[role],
      filled: 0,
      fitting: 0,
    }));
  const [amount, debit] = [named('amount'), named('debit')];
  const dates = open('date', named('date'));
  const [singles, credits] = [open('amount', amount), amount === undefined ? open('credit') : []];
  const debits = amount === undefined || debit !== undefined ? open('debit', debit) : [];
  const [directions, currencies] = [open('direction'), open('currency')];
  const amounts = [...singles, ...credits, ...debits];
  const [status] = candidates(all, 'status');

  let order = dateOrder;
  let mark: Mark | undefined = input.format === 'ndjson' ? '.' : undefined;
  for await (const { fields } of input.rows()) {
    const textIn = ({ name }: { readonly name: string }): string => cellText(fields[name]);
    for (const column of [...dates, ...amounts, ...directions, ...currencies]) {
      const text = textIn(column);
      if (text !== '') column.filled += 1;
      if (text !== '' && column.fits(text)) column.fitting += 1;
    }
    // Only lines tell how the file is written: a report has no other rows, and must be read alike.
    if (status !== undefined && FAILED.test(textIn({ name: status }))) continue;
    const days = dates
      .map(textIn)
      .map(writtenDate)
      .filter((day) => day !== undefined);
    const sums = amounts
      .map((column) => writtenAmount(textIn(column))?.digits ?? '')
      .filter((sum) => /[1-9]/.test(sum));
    if (days.length === 0 || sums.length === 0) continue;
    order ??= clueIn(days.map(orderIn));
    mark ??= clueIn(sums.map(markIn));
  }

  const good = (columns: typeof dates, least = 1): string | undefined =>
    columns.find(({ filled, fitting }) => fitting >= least && 2 * fitting >= filled)?.name;
  // On a day without debits, their column is empty.
  const [credit, paidOut] = [good(credits, 0), good(debits, 0)];
  const isPair = credit !== undefined && paidOut !== undefined;
  const date = good(dates) ?? dates[0]?.name;
  const paidIn = isPair ? credit : (good(singles) ?? credit ?? singles[0]?.name);
  if (date === undefined) throw missing(all, 'with dates', '--date-column');
  if (paidIn === undefined) throw missing(all, 'with amounts', '--amount-column');
  const [texts, references] = (['text', 'reference'] as const).map((role) => {
    const column = named(role);
    return column === undefined ? candidates(all, role) : [column];
  }) as [readonly string[], readonly string[]];
  return {
    date,
    amount: paidIn,
    debit: isPair || debit !== undefined ? paidOut : undefined,
    direction: isPair ? undefined : good(directions),
    fee: named('fee'),
    currency: good(currencies),
    status,
    texts,
    references,
    order,
    mark,
  };
};

const ORDERS = { dmy: 'day first', mdy: 'month first' };

/** Which column is what, for people. */
const layoutNotice = ({
  date,
  amount,
  debit,
  direction,
  fee,
  currency,
  status,
  texts,
  references,
  order,
}: Layout): string => {
  const parts: readonly (readonly [role: string, columns: readonly (string | undefined)[]])[] = [
    ['date', [date]],
    [debit === undefined ? 'amount' : 'credit', [amount]],
    ['debit', [debit]],
    ['credit or debit', [direction]],
    ['fee', [fee]],
    ['currency', [currency]],
    ['status', [status]],
    ['text', texts],
    ['reference', references],
  ];
  const shown = parts.flatMap(([role, columns]) => {
    const names = columns.filter((name) => name !== undefined).map((name) => JSON.stringify(cutName(name)));
    return names.length === 0 ? [] : [`${role} ${names.join(' and ')}`];
  });
  return `Columns: ${shown.join(', ')}${order === undefined ? '' : `; ${ORDERS[order]}`}`;
};

/** Rows of sums have amounts, but no date. */
const SUM = /\b(?:totals?|balance|brought forward|carried forward|sum)\b|\b[bc]\/?f\b/i;

const NO_LINE = 'without a date and an amount';

/** Makes the reader of rows: a line, or the reason why a row is none. Throws for a row that can't be understood. */
const lineReader = (layout: Layout, { currency, zone }: StatementOptions, fail: Fail) => {
  const inHeader = /\(([A-Z]{3}|[₦$£€])\)\s*$/.exec(layout.amount)?.[1];

  const minorIn = (number: number, column: string | undefined, text: string): number => {
    if (text === '') return 0;
    const written = writtenAmount(text);
    const { digits = '', negative = false } = written ?? {};
    if (layout.mark === undefined && markIn(digits) === 'unclear') {
      const [one, other] = ([',', '.'] as const).map((mark) =>
        formatMoney(minorOf(digits, mark, currency) ?? 0, currency),
      );
      const what = `${JSON.stringify(text)} has two meanings, ${one} and ${other}, and no amount of the file tells which`;
      throw fail(number, column, what, 'write the amounts with decimals, such as 5,000.00');
    }
    const minor = minorOf(digits, layout.mark ?? '.', currency);
    if (minor !== undefined) return negative ? -minor : minor;
    const like = layout.mark === ',' ? ', as others are, with a decimal comma' : '';
    const what = spoiltWords(text, '') ?? `${JSON.stringify(cutName(text))} is not an amount in ${currency}${like}`;
    throw fail(number, column, what, 'correct the cell, or name another column');
  };

  const dateFault = (number: number, text: string): Error => {
    const inOrder = layout.order === undefined ? '' : ` with the ${ORDERS[layout.order]}`;
    const what = text === '' ? 'the date is missing' : `${JSON.stringify(cutName(text))} is not a date${inOrder}`;
    const hint =
      'correct the cell, or name another column with --date-column; a row of sums needs a word such as Total';
    return fail(number, layout.date, what, hint);
  };

  return ({ number, fields }: InputRow): StatementLine | string => {
    const at = (column: string | undefined): string => (column === undefined ? '' : cellText(fields[column]));
    const texts = (columns: readonly string[]): readonly string[] => columns.map(at).filter((text) => text !== '');
    if (FAILED.test(at(layout.status))) return `with the status ${at(layout.status)}`;
    const date = writtenDate(at(layout.date));
    const day = date && dayOf(date, layout.order ?? 'dmy', zone);
    const [paidIn = '', paidOut = ''] = [at(layout.amount), at(layout.debit)].map((text) =>
      isBlankAmount(text) ? '' : text,
    );
    if (day === undefined) {
      const isSum = Object.values(fields).some((value) => SUM.test(cellText(value)));
      if (isSum || (writtenAmount(paidIn) ?? writtenAmount(paidOut)) === undefined) return NO_LINE;
      throw dateFault(number, at(layout.date));
    }
    const money = writtenAmount(paidIn === '' ? paidOut : paidIn)?.currency ?? (at(layout.currency) || inHeader);
    const its = money === undefined ? currency : currencyOf(money.toUpperCase());
    if (its !== currency) return `in ${its}`;
    const [received, spent] = [minorIn(number, layout.amount, paidIn), minorIn(number, layout.debit, paidOut)];
    const isOut = spent !== 0 || /^d/i.test(at(layout.direction));
    const amount = isOut ? -Math.abs(spent || received) : received;
    if (amount === 0) return NO_LINE;
    if (received !== 0 && spent !== 0) {
      const what = `the row has an amount in ${JSON.stringify(cutName(layout.amount))}, too`;
      throw fail(number, layout.debit, what, 'a line is either money in or money out: correct it, or name the columns');
    }
    if (layout.order === undefined && date !== undefined && orderIn(date) === 'unclear') {
      const what = `${JSON.stringify(at(layout.date))} has two meanings, and no date of the file has a day above 12`;
      throw fail(number, layout.date, what, 'add --date-order dmy if the day is first, or --date-order mdy');
    }
    const references = texts(layout.references);
    const fee = at(layout.fee);
    return {
      number,
      day,
      amount,
      currency,
      fee: isBlankAmount(fee) ? undefined : Math.abs(minorIn(number, layout.fee, fee)),
      references,
      text: [...texts(layout.texts), ...references].join('\n'),
      fields,
    };
  };
};

/** The rows that are no lines, by reason. */
const leftOutText = (leftOut: ReadonlyMap<string, { readonly count: number; readonly first: number }>): string =>
  [...leftOut]
    .map(([reason, { count, first }]) =>
      count === 1 ? `row ${first} is ${reason}` : `${count} rows are ${reason} (the first is row ${first})`,
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
    let days: Statement['days'] | undefined;
    for await (const row of input.rows()) {
      const line = read(row);
      if (typeof line === 'string') {
        const { count, first } = leftOut.get(line) ?? { count: 0, first: row.number };
        leftOut.set(line, { count: count + 1, first });
      } else {
        const { day } = line;
        const { first, last } = days ?? { first: day, last: day };
        days = { first: day < first ? day : first, last: day > last ? day : last };
      }
    }
    const notices = [layoutNotice(layout), ...(leftOut.size === 0 ? [] : [`Left out: ${leftOutText(leftOut)}`])];
    if (days === undefined) {
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
    return { ...input, notices, days, lines };
  } catch (thrown) {
    await input.close();
    throw thrown;
  }
};

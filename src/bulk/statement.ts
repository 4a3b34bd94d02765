import { cutName } from '../core/bounds.ts';
import { currencyCode, formatMoney } from '../core/money.ts';
import type { Zone } from '../core/time.ts';
import { fieldsFrom, type InputRow } from './cells.ts';
import { type Fail, failIn, foreignNames, InputError, lineEnds } from './formats.ts';
import { type DateForm, type Layout, ROLES, type Role } from './layouts.ts';
import { openInput } from './read-file.ts';
import { REPORT_PREFIX } from './report.ts';
import { CURRENCY_IN_NAME, daysReader, hasAmountSigns, writtenAmount } from './statement-cells.ts';
import {
  amountColumns,
  bareTitle,
  type Columns,
  checkLayout,
  findColumns,
  isBooked,
  isHeader,
  isMinor,
  layoutOf,
  missing,
  type NamedColumns,
  refuseUnknownColumns,
  sideOf,
  type TitledColumn,
  textOfCell,
  titledColumns,
} from './statement-columns.ts';

/** A line of a statement: money that came in or went out. */
export interface StatementLine {
  /** The number of the row below the header, as in errors. */
  readonly number: number;
  /** The number of its first line in the file. */
  readonly line: number;
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
  /** Whole cells of digits in columns without a role: one may be the account that was paid. */
  readonly numbers: readonly string[];
  /** A cell such as `Closing Balance`: the line is no transaction unless it names a payment. */
  readonly label: string | undefined;
  /** The row as read, for a report. */
  readonly fields: InputRow['fields'];
}

export interface StatementOptions {
  /** The columns that options name: `amount` holds signed amounts, or the credits if `debit` is named too. */
  readonly columns: NamedColumns;
  /** The layout that an option names. */
  readonly layout?: Layout | undefined;
  /** Lines in another currency are left out, with a notice. */
  readonly currency: string;
  readonly zone: Zone;
  readonly dateForm?: DateForm | undefined;
  /** True if amounts count the minor unit. */
  readonly minor?: boolean | undefined;
}

type DaysOf = ReturnType<typeof daysReader>;
type Reading = Omit<StatementOptions, 'zone'> & { readonly daysOf: DaysOf };

/** A header, the lines of titles above it, and the rows below. */
interface Table {
  readonly columns: readonly TitledColumn[];
  readonly titles: string;
  readonly layout: Layout | undefined;
  readonly rows: InputRow[];
}

const quoted = (text: string): string => JSON.stringify(cutName(text));

/** Words of a cell that is a label: one of these, and others of the list below. */
const LABEL_WORD = '(?:sub|grand)?totals?|bal(?:ance)?s?|[bc]/?[fd]|brought|carried';
const BESIDE_LABEL =
  'opening closing starting ending end ledger available current book cleared uncleared previous final running account day of at the forward down sub grand page credit credits debit debits deposit deposits lodgement lodgements withdrawal withdrawals';
const wordOf = (words: string): string => `(?<![\\p{L}/])(?:${words})(?![\\p{L}/])`;
const WITH_LABEL = new RegExp(wordOf(LABEL_WORD), 'u');
const LABEL_WORDS = new RegExp(
  `^[^\\p{L}/]*(?:${wordOf(`${LABEL_WORD}|${BESIDE_LABEL.replaceAll(' ', '|')}`)}[^\\p{L}/]*)+$`,
  'u',
);

/** True for a whole cell that marks a row as no transaction, such as `Closing Balance` and `Bal. B/F as at 25-Nov-26`. */
const isLabel = (text: string): boolean => {
  const words = text.toLowerCase().replace(/\bas (?:at|of|on)\b.*/, '');
  return LABEL_WORDS.test(words) && WITH_LABEL.test(words);
};

/** Labels of rows without a date, which may have a name beside them. */
const SUM_ROW = /(?:\b|sub)totals?\b|\bbalance\b|\b(?:brought|carried) forward\b|\b[bc]\/?f\b/i;

/** Roles whose cells no row of a narration alone has. */
const TELLING_ROLES = ROLES.filter((role) => role !== 'text' && role !== 'reference');

/** The currency in a title such as `Currency: USD`. */
const CURRENCY_TITLE = /(?:^|[",;\t])\s*(?:account )?currency(?: code)?"?\s*[:,;\t][\s":,;]*([^",;\t\r\n]+)/im;

/** A code in a title such as `USD Account`. */
const CODE_IN_TITLE = /\b(?:NGN|GHS|KES|ZAR|USD|EUR|GBP)\b/g;

/** The currency that the titles of a table name, if they name one. */
const currencyIn = (titles: string): string | undefined => {
  const [code, another] = new Set(titles.match(CODE_IN_TITLE));
  return CURRENCY_TITLE.exec(titles)?.[1] ?? (another === undefined ? code : undefined);
};

/** A line before the whole file has told the order of day and month. */
type DatedLine = Omit<StatementLine, 'day'> & { readonly days: NonNullable<ReturnType<DaysOf>> };

/** A row that is no line, for its reason. `money`: its amount in that currency; `fields`: its cells, if it has a day. */
interface LeftOut {
  readonly number: number;
  readonly reason: string;
  readonly money?: { readonly amount: number; readonly currency: string } | undefined;
  readonly fields?: InputRow['fields'] | undefined;
}

/** The texts of a row, without what a report has added. */
const textsIn = ({ fields }: InputRow): readonly string[] =>
  Object.entries(fields).flatMap(([key, cell]) => (key.startsWith(REPORT_PREFIX) ? [] : textOfCell(cell)));

/** True if an empty row stands between two rows. */
const isGap = (above: InputRow, row: InputRow): boolean =>
  row.line > above.line + lineEnds(Object.values(above.fields)) + 1;

/** True if a cell of a row is a day. */
const hasDay = ({ fields }: InputRow, { daysOf }: Reading): boolean =>
  Object.entries(fields).some(([key, cell]) => !key.startsWith(REPORT_PREFIX) && daysOf(textOfCell(cell)));

/** True if a row is a header. Most rows have a day, and are not looked at further. */
const isHeaderRow = (row: InputRow, options: Reading): boolean => {
  if (hasDay(row, options)) return false;
  const texts = textsIn(row).filter((text) => text !== '');
  return isHeader(texts, options.columns, options.layout ?? layoutOf(texts));
};

/** A layout that fits a header, as an option names it or as it is known. */
const layoutFor = (columns: readonly TitledColumn[], given: Layout | undefined): Layout | undefined => {
  const titles = columns.map(({ title }) => title);
  const isThere = given?.header.every((title) => titles.some((one) => bareTitle(one) === title));
  return isThere ? given : layoutOf(titles);
};

/** Parts the rows into tables. A header that comes again without another currency opens none. */
const splitTables = (first: Table, rows: Iterable<InputRow>, options: Reading): readonly Table[] => {
  const tables = [first];
  let table = first;
  for (const row of rows) {
    if (!isHeaderRow(row, options)) {
      table.rows.push(row);
      continue;
    }
    // Texts directly above a header are its titles. Those of the row above them end at an empty row.
    const start = table.rows.findLastIndex((one) => hasDay(one, options)) + 1;
    const last = table.rows[start - 1];
    const texts = table.rows.splice(start);
    const gap = texts.findIndex((one, at) => isGap(texts[at - 1] ?? last ?? one, one));
    const isTitle = (one: InputRow, at: number): boolean => at >= gap && !textsIn(one).some(hasAmountSigns);
    table.rows.push(...texts.filter((one, at) => !isTitle(one, at)));
    const above = texts.filter(isTitle);
    const names = foreignNames(Object.values(row.fields).map(textOfCell));
    const columns = Object.keys(row.fields).map((key, index): TitledColumn => ({ key, title: names[index] ?? key }));
    const titles = above.map((one) => textsIn(one).join(',')).join('\n');
    const isSame = columns.map(({ title }) => title).join('\0') === table.columns.map(({ title }) => title).join('\0');
    if (isSame && currencyIn(titles) === undefined) continue;
    table = { columns, titles, layout: layoutFor(columns, options.layout), rows: [] };
    tables.push(table);
  }
  return tables;
};

/** Reads the cells of a row by their roles. */
const rowCells = (
  { number, fields }: InputRow,
  columns: Columns,
  { currency, isCount, fail }: { readonly currency: string; readonly isCount: boolean; readonly fail: Fail },
) => {
  const cell = ({ key }: TitledColumn): string => textOfCell(fields[key]);
  const texts = (role: Role): readonly string[] => columns[role].map(cell).filter((text) => text !== '');
  const text = (role: Role): string => texts(role)[0] ?? '';
  const amount = (role: Role, inCurrency = currency) => writtenAmount(text(role), inCurrency, isCount);
  const wrong = (role: Role, what: string, hint = `correct the cell, or name another column with --${role}-column`) =>
    fail(number, columns[role][0]?.title, what, hint);
  const minor = (role: Role, read = amount(role)): number => {
    const { minor: found = Number.NaN, isUnclear = false } = read ?? {};
    if (Number.isSafeInteger(found)) return found;
    const unclear = 'has two meanings: its point may separate thousands; write decimals, such as 5,000.00';
    const unit = isCount ? `a count of the minor unit of ${currency}` : `an amount in ${currency}`;
    throw wrong(role, `${quoted(text(role))} ${isUnclear ? unclear : `is not ${unit}`}`);
  };
  return { cell, texts, text, amount, minor, wrong };
};

/** Throws for a status that is neither one of money nor one of a row to leave out. */
const checkStatus = ({ texts, wrong }: ReturnType<typeof rowCells>, layout: Layout | undefined): void => {
  const unknown = texts('status').find((status) => isBooked(status, layout?.statuses) === undefined);
  if (unknown === undefined) return;
  const hint =
    'correct the cell, or list its word in the statuses of a file for --layout; or leave the column out with --ignore-columns';
  throw wrong('status', `${quoted(unknown)} is no known status`, hint);
};

/** True if the column of sides says that money went out. */
const isOutBySide = (
  { text, wrong }: ReturnType<typeof rowCells>,
  { side }: Columns,
  layout: Layout | undefined,
): boolean => {
  const known = side.length === 0 ? 'in' : sideOf(text('side'), layout?.sides);
  if (known !== undefined) return known === 'out';
  const hint =
    'correct the cell, or list its word in the sides of a file for --layout; or leave the column out with --ignore-columns';
  throw wrong('side', `${quoted(text('side'))} is neither credit nor debit`, hint);
};

/** The first currency of a row, else that of its table, that is not the one compared. */
const otherCurrency = (own: readonly string[], ofTable: string, currency: string): string | undefined =>
  (own.length > 0 ? own : [ofTable]).map(currencyCode).find((code) => code !== currency);

/** The sum of a row that is left out; none for digits that are no amount in its currency. */
const moneyIn = (read: ReturnType<typeof writtenAmount>, currency: string): Partial<LeftOut> =>
  read === undefined || Number.isNaN(read.minor) ? {} : { money: { amount: read.minor, currency } };

const OTHER_SIGN = 'has another sign than the debits above';
const OTHER_SIGN_HINT = 'if it is a reversal, write it as a credit; if not, write it with the sign of the other debits';

/** Throws for a row without an amount if a column that is not read has one. */
const checkUnread = (
  { number, fields }: InputRow,
  unread: readonly TitledColumn[],
  { amountTitle, currency, fail }: { readonly amountTitle: string; readonly currency: string; readonly fail: Fail },
): void => {
  const lost = unread.find(({ key }) => (writtenAmount(textOfCell(fields[key]), currency)?.minor ?? 0) !== 0);
  if (lost === undefined) return;
  const hint = 'name the column with --amount-column or --debit-column, or leave it out with --ignore-columns';
  throw fail(number, lost.title, `the row has no amount in ${quoted(amountTitle)}, but one here`, hint);
};

/** Makes the reader of rows: a line, the reason why a row is none, or `text` for a row of texts alone. */
const lineReader = (table: Table, columns: Columns, options: Reading, fail: Fail) => {
  const { currency, daysOf } = options;
  const { layout, titles } = table;
  const [amountColumn] = columns.amount;
  const amountTitle = amountColumn?.title ?? '';
  const isCount = options.minor === true || layout?.minor === true || isMinor(amountTitle);
  const inNames = [...columns.amount, ...columns.debit].flatMap(({ title }) => CURRENCY_IN_NAME.exec(title)?.[1] ?? []);
  const ofTable = currencyIn(titles) ?? layout?.currency ?? currency;
  const taken = new Set(ROLES.flatMap((role) => columns[role]));
  const free = table.columns.filter((column) => !taken.has(column));
  const unread = amountColumns(free);
  const notMoney = table.columns.filter(
    (column) => ![columns.amount, columns.debit, columns.fee].flat().includes(column),
  );

  // A debit of another sign may be a reversal.
  let isNegative: boolean | undefined;

  return (row: InputRow): DatedLine | LeftOut | 'text' => {
    const cells = rowCells(row, columns, { currency, isCount, fail });
    const { cell, texts, text, amount, minor, wrong } = cells;
    const leftOut = (reason: string, more?: Partial<LeftOut>): LeftOut => ({ number: row.number, reason, ...more });

    const unpaid = texts('status').find((status) => isBooked(status, layout?.statuses) === false);
    if (unpaid !== undefined) return leftOut(`with the status ${cutName(unpaid)}`);

    const date = text('date');
    const days = daysOf(date);
    const money = { amount: amount('amount'), debit: amount('debit') };
    const sums = (['amount', 'debit'] as const).filter((role) => money[role]?.minor !== 0);
    const labels = date === '' ? textsIn(row) : [date];
    const isOfSums = days === undefined && labels.some((label) => SUM_ROW.test(label));
    const isWithout = days === undefined && !sums.some((role) => money[role]);
    if (isWithout && !isOfSums && TELLING_ROLES.every((role) => texts(role).length === 0)) return 'text';
    const [sum, another] = sums;
    if (sum === undefined && days) checkUnread(row, unread, { amountTitle, currency, fail });
    if (sum === undefined || isOfSums || isWithout) {
      return leftOut('without a date or an amount', days && { fields: row.fields });
    }
    if (days === undefined) {
      const noDate = 'the date is missing; a row of sums needs a word such as Total';
      throw wrong('date', date === '' ? noDate : `${quoted(date)} is not a date`);
    }

    checkStatus(cells, layout);
    const other = otherCurrency([money[sum]?.currency ?? [], texts('currency'), inNames].flat(), ofTable, currency);
    if (other !== undefined) return leftOut(`in ${other}`, moneyIn(amount(sum, other), other));

    if (another !== undefined) throw wrong('debit', `the row has an amount in ${quoted(amountTitle)}, too`);
    const [signed, isOut] = [minor(sum, money[sum]), isOutBySide(cells, columns, layout) || sum === 'debit'];
    if (isOut) {
      isNegative ??= signed < 0;
      if (isNegative !== signed < 0) throw wrong(sum, `${quoted(text(sum))} ${OTHER_SIGN}`, OTHER_SIGN_HINT);
    }
    const whole = notMoney.map(cell);
    return {
      number: row.number,
      line: row.line,
      days,
      amount: isOut ? -Math.abs(signed) : signed,
      fee: text('fee') === '' ? undefined : Math.abs(minor('fee')),
      references: texts('reference'),
      text: [...texts('text'), ...texts('reference')].join('\n'),
      numbers: free.map(cell).filter((text) => /^\d{5,}$/.test(text)),
      label: whole.find((text) => isLabel(text) || layout?.labels?.includes(text.toLowerCase())),
      fields: row.fields,
    };
  };
};

/** Gives a line the text of the row below it, also in the column of its text. */
const withText = (line: DatedLine, row: InputRow, [column]: readonly TitledColumn[]): DatedLine => {
  const more = textsIn(row)
    .filter((text) => text !== '')
    .join(' ');
  const fields =
    column === undefined
      ? line.fields
      : fieldsFrom(
          Object.entries(line.fields).map(([key, cell]) => [key, key === column.key ? `${cell}\n${more}` : cell]),
        );
  return { ...line, text: `${line.text}\n${more}`, fields };
};

/** Reads the rows of a table. A row of texts belongs to the line directly above it. */
const readTable = (table: Table, columns: Columns, options: Reading, fail: Fail) => {
  const read = lineReader(table, columns, options, fail);
  const [lines, left]: [DatedLine[], LeftOut[]] = [[], []];
  let above: InputRow | undefined;
  for (const row of table.rows) {
    const one = read(row);
    if (one === 'text') {
      const line = lines.at(-1);
      const hasText = textsIn(row).some((text) => text !== '');
      if (line !== undefined && above !== undefined && hasText && !isGap(above, row)) {
        lines.splice(-1, 1, withText(line, row, columns.text));
        above = row;
      } else {
        left.push({ number: row.number, reason: 'without a date or an amount' });
        above = undefined;
      }
    } else if ('reason' in one) {
      left.push(one);
      above = undefined;
    } else {
      lines.push(one);
      above = row;
    }
  }
  return { lines, left };
};

/** Gives each line its day, in the order of day and month that one date tells. */
const inOrder = (
  dated: readonly DatedLine[],
  columnOf: (line: DatedLine) => string,
  given: DateForm | undefined,
  fail: Fail,
) => {
  // Rows that are no lines tell nothing: a report has none, and must be read alike.
  const clear = dated.find(({ days: { dmy, mdy } }) => dmy === undefined || mdy === undefined);
  const form = given ?? (clear && (clear.days.dmy === undefined ? 'mdy' : 'dmy'));
  const word = form && { dmy: 'day first', mdy: 'month first' }[form];
  const lines = dated.map((one): StatementLine => {
    const { days, ...line } = one;
    const day = form === undefined && days.dmy !== days.mdy ? undefined : days[form ?? 'dmy'];
    if (day !== undefined) return { ...line, day };
    const unclear = 'has two meanings, and no date of the file has a day above 12';
    const what = word === undefined ? unclear : `is not a date with the ${word}`;
    const hint = 'add --date-form dmy if the day is first, or --date-form mdy; or correct the cell';
    const column = columnOf(one);
    throw fail(line.number, column, `${quoted(textOfCell(line.fields[column]))} ${what}`, hint);
  });
  return { lines, form, word };
};

/** The columns of a table in words. */
const columnsText = (columns: Columns): string =>
  ROLES.filter((role) => role !== 'ignored')
    .flatMap((role) => {
      const word = role === 'amount' && columns.debit.length > 0 ? 'credit' : role;
      const titles = columns[role].map(({ title }) => quoted(title));
      return titles.length === 0 ? [] : `${word} ${titles.join(' and ')}`;
    })
    .join(', ');

/** Counts and sums of the rows that are left out, by reason. */
const leftOutText = (left: readonly LeftOut[]): readonly string[] =>
  Object.entries(Object.groupBy(left, ({ reason }) => reason)).map(([reason, rows = []]) => {
    const [first] = rows;
    const sums = new Map<string, number>();
    for (const { money } of rows) {
      if (money !== undefined) sums.set(money.currency, (sums.get(money.currency) ?? 0) + Math.abs(money.amount));
    }
    const sum = [...sums].map(([currency, amount]) => `, ${formatMoney(amount, currency)}`).join('');
    const place = rows.length === 1 ? `row ${first?.number}` : `the first is row ${first?.number}`;
    return `${rows.length} ${rows.length === 1 ? 'row' : 'rows'} ${reason} (${place}${sum})`;
  });

/** The layout that was used, to be read again. */
const usedLayout = (
  { layout, columns: all }: Table,
  columns: Columns,
  { hasHeader, ...more }: Pick<Layout, 'dateForm' | 'minor' | 'currency'> & { readonly hasHeader: boolean },
): Layout => {
  const bare = all.map(({ title }) => bareTitle(title));
  const isOne = (name: string): boolean => bare.indexOf(name) === bare.lastIndexOf(name);
  const titles = (role: Role): readonly string[] =>
    columns[role].map(({ title }) => (isOne(bareTitle(title)) ? bareTitle(title) : title));
  const { statuses, sides, labels } = layout ?? {};
  return {
    name: layout?.name ?? 'own',
    header: hasHeader ? bare : [],
    columns: Object.fromEntries(ROLES.map((role) => [role, titles(role)])),
    ...more,
    statuses,
    sides,
    labels,
  };
};

/** True if columns are named by number, or the layout has no header: the first row is a line or a title. */
const isHeaderless = ({ columns: { date, amount }, layout }: StatementOptions): boolean =>
  layout?.header.length === 0 || [date, amount].every((names) => names?.every((name) => /^\d+$/.test(name)));

/** Reads the tables of a file, and their lines. */
const readTables = async (
  input: Awaited<ReturnType<typeof openInput>>,
  options: Reading,
  { hasHeader, fail }: { readonly hasHeader: boolean; readonly fail: Fail },
) => {
  const rows: InputRow[] = [];
  for await (const row of input.rows()) rows.push(row);
  // A row of NDJSON may have other members than the first.
  const isCsv = input.format === 'csv';
  const names = isCsv
    ? input.columns
    : [...new Set([...input.columns, ...rows.flatMap(({ fields }) => Object.keys(fields))])];
  const columns = titledColumns(names);
  if (options.layout !== undefined) checkLayout(columns, options.layout);
  const first: Table = { columns, titles: input.titles, layout: layoutFor(columns, options.layout), rows: [] };
  const tables = isCsv && hasHeader ? splitTables(first, rows, options) : [{ ...first, rows }];
  const read = tables.map((table) => {
    const { layout } = table;
    const textsOf = ({ key }: TitledColumn): readonly string[] =>
      table.rows.map(({ fields }) => textOfCell(fields[key]));
    const found = findColumns(table.columns, textsOf, { named: options.columns, layout, daysOf: options.daysOf });
    return { table, columns: found, ...readTable(table, found, options, fail) };
  });
  return { names, read };
};

/** The error of a statement without lines. */
const noLines = (name: string, currency: string, left: readonly string[], notices: readonly string[]): InputError => {
  const why = left.join(', ') || 'no row is below the header';
  const [, other] = /\brows? in ([^(,]+) \(/.exec(why) ?? [];
  const known = other === undefined ? `check the columns: ${notices.join(' ')}` : `add --currency ${other}`;
  const isCode = other === undefined || /^[A-Z]{3}$/.test(other);
  const hint = isCode ? known : `write a code such as ${currency} where the file says ${other}`;
  return new InputError(`${name} has no lines in ${currency}: ${why}`, hint);
};

/** Reads a statement. Throws a usage error unless each row can be understood. */
export const readStatement = async (file: Parameters<typeof openInput>[0], options: StatementOptions) => {
  const { columns: named, currency } = options;
  const isTableHeader = (names: readonly string[]): boolean =>
    isHeader(names, named, options.layout ?? layoutOf(names));
  const hasHeader = !isHeaderless(options);
  const input = await openInput({ ...file, isHeader: hasHeader ? isTableHeader : () => false, hasHeader });
  try {
    if (hasHeader && !isTableHeader(input.columns)) {
      const named = 'name both with --date-column and --amount-column, as the file writes them, or by number';
      const hint = input.notices.some((notice) => notice.startsWith('Sheet'))
        ? `${named}; or name another sheet with --sheet`
        : named;
      throw missing(titledColumns(input.columns), 'with dates beside one with amounts', hint);
    }
    const fail = failIn(file.name, '');
    const { names, read } = await readTables(
      input,
      { ...options, daysOf: daysReader(options.zone) },
      { hasHeader, fail },
    );
    const [top] = read;
    if (top === undefined) throw new Error('a file without a table');
    const dated = read.flatMap(({ lines }) => lines);
    const columnOf = (line: DatedLine): string =>
      read.find(({ lines }) => lines.includes(line))?.columns.date[0]?.key ?? '';
    const { form, word, lines } = inOrder(dated, columnOf, options.dateForm ?? top.table.layout?.dateForm, fail);

    const notices = [
      ...new Set(
        read.map(({ table, columns: chosen }) => {
          const known = table.layout === undefined ? 'Columns' : `Layout ${table.layout.name}`;
          return `${known}: ${columnsText(chosen)}${word === undefined ? '' : `; ${word}`}`;
        }),
      ),
    ];
    const left = leftOutText(read.flatMap(({ left }) => left));
    const days = lines.map(({ day }) => day).sort();
    const [firstDay] = days;
    if (firstDay === undefined) throw noLines(file.name, currency, left, notices);
    for (const { table, columns: roles, lines: own, left: others } of read) {
      const cells = [...own, ...others].map(({ fields }: Pick<LeftOut, 'fields'>) => fields ?? {});
      const textsOf = ({ key }: TitledColumn): readonly string[] => cells.map((fields) => textOfCell(fields[key]));
      refuseUnknownColumns(table.columns, textsOf, roles, { name: file.name, layout: table.layout });
    }
    const used = usedLayout(top.table, top.columns, {
      dateForm: form,
      minor: options.minor || top.table.layout?.minor,
      currency,
      hasHeader,
    });
    return {
      ...input,
      columns: names,
      notices: [...input.notices, ...notices, ...(left.length === 0 ? [] : [`Left out: ${left.join(', ')}`])],
      days: { first: firstDay, last: days.at(-1) ?? firstDay },
      lines,
      layout: used,
    };
  } finally {
    await input.close();
  }
};

/** A statement that was read. Its columns and format suit the report of a file of rows. */
export type BankStatement = Awaited<ReturnType<typeof readStatement>>;

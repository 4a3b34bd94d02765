import { cutName, firstFew } from '../core/bounds.ts';
import { fromSpreadsheet } from '../core/text.ts';
import { bareName } from './cells.ts';
import { INVISIBLE, InputError } from './formats.ts';
import { LAYOUTS, type Layout, ROLES, type Role } from './layouts.ts';
import { REPORT_PREFIX } from './report.ts';
import {
  CURRENCY_IN_NAME,
  type daysReader,
  hasAmountSigns,
  isWrittenAmount,
  writtenAmount,
} from './statement-cells.ts';

/** Names of a column with money in alone, or with money out. */
const CREDIT = '(settlement)?(credit|cr|deposit|lodge?ment|inflow)s?(amount|amt)?|(money|paid|pay|amount)in';
const DEBIT = '(settlement)?(debit|dr|withdrawal|outflow)s?(amount|amt)?|withdrawn|(money|paid|amount)out';

/**
 * Names of columns by what they hold, the best first: those of Nigerian banks and wallets, and of the exports of
 * providers. Compared without case, blanks, signs, `transaction` in front, and a currency in parentheses.
 */
const ROLE_NAMES: Readonly<Record<Role, string>> = {
  date:
    'date|time|date(and)?time|(paid|payment|completed|completion)(date|time|at|on)|date(paid|completed) ' +
    '(post(ed|ing)?|created|booking|entry|effective)(date|at|on)|date(posted|created) (val(ue)?|settle(d|ment))date',
  // The amount beside the one that was paid is the one that was asked for.
  amount: `${CREDIT} amountpaid|paidamount amount (settled|settlement|net)amount|amountsettled|debitcredit|creditdebit`,
  debit: DEBIT,
  side:
    '(entry|amount)?type|((cr|dr|credit|debit){2}|[cd]{2}|direction)(indicator|flag|mark)?|sign|in(or)?out|' +
    'debitorcredit|creditordebit|drorcr|crordr|\\+/-',
  currency: 'currency(code)?',
  status: '(payment|response)?status response(description|message|code)?',
  // Not guessed: the gross amount includes it.
  fee: '-',
  text: '.*(narrat(ion|ive)|remarks?|description|details?|particulars|memo)',
  reference: '.*(reference|ref)(no|number|id)? (payment|session)?id|rrn|receipt(no|number)?',
  ignored:
    'bal|.*(balance|fees?|charges?|commission|vat|tax|levy|duty)(before|after|amount|amt|paid)? ' +
    '(gross|total|requested|expected|original)amount',
};

/** A column: the name by which a row has its cell, and the title of its table. */
export interface TitledColumn {
  readonly key: string;
  readonly title: string;
}
export type Columns = Readonly<Record<Role, readonly TitledColumn[]>>;

/** Columns that options name, by title or by number. */
export type NamedColumns = Readonly<Partial<Record<Role, readonly string[] | undefined>>>;

/** A word for the minor unit at the end of a name. */
const MINOR_IN_TITLE = /(?<![a-z])(?:in[ _])?(?:minor|kobo|pesewas|cents)\)?\s*$/i;

/** True for a title such as `amount_minor` and `Amount (kobo)`. */
export const isMinor = (title: string): boolean => MINOR_IN_TITLE.test(title);

/** A title as it is compared: letters and digits in lower case, without a currency or a unit behind; else its signs. */
export const bareTitle = (title: string): string => {
  const named = title.replace(MINOR_IN_TITLE, '').replace(CURRENCY_IN_NAME, '');
  return bareName(named.replaceAll(/[^\p{L}\p{N}]/gu, '')) || named.trim();
};

/** The form of names, compiled once: a statement has many cells. */
const forms = new Map<string, RegExp>();

const isCalled = (title: string, names: string): boolean => {
  const form = forms.get(names) ?? new RegExp(`^(?:${names})$`);
  forms.set(names, form);
  return form.test(bareTitle(title).replace(/^(?:transaction|trans?|txn)(?=.)/, ''));
};

/** True if a column holds money in alone by its name. */
export const isCreditColumn = (name = ''): boolean => isCalled(name, CREDIT);

const titlesOf = (columns: readonly TitledColumn[]): string => firstFew(columns.map(({ title }) => cutName(title)));

export const titledColumns = (titles: readonly string[]): readonly TitledColumn[] =>
  titles.map((title) => ({ key: title, title }));

export const missing = (columns: readonly TitledColumn[], name: string, hint: string): InputError =>
  new InputError(`no column ${name} (found: ${titlesOf(columns)})`, hint);

/** The column that an option names by its title, or by its number. The exact title wins over one in another case. */
const columnNamed = (columns: readonly TitledColumn[], name: string): TitledColumn | undefined =>
  columns.find(({ title }) => title === name) ??
  columns.find(({ title }) => bareName(title) === bareName(name)) ??
  (/^\d+$/.test(name) ? columns[Number(name) - 1] : undefined);

/** The columns of a role: those that an option names, else those of the layout, else those whose names fit. */
const roleColumns = (
  role: Role,
  columns: readonly TitledColumn[],
  named: NamedColumns,
  layout: Layout | undefined,
): readonly TitledColumn[] => {
  const found = (named[role] ?? []).map((name) => {
    const column = columnNamed(columns, name);
    if (column !== undefined) return column;
    const option = role === 'ignored' ? '--ignore-columns' : `--${role}-column`;
    throw missing(columns, name, `name the column with ${option}, as the file writes it`);
  });
  // Options add to the references and to what is ignored.
  if (found.length > 0 && role !== 'reference' && role !== 'ignored') return found;
  const left = columns.filter(
    (column) =>
      !column.title.startsWith(REPORT_PREFIX) && !named.ignored?.some((name) => columnNamed(columns, name) === column),
  );
  const titles = layout?.columns?.[role];
  const known =
    titles === undefined
      ? ROLE_NAMES[role].split(' ').flatMap((names) => left.filter(({ title }) => isCalled(title, names)))
      : titles.flatMap(
          (name) => left.find(({ title }) => title === name) ?? left.filter(({ title }) => bareTitle(title) === name),
        );
  return [...new Set([...found, ...known])];
};

/** The columns that hold amounts by their names. */
export const amountColumns = (columns: readonly TitledColumn[]): readonly TitledColumn[] =>
  (['amount', 'debit'] as const).flatMap((role) => roleColumns(role, columns, {}, undefined));

/** Throws unless the whole header of the layout that an option names is there. */
export const checkLayout = (columns: readonly TitledColumn[], { name, header }: Layout): void => {
  const absent = header.find((title) => !columns.some((column) => bareTitle(column.title) === title));
  if (absent !== undefined) {
    throw missing(
      columns,
      `${absent} of the layout ${cutName(name)}`,
      'name another layout with --layout, or leave it out',
    );
  }
};

/** The built-in layout whose header is there; the longest of several. */
export const layoutOf = (titles: readonly string[]): Layout | undefined => {
  const bare = new Set(titles.map(bareTitle));
  const [best, next] = LAYOUTS.filter(({ header }) => header.every((title) => bare.has(title))).sort(
    (a, b) => b.header.length - a.header.length,
  );
  if (best === undefined || best.header.length !== next?.header.length) return best;
  throw new InputError(`the header fits the layouts ${best.name} and ${next.name}`, `add --layout ${best.name}`);
};

/** True for names with a date column and an amount column. A row of sums is no header. */
export const isHeader = (titles: readonly string[], named: NamedColumns, layout: Layout | undefined): boolean => {
  const columns = titledColumns(titles);
  const has = (role: Role): boolean =>
    (named[role] ?? []).some((name) => columnNamed(columns, name)) ||
    [layout, undefined].some((one) => roleColumns(role, columns, {}, one).length > 0);
  return has('date') && has('amount') && !titles.some((title) => /\d/.test(title) && writtenAmount(title, 'NGN'));
};

/**
 * The text of a cell, without invisible characters and the apostrophe that marks a text in a spreadsheet; a number of
 * NDJSON as written.
 */
export const textOfCell = (value: unknown): string => {
  const text = String(value ?? '')
    .replaceAll(INVISIBLE, '')
    .trim();
  return fromSpreadsheet(/^="([^"]*)"$/.exec(text)?.[1] ?? text).replace(/^'/, '');
};

/** Words of sides beside the names of columns, compared without blanks and signs. */
const IN = `${CREDIT}|c|crdt|credited|in|inward|incoming|payin|received|\\+`;
const OUT = `${DEBIT}|d|dbit|debited|out|outward|outgoing|payout|sent|-`;
/** Words beside that of a side, as in `Inward Transfer`. */
const BESIDE_SIDE = /\b(?:transfer|transaction|payment|money|funds?|amount|alert|entry)s?\b/gi;

const plainWord = (text: string): string => text.toLowerCase().trim();

/** The side that a word names. The words of a layout replace the common ones. */
export const sideOf = (text: string, sides: Layout['sides']): 'in' | 'out' | undefined => {
  const isIn = (words: readonly string[] | undefined, names: string): boolean =>
    words?.includes(plainWord(text)) ?? [text, text.replaceAll(BESIDE_SIDE, '')].some((one) => isCalled(one, names));
  if (isIn(sides?.in, IN)) return 'in';
  return isIn(sides?.out, OUT) ? 'out' : undefined;
};

const BOOKED =
  /^(?:00|success(?:ful(?:ly)?)?|succeeded|completed?|(?:over|partially_)?paid|settled|approved(?: by financial institution)?|processed|posted|booked|cleared)$/;
const LEFT =
  /^(?:un(?:successful|paid)|not (?:paid|successful)|fail(?:ed|ure)|pending|process(?:ing)|in[ _-]?progress|ongoing|queued|initiated|created|reversed|refunded|abandoned|declined|rejected|cancell?ed|expired|error|timed? ?out)$/;

/** True for the status of money that came or left, false for one of a row to leave out; undefined for another word. */
export const isBooked = (text: string, statuses: Layout['statuses']): boolean | undefined => {
  const word = plainWord(text);
  if (statuses?.booked.includes(word) ?? BOOKED.test(word)) return true;
  return (statuses?.left.includes(word) ?? LEFT.test(word)) ? false : undefined;
};

/** Words of money that goes back, in a column that may say so of some rows. */
const GOES_BACK = /\b(?:refund|reversal|chargeback)s?\b/i;

/** Chooses the columns of a table by the options, the layout, the names and the contents. */
export const findColumns = (
  columns: readonly TitledColumn[],
  textsOf: (column: TitledColumn) => readonly string[],
  {
    named,
    layout,
    daysOf,
  }: {
    readonly named: NamedColumns;
    readonly layout: Layout | undefined;
    readonly daysOf: ReturnType<typeof daysReader>;
  },
): Columns => {
  const found = (role: Role): readonly TitledColumn[] => roleColumns(role, columns, named, layout);
  const fitting = (role: Role, fits: (text: string) => boolean): readonly TitledColumn[] =>
    found(role).filter((column) => textsOf(column).some(fits));
  const isSide = (text: string): boolean => sideOf(text, layout?.sides) !== undefined;
  const dates = fitting('date', (text) => daysOf(text) !== undefined);
  // A column of amounts that is named alone is the only one: a statement may be compared for its credits.
  const isAlone = (named.amount && !named.debit) || named.side !== undefined;
  const debits = isAlone ? [] : found('debit');
  const sides =
    named.side === undefined && debits.length > 0 ? [] : named.side ? found('side') : fitting('side', isSide);
  const [amount, debit, fee] = [found('amount').slice(0, 1), debits.slice(0, 1), found('fee')];
  // An option that names the amounts leaves the other ones out.
  const others = amountColumns(named.amount ? columns : []).filter((column) => ![...amount, ...debit].includes(column));
  const both = fee.find((column) => [...amount, ...debit].includes(column));
  if (both !== undefined) {
    throw new InputError(
      `column ${JSON.stringify(cutName(both.title))} holds the amounts, not the fees`,
      'name another column with --fee-column',
    );
  }
  return {
    date: [...dates, ...found('date')].slice(0, 1),
    amount,
    debit,
    side: sides.slice(0, 1),
    currency: found('currency'),
    status: found('status'),
    fee,
    text: found('text'),
    reference: found('reference'),
    ignored: [...found('ignored'), ...others],
  };
};

/** Column options by what a column without a role seems to hold. */
const SETTLING = {
  amounts: '--amount-column, --debit-column or --fee-column',
  sides: '--side-column',
  statuses: '--status-column',
  codes: '--side-column or --status-column',
};

/** More words than a column of sides or statuses has. */
const MANY_WORDS = 9;

/** The things that the cells of a column are, if these could change what a line means. */
const contentOf = (
  title: string,
  texts: readonly string[],
  layout: Layout | undefined,
): keyof typeof SETTLING | undefined => {
  const words = [...new Set(texts.filter((text) => text !== ''))];
  const amounts = words.filter((text) => /\d/.test(text));
  if (words.some(hasAmountSigns) && amounts.every((text) => isWrittenAmount(text))) return 'amounts';
  if (words.length >= MANY_WORDS) return undefined;
  const isUnknownSide = isCalled(title, ROLE_NAMES.side) && words.length > 1 && words.length <= 4;
  const isSide = (text: string): boolean => sideOf(text, layout?.sides) !== undefined || GOES_BACK.test(text);
  if (isUnknownSide || words.some(isSide)) return 'sides';
  if (words.some((text) => isBooked(text, layout?.statuses) !== undefined)) return 'statuses';
  if (words.length < 2) return undefined;
  if (words.every((text) => /^(?:yes|no?|y|true|false)$/i.test(text))) return 'statuses';
  return words.every((text) => /^\p{L}{1,2}$/u.test(text)) ? 'codes' : undefined;
};

/** Throws for a column without a role whose cells could change what a line means. */
export const refuseUnknownColumns = (
  columns: readonly TitledColumn[],
  textsOf: (column: TitledColumn) => readonly string[],
  roles: Columns,
  { name, layout }: { readonly name: string; readonly layout: Layout | undefined },
): void => {
  // Names of a role that another column has taken are known, too.
  const isKnown = (column: TitledColumn): boolean =>
    column.title.startsWith(REPORT_PREFIX) ||
    ROLES.some((role) => roles[role].includes(column)) ||
    (['date', 'amount', 'debit', 'ignored'] as const).some(
      (role) => roleColumns(role, [column], {}, undefined).length > 0,
    );
  const tellsSide = roles.debit.length > 0 || roles.side.length > 0;
  for (const column of columns) {
    if (isKnown(column)) continue;
    const content = contentOf(column.title, textsOf(column), layout);
    if (content === undefined || (tellsSide && (content === 'sides' || content === 'codes'))) continue;
    const title = JSON.stringify(cutName(column.title));
    throw new InputError(
      `${name}: column ${title} holds ${content}, and its name is not known`,
      `name it with ${SETTLING[content]}, or leave it out with --ignore-columns`,
    );
  }
};

import type { Input, InputRow } from '../../bulk/reading/input.ts';
import type { Reader, ReadRow } from '../../bulk/trade.ts';
import type { Client } from '../../client/client.ts';
import type { ChargeField, ChargeMedium, ChargeWords, NameOf } from '../../core/charge-with.ts';
import { flagName, KEY_OF, readUnchecked, readWith } from '../../core/charge-with.ts';
import { parseDuration } from '../../core/duration.ts';
import { usageError } from '../../core/error.ts';
import { namingFlags } from '../../core/flags.ts';
import { idProblem } from '../../core/ids.ts';
import { missingColumn } from '../../core/missing-column.ts';
import type { Pair } from '../../core/pairs.ts';
import type { ColumnFault } from '../../core/row-end.ts';
import { faultsOf } from '../../core/row-end.ts';
import type { Given } from '../../core/row-fields.ts';
import { gather, givenOf, textIn } from '../../core/row-fields.ts';
import { parseInstant } from '../../core/time.ts';
import { unusedNotices } from '../../core/unused-columns.ts';
import { chargeData, dataKeyOf, guessOf } from './charge-body.ts';
import type { FileOfCharges } from './charge-spec.ts';

/** A row that can be charged. */
export interface ChargeItem {
  readonly ugwo: string;
  readonly with: ChargeMedium;
  readonly params: readonly Pair[];
}

const UGWO = 'ugwo';
const PARAM = 'param';
const FIELDS = Object.keys(KEY_OF) as ChargeField[];
const KNOWN = [UGWO, ...Object.values(KEY_OF)];
/** The names of the columns that are read; a dot at the end stands for all that begin so. */
export const CHARGE_NAMES: readonly string[] = [...KNOWN, PARAM, `${PARAM}.`];

const isChargeColumn = (name: string): boolean =>
  KNOWN.includes(name) || name === PARAM || name.startsWith(`${PARAM}.`);

/** An option and a column that say the same: nobody can tell which one is meant. */
const refuseTwice = ({ words, params }: FileOfCharges, columns: readonly string[]): void => {
  const field = FIELDS.find((name) => words[name] !== undefined && columns.includes(KEY_OF[name]));
  if (field !== undefined) {
    throw usageError(`${flagName(field)} and the column ${KEY_OF[field]} set the same value; leave one out`);
  }
  const names = params.map(([name]) => name);
  const twice = names.find((name) => columns.includes(`${PARAM}.${name}`) || columns.includes(`${PARAM}.${name}:`));
  if (twice !== undefined)
    throw usageError(`--param ${twice} and the column ${PARAM}.${twice} set the same value; leave one out`);
};

type Found<T> = { readonly value?: T; readonly fault?: ColumnFault };

/** What a column holds, read by `parse`; `wanted` is what it should be. */
const parsedIn = <T>(
  given: Given,
  column: string,
  parse: (text: string) => T | undefined,
  wanted: string,
): Found<T> => {
  const { text, fault } = textIn(given, column);
  if (fault !== undefined || text === undefined) return fault === undefined ? {} : { fault };
  const value = parse(text);
  return value === undefined ? { fault: { column, what: `${JSON.stringify(text)} is not ${wanted}` } } : { value };
};

const asIs = (text: string): string => text;

/** What the columns of a row give. */
const columnsOf = (given: Given) => ({
  medium: parsedIn(given, KEY_OF.medium, asIs, ''),
  expiresAt: parsedIn(given, KEY_OF.expiresAt, parseInstant, 'a time with an offset such as 2026-11-20T14:05:00+01:00'),
  expiresIn: parsedIn(given, KEY_OF.expiresIn, parseDuration, 'a duration such as 90s or 10m'),
  provider: parsedIn(given, KEY_OF.provider, asIs, ''),
  phone: parsedIn(given, KEY_OF.phone, asIs, ''),
});

/** What the file and the options give for a row, those of the options where the file has no such column. */
const wordsOf = (
  given: Given,
  options: ChargeWords,
  columns: readonly string[],
): { readonly words: ChargeWords; readonly faults: readonly ColumnFault[] } => {
  const own = columnsOf(given);
  const entries = FIELDS.map((name) => {
    const { value } = own[name];
    return [name, value === undefined && !columns.includes(KEY_OF[name]) ? options[name] : value];
  });
  // The rows of NDJSON may differ in their names, so that the first of them does not tell all.
  const twice = FIELDS.filter((name) => own[name].value !== undefined && options[name] !== undefined);
  const faults = [
    ...Object.values(own).flatMap(({ fault }) => fault ?? []),
    ...twice.map((name) => ({ column: KEY_OF[name], what: `is also set by ${flagName(name)}` })),
  ];
  return { words: Object.fromEntries(entries) as ChargeWords, faults };
};

const ugwoFaults = ({ text, fault }: ReturnType<typeof textIn>, validate: boolean): ColumnFault[] => {
  if (fault !== undefined) return [fault];
  if (text === undefined) return [{ column: UGWO, what: 'is missing: the payment request, ugw.…' }];
  const problem = validate ? idProblem('ugw', text) : undefined;
  return problem === undefined ? [] : [{ column: UGWO, what: `"${text}" ${problem}` }];
};

/** How a parameter is called where it came from: a column of the file, or a flag that fills it. */
export const namesIn =
  ({ words }: FileOfCharges, columns: readonly string[]): NameOf =>
  (field) =>
    columns.includes(KEY_OF[field]) || words[field] === undefined ? KEY_OF[field] : flagName(field);

/** The column, or the flag, that a property of the body came from. */
const columnOf =
  (item: ChargeItem, names: NameOf) =>
  (path: string): string | undefined => {
    const name = dataKeyOf(item, path);
    if (name === undefined) return undefined;
    if (name === 'expires_at') {
      const { with: charge } = item;
      const within = 'expiry' in charge && charge.expiry !== undefined && 'in' in charge.expiry;
      return names(within ? 'expiresIn' : 'expiresAt');
    }
    const field = FIELDS.find((one) => KEY_OF[one] === name);
    return field === undefined ? `${PARAM}.${name}` : names(field);
  };

/** An error about a row, whose violations name the column or the flag behind each property. */
export const namingColumns = (
  thrown: unknown,
  item: ChargeItem,
  names: NameOf,
  data: Readonly<Record<string, unknown>>,
): unknown => namingFlags(thrown, columnOf(item, names), guessOf(data));

/** What the contract has against a charge; nothing is sent. */
const breachesOf = (item: ChargeItem, client: Client, now: number, names: NameOf): readonly ColumnFault[] => {
  let data: Record<string, unknown> = {};
  try {
    data = chargeData(item, now);
    client.check('ugwo.charge', { params: { ugwoUid: item.ugwo }, body: { type: 'charge', data } });
    return [];
  } catch (thrown) {
    return faultsOf(namingColumns(thrown, item, names, data));
  }
};

const paramFaults = (params: readonly Pair[]): ColumnFault[] =>
  params
    .filter(([name]) => FIELDS.some((field) => KEY_OF[field] === name))
    .map(([name]) => ({ column: `${PARAM}.${name}`, what: `use the column ${name}` }));

export interface ChargeReading {
  readonly client: Client;
  readonly validate: boolean;
  readonly now: () => number;
  /** Looks at a payment request before anything is sent. */
  readonly check: Reader<ChargeItem>['check'];
  /** Counts how many rows are of which medium. */
  readonly mediums: Map<string, number>;
}

/** Reads the rows of a file of charges; throws a usage error where columns and options can't be brought together. */
export const chargeReader = (
  file: FileOfCharges,
  { columns, format }: Pick<Input, 'columns' | 'format'>,
  { client, validate, now, check, mediums }: ChargeReading,
): Reader<ChargeItem> => {
  refuseTwice(file, columns);
  if (validate && !columns.includes(UGWO)) {
    throw missingColumn(columns, {
      name: UGWO,
      prefix: 'ugw.',
      aliases: ['uid'],
      all: 'ugwo, medium, expires_at or expires_in, provider, phone, param.k',
    });
  }
  const nameOf = namesIn(file, columns);
  const read = ({ fields }: InputRow): ReadRow<ChargeItem> => {
    const given = givenOf(fields, format);
    const ugwo = textIn(given, UGWO);
    const { words, faults: unread } = wordsOf(given, file.words, columns);
    const own = gather(given, PARAM);
    const params: readonly Pair[] = [...file.params, ...Object.entries(own.values ?? {})];
    const charge = validate ? readWith(words, nameOf) : readUnchecked(words, nameOf);
    const faults = [
      ...ugwoFaults(ugwo, validate),
      ...unread,
      ...own.faults,
      ...(validate ? paramFaults(params) : []),
      ...('faults' in charge ? charge.faults.map(({ field, what }) => ({ column: nameOf(field), what })) : []),
    ];
    if (faults.length > 0 || 'faults' in charge) return { faults };
    return { item: { ugwo: ugwo.text ?? '', with: charge.charge, params } };
  };
  return {
    keyColumn: UGWO,
    keyOf: ({ ugwo }) => ugwo,
    read,
    breaches: (item) => breachesOf(item, client, now(), nameOf),
    check,
    onGood: ({ with: charge }) => {
      const medium = charge.medium === 'unchecked' ? (charge.name ?? 'no medium') : charge.medium;
      mediums.set(medium, (mediums.get(medium) ?? 0) + 1);
    },
    notices: unusedNotices(columns, isChargeColumn, CHARGE_NAMES),
  };
};

import { usageError } from '../core/error.ts';
import { canBeName, type IdPrefix, idProblem, LONGEST_REF } from '../core/ids.ts';
import { type Pair, parsePair, readSourceName, type Source } from '../core/input.ts';
import { type GivenAmount, type ReadAmount, readAmount, readMinorAmount, splitMoney } from '../core/money.ts';
import type { ListInput, RecordFilter, RequestedTime } from '../core/record.ts';
import type { ShareOptions } from '../core/result.ts';
import { STATUSES, statusArgument, statusValue } from '../core/status.ts';
import { didYouMean } from '../core/text.ts';
import {
  DAY_MS,
  MINUTE_MS,
  parseDuration,
  parseInstant,
  parseRate,
  type Rate,
  startOfDay,
  type Zone,
} from '../core/time.ts';
import { flag, type GivenOptions, type HowToRead, listed, option, type Parse, rarely, taking } from './define.ts';

// Option parsers (`as…`). Each throws a usage error that says what is expected; the caller names the flag.

export const asText = (text: string): string => text;

export const asDuration: Parse<number> = taking({ type: 'duration' }, (text) => {
  const ms = parseDuration(text);
  if (ms === undefined) throw usageError(`"${text}" is not a duration such as 90s, 10m or 1h`);
  return ms;
});

/** Default time to wait for a payment, in milliseconds: the life of an account. */
export const WAIT_DEFAULT_MS = 15 * MINUTE_MS;

/** Parses the time to wait for a payment to milliseconds. */
export const asWaitTimeout: Parse<number> = taking({ type: 'duration' }, (text) => {
  const ms = asDuration(text);
  if (ms >= 1000 && ms <= DAY_MS) return ms;
  throw usageError(`must be between 1s and 24h (got ${text})`);
});

/** Parses a count per unit of time. Refuses a bare number, which names none. */
export const asRate: Parse<Rate> = taking({ type: 'rate' }, (text) => {
  const rate = parseRate(text);
  if (rate === undefined) throw usageError(`"${text}" is not a rate such as 50/s, 100/m or 1000/h`);
  return rate;
});

export const notOneOf = (text: string, known: readonly string[], meant?: string): string =>
  `"${text}" is not one of ${known.join(', ')}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;

/** Throws if a text is unknown: an empty result would look like an answer. */
export const refuseUnknown = (text: string, known: readonly string[]): void => {
  if (known.includes(text)) return;
  throw usageError(notOneOf(text, known, didYouMean(text, known)));
};

export const asOneOf = <T extends string>(known: readonly T[]): Parse<T> =>
  taking({ choices: known }, (text) => {
    refuseUnknown(text, known);
    return text as T;
  });

/** The status that a text means. For a status of other records, the error names the commands that show those. */
const readStatus = <T extends string>(text: string, known: readonly T[], option = ''): T => {
  const [found, words] = [statusValue(text, known), known.map(statusArgument)];
  if (found !== undefined) return found;
  const isOther = statusValue(text, [...STATUSES.keys()]) !== undefined;
  const meant = isOther ? undefined : didYouMean(text, [...words, ...known]);
  const hint = 'what needs you: `paycli status`\ncharges by their payment or state: `paycli ledger list --help`';
  throw usageError(option + notOneOf(text, words, meant), isOther ? { hint } : {});
};

/** Parses a status: its value, or its word with blanks or hyphens. */
export const asStatus = <T extends string>(known: readonly T[]): Parse<T> =>
  taking({ choices: known.map(statusArgument) }, (text) => readStatus(text, known));

/**
 * Throws if a word is probably a mistyped known one. A word unlike any of them may be newer than paycli, and the
 * service judges it.
 */
export const refuseTypo = (text: string, known: readonly string[]): void => {
  const meant = known.includes(text) ? undefined : didYouMean(text, known);
  if (meant === undefined) return;
  throw usageError(notOneOf(text, known, meant));
};

export const asInteger = (min: number, max: number): Parse<number> =>
  taking({ type: 'integer' }, (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw usageError(`"${text}" is not a whole number from ${min} to ${max}`);
    return value;
  });

/** Parses names separated by commas. */
export const asNames: Parse<string[]> = taking({ list: true }, (text) => {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw usageError(`"${text}" has an empty name`);
  return names;
});

/** Parses a name and its value, `k=v` or `k:=json`. */
export const asPair: Parse<Pair> = taking({ type: 'pair' }, parsePair);

/** Accepts JSON inline, in a file (`@file`) or from standard input (`-`). */
export const asSource: Parse<Source> = taking({ type: 'json', completes: 'source' }, readSourceName);

export const DATA_OPTION = rarely(['data'], {
  data: option('--data <json|@file|->', 'a JSON object with any fields; options override it', asSource),
});

export const asFile: Parse<string> = taking({ completes: 'file' }, asText);

/** The two ways to give an amount of money. In the body, `amount` has the minor unit. */
export const AMOUNT_OPTIONS = rarely(['amount_minor'], {
  amount: option('--amount <5,000.00>', "amount with the currency's decimals", asText, {
    type: 'amount',
    column: 'amount or amount_minor',
    own: true,
  }),
  amount_minor: option('--amount-minor <n>', 'amount in the minor unit (kobo for NGN), in place of --amount', asText, {
    type: 'integer',
    property: 'amount',
    value: () => undefined,
    column: false,
    own: true,
  }),
});

/** Returns the given amount; undefined if none was given. Throws a usage error if both options were. */
export const givenAmount = ({ amount, amount_minor }: GivenOptions<typeof AMOUNT_OPTIONS>): GivenAmount | undefined => {
  if (amount !== undefined && amount_minor !== undefined) {
    throw usageError("--amount and --amount-minor can't be used together");
  }
  if (amount !== undefined) return { flag: '--amount', text: amount };
  return amount_minor === undefined ? undefined : { flag: '--amount-minor', text: amount_minor };
};

export interface CurrencyAmount {
  readonly currency: string;
  readonly minor: number;
}

/** Parses an amount as paycli prints it: `NGN 5,000.00`. */
export const asMoney: Parse<CurrencyAmount> = taking({ type: 'amount' }, (text) => {
  const { currency, amount } = splitMoney(text);
  if (currency === undefined) {
    throw usageError(`"${text}" is not an amount with its currency, such as 'NGN 5,000.00'`);
  }
  const read = readAmount(amount, currency);
  if ('minor' in read) return { currency, minor: read.minor };
  throw usageError(read.problem, { hint: `write it with its decimals, such as 'NGN 5,000.00'` });
});

/** Reads an identifier of this kind from an argument. Throws a usage error if it is invalid and `validate` is true. */
export const readId = (prefix: IdPrefix, text: string | undefined, { validate, named }: HowToRead): string => {
  const uid = text ?? '';
  const problem = validate ? idProblem(prefix, uid) : undefined;
  if (problem === undefined) return uid;
  if (named !== undefined && canBeName(prefix, uid)) return named(prefix, uid);
  const hint = prefix === 'ony' && named ? { hint: 'give ony.…, or the e-mail address of the customer' } : {};
  throw usageError(`"${uid}" ${problem}`, hint);
};

/** Parses an argument that is an identifier of this kind, or a name in its place. */
export const asId =
  (prefix: IdPrefix) =>
  (text: string, how: HowToRead): string =>
    readId(prefix, text, how);

/** Throws a usage error if the option was given and is not a valid identifier. */
export const checkIdOption = (option: string, prefix: IdPrefix, text: string | undefined): void => {
  const problem = text === undefined ? undefined : idProblem(prefix, text);
  if (problem !== undefined) throw usageError(`${option}: "${text}" ${problem}`);
};

/** Days of the words for a day and of the units of several days. */
const DAYS_AGO: Readonly<Record<string, number>> = { today: 0, yesterday: 1 };
const DAYS_IN: Readonly<Record<string, number>> = { d: 1, w: 7 };

const refuseNoDay = (text: string): void => {
  const [, month = '', year, number, day] = /^((\d{4})-(0[1-9]|1[0-2]))-(\d\d)/.exec(text) ?? [];
  const last = new Date(Date.UTC(Number(year), Number(number), 0)).getUTCDate();
  if (day === '00' || Number(day) > last) throw usageError(`"${text}" doesn't exist: ${month} has ${last} days`);
};

/**
 * Parses `today`, `yesterday`, `2h`, `7d` or `1w` ago, a day or a minute (its first moment, or its end), or an instant
 * with its offset.
 */
export const momentIn = (zone: Zone, end: 'first' | 'last', text: string): RequestedTime => {
  const day = Object.hasOwn(DAYS_AGO, text) ? DAYS_AGO[text] : undefined;
  if (day !== undefined) return { daysAgo: end === 'last' ? day - 1 : day, zone };
  const [, count, unit = ''] = /^(\d{1,5})([dw])$/.exec(text) ?? [];
  const days = DAYS_IN[unit];
  const ago = days === undefined ? parseDuration(text) : Number(count) * days * DAY_MS;
  if (ago !== undefined) return { ago };
  refuseNoDay(text);
  const at = startOfDay(zone, text, end === 'last' ? 1 : 0) ?? parseInstant(text)?.ms;
  if (at !== undefined) return { at };
  throw usageError(
    `"${text}" is not a time such as today, yesterday, 2h, 7d, 1w, 2026-11-20, '2026-11-20 09:30' or 2026-11-20T09:30:00+01:00`,
  );
};

export const asMoment = (end: 'first' | 'last'): Parse<RequestedTime> =>
  taking({ type: 'time' }, (text) => momentIn('local', end, text));

const asMinor: Parse<number> = taking({ type: 'integer' }, (text) => {
  const read: ReadAmount = readMinorAmount(text);
  if ('minor' in read) return read.minor;
  throw usageError(read.problem, { hint: read.hint });
});

/**
 * Checks an amount in the currency it names, else in any with decimals. Without decimals it could be meant in either
 * unit.
 */
const asAmount: Parse<string> = taking({ type: 'amount' }, (text) => {
  const { currency, amount } = splitMoney(text);
  const [read, ...others] = currency === undefined ? (['NGN', 'KWD', 'CLF'] as const) : [currency];
  const first = readAmount(amount, read);
  if ('minor' in first || others.some((other) => 'minor' in readAmount(amount, other))) return text;
  throw usageError(first.problem, { hint: first.hint });
});

const asWord: Parse<string> = taking({}, (text) => {
  if (text !== '') return text;
  throw usageError('an empty word is no status; a list is written as processing,not-paid');
});

/** Paging options of lists stored on this machine. */
export const PAGE_OPTIONS = rarely(['all', 'cursor'], {
  all: flag('--all', 'list everything, which is the default'),
  max: option('--max <n>', 'stop after <n> records', asInteger(1, 1_000_000_000)),
  cursor: option('--cursor <cursor>', 'continue from the next_cursor of an earlier page', asText),
});

/** Selects the records of all profiles instead of the current one. */
export const EVERY_PROFILE = rarely(['allProfiles'], {
  allProfiles: flag('--all-profiles', 'all profiles of this ledger, practice (--local) included'),
});

/** Options of a list stored on this machine that has no filters. */
export const STORED_LIST = { ...PAGE_OPTIONS, ...EVERY_PROFILE };

/** Paging options of lists from the service. */
export const WALK_OPTIONS = rarely(['limit'], {
  limit: option('--limit <n>', 'records per page, 1 to 100 (10; 100 with --all)', asText, {
    type: 'integer',
    default: '10',
  }),
  cursor: PAGE_OPTIONS.cursor,
  all: flag('--all', 'list all pages'),
  max: PAGE_OPTIONS.max,
});

/** Filters applied by paycli, since the service has no filters of its own. */
export const FILTER_OPTIONS = {
  status: listed('--status <a,b>', 'only these statuses, as words or as in JSON', asWord),
  since: option(
    '--since <time>',
    'created since: today, yesterday, 2h, 7d, 1w, 2026-11-20 or a full timestamp',
    asMoment('first'),
  ),
  until: option('--until <time>', 'created until: the same; a day counts to its end', asMoment('last')),
  ref: option('--ref <text>', 'only with this reference', asText),
  email: option('--email <address>', "only with this customer's e-mail address", asText),
};

/** Additional filters for payment requests. */
export const MONEY_FILTER_OPTIONS = rarely(['amount', 'amountMinor'], {
  customer: option('--customer <onye|email>', 'only of this customer, by ony.… or e-mail', asText, {
    completes: 'onye',
  }),
  amount: option('--amount <5,000.00>', "only of this amount, also as tables print it: 'NGN 5,000.00'", asAmount),
  amountMinor: option('--amount-minor <n>', 'only of this amount, in the minor unit (kobo)', asMinor),
});

/** Throws for filters that can't match any record. */
const refuseMatchless = ({ ref, email, customer }: RecordFilter) => {
  if (ref === '') throw usageError('--ref is empty');
  if ([...(ref ?? '')].length > LONGEST_REF) throw usageError(`--ref is longer than ${LONGEST_REF} characters`);
  if (email?.includes('@') === false) throw usageError(`--email: "${email}" is not an e-mail address`);
  if (customer?.includes('@') === false) checkIdOption('--customer', 'ony', customer);
};

type ListOptions = GivenOptions<typeof WALK_OPTIONS> & RecordFilter;

/**
 * Reads the options of a list; `statuses` are the possible statuses of its records. An option that is neither for
 * paging nor a filter of that name and type does not compile.
 */
export const readList = <G extends ListOptions>(
  given: G & Readonly<Record<Exclude<keyof G, keyof ListOptions>, never>>,
  { validate }: { readonly validate: boolean },
  statuses: readonly string[],
): ListInput => {
  const { limit, cursor, max, all, ...filter }: ListOptions = given;
  // Without validation, an unknown status is looked for as it is.
  const read = (text: string): string =>
    validate ? readStatus(text, statuses, '--status: ') : (statusValue(text, statuses) ?? text);
  const status = filter.status?.map(read);
  if (validate) refuseMatchless(filter);
  if (cursor === '') throw usageError('--cursor is empty');
  if (filter.amount !== undefined && filter.amountMinor !== undefined) {
    throw usageError("--amount and --amount-minor can't be used together");
  }
  const page = { limit, cursor, max, all };
  if (Object.keys(filter).length === 0) return page;
  return { ...page, filter: status === undefined ? filter : { ...filter, status } };
};

/** Options for passing a customer's next step on. */
export const SHARE_OPTIONS = rarely(['copy', 'shareTemplate', 'shareZone'], {
  copy: flag(
    '--copy',
    "copy the account number or the code to dial to the terminal's clipboard; with --share, the message",
  ),
  share: flag('--share', 'print a message for the customer, and nothing else'),
  shareTemplate: option(
    '--share-template <file>',
    'the message, with {ref} {amount} {account_number} {bank} {account_name} {code} {expires} ' +
      '{first_name} {merchant} (the name of the checkout); {first_name|there} has a default',
    asFile,
  ),
  shareZone: option(
    '--share-zone <zone>',
    "time zone of the expiry in the message, such as Africa/Lagos (this machine's)",
    asText,
  ),
});

/** `program`: the message goes to that, too. */
export const readShare = (
  { copy = false, share = false, shareTemplate, shareZone }: GivenOptions<typeof SHARE_OPTIONS>,
  program?: string,
): ShareOptions => {
  if (!share && program === undefined && (shareTemplate ?? shareZone) !== undefined) {
    const name = shareTemplate === undefined ? 'zone' : 'template';
    throw usageError(`--share-${name} needs --share or, in \`ugwo charge\`, --share-with`);
  }
  return { copy, share, shareTemplate, shareZone };
};

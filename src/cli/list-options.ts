import type { ReadAmount } from '../core/amount.ts';
import { readAmount, readMinorAmount, splitMoney } from '../core/amount.ts';
import { parseDuration } from '../core/duration.ts';
import { usageError } from '../core/error.ts';
import type { ListInput, Moment, RecordFilter } from '../core/record-filter.ts';
import { parseInstant } from '../core/time.ts';
import type { Zone } from '../core/zone.ts';
import { startOf } from '../core/zone.ts';
import type { GivenOptions, OptionSpecs, Parse } from './define.ts';
import { flag, option, taking } from './define.ts';
import { checkIdOption } from './id-argument.ts';
import { asInteger, asText, refuseUnknown } from './options.ts';

const DAY_MS = 24 * 3_600_000;

/** `2h` or `7d` ago, a day or a minute (from its first moment, or up to its last), or an instant with its offset. */
export const momentIn = (zone: Zone, end: 'first' | 'last', text: string): Moment => {
  const days = /^(\d{1,5})d$/.exec(text);
  const ago = days === null ? parseDuration(text) : Number(days[1]) * DAY_MS;
  if (ago !== undefined) return { ago };
  const at = startOf(zone, text, end === 'last' ? 1 : 0) ?? parseInstant(text)?.ms;
  if (at !== undefined) return { at };
  throw usageError(
    `"${text}" is not a time such as 2h, 7d, 2026-11-20, '2026-11-20 09:30' or 2026-11-20T09:30:00+01:00`,
  );
};

const asMoment = (end: 'first' | 'last'): Parse<Moment> =>
  taking({ type: 'time' }, (text) => momentIn('local', end, text));

const asMinor: Parse<number> = taking({ type: 'integer' }, (text) => {
  const read: ReadAmount = readMinorAmount(text);
  if ('minor' in read) return read.minor;
  throw usageError(read.problem, { hint: read.hint });
});

/** Currencies with two decimals, three and four. */
const ANY_CURRENCY = ['NGN', 'KWD', 'CLF'] as const;

/** In the currency that it names, else in any with decimals; without them it could be meant in either unit. */
const asAmount: Parse<string> = taking({ type: 'amount' }, (text) => {
  const { currency, amount } = splitMoney(text);
  const [read, ...others] = currency === undefined ? ANY_CURRENCY : [currency];
  const first = readAmount(amount, read);
  if ('minor' in first || others.some((other) => 'minor' in readAmount(amount, other))) return text;
  throw usageError(first.problem, { hint: first.hint });
});

const asWords: Parse<readonly string[]> = taking({ list: true }, (text) => {
  const words = text.split(',').map((word) => word.trim());
  if (words.every((word) => word !== '')) return words;
  throw usageError(`"${text}" is not a list such as processing,requires_ugwo`);
});

/** How much of a list that is kept on this machine is shown, and from where on. */
export const PAGE_OPTIONS = {
  max: option('--max <n>', 'stop after <n> records', asInteger(1, 1_000_000_000)),
  cursor: option('--cursor <cursor>', 'continue from the next_cursor of an earlier page', asText),
} as const;

/** In place of what went where the profile leads. */
export const EVERY_PROFILE = {
  allProfiles: flag('--all-profiles', 'all profiles, practice (--local) included'),
} as const;

/** How far a list goes. */
export const WALK_OPTIONS = {
  limit: option('--limit <n>', 'records per page, 1 to 100 (10; 100 with --all)', asText, {
    type: 'integer',
    default: '10',
  }),
  cursor: PAGE_OPTIONS.cursor,
  all: flag('--all', 'list all pages'),
  max: PAGE_OPTIONS.max,
} as const;

/** What is looked for among the records of a list; the service has no filters of its own. */
export const FILTER_OPTIONS = {
  status: option('--status <a,b>', 'only these statuses', asWords),
  since: option('--since <time>', 'created since: 2h, 7d, 2026-11-20 or a full timestamp', asMoment('first')),
  until: option('--until <time>', 'created until: the same; a day counts to its end', asMoment('last')),
  ref: option('--ref <text>', 'only with this reference', asText),
  email: option('--email <address>', "only with this customer's e-mail address", asText),
} as const;

/** Besides, what only payment requests have. */
export const MONEY_FILTER_OPTIONS = {
  customer: option('--customer <onye|email>', 'only of this customer, by ony.… or e-mail', asText, {
    completes: 'onye',
  }),
  amount: option('--amount <5,000.00>', "only of this amount, also as tables print it: 'NGN 5,000.00'", asAmount),
  amountMinor: option('--amount-minor <n>', 'only of this amount, in the minor unit (kobo)', asMinor),
} as const;

type AllOptions = typeof WALK_OPTIONS & typeof FILTER_OPTIONS & typeof MONEY_FILTER_OPTIONS;

const filterOf = (given: GivenOptions<AllOptions>): RecordFilter | undefined => {
  const { status: statuses, since, until, ref, email, customer, amount, amountMinor } = given;
  if (amount !== undefined && amountMinor !== undefined) {
    throw usageError("--amount and --amount-minor can't be used together");
  }
  const entries = Object.entries({ statuses, since, until, ref, email, customer, amount, amountMinor });
  const set = entries.filter(([, value]) => value !== undefined);
  return set.length === 0 ? undefined : Object.fromEntries(set);
};

const LONGEST_REF = 150;

/** Throws where nothing could match, whatever there is. */
const refuseHopeless = (
  { status = [], ref, email, customer }: GivenOptions<AllOptions>,
  statuses: readonly string[],
) => {
  for (const one of status) refuseUnknown(one, statuses);
  if (ref === '') throw usageError('--ref is empty');
  if ([...(ref ?? '')].length > LONGEST_REF) throw usageError(`--ref is longer than ${LONGEST_REF} characters`);
  if (email?.includes('@') === false) throw usageError(`--email: "${email}" is not an e-mail address`);
  if (customer?.includes('@') === false) checkIdOption('--customer', 'ony', customer);
};

/** What a list is asked for; `statuses` are those that its records can have. */
export const readList = <O extends OptionSpecs>(
  options: GivenOptions<O>,
  { validate }: { readonly validate: boolean },
  statuses: readonly string[],
): ListInput => {
  const given = options as GivenOptions<AllOptions>;
  if (validate) refuseHopeless(given, statuses);
  if (given.cursor === '') throw usageError('--cursor is empty');
  const filter = filterOf(given);
  return {
    limit: given.limit,
    cursor: given.cursor,
    reach:
      given.max !== undefined
        ? { kind: 'max', max: given.max }
        : given.all === true
          ? { kind: 'all' }
          : { kind: 'page' },
    ...(filter === undefined ? {} : { filter }),
  };
};

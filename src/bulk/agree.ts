import { DAY_MS, startOfDay } from '../core/time.ts';
import type { ChargeSum, Ledger } from '../ledger/ledger.ts';
import type { BankStatement, StatementLine } from './statement.ts';

/** Money of a ledger that a statement should show. */
export interface LedgerPayment
  extends Pick<ChargeSum, 'at' | 'ugwo' | 'ref' | 'psp_reference' | 'account_digest' | 'profile'> {
  /** The entry's id; a reversal has that of its charge. */
  readonly id: string;
  /** `other`: a charge that brought no such money. A line that names it belongs to no payment. */
  readonly kind: 'payment' | 'refund' | 'reversal' | 'other';
  /** `2026-11-25`, in the zone of the command. */
  readonly day: string;
  /** The day on the other side of midnight, if that is near. */
  readonly otherDay: string | undefined;
  /** In the minor unit. Money out is negative. */
  readonly amount: number;
}

/** Names by which a line and a payment belong together, the surest first; `amount`: none, but the same day and sum. */
const NAMES = ['reference', 'account', 'ref'] as const;
type By = (typeof NAMES)[number] | 'amount';

/** `likely`: the same amount on the same day, and no name. `two_names`: a line that names two payment requests. */
export const MATCH_RESULTS = ['agrees', 'likely', 'other_amount', 'two_names', 'only_in_file', 'only_here'] as const;

/** A line, a payment, or both. */
export interface Match {
  readonly result: (typeof MATCH_RESULTS)[number];
  readonly by?: By;
  readonly line?: StatementLine;
  readonly payment?: LedgerPayment;
  /** Excess of the line over the payment, after its fee. */
  readonly difference?: number;
  /** Days from the payment to its line, if not 0. */
  readonly days_later?: number;
  /** Refs, or ids, of the payment requests that a line of `two_names` names. */
  readonly named?: string;
}

/** Days by which a named payment may be older than its line: banks post a payment of a weekend later. */
export const DAYS_OLDER = 10;
/** Days by which it may be younger: a bank's day may begin at another hour. */
export const DAYS_YOUNGER = 1;

const indexed = <T, K>(all: Iterable<T>, keysOf: (one: T) => readonly K[]): ReadonlyMap<K, T[]> => {
  const index = new Map<K, T[]>();
  for (const one of all) {
    for (const key of keysOf(one)) {
      const same = index.get(key);
      if (same === undefined) index.set(key, [one]);
      else same.push(one);
    }
  }
  return index;
};

/** A shorter name may be in any text. A whole cell of references may be shorter. */
const SHORTEST_NAME = 5;
const ACCOUNTS = new RegExp(`\\d{${SHORTEST_NAME},}`, 'g');

/** Letters or digits that stand together, and what separates them from the next ones: nothing in `INV1042`. */
const PARTS = /(\p{L}+|\p{N}+)([^\p{L}\p{N}]*)/gu;

/** Parts of a text. `isEnd`: a separator or the end of the text follows. */
const partsOf = (text: string) =>
  Array.from(text.toLowerCase().matchAll(PARTS), ({ 1: part = '', 2: after, index, 0: all }) => ({
    part,
    isEnd: after !== '' || index + all.length === text.length,
    index,
  }));

/** A name as its parts, which banks separate in other ways. */
const bare = (name: string): string =>
  partsOf(name)
    .map(({ part }) => part)
    .join(' ');

const plain = (text: string): string => text.trim().toLowerCase();

/** A name that stands in a text: the parts from one to another, and their spelling there. */
interface Found {
  readonly parts: string;
  readonly spelling: string;
  readonly from: number;
  readonly to: number;
}

/** Finds the names in a text as whole words. */
const namesWithin = (text: string, isName: (parts: string) => boolean, longest: number): readonly Found[] => {
  const parts = partsOf(text);
  return parts.flatMap(({ index }, from) => {
    const found: Found[] = [];
    let read = '';
    for (const [count, { part, isEnd, index: at }] of parts.slice(from, from + longest).entries()) {
      read = count === 0 ? part : `${read} ${part}`;
      const isWhole = isEnd && (from === 0 || parts[from - 1]?.isEnd === true);
      if (!isWhole || !isName(read)) continue;
      found.push({ parts: read, spelling: plain(text.slice(index, at + part.length)), from, to: from + count });
    }
    return found;
  });
};

/** The payment request of a payment, in its service. */
const requestOf = ({ profile = '', ugwo, id }: LedgerPayment): string => `${profile} ${ugwo ?? id}`;

/** Payments that have a name, of a ref or a provider's reference in one spelling, or of an account. */
class Name {
  readonly by: (typeof NAMES)[number];
  readonly payments: readonly LedgerPayment[];
  readonly requests: ReadonlySet<string>;

  constructor(by: Name['by'], payments: readonly LedgerPayment[]) {
    this.by = by;
    this.payments = payments;
    this.requests = new Set(payments.map(requestOf));
  }
}

/** The names of payments, and what a line names. */
class NameIndex {
  /** By parts, then by spelling: two refs may have the same parts. */
  readonly #names = new Map<string, Map<string, Name>>();
  readonly #accounts: ReadonlyMap<string, Name>;
  readonly #longest: number;
  readonly #digest: Ledger['digest'];

  constructor(payments: readonly LedgerPayment[], digest: Ledger['digest']) {
    for (const by of ['reference', 'ref'] as const) {
      const written = indexed(payments, ({ psp_reference = '', ref = '' }) => [
        plain(by === 'ref' ? ref : psp_reference),
      ]);
      for (const [spelling, own] of written) {
        const parts = bare(spelling);
        if (parts === '') continue;
        const spellings = this.#names.get(parts) ?? new Map<string, Name>();
        if (!spellings.has(spelling)) spellings.set(spelling, new Name(by, own));
        this.#names.set(parts, spellings);
      }
    }
    const accounts = indexed(payments, ({ account_digest: account }) => (account === undefined ? [] : [account]));
    this.#accounts = new Map([...accounts].map(([account, own]) => [account, new Name('account', own)]));
    this.#longest = this.#names.keys().reduce((most, parts) => Math.max(most, parts.split(' ').length), 0);
    this.#digest = digest;
  }

  /** The names in a line. */
  in({ text, references, numbers }: StatementLine): readonly Name[] {
    const accounts = [...(text.match(ACCOUNTS) ?? []), ...numbers].flatMap(
      (number) => this.#accounts.get(this.#digest(number)) ?? [],
    );
    const cells = references.flatMap((cell) => this.#named(bare(cell), plain(cell)) ?? []);
    return [...new Set([...accounts, ...cells, ...text.split('\n').flatMap((part) => this.#within(part))])];
  }

  #within(text: string): readonly Name[] {
    const found = namesWithin(text, (parts) => this.#names.has(parts), this.#longest)
      .filter(({ spelling }) => spelling.length >= SHORTEST_NAME)
      .map((one) => ({ ...one, isExact: this.#names.get(one.parts)?.has(one.spelling) === true }));
    // A name inside a longer one doesn't count, unless it alone is spelled so.
    const own = found.filter(
      (one) =>
        !found.some(
          (other) => other !== one && other.from <= one.from && other.to >= one.to && (other.isExact || !one.isExact),
        ),
    );
    return own.flatMap(({ parts, spelling }) => this.#named(parts, spelling) ?? []);
  }

  /** The name in its exact spelling, else the only one with its parts. */
  #named(parts: string, spelling: string): Name | undefined {
    const spellings = this.#names.get(parts);
    return spellings?.get(spelling) ?? (spellings?.size === 1 ? spellings.values().next().value : undefined);
  }
}

/** The amount that the customer paid, or got back. */
const netOf = ({ amount, fee = 0 }: StatementLine): number => amount + fee;

const dayNumber = (day: string): number => Math.round((startOfDay('utc', day) ?? 0) / DAY_MS);

/** Sorts lines by what they hold, so that their order decides nothing. The number decides only between equal ones. */
const byContent = (a: StatementLine, b: StatementLine): number => {
  const rest = ({ fee, text, references, number }: StatementLine) => JSON.stringify([fee, text, references, number]);
  if (a.day !== b.day) return a.day < b.day ? -1 : 1;
  return a.amount - b.amount || (rest(a) < rest(b) ? -1 : 1);
};

/** Payments that a name leads to, from which lines take theirs. */
class Pool {
  readonly #byAmountAndDay: ReadonlyMap<string, LedgerPayment[]>;
  readonly #payments: readonly LedgerPayment[];
  readonly #free: ReadonlySet<LedgerPayment>;
  readonly #days: ReadonlyMap<string, number>;

  constructor(payments: readonly LedgerPayment[], free: ReadonlySet<LedgerPayment>, days: ReadonlyMap<string, number>) {
    this.#payments = payments.filter((one) => free.has(one)).sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
    this.#byAmountAndDay = indexed(this.#payments, ({ amount, day }) => [`${amount} ${days.get(day)}`]);
    this.#free = free;
    this.#days = days;
  }

  /** The nearest payment of the amount, up to a number of days away. */
  same(net: number, day: number, mostDays: number): LedgerPayment | undefined {
    for (let apart = 0; apart <= mostDays; apart += 1) {
      for (const at of apart === 0 || apart > DAYS_YOUNGER ? [day - apart] : [day - apart, day + apart]) {
        const payments = this.#byAmountAndDay.get(`${net} ${at}`);
        while (payments?.length) {
          const payment = payments.at(-1);
          if (payment !== undefined && this.#free.has(payment)) return payment;
          payments.pop();
        }
      }
    }
    return undefined;
  }

  /** The payment of the nearest day, and then of the closest amount, whose amount is not further off. */
  closest(net: number, day: number, mostOff: number): LedgerPayment | undefined {
    let best: { readonly payment: LedgerPayment; readonly apart: number; readonly off: number } | undefined;
    for (const payment of this.#payments) {
      const later = day - (this.#days.get(payment.day) ?? 0);
      const [off, apart] = [Math.abs(net - payment.amount), Math.abs(later)];
      if (off > mostOff || payment.amount > 0 !== net > 0 || later > DAYS_OLDER || -later > DAYS_YOUNGER) continue;
      if (!this.#free.has(payment)) continue;
      if (best === undefined || (apart - best.apart || off - best.off) < 0) best = { payment, apart, off };
    }
    return best?.payment;
  }
}

interface Matching extends Pick<BankStatement, 'days'>, Pick<Ledger, 'digest'> {
  /** Amounts of a line and the payment that it names agree up to this difference. */
  readonly tolerance: number;
}

/** The payments that may be a line's, and the name that leads to them. */
interface Candidates {
  readonly by: By;
  readonly pool: Pool;
}

/** Lines and payments that have no partner yet, and the partners found. */
class Matches {
  readonly #tolerance: number;
  readonly #lines: readonly StatementLine[];
  readonly #days: ReadonlyMap<string, number>;
  readonly #candidates = new Map<StatementLine, Candidates>();
  readonly #pools = new Map<Name, Pool>();
  readonly #nameless: StatementLine[] = [];
  readonly #found = new Map<StatementLine, Match>();
  /** The payments without a line. */
  readonly free: Set<LedgerPayment>;

  constructor(lines: readonly StatementLine[], payments: readonly LedgerPayment[], { tolerance, digest }: Matching) {
    this.#tolerance = tolerance;
    this.#lines = lines.toSorted(byContent);
    this.#days = new Map([...lines, ...payments].map(({ day }) => [day, dayNumber(day)]));
    const own = payments.filter(({ kind }) => kind !== 'other');
    this.free = new Set(own.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)));
    const index = new NameIndex(payments, digest);
    for (const line of this.#lines) this.#lookUp(line, index.in(line));
  }

  of(line: StatementLine): Match {
    return this.#found.get(line) ?? { result: 'only_in_file', line };
  }

  /** A line that a label marks is one only if it names a payment. */
  isLine(line: StatementLine): boolean {
    return line.label === undefined || !this.#nameless.includes(line);
  }

  /** Keeps the payments of the one payment request that all names of a line lead to. */
  #lookUp(line: StatementLine, names: readonly Name[]): void {
    const [first] = names;
    if (first === undefined) {
      this.#nameless.push(line);
      return;
    }
    const rarest = names.reduce((few, one) => (one.requests.size < few.requests.size ? one : few), first);
    const requests = rarest.requests.values().filter((request) => names.every((name) => name.requests.has(request)));
    const shared = names.length === 1 ? first.requests : new Set(requests);
    if (shared.size === 0) {
      const named = [...new Set(names.map(({ payments: [one] }) => one?.ref ?? one?.ugwo ?? one?.id))].join(' and ');
      this.#found.set(line, { result: 'two_names', line, named });
      return;
    }
    const isOwn = (one: LedgerPayment): boolean => this.free.has(one) && shared.has(requestOf(one));
    const byRank = names.toSorted((a, b) => NAMES.indexOf(a.by) - NAMES.indexOf(b.by));
    const leading = byRank.find(({ payments }) => payments.some(isOwn));
    if (leading === undefined) return;
    const whole = this.#pools.get(leading) ?? new Pool(leading.payments, this.free, this.#days);
    this.#pools.set(leading, whole);
    const isWhole = shared.size === leading.requests.size;
    const pool = isWhole ? whole : new Pool(leading.payments.filter(isOwn), this.free, this.#days);
    this.#candidates.set(line, { by: leading.by, pool });
  }

  /** Matches the lines that name a payment: those of its amount first, and before all those of the same day. */
  byName(): void {
    const passes = [
      (pool: Pool, net: number, day: number) => pool.same(net, day, 0),
      (pool: Pool, net: number, day: number) => pool.same(net, day, DAYS_OLDER),
      (pool: Pool, net: number, day: number) => pool.closest(net, day, this.#tolerance),
      (pool: Pool, net: number, day: number) => pool.closest(net, day, Infinity),
    ];
    for (const take of passes) {
      for (const [line, { by, pool }] of this.#candidates) {
        if (this.#found.has(line)) continue;
        const payment = take(pool, netOf(line), this.#days.get(line.day) ?? 0);
        if (payment !== undefined) this.#match(line, payment, by);
      }
    }
  }

  /** Pairs lines without a name with payments of their amount and day, if there are as many of both. */
  byAmount(isAcrossMidnight: boolean): void {
    const lines = this.#nameless.filter((line) => line.label === undefined && !this.#found.has(line));
    const payments = indexed(this.free, ({ amount, day, otherDay }) =>
      [day, isAcrossMidnight ? (otherDay ?? []) : []].flat().map((on) => `${amount} ${on}`),
    );
    for (const [place, own] of indexed(lines, (line) => [`${netOf(line)} ${line.day}`])) {
      const paid = (payments.get(place) ?? []).filter((one) => this.free.has(one));
      if (paid.length !== own.length) continue;
      for (const [at, payment] of paid.entries()) this.#match(own[at] as StatementLine, payment, 'amount');
    }
  }

  #match(line: StatementLine, payment: LedgerPayment, by: By): void {
    const difference = netOf(line) - payment.amount;
    const agrees = by === 'amount' ? 'likely' : 'agrees';
    const result = Math.abs(difference) <= this.#tolerance ? agrees : 'other_amount';
    const later = (this.#days.get(line.day) ?? 0) - (this.#days.get(payment.day) ?? 0);
    this.free.delete(payment);
    const match: Match = { result, by, line, payment, difference };
    this.#found.set(line, later === 0 ? match : { ...match, days_later: later });
  }
}

/**
 * Matches lines with payments, one with one. All names in a line lead to one payment request, and the payment of its
 * amount is the line's. Lines without a name are only likely: by amount and day. The order of the lines doesn't matter.
 * Payments of other days are in the result only if a line belongs to them; a line with a label, if it names a payment.
 */
export const matchLines = (
  lines: readonly StatementLine[],
  payments: readonly LedgerPayment[],
  how: Matching,
): readonly Match[] => {
  const matches = new Matches(lines, payments, how);
  matches.byName();
  for (const isAcrossMidnight of [false, true]) matches.byAmount(isAcrossMidnight);
  const missing = [...matches.free].filter(({ day }) => day >= how.days.first && day <= how.days.last);
  return [
    ...lines.filter((line) => matches.isLine(line)).map((line) => matches.of(line)),
    ...missing.map((payment): Match => ({ result: 'only_here', payment })),
  ];
};

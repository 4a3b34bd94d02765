import { memo } from '../core/async.ts';
import { DAY_MS, dayIn, startOfDay } from '../core/time.ts';
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
const NAME_KINDS = ['reference', 'account', 'ref'] as const;
type NameKind = (typeof NAME_KINDS)[number];
type By = NameKind | 'amount';

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

const indexed = <T>(all: Iterable<T>, keysOf: (one: T) => readonly string[]): ReadonlyMap<string, T[]> => {
  const index = new Map<string, T[]>();
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

const WORD = /[\p{L}\p{N}]+/gu;
const PART = /\p{L}+|\p{N}+/gu;
const AROUND = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

/** The letters and digits of a text as parts, which banks separate in other ways: `inv 1042` of `INV1042`. */
const partsOf = (text: string): readonly string[] => text.toLowerCase().match(PART) ?? [];
const bareParts = (text: string): string => partsOf(text).join(' ');

/** A name with its own separators. */
const spelled = (text: string): string => text.toLowerCase().replace(AROUND, '');

/** The payment request of a payment, in its service. */
const requestOf = ({ profile = '', ugwo, id }: LedgerPayment): string => `${profile} ${ugwo ?? id}`;

const FIELDS = { reference: 'psp_reference', account: 'account_digest', ref: 'ref' } as const;

/** The numbers of a line, each of which may be an account. */
const accountsIn = ({ text, numbers }: StatementLine): readonly string[] => [
  ...(text.match(ACCOUNTS) ?? []),
  ...numbers,
];

/** Names that lines may hold: those whose parts all stand in some lines. A ledger has many other names. */
export class LineNames {
  readonly #parts = new Set<string>();
  readonly #accounts: () => ReadonlySet<string>;

  constructor(lines: readonly StatementLine[], digest: Ledger['digest']) {
    for (const { text, references } of lines) {
      for (const part of [text, ...references].flatMap(partsOf)) this.#parts.add(part);
    }
    this.#accounts = memo(() => new Set(lines.flatMap(accountsIn).map(digest)));
  }

  /** True for a name that lines may have. */
  has(by: NameKind, name = ''): boolean {
    if (by === 'account') return name !== '' && this.#accounts().has(name);
    const parts = partsOf(name);
    return parts.length > 0 && parts.every((part) => this.#parts.has(part));
  }

  /** True for a payment that lines may name. */
  mayName(payment: Pick<LedgerPayment, (typeof FIELDS)[NameKind]>): boolean {
    return NAME_KINDS.some((by) => this.has(by, payment[FIELDS[by]]));
  }
}

/** A name in the ledger, and the payments that have it. */
class Name {
  readonly by: NameKind;
  readonly text: string;
  readonly payments: LedgerPayment[];
  #requests: ReadonlySet<string> | undefined;

  constructor(by: NameKind, text: string, first: LedgerPayment) {
    this.by = by;
    this.text = text;
    this.payments = [first];
  }

  isOf(payment: LedgerPayment): boolean {
    return payment[FIELDS[this.by]] === this.text;
  }

  get requests(): ReadonlySet<string> {
    this.#requests ??= new Set(this.payments.map(requestOf));
    return this.#requests;
  }
}

/** Names that stand in a text. `isSure`: spelled as in the ledger, or the whole text. */
interface Found {
  readonly names: readonly Name[];
  readonly start: number;
  readonly end: number;
  readonly isSure: boolean;
}

/** The names of payments, and what a line names. */
class NameIndex {
  readonly #byParts = new Map<string, Name[]>();
  readonly #byAccount = new Map<string, Name[]>();
  readonly #mostParts: number;
  readonly #digest: Ledger['digest'];

  constructor(payments: readonly LedgerPayment[], { names: known, digest }: Pick<Matching, 'names' | 'digest'>) {
    for (const payment of payments) {
      for (const by of NAME_KINDS) {
        const text = payment[FIELDS[by]] ?? '';
        if (!known.has(by, text)) continue;
        const [index, key] = by === 'account' ? [this.#byAccount, text] : [this.#byParts, bareParts(text)];
        const names = index.get(key) ?? [];
        const name = names.find((one) => one.by === by && one.text === text);
        if (name === undefined) index.set(key, [...names, new Name(by, text, payment)]);
        else name.payments.push(payment);
      }
    }
    this.#mostParts = this.#byParts.keys().reduce((most, parts) => Math.max(most, parts.split(' ').length), 0);
    this.#digest = digest;
  }

  /** The names in a line. */
  in(line: StatementLine): readonly Name[] {
    const { text, references } = line;
    const numbers = this.#byAccount.size > 0 ? accountsIn(line) : [];
    const accounts = numbers.flatMap((number) => this.#byAccount.get(this.#digest(number)) ?? []);
    const cells = references.flatMap((cell) => this.#named(bareParts(cell), spelled(cell)).names);
    return [...new Set([...accounts, ...cells, ...text.split('\n').flatMap((part) => this.#within(part))])];
  }

  /** The names that stand in a text as whole words. */
  #within(text: string): readonly Name[] {
    const lower = text.toLowerCase();
    const words = Array.from(lower.matchAll(WORD), ({ 0: word, index }) => ({
      parts: bareParts(word),
      start: index,
      end: index + word.length,
    }));
    const found: Found[] = [];
    for (const [from, { start }] of words.entries()) {
      let parts = '';
      for (const word of words.slice(from, from + this.#mostParts)) {
        parts = parts === '' ? word.parts : `${parts} ${word.parts}`;
        if (!this.#byParts.has(parts)) continue;
        const { names, isExact } = this.#named(parts, lower.slice(start, word.end));
        const isWhole = from === 0 && word === words.at(-1);
        found.push({ names, start, end: word.end, isSure: isExact || isWhole });
      }
    }
    // `INV-1042-2` doesn't name INV-1042. `INV 104 2 BAGS` may mean both INV-104 and INV-104-2.
    const own = found.filter(
      (one) =>
        !found.some((other) => other !== one && other.isSure && other.start <= one.start && other.end >= one.end),
    );
    return own.flatMap(({ names }) => names).filter((name) => name.text.length >= SHORTEST_NAME);
  }

  /** The names of these parts in this spelling, else those of the only spelling. */
  #named(parts: string, spelling: string): { readonly names: readonly Name[]; readonly isExact: boolean } {
    const all = this.#byParts.get(parts) ?? [];
    const exact = all.filter(({ text }) => spelled(text) === spelling);
    if (exact.length > 0) return { names: exact, isExact: true };
    const isOne = new Set(all.map(({ text }) => spelled(text))).size === 1;
    return { names: isOne ? all : [], isExact: false };
  }
}

/** The amount that the customer paid, or got back. */
const netOf = ({ amount, fee = 0 }: StatementLine): number => amount + fee;

/** The start of a day, so that days can be counted. */
const startOf = (day: string): number => startOfDay('utc', day) ?? 0;

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Sorts lines by what they hold, so that their order decides nothing. The number decides only between equal ones. */
const byContent = (a: StatementLine, b: StatementLine): number =>
  compare(a.day, b.day) ||
  a.amount - b.amount ||
  (a.fee ?? -1) - (b.fee ?? -1) ||
  compare(a.text, b.text) ||
  compare(a.references.join('\n'), b.references.join('\n')) ||
  compare(a.numbers.join('\n'), b.numbers.join('\n')) ||
  a.number - b.number;

const byTime = (a: LedgerPayment, b: LedgerPayment): number => a.at - b.at || compare(a.id, b.id);

/** The payments that a line's names lead to. */
class Candidates {
  readonly by: By;
  /** By day and amount, and the earliest of equal ones last. */
  readonly #payments: LedgerPayment[];

  constructor(by: By, payments: readonly LedgerPayment[]) {
    this.by = by;
    this.#payments = payments.toSorted((a, b) => compare(a.day, b.day) || a.amount - b.amount || byTime(b, a));
  }

  /** The payment of the nearest day that has one of the amount, or not further off. */
  nearest(line: StatementLine, free: ReadonlySet<LedgerPayment>, mostDays: number, mostOff: number) {
    const [net, on] = [netOf(line), startOf(line.day)];
    for (let apart = 0; apart <= mostDays; apart += 1) {
      for (const days of apart > 0 && apart <= DAYS_YOUNGER ? [-apart, apart] : [-apart]) {
        const payment = this.#closest(net, dayIn('utc', on + days * DAY_MS), free);
        if (payment !== undefined && Math.abs(net - payment.amount) <= mostOff) return payment;
      }
    }
    return undefined;
  }

  /** The free payment of a day and side with the closest amount. */
  #closest(net: number, day: string, free: ReadonlySet<LedgerPayment>): LedgerPayment | undefined {
    for (;;) {
      const after = this.#countUpTo(net, day);
      const near = [after - 1, after].flatMap((at) => {
        const payment = this.#payments[at];
        return payment?.day === day && payment.amount > 0 === net > 0 ? { at, payment } : [];
      });
      const [one, other] = near;
      const isOther = one && other && other.payment.amount - net < net - one.payment.amount;
      const best = isOther ? other : one;
      if (best === undefined || free.has(best.payment)) return best?.payment;
      this.#payments.splice(best.at, 1);
    }
  }

  /** The number of payments up to a day and amount. Halving, since each of many lines may name all these payments. */
  #countUpTo(net: number, day: string): number {
    let [count, end] = [0, this.#payments.length];
    while (count < end) {
      const middle = (count + end) >> 1;
      const payment = this.#payments[middle];
      if (payment && (payment.day < day || (payment.day === day && payment.amount <= net))) count = middle + 1;
      else end = middle;
    }
    return count;
  }
}

interface Matching extends Pick<BankStatement, 'days'>, Pick<Ledger, 'digest'> {
  /** Amounts of a line and the payment that it names agree up to this difference. */
  readonly tolerance: number;
  /** Names that the lines may hold. */
  readonly names: LineNames;
}

/** Refs, or ids if those tell nothing apart, of the payment requests that names lead to. */
const requestsText = (names: readonly Name[]): string => {
  const some = names.map(({ payments: [one] }) => one);
  const ids = some.map((one) => one?.ugwo ?? one?.id);
  const refs = new Set(some.map((one, at) => one?.ref ?? ids[at]));
  return [...(refs.size > 1 ? refs : new Set(ids))].sort().join(' and ');
};

/** The payments that have all of a line's names, else those of the payment request that all names lead to. */
const candidatesOf = (names: readonly Name[]): Candidates | undefined => {
  const [rarest] = names.toSorted((a, b) => a.payments.length - b.payments.length);
  const all = rarest?.payments.filter((one) => names.every((name) => name.isOf(one))) ?? [];
  const isShared = (request: string): boolean => names.every(({ requests }) => requests.has(request));
  if (rarest === undefined || (all.length === 0 && !rarest.requests.values().some(isShared))) return undefined;
  const ofRequest = names.flatMap(({ payments }) =>
    all.length > 0 ? [] : payments.filter((one) => isShared(requestOf(one))),
  );
  const by = NAME_KINDS.find((one) => names.some((name) => name.by === one)) ?? rarest.by;
  return new Candidates(by, [...new Set([...all, ...ofRequest])]);
};

/** Lines and payments that have no partner yet, and the partners found. */
class Matches {
  readonly #tolerance: number;
  readonly #named = new Map<StatementLine, Candidates>();
  readonly #nameless = new Set<StatementLine>();
  readonly #found = new Map<StatementLine, Match>();
  /** The payments without a line. */
  readonly free: Set<LedgerPayment>;

  constructor(lines: readonly StatementLine[], payments: readonly LedgerPayment[], how: Matching) {
    this.#tolerance = how.tolerance;
    this.free = new Set(payments.filter(({ kind }) => kind !== 'other').sort(byTime));
    const index = new NameIndex(payments, how);
    // Lines of the same names share their candidates.
    const known = new Map<string, Candidates | undefined>();
    for (const line of lines.toSorted(byContent)) {
      const names = index.in(line);
      const key = names
        .map(({ by, text }) => `${by} ${text}`)
        .sort()
        .join('\n');
      if (!known.has(key)) known.set(key, candidatesOf(names));
      const candidates = known.get(key);
      if (names.length === 0) this.#nameless.add(line);
      else if (candidates !== undefined) this.#named.set(line, candidates);
      else this.#found.set(line, { result: 'two_names', line, named: requestsText(names) });
    }
  }

  /** The match of a line. One that a label marks is none, unless it names a payment. */
  of(line: StatementLine): readonly Match[] {
    const isNone = line.label !== undefined && this.#nameless.has(line);
    return isNone ? [] : [this.#found.get(line) ?? { result: 'only_in_file', line }];
  }

  /** Matches the lines that name a payment: those of its amount first, and before all those of the same day. */
  byName(): void {
    const passes = [
      { mostDays: 0, mostOff: 0 },
      { mostDays: DAYS_OLDER, mostOff: 0 },
      { mostDays: DAYS_OLDER, mostOff: this.#tolerance },
      { mostDays: DAYS_OLDER, mostOff: Infinity },
    ];
    for (const { mostDays, mostOff } of passes) {
      for (const [line, candidates] of this.#named) {
        const payment = candidates.nearest(line, this.free, mostDays, mostOff);
        if (payment === undefined) continue;
        this.#match(line, payment, candidates.by);
        this.#named.delete(line);
      }
    }
  }

  /** Pairs lines without a name with payments of their amount and day, if there are as many of both. */
  byAmount(isAcrossMidnight: boolean): void {
    const lines = [...this.#nameless].filter((line) => line.label === undefined && !this.#found.has(line));
    const places = indexed(lines, (line) => [`${netOf(line)} ${line.day}`]);
    const payments = indexed(this.free, ({ amount, day, otherDay }) =>
      [day, isAcrossMidnight ? (otherDay ?? []) : []]
        .flat()
        .map((on) => `${amount} ${on}`)
        .filter((place) => places.has(place)),
    );
    for (const [place, own] of places) {
      const paid = (payments.get(place) ?? []).filter((one) => this.free.has(one));
      if (paid.length !== own.length) continue;
      // Most files are in the order of time, as the payments are here.
      own.sort((a, b) => a.number - b.number);
      for (const [at, line] of own.entries()) this.#match(line, paid[at] as LedgerPayment, 'amount');
    }
  }

  #match(line: StatementLine, payment: LedgerPayment, by: By): void {
    const difference = netOf(line) - payment.amount;
    const agrees = by === 'amount' ? 'likely' : 'agrees';
    const result = Math.abs(difference) <= this.#tolerance ? agrees : 'other_amount';
    const later = (startOf(line.day) - startOf(payment.day)) / DAY_MS;
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
    ...lines.flatMap((line) => matches.of(line)),
    ...missing.map((payment): Match => ({ result: 'only_here', payment })),
  ];
};

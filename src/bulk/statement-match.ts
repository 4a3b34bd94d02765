import { startOfDay } from '../core/time.ts';
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

/** Things that a line and its payment both have: the provider's reference, the account, the ref, or the amount. */
type By = 'reference' | 'account' | 'ref' | 'amount';

export const MATCH_RESULTS = ['agrees', 'other_amount', 'only_in_file', 'only_here'] as const;

/** A line, a payment, or both. */
export interface Match {
  readonly result: (typeof MATCH_RESULTS)[number];
  readonly by?: By;
  readonly line?: StatementLine;
  readonly payment?: LedgerPayment;
  /** Excess of the line over the payment, after its fee. */
  readonly difference?: number;
}

const indexed = <T>(all: Iterable<T>, keysOf: (one: T) => readonly string[]): ReadonlyMap<string, Set<T>> => {
  const index = new Map<string, Set<T>>();
  for (const one of all) {
    for (const key of keysOf(one)) index.set(key, (index.get(key) ?? new Set()).add(one));
  }
  return index;
};

/** A shorter name may be in any text. A whole cell of references may be shorter. */
const SHORTEST_NAME = 5;

const BETWEEN_WORDS = /[^\p{L}\p{N}]+/gu;
const DIGITS = new RegExp(`\\d{${SHORTEST_NAME},}`, 'g');

/** A name as banks write it: in any case, and without what separates its parts. */
const bare = (name = ''): string => name.toLowerCase().replaceAll(BETWEEN_WORDS, '');

/** Names of a payment, as lines have them. */
const namesOf = ({ psp_reference, account_digest = '', ref }: LedgerPayment) => ({
  reference: bare(psp_reference),
  account: account_digest,
  ref: bare(ref),
});

/** Finds the names in a text. A name inside a longer name doesn't count. */
const namesWithin = (text: string, names: ReadonlySet<string>, longest: number): readonly string[] => {
  const words = text.toLowerCase().split(BETWEEN_WORDS);
  let end = 0;
  return words.flatMap((_word, first) => {
    let [read, found] = ['', ''];
    for (let last = first; last < words.length && read.length < longest; last += 1) {
      read += words[last];
      if (last >= end && names.has(read)) [found, end] = [read, last + 1];
    }
    return found === '' ? [] : [found];
  });
};

/** Finds the names of payments that each line has. */
const lineNames = (lines: readonly StatementLine[], payments: readonly LedgerPayment[], digest: Ledger['digest']) => {
  const all = new Set(payments.flatMap((payment) => Object.values(namesOf(payment))));
  const long = payments
    .flatMap(({ psp_reference = '', ref = '' }) => [psp_reference, ref])
    .filter((name) => name.trim().length >= SHORTEST_NAME);
  const inTexts = new Set(long.map(bare));
  const longest = [...inTexts].reduce((most, { length }) => Math.max(most, length), 0);
  return new Map(
    lines.map((line) => {
      const accounts = (line.text.match(DIGITS) ?? []).map(digest);
      const names = [...accounts, ...line.references.map(bare), ...namesWithin(line.text, inTexts, longest)];
      return [line, names.filter((name) => name !== '' && all.has(name))] as const;
    }),
  );
};

/** The amount that the customer paid, or got back. */
const netOf = ({ amount, fee = 0 }: StatementLine): number => amount + fee;

/** An amount, and the days on which it may be. */
type Place = readonly [amount: number, days: readonly string[]];

/** Finds those of the same day and nearly the same amount: two at most, since only one alone is certain. */
const nearby = <T>(all: Iterable<T>, placeOf: (one: T) => Place, tolerance: number) => {
  const partsOf = ([amount, days]: Place, more = [0]): readonly string[] =>
    days.flatMap((day) => more.map((by) => `${day} ${amount > 0} ${Math.floor(amount / (tolerance + 1)) + by}`));
  const parts = indexed(all, (one) => partsOf(placeOf(one)));
  return (place: Place): readonly T[] => {
    const found: T[] = [];
    for (const part of partsOf(place, [0, -1, 1])) {
      for (const one of parts.get(part) ?? []) {
        if (Math.abs(placeOf(one)[0] - place[0]) <= tolerance && found.push(one) === 2) return found;
      }
    }
    return found;
  };
};

/** Sorts lines by what they hold, so that their order decides nothing. The number decides only between equal ones. */
const byContent = (a: StatementLine, b: StatementLine): number => {
  const rest = ({ fee, text, references, number }: StatementLine) => JSON.stringify([fee, text, references, number]);
  if (a.day !== b.day) return a.day < b.day ? -1 : 1;
  return a.amount - b.amount || (rest(a) < rest(b) ? -1 : 1);
};

interface Matching extends Pick<BankStatement, 'days'>, Pick<Ledger, 'digest'> {
  readonly tolerance: number;
}

type NameKind = 'reference' | 'account' | 'ref';

/** A payment that may be that of a line: the time between their days, and the difference of their amounts. */
interface Candidate {
  readonly payment: LedgerPayment;
  readonly timeGap: number;
  readonly amountGap: number;
}

/** Lines and payments that have no partner yet, and the partners found. */
class Matches {
  readonly #tolerance: number;
  readonly #lines: readonly StatementLine[];
  /** The names of payments in each line. */
  readonly #named: ReadonlyMap<StatementLine, readonly string[]>;
  readonly #wanted: ReadonlySet<string>;
  readonly #times: ReadonlyMap<string, number | undefined>;
  readonly #found = new Map<StatementLine, Match>();
  /** The payments without a line. */
  readonly free: Set<LedgerPayment>;

  constructor(lines: readonly StatementLine[], payments: readonly LedgerPayment[], { tolerance, digest }: Matching) {
    this.#tolerance = tolerance;
    this.#lines = lines.toSorted(byContent);
    this.#named = lineNames(this.#lines, payments, digest);
    this.#wanted = new Set([...this.#named.values()].flat());
    const own = payments.filter(({ kind }) => kind !== 'other');
    this.free = new Set(own.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)));
    this.#times = new Map([...this.#lines, ...own].map(({ day }) => [day, startOfDay('utc', day)]));
  }

  of(line: StatementLine): Match {
    return this.#found.get(line) ?? { result: 'only_in_file', line };
  }

  /** Matches the closest first, and before all those of the same day. */
  byName(kinds: readonly NameKind[]): void {
    const index = indexed(this.free, (payment) => this.#keysOf(payment, kinds));
    for (const [pass, mostAmountGap] of [0, 0, this.#tolerance, Infinity].entries()) {
      for (const [line, names] of this.#named) {
        if (this.#found.has(line)) continue;
        // Those of the same amount alone are found without the others of a name.
        const keys = mostAmountGap === 0 ? names.map((name) => `${name} ${netOf(line)}`) : names;
        const payment = this.#closest(
          line,
          keys.values().flatMap((key) => index.get(key) ?? []),
          mostAmountGap,
          pass > 0,
        );
        if (payment === undefined) continue;
        for (const key of this.#keysOf(payment, kinds)) index.get(key)?.delete(payment);
        this.#match(line, payment, kinds.find((by) => names.includes(namesOf(payment)[by])) ?? 'ref');
      }
    }
  }

  /** Matches by amount and day, where both are alone. */
  byAmount(tolerance: number, isAcrossMidnight: boolean): void {
    const lineAt = (line: StatementLine): Place => [netOf(line), [line.day]];
    const paymentAt = ({ amount, day, otherDay }: LedgerPayment): Place =>
      isAcrossMidnight && otherDay !== undefined ? [amount, [day, otherDay]] : [amount, [day]];
    // A line that names a payment belongs to no other one.
    const nameless = this.#lines.filter((line) => !this.#found.has(line) && this.#named.get(line)?.length === 0);
    const [linesNear, paymentsNear] = [nearby(nameless, lineAt, tolerance), nearby(this.free, paymentAt, tolerance)];
    for (const line of nameless) {
      const [payment, another] = paymentsNear(lineAt(line));
      const isAlone = another === undefined && payment && linesNear(paymentAt(payment)).length === 1;
      if (isAlone) this.#match(line, payment, 'amount');
    }
  }

  #keysOf(payment: LedgerPayment, kinds: readonly NameKind[]): readonly string[] {
    const names = namesOf(payment);
    return kinds.flatMap((by) => (this.#wanted.has(names[by]) ? [names[by], `${names[by]} ${payment.amount}`] : []));
  }

  #closest(
    line: StatementLine,
    payments: Iterable<LedgerPayment>,
    mostAmountGap: number,
    anyDay: boolean,
  ): LedgerPayment | undefined {
    const [net, lineTime] = [netOf(line), this.#times.get(line.day) ?? 0];
    let best: Candidate | undefined;
    for (const payment of payments) {
      const amountGap = Math.abs(net - payment.amount);
      const timeGap = Math.abs(lineTime - (this.#times.get(payment.day) ?? 0));
      if (amountGap > mostAmountGap || (!anyDay && timeGap > 0) || payment.amount > 0 !== line.amount > 0) continue;
      if (best !== undefined && (timeGap - best.timeGap || amountGap - best.amountGap) >= 0) continue;
      best = { payment, timeGap, amountGap };
      if (timeGap === 0 && amountGap === 0) break;
    }
    return best?.payment;
  }

  #match(line: StatementLine, payment: LedgerPayment, by: By): void {
    const difference = netOf(line) - payment.amount;
    const result = Math.abs(difference) <= this.#tolerance ? 'agrees' : 'other_amount';
    this.free.delete(payment);
    this.#found.set(line, { result, by, line, payment, difference });
  }
}

/**
 * Matches lines with payments, one with one: by the provider's reference, then by the account number or the ref in the
 * text, then by amount and day where both are alone. The order of the lines doesn't matter. Payments of other days are
 * in the result only if a line belongs to them.
 */
export const matchLines = (
  lines: readonly StatementLine[],
  payments: readonly LedgerPayment[],
  how: Matching,
): readonly Match[] => {
  const matches = new Matches(lines, payments, how);
  matches.byName(['reference']);
  matches.byName(['account', 'ref']);
  for (const most of new Set([0, how.tolerance])) {
    for (const isAcrossMidnight of [false, true]) matches.byAmount(most, isAcrossMidnight);
  }
  const missing = [...matches.free].filter(({ day }) => day >= how.days.first && day <= how.days.last);
  return [
    ...lines.map((line) => matches.of(line)),
    ...missing.map((payment): Match => ({ result: 'only_here', payment })),
  ];
};

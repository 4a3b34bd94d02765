import { DAY_MS, startOfDay } from '../core/time.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BankStatement, StatementLine } from './statement.ts';

type Names = 'ugwo' | 'ref' | 'pspReference' | 'profile';

/** Money of a ledger that a statement should show. */
export interface LedgerPayment extends Readonly<Record<Names, string | undefined>> {
  /** The entry's id; a reversal has that of its charge. */
  readonly id: string;
  readonly kind: 'payment' | 'refund' | 'reversal';
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** `2026-11-25`, in the zone of the command. */
  readonly day: string;
  /** The day on the other side of midnight, if that is near. */
  readonly otherDay: string | undefined;
  /** In the minor unit. Money out is negative. */
  readonly amount: number;
  /** See `keptAccount`. */
  readonly accountDigest: string | undefined;
}

/** A line, as far as it decides what it belongs to. */
export type MatchedLine = Pick<StatementLine, 'number' | 'day' | 'amount' | 'fee' | 'references' | 'text'>;

export const MATCH_RESULTS = ['agrees', 'other_amount', 'only_in_file', 'only_here'] as const;

/** A line, a payment, or both. */
export interface Match<L = MatchedLine> {
  readonly result: (typeof MATCH_RESULTS)[number];
  /** Thing that both have: the provider's reference, the account, the ref of the payment request, or the amount. */
  readonly by?: 'reference' | 'account' | 'ref' | 'amount';
  readonly line?: L;
  readonly payment?: LedgerPayment;
  /** Excess of the line over the payment, after its fee. */
  readonly difference?: number;
}

type Matching = Pick<BankStatement, 'days'> & Pick<Ledger, 'digest'> & { readonly tolerance: number };

const indexed = <T>(all: readonly T[], keysOf: (one: T) => Iterable<string>): ReadonlyMap<string, readonly T[]> => {
  const index = new Map<string, T[]>();
  for (const one of all) {
    for (const key of keysOf(one)) {
      const some = index.get(key);
      if (some === undefined) index.set(key, [one]);
      else some.push(one);
    }
  }
  return index;
};

/** A shorter name may be in any text. A whole cell of references may be shorter. */
const SHORTEST_NAME = 5;

const WORD = /[\p{L}\p{N}]+/gu;
const DIGITS = new RegExp(`\\d{${SHORTEST_NAME},}`, 'g');

/** A name as banks write it: in any case, and without what separates its parts. */
const bare = (name = ''): string => (name.toLowerCase().match(WORD) ?? []).join('');

/** Finds the names in a text. A name inside a longer one is another's. */
const namesWithin = (text: string, names: ReadonlySet<string>, longest: number): readonly string[] => {
  const words = text.toLowerCase().match(WORD) ?? [];
  const found: { readonly first: number; readonly last: number; readonly name: string }[] = [];
  for (const first of words.keys()) {
    let name = '';
    for (let last = first; last < words.length && name.length < longest; last += 1) {
      name += words[last];
      if (names.has(name)) found.push({ first, last, name });
    }
  }
  return found
    .filter(
      (one) =>
        !found.some(({ first, last }) => first <= one.first && last >= one.last && last - first > one.last - one.first),
    )
    .map(({ name }) => name);
};

/** The amount that the customer paid, or got back. */
const netOf = ({ amount, fee = 0 }: MatchedLine): number => amount + fee;

const isSameWay = (one: { readonly amount: number }, other: { readonly amount: number }): boolean =>
  one.amount > 0 === other.amount > 0;

/** A line or a payment on the days of which it may be. */
interface Placed<T> {
  readonly amount: number;
  readonly days: readonly string[];
  readonly of: T;
}

/** Finds those of the same day and nearly the same amount: two at most, since only one alone is certain. */
const nearby = <T>(all: readonly Placed<T>[], tolerance: number) => {
  const partsOf = ({ amount, days }: Placed<unknown>, ...more: readonly number[]): readonly string[] =>
    days.flatMap((day) => [0, ...more].map((by) => `${day} ${Math.floor(amount / (tolerance + 1)) + by}`));
  const parts = indexed(all, partsOf);
  return (wanted: Placed<unknown>): readonly Placed<T>[] => {
    const found: Placed<T>[] = [];
    for (const part of partsOf(wanted, -1, 1)) {
      for (const one of parts.get(part) ?? []) {
        if (Math.abs(one.amount - wanted.amount) > tolerance || !isSameWay(one, wanted)) continue;
        if (found.push(one) === 2) return found;
      }
    }
    return found;
  };
};

const byText = (a: string, b: string): number => Number(a > b) - Number(a < b);

/**
 * Matches lines with payments, one with one: by the provider's reference, then by the account number or the ref in the
 * text, then by amount and day where both are alone. The order of the lines doesn't matter. Payments of other days are
 * in the result only if a line belongs to them.
 */
export const matchLines = <L extends MatchedLine>(
  given: readonly L[],
  allPayments: readonly LedgerPayment[],
  { tolerance, days, digest }: Matching,
): readonly Match<L>[] => {
  // The number in the file decides only between lines that are otherwise equal.
  const lines = given
    .map((line) => ({ line, content: JSON.stringify([line.day, line.amount, line.fee, line.text, line.references]) }))
    .sort((a, b) => byText(a.content, b.content) || a.line.number - b.line.number)
    .map(({ line }) => line);
  const payments = [...allPayments].sort((a, b) => a.at - b.at || byText(a.id, b.id) || byText(a.kind, b.kind));
  const free = new Set(payments);
  const matched = new Map<L, Match<L>>();
  const match = (line: L, payment: LedgerPayment, by: Match['by']): void => {
    const difference = netOf(line) - payment.amount;
    const result = Math.abs(difference) <= tolerance ? 'agrees' : 'other_amount';
    free.delete(payment);
    matched.set(line, { result, ...(by && { by }), line, payment, difference });
  };
  const left = (): L[] => lines.filter((line) => !matched.has(line));

  const keysOf = (name: string | undefined): readonly string[] => [bare(name)].filter((key) => key !== '');
  const indexes = {
    reference: indexed(payments, ({ pspReference }) => keysOf(pspReference)),
    account: indexed(payments, ({ accountDigest }) => (accountDigest === undefined ? [] : [accountDigest])),
    ref: indexed(payments, ({ ref }) => keysOf(ref)),
  };
  const allNames = payments.flatMap(({ pspReference = '', ref = '' }) => [pspReference, ref]);
  const inTexts = new Set(allNames.filter((name) => name.trim().length >= SHORTEST_NAME).map(bare));
  const longest = [...inTexts].reduce((most, { length }) => Math.max(most, length), 0);
  const namedBy = ({ text, references }: L) => {
    const names = new Set([...references.map(bare), ...namesWithin(text, inTexts, longest)]);
    const keys = { reference: names, account: (text.match(DIGITS) ?? []).map(digest), ref: names };
    return (['reference', 'account', 'ref'] as const).flatMap((by) =>
      [...keys[by]].flatMap((key) => (indexes[by].has(key) ? [{ by, all: indexes[by].get(key) ?? [] }] : [])),
    );
  };
  const ordinals = new Map([...lines, ...payments].map(({ day }) => [day, (startOfDay('utc', day) ?? 0) / DAY_MS]));
  const named = new Map(lines.map((line) => [line, namedBy(line)]));
  for (const isProviders of [true, false]) {
    // The closest are matched first.
    for (const [mostOff, mostDays] of [
      [0, 0],
      [0, Infinity],
      [tolerance, Infinity],
      [Infinity, Infinity],
    ] as const) {
      for (const line of left()) {
        const [net, lineDay] = [netOf(line), ordinals.get(line.day) ?? 0];
        let best:
          | { readonly by: Match['by']; readonly payment: LedgerPayment; readonly apart: number; readonly off: number }
          | undefined;
        for (const { by, all } of (named.get(line) ?? []).filter((one) => (one.by === 'reference') === isProviders)) {
          for (const payment of all) {
            const off = Math.abs(net - payment.amount);
            if (off > mostOff || !free.has(payment) || !isSameWay(payment, line)) continue;
            const apart = Math.abs(lineDay - (ordinals.get(payment.day) ?? 0));
            if (apart > mostDays || (best !== undefined && (apart - best.apart || off - best.off) >= 0)) continue;
            best = { by, payment, apart, off };
            if (apart === 0 && off === 0) break;
          }
        }
        if (best !== undefined) match(line, best.payment, best.by);
      }
    }
  }
  for (const [most, isAcrossMidnight] of [0, tolerance].flatMap((off) => [
    [off, false] as const,
    [off, true] as const,
  ])) {
    // A line that names a payment is no other's.
    const nameless = left().filter((line) => named.get(line)?.length === 0);
    const placedLines = nameless.map((of) => ({ amount: netOf(of), days: [of.day], of }));
    const placed = [...free].map((of) => {
      const other = isAcrossMidnight && of.otherDay !== undefined ? [of.otherDay] : [];
      return { amount: of.amount, days: [of.day, ...other], of };
    });
    const [linesAt, paymentsAt] = [nearby(placedLines, most), nearby(placed, most)];
    for (const line of placedLines) {
      const [payment, another] = paymentsAt(line);
      const isAlone = payment !== undefined && another === undefined && linesAt(payment).length === 1;
      if (isAlone) match(line.of, payment.of, 'amount');
    }
  }
  const missing = [...free].filter(({ day }) => day >= days.first && day <= days.last);
  return [
    ...given.map((line): Match<L> => matched.get(line) ?? { result: 'only_in_file', line }),
    ...missing.map((payment): Match<L> => ({ result: 'only_here', payment })),
  ];
};

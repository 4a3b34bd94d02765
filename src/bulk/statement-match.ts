import { DAY_MS, startOfDay } from '../core/time.ts';
import type { ChargeSum, Ledger } from '../ledger/ledger.ts';
import type { BankStatement, StatementLine } from './statement.ts';

/** Money of a ledger that a statement should show. */
export interface LedgerPayment
  extends Pick<ChargeSum, 'ugwo' | 'ref' | 'psp_reference' | 'account_digest' | 'profile'> {
  /** The entry's id; a reversal has that of its charge. */
  readonly id: string;
  /** `other`: a charge that brought no such money. A line that names it belongs to no payment. */
  readonly kind: 'payment' | 'refund' | 'reversal' | 'other';
  /** In milliseconds since the epoch. */
  readonly at: number;
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

const indexed = <T>(all: readonly T[], keysOf: (one: T) => readonly string[]): ReadonlyMap<string, Set<T>> => {
  const index = new Map<string, Set<T>>();
  for (const one of all) {
    for (const key of keysOf(one)) index.set(key, (index.get(key) ?? new Set()).add(one));
  }
  return index;
};

/** A shorter name may be in any text. A whole cell of references may be shorter. */
const SHORTEST_NAME = 5;

const WORD = /[\p{L}\p{N}]+/gu;
const DIGITS = new RegExp(`\\d{${SHORTEST_NAME},}`, 'g');

/** A name as banks write it: in any case, and without what separates its parts. */
const bare = (name = ''): string => (name.toLowerCase().match(WORD) ?? []).join('');

/** Finds the names in a text. A name inside a longer name doesn't count. */
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
  const isIn = (one: (typeof found)[0], other: (typeof found)[0]): boolean =>
    one !== other && one.first >= other.first && one.last <= other.last;
  return found.filter((one) => !found.some((other) => isIn(one, other))).map(({ name }) => name);
};

/** The amount that the customer paid, or got back. */
const netOf = ({ amount, fee = 0 }: StatementLine): number => amount + fee;

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
  const partsOf = ({ amount, days }: Placed<unknown>, more = [0]): readonly string[] =>
    days.flatMap((day) => more.map((by) => `${day} ${Math.floor(amount / (tolerance + 1)) + by}`));
  const parts = indexed(all, (one) => partsOf(one));
  return (wanted: Placed<unknown>): readonly Placed<T>[] => {
    const found: Placed<T>[] = [];
    for (const part of partsOf(wanted, [0, -1, 1])) {
      for (const one of parts.get(part) ?? []) {
        if (Math.abs(one.amount - wanted.amount) > tolerance || !isSameWay(one, wanted)) continue;
        if (found.push(one) === 2) return found;
      }
    }
    return found;
  };
};

/** Sorts by what each one holds, so that the order in which they came decides nothing. */
const sortedBy = <T>(all: readonly T[], contentOf: (one: T) => readonly unknown[]): readonly T[] =>
  all
    .map((one) => ({ one, content: JSON.stringify(contentOf(one)) }))
    .sort((a, b) => (a.content < b.content ? -1 : 1))
    .map(({ one }) => one);

const ordinalOf = (day: string): number => (startOfDay('utc', day) ?? 0) / DAY_MS;

/**
 * Matches lines with payments, one with one: by the provider's reference, then by the account number or the ref in the
 * text, then by amount and day where both are alone. The order of the lines doesn't matter. Payments of other days are
 * in the result only if a line belongs to them.
 */
export const matchLines = (
  given: readonly StatementLine[],
  payments: readonly LedgerPayment[],
  { tolerance, days, digest }: Pick<BankStatement, 'days'> & Pick<Ledger, 'digest'> & { readonly tolerance: number },
): readonly Match[] => {
  // The number in the file decides only between lines that are otherwise equal.
  const lines = sortedBy(given, (one) => [one.day, one.amount, one.fee, one.text, one.references, one.number]);
  const candidates = sortedBy(payments, ({ at, id, kind }) => [at, id, kind]).map((payment) => {
    const { psp_reference, account_digest, ref, amount } = payment;
    const names = { reference: bare(psp_reference), account: account_digest, ref: bare(ref) };
    const keys = Object.entries(names).flatMap(([by, name]) => (name ? [`${by} ${name}`] : []));
    // Those of the same amount alone are found without the others of a name.
    return { payment, keys: keys.flatMap((key) => [key, `${key} ${amount}`]), ordinal: ordinalOf(payment.day) };
  });
  const free = new Set(candidates);
  const index = indexed(candidates, ({ keys }) => keys);
  const matched = new Map<StatementLine, Match>();
  const take = (candidate: (typeof candidates)[0]): void => {
    free.delete(candidate);
    for (const key of candidate.keys) index.get(key)?.delete(candidate);
  };
  const match = (line: StatementLine, candidate: (typeof candidates)[0], by: By): void => {
    const { payment } = candidate;
    const difference = netOf(line) - payment.amount;
    const result = Math.abs(difference) <= tolerance ? 'agrees' : 'other_amount';
    take(candidate);
    matched.set(line, { result, by, line, payment, difference });
  };
  const left = (): StatementLine[] => lines.filter((line) => !matched.has(line));

  const allNames = payments.flatMap(({ psp_reference = '', ref = '' }) => [psp_reference, ref]);
  const inTexts = new Set(allNames.filter((name) => name.trim().length >= SHORTEST_NAME).map(bare));
  const longest = [...inTexts].reduce((most, { length }) => Math.max(most, length), 0);
  const named = new Map(
    lines.map((line) => {
      const names = new Set([...line.references.map(bare), ...namesWithin(line.text, inTexts, longest)]);
      const found = { reference: names, account: (line.text.match(DIGITS) ?? []).map(digest), ref: names };
      const keys = (['reference', 'account', 'ref'] as const).flatMap((by) =>
        [...found[by]].map((name) => ({ by, key: `${by} ${name}` })),
      );
      return [line, keys.filter(({ key }) => index.has(key))];
    }),
  );
  for (const candidate of candidates) if (candidate.payment.kind === 'other') take(candidate);
  for (const isProviders of [true, false]) {
    // The closest are matched first, and those of the day before all.
    for (const [pass, mostOff] of [0, 0, tolerance, Infinity].entries()) {
      for (const line of left()) {
        const [net, lineDay] = [netOf(line), ordinalOf(line.day)];
        let best: { by: By; candidate: (typeof candidates)[0]; apart: number; off: number } | undefined;
        for (const { by, key } of (named.get(line) ?? []).filter((one) => (one.by === 'reference') === isProviders)) {
          for (const candidate of index.get(mostOff === 0 ? `${key} ${net}` : key) ?? new Set()) {
            const off = Math.abs(net - candidate.payment.amount);
            const apart = Math.abs(lineDay - candidate.ordinal);
            if (off > mostOff || (pass === 0 && apart > 0) || !isSameWay(candidate.payment, line)) continue;
            if (best !== undefined && (apart - best.apart || off - best.off) >= 0) continue;
            best = { by, candidate, apart, off };
            if (apart === 0 && off === 0) break;
          }
        }
        if (best !== undefined) match(line, best.candidate, best.by);
      }
    }
  }
  for (const most of [0, tolerance]) {
    for (const isAcrossMidnight of [false, true]) {
      // A line that names a payment belongs to no other one.
      const nameless = left().filter((line) => named.get(line)?.length === 0);
      const placedLines = nameless.map((of) => ({ amount: netOf(of), days: [of.day], of }));
      const placed = [...free].map((of) => {
        const { amount, day, otherDay = day } = of.payment;
        return { amount, days: isAcrossMidnight && otherDay !== day ? [day, otherDay] : [day], of };
      });
      const [linesAt, paymentsAt] = [nearby(placedLines, most), nearby(placed, most)];
      for (const line of placedLines) {
        const [payment, another] = paymentsAt(line);
        const isAlone = payment !== undefined && another === undefined && linesAt(payment).length === 1;
        if (isAlone) match(line.of, payment.of, 'amount');
      }
    }
  }
  const missing = [...free].filter(({ payment: { day } }) => day >= days.first && day <= days.last);
  return [
    ...given.map((line): Match => matched.get(line) ?? { result: 'only_in_file', line }),
    ...missing.map(({ payment }): Match => ({ result: 'only_here', payment })),
  ];
};

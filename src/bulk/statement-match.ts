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
  const lines = given.toSorted(byContent);
  const named = lineNames(lines, payments, digest);
  const wanted = new Set([...named.values()].flat());
  const own = payments.filter(({ kind }) => kind !== 'other');
  const free = new Set(own.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)));
  const times = new Map([...lines, ...own].map(({ day }) => [day, startOfDay('utc', day)]));
  const matched = new Map<StatementLine, Match>();
  const match = (line: StatementLine, payment: LedgerPayment, by: By): void => {
    const difference = netOf(line) - payment.amount;
    const result = Math.abs(difference) <= tolerance ? 'agrees' : 'other_amount';
    free.delete(payment);
    matched.set(line, { result, by, line, payment, difference });
  };

  for (const kinds of [['reference'], ['account', 'ref']] as const) {
    // Those of the same amount alone are found without the others of a name.
    const keysOf = (payment: LedgerPayment): readonly string[] => {
      const names = namesOf(payment);
      return kinds.flatMap((by) => (wanted.has(names[by]) ? [names[by], `${names[by]} ${payment.amount}`] : []));
    };
    const index = indexed(free, keysOf);
    // The closest are matched first, and those of the day before all.
    for (const [pass, mostOff] of [0, 0, tolerance, Infinity].entries()) {
      for (const [line, names] of named) {
        if (matched.has(line)) continue;
        const [net, lineTime] = [netOf(line), times.get(line.day) ?? 0];
        let best: { readonly payment: LedgerPayment; readonly apart: number; readonly off: number } | undefined;
        for (const name of names) {
          for (const payment of index.get(mostOff === 0 ? `${name} ${net}` : name) ?? []) {
            const off = Math.abs(net - payment.amount);
            const apart = Math.abs(lineTime - (times.get(payment.day) ?? 0));
            if (off > mostOff || (pass === 0 && apart > 0) || payment.amount > 0 !== line.amount > 0) continue;
            if (best !== undefined && (apart - best.apart || off - best.off) >= 0) continue;
            best = { payment, apart, off };
            if (apart === 0 && off === 0) break;
          }
        }
        if (best === undefined) continue;
        const { payment } = best;
        for (const key of keysOf(payment)) index.get(key)?.delete(payment);
        match(line, payment, kinds.find((by) => names.includes(namesOf(payment)[by])) ?? 'ref');
      }
    }
  }
  for (const most of new Set([0, tolerance])) {
    for (const isAcrossMidnight of [false, true]) {
      const lineAt = (line: StatementLine): Place => [netOf(line), [line.day]];
      const paymentAt = ({ amount, day, otherDay }: LedgerPayment): Place =>
        isAcrossMidnight && otherDay !== undefined ? [amount, [day, otherDay]] : [amount, [day]];
      // A line that names a payment belongs to no other one.
      const nameless = lines.filter((line) => !matched.has(line) && named.get(line)?.length === 0);
      const [linesNear, paymentsNear] = [nearby(nameless, lineAt, most), nearby(free, paymentAt, most)];
      for (const line of nameless) {
        const [payment, another] = paymentsNear(lineAt(line));
        const isAlone = another === undefined && payment && linesNear(paymentAt(payment)).length === 1;
        if (isAlone) match(line, payment, 'amount');
      }
    }
  }
  const missing = [...free].filter(({ day }) => day >= days.first && day <= days.last);
  return [
    ...given.map((line): Match => matched.get(line) ?? { result: 'only_in_file', line }),
    ...missing.map((payment): Match => ({ result: 'only_here', payment })),
  ];
};

import { type Entry, isCharge, type Moment } from './entry.ts';
import { PAYMENTS, paymentOf } from './payments.ts';
import type { Taker } from './walk.ts';

/**
 * What a report counts, in the order in which it is told: all that was charged, what has become of that, and besides what
 * may have been charged, and what is being sent.
 */
export const REPORTED = ['charged', ...PAYMENTS, 'unknown', 'sending'] as const;
export type Reported = (typeof REPORTED)[number];

type Groups = readonly (string | undefined)[];

/** One count of a report, and what it comes to in the minor unit. */
export interface ReportLine {
  /** What the charges have in common, in the order in which it is told; undefined where they have none of it. */
  readonly groups: Groups;
  readonly currency: string | undefined;
  readonly reported: Reported;
  readonly count: number;
  /** Undefined where no amount is known. */
  readonly amount: bigint | undefined;
  /** Of how many the amount is not known, and so is not in the sum. */
  readonly withoutAmount: number;
}

/** As what a charge is counted; as nothing where it is known not to have been made. */
const countedAs = (charge: Entry, moment: Moment): readonly Reported[] => {
  if (charge.state === 'unknown' || charge.state === 'sending') return [charge.state];
  const payment = paymentOf(charge, moment);
  return payment === undefined ? [] : ['charged', payment];
};

const added = (line: ReportLine, amount: number | undefined): ReportLine => ({
  ...line,
  count: line.count + 1,
  ...(amount === undefined
    ? { withoutAmount: line.withoutAmount + 1 }
    : { amount: (line.amount ?? 0n) + BigInt(amount) }),
});

/** What is not named comes last. */
const byName = (a: string | undefined, b: string | undefined): number => {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  return a < b ? -1 : 1;
};

const byNames = (a: Groups, b: Groups): number =>
  a.map((name, at) => byName(name, b[at])).find((order) => order !== 0) ?? 0;

/** Adds charges up by what they have in common, currency, and what has become of them. Its size is that of the report. */
export const openReport =
  (groupsOf: (charge: Entry) => Groups, isMeant: (charge: Entry) => boolean, moment: Moment) =>
  (): Taker<readonly ReportLine[]> => {
    const lines = new Map<string, ReportLine>();
    const add = (charge: Entry): void => {
      const { amount, currency } = charge.asked ?? {};
      const groups = groupsOf(charge);
      for (const reported of countedAs(charge, moment)) {
        const key = JSON.stringify([groups, currency, reported]);
        const none: ReportLine = { groups, currency, reported, count: 0, amount: undefined, withoutAmount: 0 };
        lines.set(key, added(lines.get(key) ?? none, amount));
      }
    };
    return {
      take: (entries) => {
        for (const entry of entries) if (isCharge(entry) && isMeant(entry)) add(entry);
      },
      end: () =>
        [...lines.values()].sort(
          (a, b) =>
            byNames(a.groups, b.groups) ||
            byName(a.currency, b.currency) ||
            REPORTED.indexOf(a.reported) - REPORTED.indexOf(b.reported),
        ),
    };
  };

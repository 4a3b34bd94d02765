import { standingOf, statusOf } from '../../core/charge.ts';
import { PayError } from '../../core/error.ts';
import { valueAt } from '../../core/path.ts';
import { shellLine } from '../../core/shell.ts';
import { atom } from '../../core/time.ts';
import type { Charge } from '../../ledger/entry.ts';
import type { NewsEvent, NewsResult } from '../../webhook/news.ts';

/** One of the payments, and where it came from. */
interface Paid {
  readonly activity: string;
  readonly status: string;
  readonly created_at: string | null;
  /** The charge of the ledger; null where it is not from this ledger. */
  readonly charge: string | null;
  readonly profile: string | null;
  readonly job: string | null;
  readonly row: number | null;
  readonly sent_at: string | null;
}

const textAt = (value: unknown, name: string): string | null => {
  const found = valueAt(value, name);
  return typeof found === 'string' ? found : null;
};

const paidBy = (activity: unknown, charges: readonly Charge[]): Paid => {
  const uid = textAt(activity, 'uid') ?? '';
  const charge = charges.find((one) => one.activity?.uid === uid);
  return {
    activity: uid,
    status: statusOf(activity),
    created_at: textAt(activity, 'created_at'),
    charge: charge?.id ?? null,
    profile: charge?.profile ?? null,
    job: charge?.job ?? null,
    row: charge?.row ?? null,
    sent_at: atom(charge?.createdAt),
  };
};

const wordsOf = ({ activity, status, created_at, charge, profile, job, row, sent_at }: Paid): string => {
  if (charge === null)
    return `${activity} (${status}, made ${created_at ?? 'at an unknown time'}): not from this ledger`;
  const from = [
    profile === null ? undefined : `profile ${profile}`,
    job === null ? undefined : `${job} row ${row}`,
    `sent ${sent_at}`,
  ];
  return `${activity} (${status}): ${charge}, ${from.filter((part) => part !== undefined).join(', ')}`;
};

/**
 * What is to be said of a payment request that the service reports as paid twice. Its own look decides: what it shows to be
 * paid is named, and only where it shows two is the report taken for true.
 */
export const doubleCharge = (
  ugwo: string,
  events: readonly NewsEvent[],
  charges: readonly Charge[],
  activities: readonly unknown[],
): NewsResult => {
  const reported = events.map(({ activity }) => activity);
  const paid = activities
    .filter((one) => standingOf(statusOf(one)) === 'paid')
    .map((one) => paidBy(one, charges))
    .sort((a, b) => Number(reported.includes(b.activity)) - Number(reported.includes(a.activity)));
  const fields = new Map(events.map(({ uid }) => [uid, { double_charge: { confirmed: paid.length > 1, paid } }]));
  const lines = paid.map((one) => `  ${wordsOf(one)}`);
  if (paid.length < 2) {
    const shows = paid.length === 0 ? 'no paid activity' : 'one paid activity';
    return {
      fields,
      said: [`The service reports a double charge of ${ugwo}, but shows ${shows}: check it.`, ...lines],
    };
  }
  const message = `the customer has paid ${ugwo} ${paid.length === 2 ? 'twice' : `${paid.length} times`}`;
  const [first] = paid;
  const refund = shellLine(['paycli', 'refund', 'create', first?.activity ?? '']);
  return {
    fields,
    said: [`DOUBLE CHARGE: ${message}:`, ...lines],
    failure: new PayError('rejected', [`${message}:`, ...lines].join('\n'), {
      hint: `check with the customer, then pay one back, such as: ${refund}`,
    }),
  };
};

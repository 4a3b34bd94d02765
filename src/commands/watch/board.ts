import { grouped } from '../../core/bounds.ts';
import { formatMoney } from '../../core/money.ts';
import type { Received } from '../../core/received.ts';
import { madeHere } from '../../core/received.ts';
import type { Board } from '../../core/result.ts';
import { utcAtom } from '../../core/time.ts';
import type { Sum } from '../../ledger/payments.ts';
import type { Change, Now, Tail, Watched } from './tail.ts';
import { boardView } from './view.ts';

/** A change, or a charge as it stands, as it is shown. */
export const recordOf = ({ charge, now, at, before }: Watched & Partial<Pick<Change, 'before'>>): Received => {
  const { activity, asked = {} } = charge;
  return madeHere({
    at: utcAtom(at),
    charge: charge.id,
    ugwo: charge.about,
    before: before ?? null,
    now,
    status: activity?.status || null,
    amount: asked.amount ?? null,
    currency: asked.currency ?? null,
    medium: charge.medium,
    activity: activity?.uid ?? null,
    ref: asked.ref ?? null,
    job: charge.job ?? null,
    row: charge.row ?? null,
  });
};

const partText = ({ payment, currency, count, amount }: Sum<Now>): string => {
  const what = `${grouped(count)} ${payment.replaceAll('_', ' ')}`;
  return amount === undefined ? what : `${what} ${formatMoney(amount, currency ?? '')}`;
};

/** A line for each currency: `3 open NGN 15,000.00, 12 paid NGN 60,000.00`. */
const sumLines = (sums: readonly Sum<Now>[]): string[] => {
  const lines = new Map<string | undefined, string[]>();
  for (const sum of sums) lines.set(sum.currency, [...(lines.get(sum.currency) ?? []), partText(sum)]);
  return [...lines.values()].map((parts) => parts.join(', '));
};

/** The head of the table, its rule, and the line that says how many are left out. */
const AROUND = 3;

/** What is open first, by the latest change; then what has come to its end. */
const inOrder = (tail: Tail): Watched[] => {
  const live = tail.live().toSorted((a, b) => b.at - a.at);
  const ended = tail.ended();
  const changed = [...live.filter(({ now }) => now !== 'open'), ...ended].sort((a, b) => b.at - a.at);
  return [...changed, ...live.filter(({ now }) => now === 'open')];
};

/** How all of them stand, for so many rows of a terminal. */
export const boardOf = (tail: Tail, feed: string | undefined, rows: number): Board => {
  const all = inOrder(tail);
  const sums = sumLines(tail.sums());
  const words = [...(sums.length === 0 ? ['No charge is open.'] : sums), ...(feed === undefined ? [] : [feed])];
  const room = Math.max(1, rows - words.length - AROUND);
  const more = all.length - Math.min(room, all.length);
  return {
    view: boardView,
    records: all.slice(0, room).map(recordOf),
    below: [...(more > 0 ? [`and ${grouped(more)} more`] : []), ...words],
  };
};

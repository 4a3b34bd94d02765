import type { DatabaseSync } from 'node:sqlite';
import type { Refund } from '../../contract/refund.ts';
import { printExact } from '../../core/json.ts';
import { type Due, planOf, recordOf } from './rows.ts';

export type RefundEnding = 'successful' | 'failed';

/** Refunds, each of one activity. */
export const refunds = (db: DatabaseSync) => {
  const of = db.prepare('SELECT record FROM refund WHERE activity = ? ORDER BY seq');
  const due = db.prepare('SELECT record, due, ending FROM refund WHERE due <= ? ORDER BY due, seq LIMIT 1');
  const insert = db.prepare('INSERT INTO refund (uid, activity, record, due, ending) VALUES (?, ?, ?, ?, ?)');
  const update = db.prepare('UPDATE refund SET record = ?, due = NULL, ending = NULL WHERE uid = ?');
  return {
    /** Every refund of an activity, oldest first. */
    refundsOf: (activity: string) => of.all(activity).flatMap((row) => recordOf<Refund>(row) ?? []),
    addRefund: (refund: Refund, activity: string, plan: Due<RefundEnding> | undefined) =>
      void insert.run(refund.uid, activity, printExact(refund), plan?.due ?? null, plan?.ending ?? null),
    /** As it has ended. */
    endRefund: (refund: Refund) => void update.run(printExact(refund), refund.uid),
    /** The first one that should have ended by `now`. */
    dueRefund: (now: number) => {
      const row = due.get(now);
      const [refund, plan] = [recordOf<Refund>(row), planOf<RefundEnding>(row)];
      return refund === undefined || plan === undefined ? undefined : { refund, ...plan };
    },
  };
};

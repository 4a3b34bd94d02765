import type { DatabaseSync } from 'node:sqlite';
import type { Activity } from '../../contract/activity.ts';
import { printExact } from '../../core/json.ts';
import type { Ending } from '../../core/local.ts';
import { optionalNumber, optionalText } from '../../database/values.ts';
import { meantBy } from '../ids.ts';
import { type Due, planOf, type Row, recordOf } from './rows.ts';

/** An activity with the payment request that it is on. */
export interface KeptActivity {
  readonly activity: Activity;
  readonly ugwo: string;
}

/** What becomes of an activity by itself, and how much is paid then where that is not its amount. */
export interface ActivityPlan extends Due<Ending> {
  readonly paid?: number | undefined;
}

const keptOf = (row: Row): KeptActivity | undefined => {
  const [activity, ugwo] = [recordOf<Activity>(row), optionalText(row?.['ugwo'])];
  return activity === undefined || ugwo === undefined ? undefined : { activity, ugwo };
};

const dueOf = (row: Row): (KeptActivity & ActivityPlan) | undefined => {
  const [kept, plan] = [keptOf(row), planOf<Ending>(row)];
  if (kept === undefined || plan === undefined) return undefined;
  return { ...kept, ...plan, paid: optionalNumber(row?.['paid']) };
};

/** Activities. */
export const activities = (db: DatabaseSync) => {
  const find = db.prepare('SELECT ugwo, record FROM activity WHERE uid BETWEEN ? AND ?');
  const on = db.prepare('SELECT record FROM activity WHERE ugwo = ? ORDER BY seq');
  const due = db.prepare(
    'SELECT ugwo, record, due, ending, paid FROM activity WHERE due <= ? ORDER BY due, seq LIMIT 1',
  );
  const insert = db.prepare('INSERT INTO activity (uid, ugwo, record, due, ending, paid) VALUES (?, ?, ?, ?, ?, ?)');
  const update = db.prepare('UPDATE activity SET record = ?, due = ?, ending = ?, paid = ? WHERE uid = ?');
  const columns = (plan: ActivityPlan | undefined) =>
    [plan?.due ?? null, plan?.ending ?? null, plan?.paid ?? null] as const;
  return {
    activity: (uid: string) => keptOf(find.get(...meantBy(uid))),
    /** Every activity on a payment request, oldest first. */
    activitiesOn: (ugwo: string) => on.all(ugwo).flatMap((row) => recordOf<Activity>(row) ?? []),
    addActivity: ({ activity, ugwo }: KeptActivity, plan: ActivityPlan | undefined) =>
      void insert.run(activity.uid, ugwo, printExact(activity), ...columns(plan)),
    /** One without a plan stays as it is. */
    replaceActivity: (activity: Activity, plan: ActivityPlan | undefined) =>
      void update.run(printExact(activity), ...columns(plan), activity.uid),
    /** The first one that should have ended by `now`. */
    dueActivity: (now: number) => dueOf(due.get(now)),
  };
};

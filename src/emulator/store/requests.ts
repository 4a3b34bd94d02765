import type { DatabaseSync } from 'node:sqlite';
import type { Activity } from '../../contract/activity.ts';
import type { Onye } from '../../contract/onye.ts';
import type { Ugwo } from '../../contract/ugwo.ts';
import { printExact } from '../../core/json.ts';
import { meantBy } from '../ids.ts';
import { NEWEST, type Placed, placedOf, type Row, recordOf } from './rows.ts';

const UGWO = `SELECT ugwo.seq, ugwo.record, onye.record AS onye,
    (SELECT record FROM activity WHERE activity.ugwo = ugwo.uid ORDER BY activity.seq DESC LIMIT 1) AS latest
  FROM ugwo LEFT JOIN onye ON onye.uid = ugwo.onye`;

const customerInShort = (customer: Onye | undefined) => {
  if (customer === undefined) return null;
  const { uid, email, first_name, last_name } = customer;
  return { uid, email, first_name, last_name };
};

const activityInShort = (activity: Activity | undefined) => {
  if (activity === undefined) return null;
  const { uid, status, psp_external_id, is_double_charge = false } = activity;
  return { uid, status, psp_external_id, is_double_charge };
};

/** A payment request as it is shown (public material): its customer and its latest activity as they are now, in short. */
const ugwoOf = (row: Row): Ugwo | undefined => {
  const ugwo = recordOf<Ugwo>(row);
  if (ugwo === undefined) return undefined;
  return {
    ...ugwo,
    onye: customerInShort(recordOf<Onye>(row, 'onye')),
    // The service spells it so.
    lastest_ugwo_activity: activityInShort(recordOf<Activity>(row, 'latest')),
  };
};

/** Payment requests. */
export const requests = (db: DatabaseSync) => {
  const find = db.prepare(`${UGWO} WHERE ugwo.uid BETWEEN ? AND ?`);
  const before = db.prepare(`${UGWO} WHERE ugwo.seq < ? ORDER BY ugwo.seq DESC LIMIT ?`);
  const byRef = db.prepare('SELECT 1 FROM ugwo WHERE ref = ? LIMIT 1');
  const insert = db.prepare('INSERT INTO ugwo (uid, onye, ref, record) VALUES (?, ?, ?, ?)');
  const setStatus = db.prepare("UPDATE ugwo SET record = json_set(record, '$.status', ?) WHERE uid = ?");
  // A number of JavaScript is bound as a float, and would be written with `.0`.
  const pay = db.prepare(`UPDATE ugwo
    SET record = json_set(record, '$.total_amount_paid', ifnull(record ->> '$.total_amount_paid', 0) + CAST(? AS INTEGER))
    WHERE uid = ?`);
  return {
    ugwo: (uid: string) => ugwoOf(find.get(...meantBy(uid))),
    /** The newest that are older than `position`, newest first. */
    ugwoBefore: (position = NEWEST, count: number): Placed<Ugwo>[] => placedOf(before.all(position, count), ugwoOf),
    hasRef: (ref: string) => byRef.get(ref) !== undefined,
    addUgwo: (ugwo: Ugwo, customer: string | null) =>
      void insert.run(ugwo.uid, customer, ugwo.ref ?? null, printExact(ugwo)),
    setUgwoStatus: (uid: string, status: string) => void setStatus.run(status, uid),
    /** Adds to what was paid of it; less than nothing where money was taken back. */
    addPayment: (uid: string, amount: number) => void pay.run(amount, uid),
  };
};

import type { DatabaseSync } from 'node:sqlite';
import type { Onye } from '../../contract/onye.ts';
import { printExact } from '../../core/json.ts';
import { optionalText } from '../../database/values.ts';
import { meantBy } from '../ids.ts';
import { NEWEST, type Placed, placedOf, recordOf } from './rows.ts';

/** Customers. One that was deleted is kept for the payment requests that show it, and found no more. */
export const customers = (db: DatabaseSync) => {
  const find = db.prepare('SELECT record FROM onye WHERE uid BETWEEN ? AND ? AND deleted IS NULL');
  const byEmail = db.prepare('SELECT record FROM onye WHERE email = ? AND deleted IS NULL LIMIT 1');
  const before = db.prepare('SELECT seq, record FROM onye WHERE seq < ? AND deleted IS NULL ORDER BY seq DESC LIMIT ?');
  const ids = db.prepare('SELECT uid FROM onye WHERE deleted IS NULL ORDER BY seq');
  const insert = db.prepare('INSERT INTO onye (uid, email, record) VALUES (?, ?, ?)');
  const update = db.prepare('UPDATE onye SET email = ?, record = ? WHERE uid = ?');
  const remove = db.prepare('UPDATE onye SET deleted = 1 WHERE uid = ?');
  return {
    customer: (uid: string) => recordOf<Onye>(find.get(...meantBy(uid))),
    customerByEmail: (email: string) => recordOf<Onye>(byEmail.get(email)),
    /** The newest that are older than `position`, newest first. */
    customersBefore: (position = NEWEST, count: number): Placed<Onye>[] =>
      placedOf(before.all(position, count), (row) => recordOf<Onye>(row)),
    /** The uids of all, oldest first. */
    customerIds: () => ids.all().flatMap((row) => optionalText(row?.['uid']) ?? []),
    addCustomer: (customer: Onye) => void insert.run(customer.uid, customer.email ?? null, printExact(customer)),
    replaceCustomer: (customer: Onye) => void update.run(customer.email ?? null, printExact(customer), customer.uid),
    removeCustomer: (uid: string) => void remove.run(uid),
  };
};

import type { DatabaseSync } from 'node:sqlite';
import { PayError, reasonOf } from '../core/error.ts';
import { connect, migrate, useJournal, versionOf } from './connect.ts';
import { makeFile, refuseUnlessOurs, stateUnlessForeign } from './file.ts';
import { type DatabaseKind, isDamage } from './kind.ts';

const refuseNewer = (db: DatabaseSync, path: string, kind: DatabaseKind): void => {
  const [version, known] = [versionOf(db), kind.migrations.length];
  if (version <= known) return;
  const what = `was made by a newer paycli (schema ${version}, this one knows ${known})`;
  throw kind.error({ kind: 'newer', path, what });
};

const bringUpToDate = (db: DatabaseSync, path: string, kind: DatabaseKind): void => {
  refuseNewer(db, path, kind);
  useJournal(db, kind);
  if (versionOf(db) === kind.migrations.length) return;
  migrate(db, kind);
  // A newer one may have been faster.
  refuseNewer(db, path, kind);
};

const asFault = (thrown: unknown, path: string, kind: DatabaseKind): PayError => {
  if (thrown instanceof PayError) return thrown;
  const [fault, what] = isDamage(thrown)
    ? (['damaged', 'is damaged'] as const)
    : (['unusable', 'cannot be used'] as const);
  return kind.error({ kind: fault, path, what: `${what}: ${reasonOf(thrown)}`, cause: thrown });
};

/** Opens a file that is ours for `use`, which takes the database over; it is closed when that fails. */
const openOurs = <T>(path: string, kind: DatabaseKind, use: (db: DatabaseSync) => T): T => {
  let db: DatabaseSync | undefined;
  try {
    db = connect(path, kind);
    bringUpToDate(db, path, kind);
    return use(db);
  } catch (thrown) {
    if (db?.isOpen) db.close();
    throw asFault(thrown, path, kind);
  }
};

/**
 * Opens the database at an absolute path for `use`, which takes it over, and makes it first when there is none. Every
 * failure is an error of its kind.
 */
export const openDatabase = <T>(path: string, kind: DatabaseKind, use: (db: DatabaseSync) => T): T => {
  const state = stateUnlessForeign(path, kind);
  // Ours is made whole, so an empty file is what a failing disk has left of one.
  if (state === 'empty' && kind.survives === 'power loss') {
    throw kind.error({ kind: 'damaged', path, what: 'is empty: what it held is lost' });
  }
  if (state !== 'ours') {
    makeFile(path, kind);
    refuseUnlessOurs(path, kind);
  }
  return openOurs(path, kind, use);
};

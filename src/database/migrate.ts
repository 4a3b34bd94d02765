import type { DatabaseSync } from 'node:sqlite';
import type { DatabaseKind } from './kind.ts';
import { transact } from './transact.ts';

/** How many migrations have run on a file, as it is each time that is asked. */
export const versionReader = (db: DatabaseSync): (() => number) => {
  const version = db.prepare('PRAGMA user_version');
  return () => Number(version.get()?.['user_version']);
};

/** The same, asked once. */
export const versionOf = (db: DatabaseSync): number => versionReader(db)();

/**
 * Runs the migrations that a file has not seen, and `fill` after them, alone among all processes and all or nothing. Safe
 * to call from several processes at once: who comes second finds nothing left to do, and a newer version stays.
 */
export const migrate = (db: DatabaseSync, kind: DatabaseKind, fill?: DatabaseKind['fill']): void => {
  const { migrations, applicationId } = kind;
  transact(db, () => {
    const version = versionOf(db);
    if (version >= migrations.length) return;
    for (const migration of migrations.slice(version)) {
      if (typeof migration === 'string') db.exec(migration);
      else migration(db);
    }
    fill?.(db);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length};`);
  });
};

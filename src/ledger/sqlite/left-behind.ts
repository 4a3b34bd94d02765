import type { DatabaseSync } from 'node:sqlite';
import type { Sender } from '../entry.ts';
import { type LeftBehind, leftBehind, removeLeftBehind } from './emergency-file.ts';
import { ledgerError } from './file.ts';

/** A process that ended badly may have taken the disk with it: what SQLite can find wrong is found before it is used. */
const check = (db: DatabaseSync, path: string): void => {
  const found = Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})[0];
  if (found !== 'ok') throw ledgerError({ kind: 'damaged', path, what: `is damaged: ${String(found)}` });
};

/** A process that can't be seen from here and has written nothing for so long has ended. */
const LONGEST_RUN_MS = 24 * 3_600_000;

/** Who has ended, and when that is asked. */
interface Others {
  readonly now: () => number;
  readonly isGone: (sender: Sender, overdue: boolean) => boolean;
}

/**
 * What processes could not write into the ledger itself. One that has ended without closing the ledger is also a reason to look
 * whether it is whole; throws when it is not.
 */
export const leftBeside = (db: DatabaseSync, path: string, { now, isGone }: Others) => {
  const all = leftBehind(path);
  const gone = all.filter(({ sender, touchedAt }) => isGone(sender, now() - touchedAt > LONGEST_RUN_MS));
  if (gone.length > 0) check(db, path);
  return {
    /** Who has ended without closing the ledger. */
    senders: gone.map(({ sender }) => sender),
    lines: all.flatMap(({ lines }) => lines),
    /**
     * Removes the files of processes that have ended. A line about a charge that the ledger does not know is another ledger's,
     * moved away perhaps: it is nobody's to remove.
     */
    remove: (known: ReadonlySet<string>): void => {
      const isOurs = ({ lines }: LeftBehind): boolean => lines.every(({ ledger_id: id }) => known.has(id));
      for (const one of gone.filter(isOurs)) removeLeftBehind(one);
    },
  };
};
export type Unfinished = ReturnType<typeof leftBeside>;

import type { DatabaseSync } from 'node:sqlite';
import { transact } from '../database/transact.ts';
import type { EmergencyLine, LeftBehind } from './emergency.ts';
import { leftBehind, removeLeftBehind } from './emergency.ts';
import { ledgerError } from './file.ts';
import { activityColumns } from './rows.ts';

/** A process that ended badly may have taken the disk with it: what SQLite can find wrong is found before it is used. */
const check = (db: DatabaseSync, path: string): void => {
  const found = Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})[0];
  if (found !== 'ok') throw ledgerError({ kind: 'damaged', path, what: `is damaged: ${String(found)}` });
};

const takeIn = (db: DatabaseSync, lines: readonly EmergencyLine[]): void => {
  const update = db.prepare(`UPDATE charge SET state = :state, exit_code = :exit_code, settled_at = :settled_at,
    activity = :activity, status = :status, next_action = :next_action, activity_created_at = :activity_created_at,
    evidence = json_insert(evidence, '$[#]', json(:evidence))
    WHERE id = :id AND state IN ('sending', 'unknown')`);
  transact(db, () => {
    for (const { ledger_id: id, state, exitCode, settled_at, activity, evidence } of lines) {
      const seen = JSON.stringify({ ...evidence, from: 'emergency file' });
      update.run({ id, state, exit_code: exitCode, settled_at, evidence: seen, ...activityColumns(activity) });
    }
  });
};

/**
 * Takes in what ended processes could not write into the ledger itself, after a look at whether it is whole. Throws when
 * it is not.
 */
export const recover = (db: DatabaseSync, path: string, isGone: (left: LeftBehind) => boolean): void => {
  const left = leftBehind(path).filter(isGone);
  if (left.length === 0) return;
  check(db, path);
  for (const one of left) {
    if (one.lines.length > 0) takeIn(db, one.lines);
    removeLeftBehind(one);
  }
};

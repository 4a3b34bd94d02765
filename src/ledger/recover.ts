import type { DatabaseSync } from 'node:sqlite';
import { transact } from '../database/transact.ts';
import type { EmergencyLine, LeftBehind } from './emergency.ts';
import { leftBehind, removeLeftBehind } from './emergency.ts';
import { withEvidence } from './evidence.ts';
import { ledgerError } from './file.ts';
import type { Charge, Evidence, Mark } from './ledger.ts';
import { isNews, latest } from './news.ts';
import type { Statements } from './statements.ts';
import { statements } from './statements.ts';

/** A process that ended badly may have taken the disk with it: what SQLite can find wrong is found before it is used. */
const check = (db: DatabaseSync, path: string): void => {
  const found = Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})[0];
  if (found !== 'ok') throw ledgerError({ kind: 'damaged', path, what: `is damaged: ${String(found)}` });
};

/** An older paycli called the moment otherwise. */
type OldLine = EmergencyLine & { readonly settled_at?: number };

const asLine = ({ settled_at: old, ...line }: OldLine): EmergencyLine => ({
  ...line,
  recorded_at: line.recorded_at ?? old ?? 0,
});

/** The line as something that was seen of its charge. */
const asEvidence = ({ evidence, ...line }: EmergencyLine): Evidence => ({
  kind: 'emergency_line',
  at: evidence?.at ?? new Date(line.recorded_at).toISOString(),
  ...evidence,
  line,
});

const isKnown = (charge: Charge, { recorded_at: recordedAt }: EmergencyLine): boolean =>
  charge.evidence.some(({ line }) => (line as Partial<EmergencyLine> | undefined)?.recorded_at === recordedAt);

/** When a line was written is known by the machine's clock alone. */
const UNMARKED: Mark = { boot: '', uptime: 0 };

/** A line is what the service said, so it holds whatever was concluded without it; it is taken in once. */
const takeIn = (db: DatabaseSync, sql: Statements, lines: readonly EmergencyLine[]): void => {
  transact(db, () => {
    for (const line of lines) {
      const charge = sql.find(line.ledger_id);
      if (charge === undefined || isKnown(charge, line)) continue;
      const evidence = withEvidence(charge.evidence, asEvidence(line));
      if (!isNews(charge, line)) sql.keepEvidence(charge.id, evidence);
      else {
        const moment = { at: line.recorded_at, mark: UNMARKED };
        const activity = line.activity && latest(charge.activity, line.activity);
        sql.change(charge.id, { ...line, activity, moment, took: charge.took, evidence });
      }
    }
  });
};

/**
 * Takes in what processes could not write into the ledger itself. One that has ended without closing the ledger is also a
 * reason to look whether it is whole; throws when it is not.
 */
export const recover = (db: DatabaseSync, path: string, isGone: (left: LeftBehind) => boolean): void => {
  const all = leftBehind(path);
  const gone = all.filter(isGone);
  if (gone.length > 0) check(db, path);
  const sql = statements(db);
  const lines = all.flatMap((one) => one.lines.map(asLine));
  if (lines.length > 0) takeIn(db, sql, lines);
  // A line about a charge that is not in here is another ledger's, moved away perhaps: it is nobody's to remove.
  const isOurs = ({ lines: own }: LeftBehind): boolean => own.every((line) => sql.find(line.ledger_id) !== undefined);
  for (const one of gone.filter(isOurs)) removeLeftBehind(one);
};

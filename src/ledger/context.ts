import { createHmac } from 'node:crypto';
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { DatabaseKind } from '../database/kind.ts';
import { versionReader } from '../database/migrate.ts';
import { transact } from '../database/transact.ts';
import { asLedgerError, LEDGER_FILE, ledgerError } from './file.ts';
import { groupCommit } from './group.ts';
import { openHighest } from './highest.ts';
import { jobStatements } from './job-statements.ts';
import type { Evidence, Intent, KeptActivity, Moment, Sender } from './ledger.ts';
import { lifelineOf } from './lifeline.ts';
import type { Patience } from './patience.ts';
import { patiently } from './patience.ts';
import { cleaned, withoutPhoneEnding } from './private.ts';
import { bootOf } from './sender.ts';
import { statements } from './statements.ts';
import { sweeper } from './sweep.ts';

/** What a ledger is opened with. */
export interface LedgerOptions {
  /** The file, as an absolute path. */
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** How long the machine has been up, in milliseconds. */
  readonly uptime: () => number;
  readonly self: Sender;
  /** Whether a sender has ended; `overdue` says that its sending must have. */
  readonly isGone: (sender: Sender, overdue: boolean) => boolean;
  /** Takes the known secrets out of a text. */
  readonly clean: (text: string) => string;
  readonly patience: Patience;
  readonly kind?: DatabaseKind;
}

/** Which file has the ledger's name; undefined where none has. */
const fileAt = (path: string): string | undefined => {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
};

/** What all methods of one open ledger share. */
export const contextOf = (db: DatabaseSync, options: LedgerOptions) => {
  const { path, now, uptime, self, isGone, clean, patience, kind = LEDGER_FILE } = options;
  const sql = statements(db);
  const settings = sql.settings();
  const highest = openHighest(path, settings.name);
  const lifeline = lifelineOf(path, self);
  const boot = bootOf(self);
  const moment = (): Moment => ({ at: now(), mark: { boot, uptime: uptime() } });
  const { unknownIfGone, sweep } = sweeper(db, sql, moment, isGone);

  const use = async <T>(work: () => T, until: AbortSignal): Promise<T> => {
    try {
      return await patiently(work, patience, until);
    } catch (thrown) {
      throw asLedgerError(thrown, path);
    }
  };

  const version = versionReader(db);
  /** A program of ours may have been at it since it was opened. */
  const checkVersion = (): void => {
    if (version() <= kind.migrations.length) return;
    throw ledgerError({ kind: 'newer', path, what: 'was upgraded by a newer paycli while in use' });
  };
  const file = fileAt(path);
  /** What is written into a file without a name is seen by nobody any more. */
  const checkFile = (): void => {
    if (fileAt(path) === file) return;
    throw ledgerError({ kind: 'unusable', path, what: 'was removed or replaced while it was in use' });
  };
  const together = groupCommit(db, use, [patience.stop, patience.leave], checkFile);
  const write = async <T>(work: () => T, until = patience.stop): Promise<T> => {
    try {
      return await together(work, until);
    } catch (thrown) {
      throw asLedgerError(thrown, path);
    }
  };

  return {
    sql,
    jobs: jobStatements(db),
    self,
    isGone,
    clean,
    /** Room for the emergency lines of so many charges at once. */
    reserve: lifeline.reserve,
    /** What this process is sending: an emergency line must tell what it is without the ledger. */
    open: new Map<string, Intent>(),
    moment,
    highest,
    digest: (text: string): string => createHmac('sha256', settings.key).update(text).digest('hex').slice(0, 32),
    unknownIfGone,
    unrecorded: lifeline.unrecorded,
    /** What may be kept of an activity and of what was seen, for a charge with these last digits of a phone number. */
    kept: (activity: KeptActivity, phone: string | undefined): KeptActivity => ({
      ...activity,
      nextAction: cleaned(activity.nextAction, (text) => withoutPhoneEnding(clean(text), phone)),
    }),
    seen: (evidence: Evidence): Evidence => cleaned(evidence, clean),
    /** Charges of dead processes are swept up first. */
    read: <T>(work: () => T): Promise<T> =>
      use(() => {
        sweep();
        return work();
      }, patience.stop),
    write,
    /** One try: what is worth a note is not worth a wait. */
    glance: async (work: () => void): Promise<void> => {
      try {
        transact(db, work);
      } catch (thrown) {
        throw asLedgerError(thrown, path);
      }
    },
    attempt: async <T>(work: () => T): Promise<T> => {
      try {
        lifeline.ready();
        return await write(() => {
          checkVersion();
          return work();
        });
      } catch (thrown) {
        const error = asLedgerError(thrown, path);
        lifeline.failed(error);
        throw error;
      }
    },
    close: (): void => {
      db.close();
      lifeline.close();
      highest.close();
    },
  };
};
export type Context = ReturnType<typeof contextOf>;

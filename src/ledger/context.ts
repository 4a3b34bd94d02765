import type { DatabaseSync } from 'node:sqlite';
import { PayError, reasonOf } from '../core/error.ts';
import type { DatabaseKind } from '../database/kind.ts';
import { versionOf } from '../database/migrate.ts';
import { isDamage } from '../database/open.ts';
import { transact } from '../database/transact.ts';
import type { EmergencyFile, EmergencyLine } from './emergency.ts';
import { emergencyText, openEmergencyFile } from './emergency.ts';
import { evidenceOf, withEvidence } from './evidence.ts';
import { LEDGER_FILE, ledgerError } from './file.ts';
import type { Charge, Evidence, Intent, KeptActivity, Moment, Sender } from './ledger.ts';
import type { Patience } from './patience.ts';
import { isBusy, patiently } from './patience.ts';
import { cleaned, withoutPhoneEnding } from './private.ts';
import { chargeOf, senderOf } from './rows.ts';
import { bootOf } from './sender.ts';
import { statements } from './statements.ts';

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

/** A charge that this process is sending: its emergency line must tell what it is without the ledger. */
interface Open {
  readonly intent: Intent;
  readonly since: Moment;
}

type Row = ReturnType<ReturnType<typeof statements>['sending']>[number];

/** A failure of any kind as a `ledger` error. */
export const asLedgerError = (thrown: unknown, path: string): PayError => {
  if (isBusy(thrown)) {
    return new PayError('ledger', `the ledger ${path} is locked by another process`, {
      hint: 'see what keeps it open so long (`fuser` tells), then run the same command again',
      cause: thrown,
    });
  }
  if (thrown instanceof PayError) return thrown;
  const kind = isDamage(thrown) ? 'damaged' : 'unusable';
  return ledgerError({ kind, path, what: `cannot be used: ${reasonOf(thrown)}`, cause: thrown });
};

const LOCKED = 'keep the line that is shown here; the next run that can use the ledger takes it in';
const HINT = 'keep the line that is shown here, mend the disk, and do not run the command again before that';

/** What all methods of one open ledger share. */
export const contextOf = (db: DatabaseSync, options: LedgerOptions) => {
  const { path, now, uptime, self, isGone, clean, patience, kind = LEDGER_FILE } = options;
  const sql = statements(db);
  const open = new Map<string, Open>();
  let broken: PayError | undefined;
  let emergency: EmergencyFile | undefined;

  const moment = (): Moment => ({ at: now(), mark: { boot: bootOf(self), uptime: uptime() } });

  const use = async <T>(work: () => T, until: AbortSignal): Promise<T> => {
    try {
      return await patiently(work, patience, until);
    } catch (thrown) {
      throw asLedgerError(thrown, path);
    }
  };

  /** A row of the table; one whose process died while it was sending becomes unknown here. */
  const settledIfGone = (row: Row): Charge => {
    const charge = chargeOf(row);
    const sender = senderOf(row);
    if (charge.state !== 'sending' || !isGone(sender, now() > charge.deadline)) return charge;
    const why = 'its process ended before it could note what became of it';
    const evidence = withEvidence(charge.evidence, evidenceOf('process_gone', now(), { pid: sender.pid, why }));
    sql.change(charge.id, { ...charge, state: 'unknown', moment: moment(), evidence });
    return chargeOf(sql.get(charge.id) ?? row);
  };

  /** Makes every charge unknown whose process died while it was sending. */
  const sweep = (): void => {
    if (!sql.sending().some((row) => isGone(senderOf(row), now() > chargeOf(row).deadline))) return;
    transact(db, () => {
      for (const row of sql.sending()) settledIfGone(row);
    });
  };

  /** A program of ours may have been at it since it was opened. */
  const checkVersion = (): void => {
    if (versionOf(db) <= kind.migrations.length) return;
    throw ledgerError({ kind: 'newer', path, what: 'has been taken over by a newer paycli meanwhile' });
  };

  return {
    sql,
    self,
    open,
    moment,
    settledIfGone,
    /** What may be kept of an activity and of what was seen, for a charge with these last digits of a phone number. */
    kept: (activity: KeptActivity, phone: string | undefined): KeptActivity => ({
      ...activity,
      nextAction: cleaned(activity.nextAction, (text) => withoutPhoneEnding(clean(text), phone)),
    }),
    seen: (evidence: Evidence): Evidence => cleaned(evidence, clean),
    read: <T>(work: () => T): Promise<T> =>
      use(() => {
        sweep();
        return work();
      }, patience.stop),
    write: <T>(work: () => T, until = patience.stop): Promise<T> => use(() => transact(db, work), until),
    /** One try: what is worth a note is not worth a wait. */
    glance: async (work: () => void): Promise<void> => {
      try {
        transact(db, work);
      } catch (thrown) {
        throw asLedgerError(thrown, path);
      }
    },
    /** The first failure of the disk ends sending for the life of the process. */
    begin: async <T>(work: () => T): Promise<T> => {
      if (broken !== undefined) throw broken;
      try {
        emergency ??= openEmergencyFile(path, self);
        return await use(
          () =>
            transact(db, () => {
              checkVersion();
              return work();
            }),
          patience.stop,
        );
      } catch (thrown) {
        const error = asLedgerError(thrown, path);
        if (error.kind === 'ledger' && !isBusy(error)) broken = error;
        throw error;
      }
    },
    /** The line goes to the emergency file; whoever gets the error prints it too. */
    unrecorded: (line: EmergencyLine, thrown: unknown): PayError => {
      const answer = emergencyText(line);
      const what = `the ledger could not note what became of ${line.ledger_id}: ${reasonOf(thrown)}`;
      const locked = isBusy(thrown);
      if (!locked) broken = new PayError('ledger', what, { cause: thrown });
      try {
        emergency?.write(answer);
      } catch {
        // The line on stderr is then the last trace.
      }
      return new PayError('unrecorded', what, {
        answer,
        ledgerId: line.ledger_id,
        hint: locked ? LOCKED : HINT,
        cause: thrown,
      });
    },
    close: (): void => {
      db.close();
      emergency?.close();
    },
  };
};
export type Context = ReturnType<typeof contextOf>;

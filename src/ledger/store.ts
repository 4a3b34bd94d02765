import { randomInt } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { PayError, reasonOf } from '../core/error.ts';
import type { DatabaseKind } from '../database/kind.ts';
import { isDamage, openDatabase } from '../database/open.ts';
import { transact } from '../database/transact.ts';
import { checkAccess } from './access.ts';
import type { EmergencyFile, EmergencyLine } from './emergency.ts';
import { openEmergencyFile } from './emergency.ts';
import { evidenceOf, withEvidence } from './evidence.ts';
import { LEDGER_FILE, ledgerError } from './file.ts';
import { guard } from './guard.ts';
import type { Begun, Charge, Intent, Ledger, Outcome, Resolution, Sender } from './ledger.ts';
import { recover } from './recover.ts';
import { chargeOf, senderOf } from './rows.ts';
import { statements } from './statements.ts';

/** What a ledger is opened with. */
export interface LedgerOptions {
  /** The file, as an absolute path. */
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly self: Sender;
  /** Whether a sender has ended; `overdue` says that its sending must have. */
  readonly isGone: (sender: Sender, overdue: boolean) => boolean;
  readonly kind?: DatabaseKind;
}

/** A process that can't be seen from here and has written nothing for so long has ended. */
const LONGEST_RUN_MS = 24 * 3_600_000;

const ID_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_LENGTH = 12;

/** A name that can be read out over the phone: no letters that look alike. */
const newId = (): string =>
  `chg-${Array.from({ length: ID_LENGTH }, () => ID_ALPHABET.charAt(randomInt(ID_ALPHABET.length))).join('')}`;

const SQLITE_BUSY = 5;

/** Others kept the file locked: no reason to think that the disk is at fault. */
const isBusy = (thrown: unknown): boolean =>
  (((thrown as PayError).cause as { errcode?: number } | undefined)?.errcode ?? 0) % 256 === SQLITE_BUSY;

type Row = ReturnType<ReturnType<typeof statements>['sending']>[number];

/** What all methods of one open ledger share. */
const contextOf = (db: DatabaseSync, options: LedgerOptions) => {
  const { path, now, self, isGone } = options;
  const sql = statements(db);
  let broken: PayError | undefined;
  let emergency: EmergencyFile | undefined;
  /** What this process is at: a line of the emergency file must tell it without the ledger. */
  const open = new Map<string, Intent>();

  /** Runs one piece of work on the file; every failure is a `ledger` error, and one of the disk's is the last. */
  const use = <T>(work: () => T): T => {
    try {
      return work();
    } catch (thrown) {
      if (thrown instanceof PayError) throw thrown;
      const kind = isDamage(thrown) ? 'damaged' : 'unusable';
      throw ledgerError({ kind, path, what: `cannot be used: ${reasonOf(thrown)}`, cause: thrown });
    }
  };

  /** A row of the table; one whose process died while it was sending becomes unknown here. */
  const settledIfGone = (row: Row): Charge => {
    const charge = chargeOf(row);
    if (charge.state !== 'sending' || !isGone(senderOf(row), now() > charge.deadline)) return charge;
    const { pid } = senderOf(row);
    const gone = evidenceOf('process_gone', now(), {
      pid,
      why: 'its process ended before it could note what became of it',
    });
    sql.change(charge.id, {
      ...charge,
      state: 'unknown',
      settledAt: now(),
      evidence: withEvidence(charge.evidence, gone),
    });
    return chargeOf(sql.get(charge.id) ?? row);
  };

  /** Makes every charge unknown whose process died while it was sending. */
  const sweep = (): void => {
    if (!sql.sending().some((row) => isGone(senderOf(row), now() > chargeOf(row).deadline))) return;
    transact(db, () => {
      for (const row of sql.sending()) settledIfGone(row);
    });
  };

  const read = <T>(work: () => T): Promise<T> =>
    Promise.resolve().then(() =>
      use(() => {
        sweep();
        return work();
      }),
    );
  const write = <T>(work: () => T): Promise<T> => Promise.resolve().then(() => use(() => transact(db, work)));

  return {
    sql,
    now,
    self,
    settledIfGone,
    open,
    read,
    write,
    begin: <T>(work: () => T): Promise<T> =>
      Promise.resolve().then(() => {
        if (broken !== undefined) throw broken;
        try {
          return use(() => {
            emergency ??= openEmergencyFile(path, self);
            return transact(db, work);
          });
        } catch (thrown) {
          if (!isBusy(thrown)) broken = thrown as PayError;
          throw thrown;
        }
      }),
    /** The line goes to the emergency file; whoever gets the error prints it too. */
    unrecorded: (line: EmergencyLine, thrown: unknown): PayError => {
      const text = JSON.stringify(line);
      const what = `the ledger could not note what became of ${line.ledger_id}: ${reasonOf(thrown)}`;
      const hint = 'keep the line that is shown here, mend the disk, and do not run the command again before that';
      broken = new PayError('ledger', what, { cause: thrown });
      try {
        emergency?.write(text);
      } catch {
        // The line on stderr is then the last trace.
      }
      return new PayError('unrecorded', what, { answer: text, ledgerId: line.ledger_id, hint, cause: thrown });
    },
    close: (): void => {
      use(() => db.close());
      emergency?.close();
    },
  };
};
type Context = ReturnType<typeof contextOf>;

const begin =
  ({ sql, now, self, open, settledIfGone, begin: attempt }: Context): Ledger['begin'] =>
  (intent: Intent, how) =>
    attempt((): Begun => {
      const standing = sql.standing(intent.service, intent.ugwo).map(settledIfGone);
      const refusal = guard(standing, intent.medium, how, now());
      if (refusal !== undefined) return { kind: 'refused', ...refusal };
      const id = newId();
      sql.insert(id, intent, self, now());
      open.set(id, intent);
      return { kind: 'begun', id };
    });

const settle =
  (context: Context): Ledger['settle'] =>
  async (id: string, outcome: Outcome) => {
    const { sql, now, write } = context;
    const settledAt = now();
    const { ugwo = '', medium = '' } = context.open.get(id) ?? {};
    context.open.delete(id);
    try {
      await write(() => {
        const row = sql.get(id);
        if (row === undefined) throw new Error(`there is no charge ${id}`);
        const charge = chargeOf(row);
        const evidence = withEvidence(charge.evidence, outcome.evidence);
        sql.change(id, { ...outcome, activity: outcome.activity, settledAt, evidence });
      });
    } catch (thrown) {
      throw context.unrecorded({ ledger_id: id, ugwo, medium, settled_at: settledAt, ...outcome }, thrown);
    }
  };

const resolve =
  ({ sql, now, settledIfGone, write }: Context): Ledger['resolve'] =>
  (id: string, { state, activity, evidence }: Resolution) =>
    write(() => {
      const row = sql.get(id);
      const charge = row === undefined ? undefined : settledIfGone(row);
      if (charge?.state !== 'unknown') return false;
      if (activity !== undefined && sql.owned([activity.uid]).length > 0) return false;
      sql.change(id, {
        state,
        settledAt: now(),
        exitCode: charge.exitCode,
        activity,
        evidence: withEvidence(charge.evidence, evidence),
      });
      return true;
    });

const ledgerOver = (context: Context): Ledger => {
  const { sql, read, write } = context;
  return {
    begin: begin(context),
    settle: settle(context),
    resolve: resolve(context),
    unknown: () => read(() => sql.list({ states: ['unknown'], oldestFirst: true, limit: -1 })),
    countUnknown: () => read(() => sql.count('unknown')),
    get: (id) =>
      read(() => {
        const row = sql.get(id);
        return row === undefined ? undefined : chargeOf(row);
      }),
    list: (filter) => read(() => sql.list(filter)),
    owned: (activities) => read(() => new Set(sql.owned(activities))),
    note: (id, evidence) =>
      write(() => {
        const row = sql.get(id);
        if (row !== undefined) sql.keepEvidence(id, withEvidence(chargeOf(row).evidence, evidence));
      }),
    observe: (activity) => read(() => sql.stand(activity)),
    close: async () => context.close(),
  };
};

/**
 * Opens the ledger, made at the first use. Throws a `ledger` error when it can't be used: newer than this program, damaged,
 * not ours, open to others.
 */
export const openLedger = (options: LedgerOptions): Ledger => {
  const { path, now, isGone, kind = LEDGER_FILE } = options;
  checkAccess(path);
  return openDatabase(path, kind, (db) => {
    recover(db, path, ({ sender, touchedAt }) => isGone(sender, now() - touchedAt > LONGEST_RUN_MS));
    return ledgerOver(contextOf(db, options));
  });
};

import { closeSync, constants, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NEXT_STEP } from '../../charge/words.ts';
import { HIGHEST_FILE_NAME } from '../../core/data-files.ts';
import { interrupted, PayError, reasonOf } from '../../core/error.ts';
import { type DatabaseFault, isBusy, isDamage } from '../../database/connect.ts';
import { checkPrivate } from '../../database/file.ts';
import { takeLock } from '../../database/open.ts';
import type { Sender } from '../entry.ts';
import type { LedgersLock } from '../others.ts';
import { thisMachine } from '../sender.ts';

/** Dependencies for waiting on a locked file. */
export interface LockWait {
  /** Rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Aborted by the user's first and second signal. */
  readonly stop: AbortSignal;
  readonly leave: AbortSignal;
  /** Milliseconds of a monotonic clock. */
  readonly ticks: () => number;
}

/** Options of every ledger: the clock, the machine, and its processes. */
export interface LocalOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Uptime of the machine, in milliseconds. */
  readonly uptime: () => number;
  readonly self: Sender;
  /** True if a sender has ended. `overdue` says that its sending must be over. */
  readonly hasEnded: (sender: Sender, overdue: boolean) => boolean;
  /** Removes the known secrets from a text. */
  readonly clean: (text: string) => string;
  readonly lockWait: LockWait;
}

/** Longest wait for a lock of other processes, in milliseconds. */
const LOCK_LIMIT_MS = 20_000;
/** Longest wait inside SQLite per attempt, in milliseconds. Signals are not handled meanwhile. */
export const TRY_MS = 100;
const STEP_MS = 20;

/**
 * Runs `work` once no other process locks the file. It waits between attempts and not inside SQLite, which would block
 * signals. `until` ends the waiting, with an `interrupted` error if it is the first signal.
 */
export const patiently = async <T>(work: () => T, lockWait: LockWait, until: AbortSignal): Promise<T> => {
  const started = lockWait.ticks();
  for (;;) {
    try {
      return work();
    } catch (thrown) {
      if (!isBusy(thrown) || lockWait.ticks() - started >= LOCK_LIMIT_MS) throw thrown;
      await lockWait.sleep(STEP_MS, until).catch(() => undefined);
      if (until.aborted) throw until === lockWait.stop ? interrupted(until.reason) : thrown;
    }
  }
};

const KEEP =
  'first copy it and the -wal and -emergency files beside it. If you move it and highest-charge away, paycli starts a new ' +
  'ledger, which knows none of the old charges and refuses none of them';

const FAULT_HINTS: Readonly<Record<DatabaseFault['kind'], string>> = {
  foreign: `it may be a ledger whose first bytes are damaged: ${KEEP}`,
  newer: 'use the newer paycli; this one does not touch a ledger that it does not understand',
  unreleased: NEXT_STEP.settleFile,
  damaged: `${KEEP}; \`sqlite3 FILE .recover\` reads what is left of it`,
  unusable:
    'free some disk space, mount a read-only file system writable, or give yourself access to the file and its folder (chmod 600, chmod 700); a ledger in ' +
    'another folder knows nothing of the charges made here',
};

/** Error for any fault of the ledger: exit 10, nothing was sent. */
export const ledgerError = (fault: DatabaseFault): PayError =>
  new PayError('ledger', `the ledger ${fault.path} ${fault.what}`, {
    hint: FAULT_HINTS[fault.kind],
    cause: fault.cause,
  });

/** Converts any failure to a `ledger` error. */
export const asLedgerError = (thrown: unknown, path: string): PayError => {
  if (isBusy(thrown)) {
    return new PayError('ledger', `the ledger ${path} is locked by another process`, {
      hint: 'find the process that keeps it open (with `fuser`), then run the same command again',
      cause: thrown,
    });
  }
  if (thrown instanceof PayError) return thrown;
  const kind = isDamage(thrown) ? 'damaged' : 'unusable';
  return ledgerError({ kind, path, what: `cannot be used: ${reasonOf(thrown)}`, cause: thrown });
};

/** Throws where the folder can't be read: a shared ledger's record may be in it. A dry run may find no folder. */
export const namesInFolder = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new PayError('ledger', `the data folder ${folder} can't be read: ${reasonOf(thrown)}`, {
      hint: 'nothing was sent; give yourself access to the folder, then run the same command again',
      cause: thrown,
    });
  }
};

/** Lock of all ledgers of this machine, in a file. Waits for it like for a locked ledger. */
export const ledgersLock =
  (path: string, lockWait: LockWait): LedgersLock =>
  (how) =>
    patiently(() => takeLock(path, how, TRY_MS), lockWait, lockWait.stop).catch((thrown: unknown) => {
      throw asLedgerError(thrown, path);
    });

export const highestPath = (ledger: string): string => join(dirname(ledger), HIGHEST_FILE_NAME);

/** Number of charges that a ledger has had, by its name. */
export interface Count {
  readonly ledger: string;
  readonly charges: number;
}

/** Count stored beside a ledger; undefined if there is none, or none that can be parsed. */
export const countBeside = (ledger: string): Count | undefined => {
  try {
    // Read bytes, not text: with an encoding, Node ends the process when the file can't be closed.
    const [name = '', seq = ''] = readFileSync(highestPath(ledger)).toString('utf8').split(' ');
    const charges = Number.parseInt(seq, 10) || 0;
    return charges > 0 ? { ledger: name, charges } : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Stores a ledger's number of charges in a second file. A ledger with fewer charges is a restored old copy; a ledger
 * with another name has replaced it. The file is written after each commit and not synced, so it may lag but never
 * leads. Failures to write it are ignored.
 */
export const openHighest = (ledger: string, name: string) => {
  let descriptor: number | undefined;
  return {
    keep: (seq: number): void => {
      try {
        descriptor ??= openSync(highestPath(ledger), constants.O_RDWR | constants.O_CREAT, 0o600);
        writeSync(descriptor, `${name} ${seq}\n`, 0);
      } catch {
        // The folder may accept no new file. A full disk shows up in the ledger itself.
      }
    },
    close: (): void => {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
};
export type Highest = ReturnType<typeof openHighest>;

/**
 * Refuses a ledger, or a file beside it, that other users could read or change. The ledger holds who was charged, and
 * customers would pay twice if it were wrong.
 */
export const checkAccess = (path: string, uid = thisMachine.uid): void =>
  checkPrivate(
    { name: 'the ledger', path, beside: [[highestPath(path), "the ledger's count"]], error: ledgerError },
    uid,
  );

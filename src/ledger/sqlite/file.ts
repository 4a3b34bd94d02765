import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HIGHEST_FILE_NAME } from '../../core/charge.ts';
import { interrupted, PayError, reasonOf } from '../../core/error.ts';
import { checkPrivate } from '../../database/file.ts';
import { type DatabaseFault, type DatabaseKind, isBusy, isDamage } from '../../database/kind.ts';
import { thisMachine } from '../machine.ts';
import { MIGRATIONS } from './schema.ts';

/** What waiting for a locked file needs of the world. */
export interface LockWait {
  /** Rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The first and the second signal of the user. */
  readonly stop: AbortSignal;
  readonly leave: AbortSignal;
  /** Milliseconds by a clock that only ever grows. */
  readonly ticks: () => number;
}

/** For so long others may keep the file locked, in milliseconds. */
const LIMIT_MS = 20_000;
/** For so long SQLite itself waits in one try; no signal of the user is heard meanwhile. */
export const TRY_MS = 100;
const STEP_MS = 20;

/**
 * Does a piece of work as soon as nobody else keeps the file locked. The waiting is between two tries and not inside SQLite,
 * where no signal of the user would be heard; at `until` it ends, as `interrupted` when that is the first signal.
 */
export const patiently = async <T>(work: () => T, lockWait: LockWait, until: AbortSignal): Promise<T> => {
  const started = lockWait.ticks();
  for (;;) {
    try {
      return work();
    } catch (thrown) {
      if (!isBusy(thrown) || lockWait.ticks() - started >= LIMIT_MS) throw thrown;
      await lockWait.sleep(STEP_MS, until).catch(() => undefined);
      if (until.aborted) throw until === lockWait.stop ? interrupted(until.reason) : thrown;
    }
  }
};

const KEEP =
  'first copy it and the -wal and -emergency files beside it. If you move it and highest-charge away, paycli starts a new ' +
  'ledger, which knows none of the old charges and refuses none of them';

const HINTS: Readonly<Record<DatabaseFault['kind'], string>> = {
  foreign: `it may be a ledger whose first bytes are damaged: ${KEEP}`,
  newer: 'use the newer paycli; this one does not touch a ledger that it does not understand',
  damaged: `${KEEP}; \`sqlite3 FILE .recover\` reads what is left of it`,
  unusable:
    'free some disk space, mount a read-only file system writable, or give yourself access to the file and its folder (chmod 600, chmod 700); a ledger in ' +
    'another folder knows nothing of the charges made here',
};

/** Any trouble with the ledger: exit 10, nothing was sent. */
export const ledgerError = (fault: DatabaseFault): PayError =>
  new PayError('ledger', `the ledger ${fault.path} ${fault.what}`, { hint: HINTS[fault.kind], cause: fault.cause });

/** The ledger's file: what it holds must outlive a loss of power. */
export const LEDGER_FILE: DatabaseKind = {
  // "payg"
  applicationId: 0x70617967,
  migrations: MIGRATIONS,
  survives: 'power loss',
  // Longer waits are made between two tries, where signals are heard.
  busyTimeout: TRY_MS,
  // The rows of a file change the same pages again and again: what is taken in more seldom is written there fewer times.
  logPages: 4000,
  error: ledgerError,
};

/** A failure of any kind as a `ledger` error. */
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

const WIDTH = 16;

const isOurs = (descriptor: number): boolean => {
  const stats = fstatSync(descriptor);
  return stats.isFile() && (thisMachine.uid === undefined || stats.uid === thisMachine.uid);
};

const openOurs = (path: string): number | undefined => {
  try {
    const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600);
    if (isOurs(descriptor)) return descriptor;
    closeSync(descriptor);
  } catch {
    // A folder that takes no new file, a link: there is no second file then.
  }
  return undefined;
};

export const highestPath = (ledger: string): string => join(dirname(ledger), HIGHEST_FILE_NAME);

/** Which ledger has had how many charges. */
export interface Count {
  readonly ledger: string;
  readonly charges: number;
}

/** What is kept beside a ledger; undefined where nothing is, or nothing of ours. */
export const countBeside = (ledger: string): Count | undefined => {
  try {
    // Asked for a text itself, Node ends the process when the file can't be closed.
    const [name = '', seq = ''] = readFileSync(highestPath(ledger)).toString('utf8').split(' ');
    const charges = Number.parseInt(seq, 10) || 0;
    return charges > 0 ? { ledger: name, charges } : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Keeps how many charges a ledger has had in a second file: a ledger that has had fewer is an old copy, put back, and one of
 * another name has taken its place. Written behind each commit and not synced, so it may lag and never leads. Nothing fails where
 * it can't be kept.
 */
export const openHighest = (ledger: string, name: string) => {
  let descriptor: number | undefined;
  return {
    keep: (seq: number): void => {
      descriptor ??= openOurs(highestPath(ledger));
      if (descriptor === undefined) return;
      try {
        writeSync(descriptor, `${name} ${String(seq).padStart(WIDTH, '0')}\n`, 0);
      } catch {
        // A full disk is the ledger's own trouble.
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
 * Refuses a ledger that others could read or change, and what SQLite and we keep beside it: it holds who was charged, and its
 * truth is what keeps a customer from paying twice.
 */
export const checkAccess = (path: string, uid = thisMachine.uid): void =>
  checkPrivate(
    { name: 'the ledger', path, beside: [[highestPath(path), "the ledger's count"]], error: ledgerError },
    uid,
  );

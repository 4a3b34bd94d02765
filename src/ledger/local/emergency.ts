import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, lstatSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { PayError, reasonOf } from '../../core/error.ts';
import { parseIfJson } from '../../core/json.ts';
import { isBusy } from '../../database/connect.ts';
import { syncFolder } from '../../database/file.ts';
import type { EmergencyLine } from '../backend.ts';
import type { Sender } from '../entry.ts';
import { thisMachine } from '../sender.ts';
import { type LocalOptions, ledgerError } from './file.ts';

/**
 * Limits in bytes and in characters. A longer line might not fit, so it loses the next action and gets a shortened
 * message.
 */
const LONGEST_LINE = 8 * 1024;
const LONGEST_WORD = 500;

/** Emergency file of some process. */
interface LeftBehind {
  readonly path: string;
  readonly sender: Sender;
  /** Last modification, in milliseconds since the epoch. */
  readonly touchedAt: number;
  readonly lines: readonly EmergencyLine[];
}

const prefixOf = (ledger: string): string => `${basename(ledger)}-emergency-`;

/** The name contains the sender, so that the owner is known from the file's creation. */
const emergencyName = (ledger: string, sender: Sender): string => {
  const whose = Buffer.from(JSON.stringify(sender)).toString('base64url');
  return `${prefixOf(ledger)}${whose}.${randomBytes(6).toString('hex')}.ndjson`;
};

const senderIn = (name: string, ledger: string): Sender | undefined => {
  const whose = name.slice(prefixOf(ledger).length).split('.')[0] ?? '';
  return parseIfJson(Buffer.from(whose, 'base64url').toString('utf8')) as Sender | undefined;
};

const shortenedLine = ({ activity, evidence, ...line }: EmergencyLine): object => ({
  ...line,
  ...(activity && { activity: { ...activity, nextAction: null } }),
  ...(evidence && {
    evidence: { kind: evidence.kind, at: evidence.at, message: String(evidence['message']).slice(0, LONGEST_WORD) },
  }),
});

/** Formats the line, shortened if necessary. */
export const emergencyText = (line: EmergencyLine): string => {
  const text = JSON.stringify(line);
  return Buffer.byteLength(text) <= LONGEST_LINE ? text : JSON.stringify(shortenedLine(line));
};

const writeAll = (descriptor: number, bytes: Buffer, position: number): number => {
  let written = 0;
  while (written < bytes.byteLength) {
    written += writeSync(descriptor, bytes, written, bytes.byteLength - written, position + written);
  }
  return position + written;
};

/**
 * Emergency file of one process, beside the ledger. It exists from the first charge until the process closes the ledger
 * properly. Creates this process's file and fills it with blanks, synced to disk. This reserves room before anything is sent, so
 * that a full disk can't prevent an outcome from being stored.
 */
export const openEmergencyFile = (ledger: string, sender: Sender, lines = 1) => {
  const path = join(dirname(ledger), emergencyName(ledger, sender));
  const descriptor = openSync(path, 'wx', 0o600);
  let end = 0;
  let used = false;
  try {
    // Room for one more line: an incomplete line is rewritten after its fragment.
    writeAll(descriptor, Buffer.alloc((lines + 1) * LONGEST_LINE, ' '), 0);
    fsyncSync(descriptor);
    syncFolder(dirname(path));
  } catch (thrown) {
    closeSync(descriptor);
    rmSync(path, { force: true });
    throw thrown;
  }
  return {
    /** Throws if this write fails, too. */
    write: (line: string): void => {
      used = true;
      end = writeAll(descriptor, Buffer.from(`${line}\n`), end);
      fsyncSync(descriptor);
    },
    close: (): void => {
      closeSync(descriptor);
      if (!used) rmSync(path, { force: true });
    },
  };
};

const readLines = (path: string): EmergencyLine[] =>
  // Read bytes, not text: with an encoding, Node ends the process when the file can't be closed.
  readFileSync(path)
    .toString('utf8')
    .split('\n')
    // An incomplete line is skipped: the process died while writing it.
    .map(parseIfJson)
    .filter((line) => typeof line === 'object' && line !== null) as EmergencyLine[];

const readLeft = (ledger: string, name: string): LeftBehind[] => {
  const [path, sender] = [join(dirname(ledger), name), senderIn(name, ledger)];
  if (sender === undefined) return [];
  try {
    const { mtimeMs, mode, uid } = lstatSync(path);
    // Ignore files of other users who can write into this folder. They must not decide the outcome of a charge.
    if (thisMachine.uid !== undefined && (uid !== thisMachine.uid || (mode & 0o777) !== 0o600)) return [];
    return [{ path, sender, touchedAt: mtimeMs, lines: readLines(path) }];
  } catch (thrown) {
    // Its process has closed the ledger properly meanwhile.
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw thrown;
  }
};

/** All emergency files beside the ledger, including those of running processes. */
export const leftBehind = (ledger: string): LeftBehind[] =>
  readdirSync(dirname(ledger))
    .filter((name) => name.startsWith(prefixOf(ledger)))
    .flatMap((name) => readLeft(ledger, name));

const LOCKED = 'keep the line shown here; the next run that can use the ledger saves it';
const BROKEN_HINT = 'keep the line shown here, and do not run the command again until the disk is fixed';

/** Handling of ledger failures in this process (docs/protocol.md, Durability). */
export const diskGuard = (path: string, self: Sender, isLocked: (thrown: unknown) => boolean = isBusy) => {
  let broken: PayError | undefined;
  let file: ReturnType<typeof openEmergencyFile> | undefined;
  let lines = 1;
  /** After the first disk failure, this process sends nothing more. A lock is no sign of a disk failure. */
  const failed = (error: PayError): void => {
    if (error.kind === 'ledger' && !isLocked(error)) broken = error;
  };
  return {
    /** Creates the emergency file before anything is started. Throws the first disk failure, if there was one. */
    ready: (): void => {
      if (broken !== undefined) throw broken;
      file ??= openEmergencyFile(path, self, lines);
    },
    /** Sets the number of outcomes that may have to be written at once. Must be called before anything is started. */
    reserve: (atOnce: number): void => {
      lines = atOnce;
    },
    failed,
    /** Writes the line to the emergency file. The line is also in the returned error, whose receiver prints it. */
    unrecorded: (line: EmergencyLine, thrown: unknown): PayError => {
      const answer = emergencyText(line);
      const what = `couldn't save the result of ${line.ledger_id} in the ledger: ${reasonOf(thrown)}`;
      failed(new PayError('ledger', what, { cause: thrown }));
      try {
        file?.write(answer);
      } catch {
        // The line on stderr is then the only trace.
      }
      const hint = isLocked(thrown) ? LOCKED : BROKEN_HINT;
      return new PayError('unrecorded', what, { answer, ledgerId: line.ledger_id, hint, cause: thrown });
    },
    close: (): void => file?.close(),
  };
};

/** Runs SQLite's checks before the ledger is used: a crashed process may have damaged the file. */
const check = (db: DatabaseSync, path: string): void => {
  const found = Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})[0];
  if (found !== 'ok') throw ledgerError({ kind: 'damaged', path, what: `is damaged: ${String(found)}` });
};

/** Age of the last write after which an invisible process counts as ended, in milliseconds. */
const LONGEST_RUN_MS = 24 * 3_600_000;

/**
 * Emergency lines beside the ledger, for import. If a process ended without closing the ledger, this also checks the
 * ledger's integrity. Throws if it is damaged.
 */
export const leftBeside = (
  db: DatabaseSync,
  path: string,
  { now, hasEnded }: Pick<LocalOptions, 'now' | 'hasEnded'>,
) => {
  const all = leftBehind(path);
  const dead = all.filter(({ sender, touchedAt }) => hasEnded(sender, now() - touchedAt > LONGEST_RUN_MS));
  if (dead.length > 0) check(db, path);
  return {
    /** Processes that ended without closing the ledger. */
    senders: dead.map(({ sender }) => sender),
    lines: all.flatMap(({ lines }) => lines),
    /**
     * Removes the files of ended processes. A line about an unknown charge belongs to another ledger, perhaps one that
     * was moved away, so its file stays.
     */
    remove: (known: ReadonlySet<string>): void => {
      const isOurs = ({ lines }: LeftBehind): boolean => lines.every(({ ledger_id: id }) => known.has(id));
      for (const one of dead.filter(isOurs)) rmSync(one.path, { force: true });
    },
  };
};
export type Unfinished = ReturnType<typeof leftBeside>;

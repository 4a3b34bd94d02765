import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, lstatSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { PayError, reasonOf } from '../../core/error.ts';
import { parseIfJson } from '../../core/json.ts';
import { syncFolder } from '../../database/file.ts';
import { isBusy } from '../../database/kind.ts';
import type { EmergencyLine } from '../backend.ts';
import type { Sender } from '../entry.ts';
import { thisMachine } from '../machine.ts';
import { ledgerError } from './file.ts';

/** In bytes. A longer line might not find room: it goes without what only the customer needs, and without long words. */
const LONGEST_LINE = 8 * 1024;
const LONGEST_WORD = 500;

/** A file of one process beside the ledger, there from the first charge that it begins until it has closed the ledger in good order. */
interface EmergencyFile {
  /** Throws when even this fails. */
  write(line: string): void;
  close(): void;
}

/** What a process left behind. */
interface LeftBehind {
  readonly path: string;
  readonly sender: Sender;
  /** When it was last written to, in milliseconds since the epoch. */
  readonly touchedAt: number;
  readonly lines: readonly EmergencyLine[];
}

/** A regular file with mode 0600. */
const OWN_FILE = 0o100600;
const MODE_BITS = 0o170777;

const prefixOf = (ledger: string): string => `${basename(ledger)}-emergency-`;

/** Whose file it is stands in its name, so that it is known from the first moment. */
const nameOf = (ledger: string, sender: Sender): string => {
  const whose = Buffer.from(JSON.stringify(sender)).toString('base64url');
  return `${prefixOf(ledger)}${whose}.${randomBytes(6).toString('hex')}.ndjson`;
};

const senderIn = (name: string, ledger: string): Sender | undefined => {
  const whose = name.slice(prefixOf(ledger).length).split('.')[0] ?? '';
  return parseIfJson(Buffer.from(whose, 'base64url').toString('utf8')) as Sender | undefined;
};

const shortened = ({ activity, evidence, ...line }: EmergencyLine): object => ({
  ...line,
  ...(activity === undefined ? {} : { activity: { ...activity, nextAction: null } }),
  ...(evidence === undefined
    ? {}
    : {
        evidence: { kind: evidence.kind, at: evidence.at, message: String(evidence['message']).slice(0, LONGEST_WORD) },
      }),
});

/** The line as it is written. */
export const emergencyText = (line: EmergencyLine): string => {
  const text = JSON.stringify(line);
  return Buffer.byteLength(text) <= LONGEST_LINE ? text : JSON.stringify(shortened(line));
};

const writeAll = (descriptor: number, bytes: Buffer, position: number): number => {
  let written = 0;
  while (written < bytes.byteLength) {
    written += writeSync(descriptor, bytes, written, bytes.byteLength - written, position + written);
  }
  return position + written;
};

/** One more than is needed: a line that could not be written whole is written anew behind its beginning. */
const sizeFor = (lines: number): number => (lines + 1) * LONGEST_LINE;

/**
 * Opens this process's file and fills it with blanks, on the disk: room for so many lines is taken before anything is sent,
 * so that a full disk can't keep an outcome from being noted.
 */
export const openEmergencyFile = (ledger: string, sender: Sender, lines = 1): EmergencyFile => {
  const path = join(dirname(ledger), nameOf(ledger, sender));
  const descriptor = openSync(path, 'wx', 0o600);
  let end = 0;
  let used = false;
  try {
    writeAll(descriptor, Buffer.alloc(sizeFor(lines), ' '), 0);
    fsyncSync(descriptor);
    syncFolder(dirname(path));
  } catch (thrown) {
    closeSync(descriptor);
    rmSync(path, { force: true });
    throw thrown;
  }
  return {
    write: (line) => {
      used = true;
      end = writeAll(descriptor, Buffer.from(`${line}\n`), end);
      fsyncSync(descriptor);
    },
    close: () => {
      closeSync(descriptor);
      if (!used) rmSync(path, { force: true });
    },
  };
};

const linesOf = (path: string): EmergencyLine[] =>
  // Asked for a text itself, Node ends the process when the file can't be closed.
  readFileSync(path)
    .toString('utf8')
    .split('\n')
    // One that was cut short: the process died while it was writing it.
    .map((line) => parseIfJson(line.trim()))
    .filter((line) => typeof line === 'object' && line !== null) as EmergencyLine[];

const readOne = (ledger: string, name: string): LeftBehind[] => {
  const [path, sender] = [join(dirname(ledger), name), senderIn(name, ledger)];
  if (sender === undefined) return [];
  try {
    const { mtimeMs, mode, uid } = lstatSync(path);
    // Whoever else may write into this folder must not tell us what became of a charge.
    if (thisMachine.uid !== undefined && (uid !== thisMachine.uid || (mode & MODE_BITS) !== OWN_FILE)) return [];
    return [{ path, sender, touchedAt: mtimeMs, lines: linesOf(path) }];
  } catch (thrown) {
    // Its process has ended meanwhile, in good order.
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw thrown;
  }
};

/** Every such file beside the ledger, those of running processes among them. */
export const leftBehind = (ledger: string): LeftBehind[] =>
  readdirSync(dirname(ledger))
    .filter((name) => name.startsWith(prefixOf(ledger)))
    .flatMap((name) => readOne(ledger, name));

const removeLeftBehind = ({ path }: LeftBehind): void => rmSync(path, { force: true });

const LOCKED = 'keep the line shown here; the next run that can use the ledger saves it';
const BROKEN = 'keep the line shown here, and do not run the command again until the disk is fixed';

/** What a process holds on to when its ledger fails it (charge-protocol, step 5 and Durability). */
export const diskGuard = (path: string, self: Sender, isLocked: (thrown: unknown) => boolean = isBusy) => {
  let broken: PayError | undefined;
  let file: EmergencyFile | undefined;
  let lines = 1;
  /** The first failure of the disk ends sending for the life of the process; a lock says nothing against the disk. */
  const failed = (error: PayError): void => {
    if (error.kind === 'ledger' && !isLocked(error)) broken = error;
  };
  return {
    /** Before anything is begun: the emergency file is there. Throws what the disk has failed with once. */
    ready: (): void => {
      if (broken !== undefined) throw broken;
      file ??= openEmergencyFile(path, self, lines);
    },
    /** So many outcomes may have to be written at once. Asked for before anything is begun. */
    reserve: (atOnce: number): void => {
      lines = atOnce;
    },
    failed,
    /** The line goes to the emergency file; whoever gets the error prints it too. */
    unrecorded: (line: EmergencyLine, thrown: unknown): PayError => {
      const answer = emergencyText(line);
      const what = `couldn't save the result of ${line.ledger_id} in the ledger: ${reasonOf(thrown)}`;
      failed(new PayError('ledger', what, { cause: thrown }));
      try {
        file?.write(answer);
      } catch {
        // The line on stderr is then the last trace.
      }
      const hint = isLocked(thrown) ? LOCKED : BROKEN;
      return new PayError('unrecorded', what, { answer, ledgerId: line.ledger_id, hint, cause: thrown });
    },
    close: (): void => file?.close(),
  };
};

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

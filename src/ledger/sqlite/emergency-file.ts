import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, lstatSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseIfJson } from '../../core/json.ts';
import { syncFolder } from '../../database/file.ts';
import type { EmergencyLine } from '../backend.ts';
import type { Sender } from '../entry.ts';
import { thisMachine } from '../machine.ts';

/** In bytes. A longer line might not find room: it goes without what only the customer needs, and without long words. */
const LONGEST_LINE = 8 * 1024;
const LONGEST_WORD = 500;

/** A file of one process beside the ledger, there from the first charge that it begins until it has closed the ledger in good order. */
export interface EmergencyFile {
  /** Throws when even this fails. */
  write(line: string): void;
  close(): void;
}

/** What a process left behind. */
export interface LeftBehind {
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

export const removeLeftBehind = ({ path }: LeftBehind): void => rmSync(path, { force: true });

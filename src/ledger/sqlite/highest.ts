import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HIGHEST_FILE_NAME } from '../../core/charge.ts';
import { thisMachine } from '../machine.ts';

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

import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, open, rename, rm, stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { PayError, reasonOf, usageError } from '../core/error.ts';
import { interrupted } from '../core/interrupt.ts';
import { formatOfName } from './format.ts';
import type { Content } from './layout.ts';
import { layoutOf } from './layout.ts';
import { linesOf } from './lines.ts';

/** A file with one line a row. What is written of it stays when the program dies. */
export interface Report {
  /**
   * The row's fields as they were read, and ours by the names that were given. Returns when the line is with the
   * operating system; lines stand in the order of the calls.
   */
  write(row: Readonly<Record<string, unknown>>, own: Readonly<Record<string, unknown>>): Promise<void>;
  close(): Promise<void>;
}

/**
 * A regular file that is there loses its name to the new one in one step: another run that writes it, of the same command
 * say, goes on in its own, and the one that came last keeps the name. What is no regular file is opened as it is, and so
 * is what stands in a folder that takes no new file.
 */
const openNew = async (path: string): Promise<FileHandle> => {
  const there = await lstat(path).catch(() => undefined);
  if (there?.isFile() === false) return open(path, 'w', 0o600);
  // One that must not be written to is not replaced either.
  if (there !== undefined) await (await open(path, 'r+')).close();
  const made = `${path}.${randomUUID()}.new`;
  const file = await open(made, 'wx', 0o600).catch(() => undefined);
  if (file === undefined) return open(path, 'w', 0o600);
  try {
    await rename(made, path);
    return file;
  } catch (thrown) {
    await file.close();
    await rm(made, { force: true });
    throw thrown;
  }
};

/** Between two looks whether somebody reads a pipe. */
const LOOK_AGAIN_MS = 50;

/** The pipe once it has a reader. Opened without waiting: nothing ends an `open` that waits, no signal and no exit either. */
const openRead = async (path: string, stop: AbortSignal): Promise<FileHandle> => {
  for (;;) {
    try {
      return await open(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENXIO') throw thrown;
    }
    await setTimeout(LOOK_AGAIN_MS, undefined, { signal: stop }).catch(() => {
      throw interrupted(stop.reason);
    });
  }
};

const openPipe = async (path: string, stop: AbortSignal): Promise<FileHandle> => {
  const first = await openRead(path, stop);
  try {
    return await open(path, 'w', 0o600);
  } finally {
    // Not before: its reader would take that for the end.
    await first.close();
  }
};

const isPipe = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isFIFO() === true;

const openWith = async (path: string, header: string, stop: AbortSignal): Promise<FileHandle> => {
  const file = (await isPipe(path)) ? await openPipe(path, stop) : await openNew(path);
  try {
    // It holds customers' data, and may have been there before with another mode. A device or a pipe keeps its own.
    if ((await file.stat()).isFile()) await file.chmod(0o600);
    await file.appendFile(header);
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
  return file;
};

const notOpened = (path: string, thrown: unknown): PayError => {
  if (thrown instanceof PayError) return thrown;
  return usageError(`the report ${path} can't be written: ${reasonOf(thrown)}`, {
    hint: 'name another file; nothing was sent',
  });
};

const notWritten = (path: string, thrown: unknown): PayError =>
  new PayError('read_failed', `the report ${path} could not be written to its end: ${reasonOf(thrown)}`, {
    hint: 'the ledger has every charge: make room, then run the same command again for the whole report',
    cause: thrown,
  });

/**
 * Makes the file anew, or opens a pipe or a device. It is CSV or NDJSON as its name says, else as the input is. That
 * it is not the input itself is for the caller to know. Throws a usage error when it can't be opened, and
 * `interrupted` when a signal comes before a pipe has a reader.
 */
export const openReport = async (path: string, content: Content, stop: AbortSignal): Promise<Report> => {
  const { header, line } = layoutOf(formatOfName(path) ?? content.format, content);
  const file = await openWith(path, header, stop).catch((thrown: unknown) => {
    throw notOpened(path, thrown);
  });
  const lines = linesOf(file);
  return {
    write: (row, own) =>
      lines.append(line(row, own)).catch((thrown: unknown) => {
        throw notWritten(path, thrown);
      }),
    close: lines.close,
  };
};

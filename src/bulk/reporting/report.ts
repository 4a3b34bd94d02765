import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm, stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { PayError, reasonOf, usageError } from '../../core/error.ts';
import { interrupted } from '../../core/interrupt.ts';
import { InputError } from '../reading/fault.ts';
import { formatOfName } from '../reading/format.ts';
import { type Input, rowsInPlace } from '../reading/input.ts';
import { type Content, layoutOf } from './layout.ts';
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

export interface OpenOptions {
  /** Ends the waiting for the reader of a pipe. */
  readonly stop: AbortSignal;
  /** Throws where a path leads through what others may have put there, or not to what was opened. */
  readonly checkPath: (path: string, opened?: Stats) => void;
}

const { O_CREAT, O_NONBLOCK, O_WRONLY } = constants;

/** What is there, as it is. It may have been another thing when it was looked at: nothing is changed before it is known. */
const openAsIs = async (path: string, flags: number, { checkPath }: OpenOptions): Promise<FileHandle> => {
  const file = await open(path, flags, 0o600);
  try {
    const stats = await file.stat();
    checkPath(path, stats);
    if (stats.isFile()) await file.truncate();
    return file;
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
};

/**
 * A regular file that is there loses its name to the new one in one step: another run that writes it, of the same command
 * say, goes on in its own, and the one that came last keeps the name. What is no regular file is opened as it is, and so
 * is what stands in a folder that takes no new file.
 */
const openNew = async (path: string, options: OpenOptions): Promise<FileHandle> => {
  const there = await lstat(path).catch(() => undefined);
  if (there?.isFile() === false) return openAsIs(path, O_WRONLY | O_CREAT, options);
  // One that must not be written to is not replaced either.
  if (there !== undefined) await (await open(path, 'r+')).close();
  const made = `${path}.${randomUUID()}.new`;
  const file = await open(made, 'wx', 0o600).catch(() => undefined);
  if (file === undefined) return openAsIs(path, O_WRONLY | O_CREAT, options);
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
      return await open(path, O_WRONLY | O_NONBLOCK);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENXIO') throw thrown;
    }
    await setTimeout(LOOK_AGAIN_MS, undefined, { signal: stop }).catch(() => {
      throw interrupted(stop.reason);
    });
  }
};

const openPipe = async (path: string, options: OpenOptions): Promise<FileHandle> => {
  const first = await openRead(path, options.stop);
  try {
    return await openAsIs(path, O_WRONLY, options);
  } finally {
    // Not before: its reader would take that for the end.
    await first.close();
  }
};

const isPipe = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isFIFO() === true;

const openWith = async (path: string, header: string, options: OpenOptions): Promise<FileHandle> => {
  options.checkPath(path);
  const file = (await isPipe(path)) ? await openPipe(path, options) : await openNew(path, options);
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
  return usageError(`can't write the report ${path}: ${reasonOf(thrown)}`, {
    hint: 'choose another file; nothing was sent',
  });
};

const notWritten = (path: string, thrown: unknown): PayError =>
  new PayError('read_failed', `couldn't finish the report ${path}: ${reasonOf(thrown)}`, {
    hint: 'the ledger has every charge: free some space, then run the same command again for the complete report',
    cause: thrown,
  });

/**
 * Makes the file anew, or opens a pipe or a device. It is CSV or NDJSON as its name says, else as the input is. That
 * it is not the input itself is for the caller to know. Throws a usage error when it can't be opened, and
 * `interrupted` when a signal comes before a pipe has a reader.
 */
export const openReport = async (path: string, content: Content, options: OpenOptions): Promise<Report> => {
  const { header, line } = layoutOf(formatOfName(path) ?? content.format, content);
  const file = await openWith(path, header, options).catch((thrown: unknown) => {
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

/** The last column of a report: the job that its rows belong to, empty for rows that were never to be sent. */
export const JOB_COLUMN = 'job';

/** The columns by which a report is known; where the input has such a column, with a number. */
const OWN = ['row', 'state', JOB_COLUMN].map((name) => new RegExp(`^${name}(?:_\\d+)?$`));

/** The job in the first row that has one. */
const jobIn = async ({ columns, rows }: Pick<Input, 'columns' | 'rows'>): Promise<string | undefined> => {
  const last = columns.at(-1) ?? '';
  if (!OWN.every((name) => columns.some((column) => name.test(column))) || !OWN.at(-1)?.test(last)) return undefined;
  try {
    for await (const { fields } of rows()) {
      const job = fields[last] ?? '';
      if (job !== '') return String(job);
    }
  } catch (thrown) {
    // A full disk or a crash may have cut its last line off.
    if (!(thrown instanceof InputError)) throw thrown;
  }
  return '';
};

/** The job whose report is at a path: empty where nothing would be lost with it, undefined where it is no report. */
export const jobOfReport = async (
  path: string,
  { format, delimiter }: Pick<Input, 'format' | 'delimiter'>,
): Promise<string | undefined> => {
  const there = await stat(path).catch(() => undefined);
  if (there?.isFile() !== true || there.size === 0) return '';
  const file = await open(path, 'r').catch((thrown: unknown) => {
    throw notOpened(path, thrown);
  });
  try {
    return await jobIn(await rowsInPlace(file, { name: path, format: formatOfName(path) ?? format, delimiter }));
  } catch (thrown) {
    if (thrown instanceof InputError) return undefined;
    throw thrown;
  } finally {
    await file.close();
  }
};

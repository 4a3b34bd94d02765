import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm, stat } from 'node:fs/promises';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';
import { interrupted, PayError, reasonOf, usageError } from '../core/error.ts';
import { printExact } from '../core/json.ts';
import { forSpreadsheet, MARK, visibleCell, visibleJson, withoutFormula } from '../core/text.ts';
import { type FileFormat, formatOfName, type InputRow } from './cells.ts';
import { InputError } from './formats.ts';
import { type RowsFile, rowsInPlace } from './read-file.ts';
import { type ColumnFault, invalidEnd, type RowEnd } from './row-end.ts';

/** A name for each, which is not among the taken ones nor there twice: its own, or the first that is free of `name_2`, `name_3` … */
const freeNames = (names: readonly string[], taken: Iterable<string>): readonly string[] => {
  const all = new Set(taken);
  return names.map((name) => {
    let free = name;
    for (let number = 2; all.has(free); number += 1) free = `${name}_${number}`;
    all.add(free);
    return free;
  });
};

type Fields = Readonly<Record<string, unknown>>;

/** The input that a report is about, as far as the look of the report depends on it, and what is added to its rows. */
export interface Content extends Pick<RowsFile, 'columns' | 'format' | 'delimiter' | 'mark'> {
  /** The names of what is added. One that the input has already gets `_2` (then `_3`, …). */
  readonly own: readonly string[];
  /** Leaves what a spreadsheet would run or change as it is (--raw-csv). */
  readonly rawCsv: boolean;
  /** Begins with a byte order mark, as it does where the input has one (--bom). */
  readonly bom?: boolean;
}

/** How the rows of a report are written. */
interface ReportFormat {
  /** What comes before the first row. */
  readonly header: string;
  /** The line of a row: its fields as they were read, and what is added to them. */
  line(row: Fields, own: Fields): string;
}

/** As `-o csv` has it: a text loses what a spreadsheet would run or change; what else JSON knows is written as it is. */
const cellOf = (value: unknown, rawCsv: boolean): string => {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' && !rawCsv ? forSpreadsheet(value) : value;
  return visibleCell(typeof text === 'string' ? text : printExact(text));
};

/**
 * A cell of the operator's own CSV file goes back as it was, lines included: it is how the row is found again. But whoever made
 * that file may be somebody else, and a report is looked at on a terminal: what would steer it is written as an escape. CSV has
 * none that a reader takes back; a report in NDJSON loses nothing.
 */
const asItWas = (value: unknown): string => visibleCell(String(value ?? ''));

/**
 * RFC 4180: a line end of any kind goes into quotes, which csv-stringify does unasked only for the one it writes; and what
 * would be taken for a byte order mark does.
 */
const csvLine = (cells: readonly string[], delimiter: string): string =>
  stringify([cells], {
    delimiter,
    record_delimiter: 'windows',
    quote_record_delimiter: true,
    quoted_match: MARK,
    eof: true,
  });

const csvLayout = ({ columns, own, format, delimiter = ',', mark, rawCsv, bom = false }: Content): ReportFormat => {
  const isCsv = format === 'csv';
  const ownCell = (value: unknown): string => cellOf(value, rawCsv);
  const inputCell = isCsv ? asItWas : ownCell;
  const shown = columns.map(isCsv ? asItWas : (name) => visibleCell(rawCsv ? name : withoutFormula(name)));
  // No column of a CSV file may be without a name, nor two have the same.
  const names = freeNames(shown, ['']);
  const header = csvLine([...names, ...freeNames(own, names)], delimiter);
  return {
    header: bom || (mark && isCsv) ? `${MARK}${header}` : header,
    line: (row, more) =>
      csvLine([...columns.map((name) => inputCell(row[name])), ...own.map((name) => ownCell(more[name]))], delimiter),
  };
};

const ndjsonLayout = ({ columns, own }: Content): ReportFormat => {
  const usual = freeNames(own, columns);
  return {
    header: '',
    line: (row, more) => {
      // A row may have names that the first one had not.
      const names = usual.some((name) => Object.hasOwn(row, name)) ? freeNames(usual, Object.keys(row)) : usual;
      const added = own.map((name, index) => [names[index], more[name]] as const);
      return `${visibleJson(printExact(Object.fromEntries([...Object.entries(row), ...added])))}\n`;
    },
  };
};

/** How a report of this format is written. */
const layoutOf = (format: FileFormat, content: Content): ReportFormat =>
  format === 'csv' ? csvLayout(content) : ndjsonLayout(content);

/** An open file that lines are added to. */
interface LineFile {
  /** Returns when the line is with the operating system; lines stand in the order of the calls. */
  append(line: string): Promise<void>;
  /** Returns when the last line has been written, or could not be. */
  close(): Promise<void>;
}

/**
 * One write after the other. Lines that are asked for in the same turn, or while another write is under way, go together:
 * a write for each would cost more than the rest of a row. After one that failed there is none, since its lines may stand
 * there in part.
 */
export const linesOf = (file: Pick<FileHandle, 'appendFile' | 'close'>): LineFile => {
  const waiting: string[] = [];
  let last: Promise<unknown> = Promise.resolve();

  const writeAfter = async (earlier: Promise<unknown>): Promise<void> => {
    const [before] = await Promise.allSettled([earlier, setImmediate()]);
    const text = waiting.splice(0).join('');
    if (before.status === 'rejected') throw before.reason;
    await file.appendFile(text);
  };

  return {
    append: async (line) => {
      if (waiting.push(line) === 1) last = writeAfter(last);
      await last;
    },
    close: async () => {
      await last.catch(() => undefined);
      await file.close();
    },
  };
};

/** A file with one line a row. What is written of it stays when the program dies. */
interface Report {
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
const JOB_COLUMN = 'job';

/** The columns by which a report is known; where the input has such a column, with a number. */
const OWN = ['row', 'state', JOB_COLUMN].map((name) => new RegExp(`^${name}(?:_\\d+)?$`));

/** The job in the first row that has one. */
const jobIn = async ({ columns, rows }: Pick<RowsFile, 'columns' | 'rows'>): Promise<string | undefined> => {
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
  { format, delimiter }: Pick<RowsFile, 'format' | 'delimiter'>,
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

interface ReporterOptions extends OpenOptions {
  readonly path: string | undefined;
  /** What the command has to say of a row besides its number, its state and its error. */
  readonly columns: readonly string[];
  /** Takes secrets out of what is said of a row; the cells of the input stay as they are. */
  readonly clean: (text: string) => string;
  /** Leaves what a spreadsheet would run or change as it is. */
  readonly rawCsv: boolean;
  /** A report in CSV begins with a byte order mark. */
  readonly bom: boolean;
}

/** The report of a job, where one is wanted. */
export const openReporter = (input: RowsFile, { path, columns, clean, rawCsv, bom, ...options }: ReporterOptions) => {
  let opening: Promise<Report> | undefined;
  let job = '';
  const failed = new AbortController();
  const opened = (): Promise<Report> | undefined => {
    if (path === undefined) return undefined;
    opening ??= openReport(
      path,
      { ...input, own: ['row', 'state', ...columns, 'error', JOB_COLUMN], rawCsv, bom },
      options,
    );
    return opening;
  };
  const write = async (row: InputRow, { state, fields, error }: RowEnd): Promise<void> => {
    const said = Object.entries({ ...fields, row: row.number, state, error, [JOB_COLUMN]: job }).map(
      ([name, value]) => [name, typeof value === 'string' ? clean(value) : value],
    );
    await (await opened())?.write(row.fields, Object.fromEntries(said));
  };
  return {
    /** Makes the file; a row that is not right makes it before, and belongs to no job. */
    open: async (id: string): Promise<void> => {
      job = id;
      await opened();
    },
    /** A row that is left out; undefined where no report is wanted. */
    bad:
      path === undefined
        ? undefined
        : (row: InputRow, faults: readonly ColumnFault[]): Promise<void> => write(row, invalidEnd(faults)),
    /** A row that has an end. Never rejects. */
    settled: async (row: InputRow, end: RowEnd): Promise<void> => {
      if (failed.signal.aborted) return;
      await write(row, end).catch((thrown: unknown) => {
        failed.abort(thrown instanceof PayError ? thrown : new PayError('read_failed', String(thrown)));
      });
    },
    /** Aborted, with a PayError, once a line could not be written. */
    failed: failed.signal,
    close: async (): Promise<void> => (await opening)?.close(),
  };
};
export type Reporter = ReturnType<typeof openReporter>;

import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm, stat } from 'node:fs/promises';
import { platform } from 'node:os';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';
import { interrupted, PayError, reasonOf, usageError } from '../core/error.ts';
import { setMode } from '../core/files.ts';
import { printExact } from '../core/json.ts';
import { BYTE_ORDER_MARK, forSpreadsheet, visibleCell, visibleJson, withoutFormula } from '../core/text.ts';
import { bareName, formatOfName, type InputRow } from './cells.ts';
import { InputError } from './formats.ts';
import { type RowsFile, rowsInPlace } from './read-file.ts';
import { columnName, type RowEnd } from './row-end.ts';

/** Unique names that avoid the taken ones: the name itself, or the first free one of `name_2`, `name_3`, …. */
const freeNames = (
  names: readonly string[],
  taken: Iterable<string>,
  compared = (name: string): string => name,
): readonly string[] => {
  const all = new Set([...taken].map(compared));
  return names.map((name) => {
    let free = name;
    for (let number = 2; all.has(compared(free)); number += 1) free = `${name}_${number}`;
    all.add(compared(free));
    return free;
  });
};

type Fields = Readonly<Record<string, unknown>>;

/** The properties of the input that determine the layout of its report, and the columns to add. */
interface Content extends Pick<RowsFile, 'columns' | 'format' | 'delimiter' | 'hasBom'> {
  /** The names of the added columns. A name that the input already has gets `_2` (then `_3`, …). */
  readonly own: readonly string[];
  /** Writes text unguarded against spreadsheet formulas and conversions (--raw-csv). */
  readonly rawCsv: boolean;
  /** Begins the report with a byte order mark even if the input has none (--bom). */
  readonly bom?: boolean;
  /** Guards a cell of the input that its owner has not written. */
  readonly guard?: (cell: string) => string;
}

interface ReportFormat {
  /** The text before the first row. */
  readonly header: string;
  /** The line of a row: its fields as read, and the added ones. */
  line(row: Fields, own: Fields): string;
}

/** A cell as in `-o csv`: a text is guarded against spreadsheet formulas; any other JSON value is written as it is. */
const reportCell = (value: unknown, rawCsv: boolean): string => {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' && !rawCsv ? forSpreadsheet(value) : value;
  return visibleCell(typeof text === 'string' ? text : printExact(text));
};

/**
 * A cell of the operator's own CSV file is copied unchanged, line breaks included, so that the row can be found again.
 * But somebody else may have written that file, and a report is read on a terminal: control characters are written as
 * escapes. CSV has no escape that a reader reverses; a report in NDJSON loses nothing.
 */
const asItWas = (value: unknown): string => visibleCell(String(value ?? ''));

/**
 * RFC 4180: quotes a line end of any kind, which csv-stringify does by itself only for the one that it writes, and also
 * a cell that could be mistaken for a byte order mark.
 */
const csvLine = (cells: readonly string[], delimiter: string): string =>
  stringify([cells], {
    delimiter,
    record_delimiter: 'windows',
    quote_record_delimiter: true,
    quoted_match: BYTE_ORDER_MARK,
    eof: true,
  });

const csvLayout = (content: Content): ReportFormat => {
  const { columns, own, format, delimiter = ',', hasBom, rawCsv, bom = false, guard } = content;
  const isCsv = format === 'csv';
  const ownCell = (value: unknown): string => reportCell(value, rawCsv);
  const guarded = (value: unknown): string => asItWas(guard && !rawCsv ? guard(String(value ?? '')) : value);
  const inputCell = isCsv ? guarded : ownCell;
  const shown = columns.map(isCsv ? guarded : (name) => visibleCell(rawCsv ? name : withoutFormula(name)));
  // Each column of a CSV file needs a name of its own.
  const names = freeNames(shown, ['']);
  // A report given back has no two columns that are read as one.
  const header = csvLine([...names, ...freeNames(own, names, bareName)], delimiter);
  return {
    header: bom || (hasBom && isCsv) ? `${BYTE_ORDER_MARK}${header}` : header,
    line: (row, more) =>
      csvLine([...columns.map((name) => inputCell(row[name])), ...own.map((name) => ownCell(more[name]))], delimiter),
  };
};

const ndjsonLayout = ({ columns, own }: Content): ReportFormat => {
  const usual = freeNames(own, columns);
  return {
    header: '',
    line: (row, more) => {
      // A row may have names that the first row lacks.
      const names = usual.some((name) => Object.hasOwn(row, name)) ? freeNames(usual, Object.keys(row)) : usual;
      const added = own.map((name, index) => [names[index], more[name]] as const);
      return `${visibleJson(printExact(Object.fromEntries([...Object.entries(row), ...added])))}\n`;
    },
  };
};

/** An open file to append lines to. */
interface LineFile {
  /** Resolves when the operating system has the line; lines keep the order of the calls. */
  append(line: string): Promise<void>;
  /** Resolves when the last write has succeeded or failed. */
  close(): Promise<void>;
}

/**
 * Writes one after the other. Lines appended in the same turn, or during another write, are written together: a write
 * each would cost more than the rest of a row. After a failed write there is no other one, since its lines may be in
 * the file in part.
 */
export const openLineFile = (file: Pick<FileHandle, 'appendFile' | 'close'>): LineFile => {
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

/** A file with one line a row. Written lines survive a crash of the program. */
interface Report {
  /**
   * Writes the row's fields as read, and the added fields by name. Resolves when the operating system has the line;
   * lines keep the order of the calls.
   */
  write(row: Fields, own: Fields): Promise<void>;
  close(): Promise<void>;
}

export interface ReportFileOptions {
  /** Ends the wait for the reader of a pipe. */
  readonly stop: AbortSignal;
  /**
   * Throws if a path leads through another user's symbolic link or named pipe, or was replaced while it was opened.
   */
  readonly checkPath: (path: string, opened?: Stats) => void;
}

const { O_CREAT, O_NONBLOCK, O_WRONLY } = constants;

/**
 * Opens an existing file in place. It may have been replaced since the earlier check, so nothing is changed before the
 * open file is checked.
 */
const openAsIs = async (path: string, flags: number, { checkPath }: ReportFileOptions): Promise<FileHandle> => {
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
 * Replaces an existing regular file in one step by rename: another run that still writes the old file, such as one of
 * the same command, continues in it, and the last run owns the name. Anything that is no regular file is opened in
 * place, and so is a file in a folder where no new one can be created.
 */
const openNew = async (path: string, options: ReportFileOptions): Promise<FileHandle> => {
  const there = await lstat(path).catch(() => undefined);
  if (there?.isFile() === false) return openAsIs(path, O_WRONLY | O_CREAT, options);
  // A file without write permission is not replaced either.
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

/** Milliseconds between two checks for a pipe's reader. */
const REPORT_RETRY_MS = 50;

/** Opens a pipe once it has a reader. Opens without blocking: neither a signal nor an exit ends a blocked `open`. */
const openRead = async (path: string, stop: AbortSignal): Promise<FileHandle> => {
  for (;;) {
    try {
      return await open(path, O_WRONLY | O_NONBLOCK);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENXIO') throw thrown;
    }
    await setTimeout(REPORT_RETRY_MS, undefined, { signal: stop }).catch(() => {
      throw interrupted(stop.reason);
    });
  }
};

const openPipe = async (path: string, options: ReportFileOptions): Promise<FileHandle> => {
  const first = await openRead(path, options.stop);
  try {
    return await openAsIs(path, O_WRONLY, options);
  } finally {
    // Closed only now: an earlier close would signal the end to the reader.
    await first.close();
  }
};

const isNamedPipe = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isFIFO() === true;

const openWith = async (path: string, header: string, options: ReportFileOptions): Promise<FileHandle> => {
  options.checkPath(path);
  const file = (await isNamedPipe(path)) ? await openPipe(path, options) : await openNew(path, options);
  try {
    // The report holds customers' data, and an older file may have another mode. A device or a pipe keeps its own mode.
    if ((await file.stat()).isFile()) setMode(file.fd, 0o600);
    await file.appendFile(header);
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
  return file;
};

/** Errors of Windows for a file that a program has open: a spreadsheet, or another run with the same report. */
const HELD = platform() === 'win32' ? ['EBUSY', 'EPERM'] : [];

const notOpened = (path: string, thrown: unknown): PayError => {
  if (thrown instanceof PayError) return thrown;
  const isHeld = HELD.includes((thrown as NodeJS.ErrnoException).code ?? '');
  return usageError(`can't write the report ${path}: ${reasonOf(thrown)}`, {
    hint: `${isHeld ? 'close the program that has it open, or ' : ''}choose another file; nothing was sent`,
  });
};

const notWritten = (path: string, thrown: unknown): PayError =>
  new PayError('read_failed', `couldn't finish the report ${path}: ${reasonOf(thrown)}`, {
    hint: 'the ledger has every charge: free some space, then run the same command again for the complete report',
    cause: thrown,
  });

/**
 * Creates the file, or opens a pipe or a device. The format is the one of the name's ending, else that of the input.
 * The caller ensures that the path is not the input itself. Throws a usage error when it can't be opened, and
 * `interrupted` when a signal comes before a pipe has a reader.
 */
export const openRowReport = async (path: string, content: Content, options: ReportFileOptions): Promise<Report> => {
  const { header, line } =
    (formatOfName(path) ?? content.format) === 'csv' ? csvLayout(content) : ndjsonLayout(content);
  const file = await openWith(path, header, options).catch((thrown: unknown) => {
    throw notOpened(path, thrown);
  });
  const lines = openLineFile(file);
  return {
    write: (row, own) =>
      lines.append(line(row, own)).catch((thrown: unknown) => {
        throw notWritten(path, thrown);
      }),
    close: lines.close,
  };
};

/** Columns that a report of matches adds begin with this, and are never guessed: a report can be read again. */
export const REPORT_PREFIX = 'ledger_';

/** The last column of a report: the job of the row, empty for rows that were never to be sent. */
const JOB_COLUMN = 'job';

/** The columns that identify a report; they have a number if the input has the same name. */
const REPORT_COLUMNS = ['row', 'state', JOB_COLUMN].map((name) => new RegExp(`^${name}(?:_\\d+)?$`));

/**
 * The job in the first row that has one; empty if no row has one, undefined if the columns are not those of a
 * report.
 */
const jobIn = async ({ columns, rows }: Pick<RowsFile, 'columns' | 'rows'>): Promise<string | undefined> => {
  const last = columns.at(-1) ?? '';
  // A comparison of a statement can be made again.
  if (columns.includes(`${REPORT_PREFIX}result`)) return '';
  if (
    !REPORT_COLUMNS.every((name) => columns.some((column) => name.test(column))) ||
    !REPORT_COLUMNS.at(-1)?.test(last)
  )
    return undefined;
  try {
    for await (const { fields } of rows()) {
      const job = fields[last] ?? '';
      if (job !== '') return String(job);
    }
  } catch (thrown) {
    // A full disk or a crash may have cut the last line off.
    if (!(thrown instanceof InputError)) throw thrown;
  }
  return '';
};

/** The job whose report is at a path: empty if overwriting loses nothing, undefined if the file is no report. */
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

interface ReporterOptions extends ReportFileOptions {
  readonly path: string | undefined;
  /** The command's own columns, besides the row number, state and error. */
  readonly columns: readonly string[];
  /** Removes secrets from the added fields; the cells of the input stay as they are. */
  readonly clean: (text: string) => string;
  /** Writes text unguarded against spreadsheet formulas and conversions. */
  readonly rawCsv: boolean;
  /** Begins a CSV report with a byte order mark. */
  readonly bom: boolean;
}

/** Explains the service's codes in an error for people, and keeps them for programs. */
const explainedError = async (error: string): Promise<string> => {
  const loaded = await import('../core/service-codes.ts').catch(() => undefined);
  return loaded?.explained(error, { nameOf: columnName, withCodes: true }) ?? error;
};

/** Opens the report of a job lazily; does nothing if none is wanted. */
export const openReporter = (input: RowsFile, { path, columns, clean, rawCsv, bom, ...options }: ReporterOptions) => {
  let opening: Promise<Report> | undefined;
  let job = '';
  const failed = new AbortController();
  const opened = (): Promise<Report> | undefined => {
    if (path === undefined) return undefined;
    opening ??= openRowReport(
      path,
      { ...input, own: ['row', 'state', ...columns, 'error', JOB_COLUMN], rawCsv, bom },
      options,
    );
    return opening;
  };
  const write = async (row: InputRow, { state, fields, error: raw }: RowEnd): Promise<void> => {
    if (path === undefined) return;
    const error = raw === undefined ? undefined : await explainedError(raw);
    const said = Object.entries({ ...fields, row: row.number, state, error, [JOB_COLUMN]: job }).map(
      ([name, value]) => [name, typeof value === 'string' ? clean(value) : value],
    );
    await (await opened())?.write(row.fields, Object.fromEntries(said));
  };
  return {
    /** Creates the file. A bad row creates it earlier, and belongs to no job. */
    open: async (id: string): Promise<void> => {
      job = id;
      await opened();
    },
    write,
    /** Writes a row with its result. Never rejects. */
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

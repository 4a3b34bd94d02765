import { createHash } from 'node:crypto';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { grouped } from '../core/bounds.ts';
import { PayError, reasonOf } from '../core/error.ts';
import { makeNameless } from '../core/files.ts';
import { type FileFormat, formatOfName, type InputRow } from './cells.ts';
import { csvColumns, csvRows, type Fail, failIn, InputError, lineEnds, ndjsonColumns, ndjsonRows } from './formats.ts';

/**
 * Bytes per read. The rows of a chunk are parsed together: with four times as many bytes, a million short rows cost 30
 * MB more memory.
 */
const CHUNK = 16 * 1024;
/** Largest input: several million rows. A device or a pipe may be endless, and its copy fills the disk. */
const MOST_INPUT_BYTES = 1024 ** 3;
const BOM_BYTES = Buffer.from([0xef, 0xbb, 0xbf]);

const CTRL_Z = 0x1a;

const hasByteOrderMark = (chunk: Buffer): boolean => chunk.subarray(0, BOM_BYTES.length).equals(BOM_BYTES);

const skipByteOrderMark = (chunk: Buffer): Buffer =>
  hasByteOrderMark(chunk) ? chunk.subarray(BOM_BYTES.length) : chunk;

/** Reads one chunk; it is shorter only at the end of the file. */
const readAt = async (file: FileHandle, position: number): Promise<Buffer> => {
  const buffer = Buffer.allocUnsafe(CHUNK);
  let size = 0;
  while (size < CHUNK) {
    const { bytesRead } = await file.read(buffer, size, CHUNK - size, position + size);
    if (bytesRead === 0) break;
    size += bytesRead;
  }
  return buffer.subarray(0, size);
};

/** The bytes of an open private file, which can be read repeatedly. */
const fileBytes = (file: FileHandle, name: string) => {
  const read = (position: number): Promise<Buffer> =>
    readAt(file, position).catch((thrown: unknown) => {
      throw new InputError(`${name} can't be read: ${reasonOf(thrown)}`, 'copy it to another disk, or create it again');
    });

  /** All bytes but the byte order mark, and Ctrl-Z at the end, which marks the end of a file on old systems. */
  async function* walk(): AsyncGenerator<Uint8Array> {
    for (let position = 0; ; ) {
      const chunk = await read(position);
      if (chunk.length === 0) return;
      const bytes = position === 0 ? skipByteOrderMark(chunk) : chunk;
      position += chunk.length;
      const isEnd = bytes.at(-1) === CTRL_Z && (await read(position)).length === 0;
      yield isEnd ? bytes.subarray(0, bytes.findLastIndex((byte) => byte !== CTRL_Z) + 1) : bytes;
    }
  }

  /** The first chunk without the byte order mark, and `hasBom`: true if the file has one. */
  const head = async () => {
    const chunk = await read(0);
    return { head: skipByteOrderMark(chunk), hasBom: hasByteOrderMark(chunk) };
  };

  return { walk, head, close: (): Promise<void> => file.close() };
};
type FileBytes = ReturnType<typeof fileBytes>;
type Readable = Pick<FileBytes, 'walk' | 'head'>;

/** The same for bytes in memory. */
const bytesInMemory = (all: Buffer): Readable => {
  async function* walk(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < all.length; at += CHUNK) yield all.subarray(at, at + CHUNK);
  }
  return { walk, head: async () => ({ head: all.subarray(0, CHUNK), hasBom: false }) };
};

/** Delimiter candidates; on a tie in the header, the first wins. */
const DELIMITER_CHOICES = [',', ';', '\t'];

/** The first bytes of a zip file, such as a workbook, in hex. */
const ZIP = '504b0304';

const EXPORT_HINT = 'export the table as CSV UTF-8';

/** Other kinds of files, by their first bytes in hex. */
const OTHER_FORMATS: readonly (readonly [begins: string, what: string, hint: string])[] = [
  ['fffe', 'UTF-16', 'save it as UTF-8'],
  ['feff', 'UTF-16', 'save it as UTF-8'],
  [ZIP, 'a spreadsheet workbook or another zip file', 'save the sheet as CSV UTF-8'],
  [
    'd0cf11e0',
    'a spreadsheet workbook of old Excel (.xls), or one with a password',
    'open it, and save the sheet as CSV UTF-8',
  ],
  ['1f8b', 'compressed (gzip)', 'unpack it first, with gunzip'],
  ['25504446', 'a PDF', EXPORT_HINT],
];

/** Other kinds of text; the last one includes others above it. */
const OTHER_TEXTS: readonly (readonly [begins: RegExp, what: string, hint: string])[] = [
  [/^\s*(?:OFXHEADER|<\?xml[^<]*<\?OFX|<OFX)/i, 'OFX', EXPORT_HINT],
  [/^\s*!(?:type|account|option):/i, 'QIF', EXPORT_HINT],
  [/^\s*(?:\{1:|:20:)/, 'MT940', EXPORT_HINT],
  [/^\s*<[\s\S]*\bcamt\.05\d/, 'CAMT XML', EXPORT_HINT],
  [
    /^\s*<(?:!doctype|html|head|meta|table|\?xml|!--)/i,
    'HTML or XML',
    'save the sheet as CSV UTF-8; if it is a download, open it: it may be an error page',
  ],
];

const startsWith = (head: Buffer, hex: string): boolean => head.toString('hex', 0, 4).startsWith(hex);

/** Throws if the first bytes show that no row can be read. */
const checkHead = (head: Buffer, name: string): void => {
  if (head.length === 0)
    throw new InputError(`${name} has no rows`, 'the first line names the columns; each other line is a row');
  const [, what, hint = ''] = OTHER_FORMATS.find(([begins]) => startsWith(head, begins)) ?? [];
  if (what !== undefined) throw new InputError(`${name} is ${what}`, hint);
  const text = head.toString('latin1');
  const [, other, way = ''] = OTHER_TEXTS.find(([begins]) => begins.test(text)) ?? [];
  if (other !== undefined) throw new InputError(`${name} is ${other}, not CSV`, way);
};

/**
 * Detects the format by the name's ending, else by the first character. A JSON list is no NDJSON either, but the NDJSON
 * reader reports that.
 */
const formatOf = (name: string, head: Buffer): FileFormat => {
  const first = head.toString('latin1').trimStart().charAt(0);
  return formatOfName(name) ?? (first === '{' || first === '[' ? 'ndjson' : 'csv');
};

/** The first line that is not empty, without quoted text. */
const barePartOfHeader = (head: Buffer): string =>
  head
    .toString('latin1')
    .replaceAll(/"[^"]*"?/g, '"')
    .split(/[\r\n]/)
    .find((line) => line !== '') ?? '';

/** The most frequent of comma, semicolon and tab in the header. */
const delimiterOf = (head: Buffer): string => {
  const header = barePartOfHeader(head);
  const counts = DELIMITER_CHOICES.map((delimiter) => header.split(delimiter).length);
  return DELIMITER_CHOICES[counts.indexOf(Math.max(...counts))] ?? ',';
};

/** The line above the header in which a spreadsheet names the separator: `sep=;`. */
const separatorLine = (head: Buffer): { readonly length: number; readonly delimiter: string } | undefined => {
  const [line, delimiter] = /^"?sep=([ -!#-~\t])"?(?:\r\n|\n|\r|$)/i.exec(head.toString('latin1')) ?? [];
  return line === undefined || delimiter === undefined ? undefined : { length: line.length, delimiter };
};

/** Tells by its names if a line is the header of a table that another program wrote. */
type IsHeader = (names: readonly string[]) => boolean;

/** Lines with their ends. A cell in quotes may have line ends, too. */
const LINES = /(?:(?<=^|[,;\t\r\n])"(?:[^"]|"")*"|[^\r\n])*(?:[\r\n]+|$)/g;

/** The bytes above such a header, and its delimiter; undefined if the head has none. */
const tableIn = (head: Buffer, isHeader: IsHeader, given: string | undefined) => {
  let length = 0;
  for (const line of head.toString('latin1').match(LINES) ?? []) {
    const header = Buffer.from(line, 'latin1').toString().trimEnd();
    const delimiter = (given === undefined ? DELIMITER_CHOICES : [given]).find((choice) =>
      isHeader(header.split(choice).map((cell) => cell.replace(/^\s*"(.*)"\s*$/s, '$1'))),
    );
    if (delimiter !== undefined) return { length, delimiter };
    length += line.length;
  }
  return undefined;
};

/** Throws for a delimiter that ends a row or a quote, or is not exactly one character. */
const checkDelimiter = (delimiter: string, name: string): void => {
  if ([...delimiter].length === 1 && !/["\r\n\0]/.test(delimiter)) return;
  throw new InputError(
    `${JSON.stringify(delimiter)} can't separate the columns of ${name}`,
    'use one character, such as ;',
  );
};

/** Wraps a copy error. A PayError, such as an interruption, stays as it is. */
const notKept = (name: string, folder: string, thrown: unknown): PayError =>
  thrown instanceof PayError
    ? thrown
    : new InputError(
        `couldn't copy ${name} to ${folder}: ${reasonOf(thrown)}`,
        'free some space there; nothing was sent',
      );

/** A private copy, and the SHA-256 digest of all its bytes, in hex. */
interface Spooled {
  readonly file: FileHandle;
  readonly digest: string;
}

/**
 * Copies the input, so that the rows sent are the rows that were read and approved. The copy exists only while its
 * handle is open.
 */
const spool = async (bytes: AsyncIterable<Uint8Array>, name: string, folder: string): Promise<Spooled> => {
  const failed = (thrown: unknown): never => {
    throw notKept(name, folder, thrown);
  };
  const file = await makeNameless(folder).catch(failed);
  const hash = createHash('sha256');
  let size = 0;
  try {
    for await (const chunk of bytes) {
      size += chunk.byteLength;
      if (size > MOST_INPUT_BYTES) {
        const what = `${name} has more than ${grouped(MOST_INPUT_BYTES)} bytes`;
        throw new InputError(what, 'split it into smaller files; nothing was sent');
      }
      hash.update(chunk);
      await file.appendFile(chunk);
    }
  } catch (thrown) {
    await file.close();
    failed(thrown);
  }
  return { file, digest: hash.digest('hex') };
};

/**
 * A file of rows, which may be larger than memory and is read several times: from a private copy that nobody changes.
 */
export interface RowsFile extends Pick<FileBytes, 'close'> {
  /** SHA-256 of all bytes, in hex. */
  readonly digest: string;
  /** Resolves to true if the path leads to the copied input file, which a report must not overwrite. */
  isAt(path: string): Promise<boolean>;
  /** Column names in file order: for CSV its header, for NDJSON the names of its first row. */
  readonly columns: readonly string[];
  readonly format: FileFormat;
  readonly delimiter: string | undefined;
  /** True if the file began with a byte order mark. */
  readonly hasBom: boolean;
  /** The text above the header. */
  readonly titles: string;
  /** Notices about a workbook. */
  readonly notices: readonly string[];
  /** All rows from the first on. Throws an InputError with row and column for unreadable input. */
  rows(): AsyncIterable<InputRow>;
}

type InputOptions = ({ readonly path: string } | { readonly stdin: AsyncIterable<Uint8Array> }) & {
  /** The name for messages; its ending may determine the format. */
  readonly name: string;
  readonly format?: FileFormat | undefined;
  readonly delimiter?: string | undefined;
  /** Set for a table with titles above its header, whose rows may end early. Nothing is sent for its rows. */
  readonly isHeader?: IsHeader | undefined;
  /** False for such a table without a header. */
  readonly hasHeader?: boolean | undefined;
  /** The sheet of a workbook, instead of the first. */
  readonly sheet?: string | undefined;
  /** A private folder for the copy. */
  readonly spoolFolder: string;
};

/** A stamp that changes with the content of a file: size and times. */
const stampOf = async (file: FileHandle): Promise<string> => {
  const { size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
  return `${size} ${mtimeNs} ${ctimeNs}`;
};

/**
 * The bytes of a file; throws if the file changed while it was read. A pipe, such as the shell's <(…), is read to its
 * end without that check.
 */
async function* bytesIn(file: FileHandle, name: string): AsyncGenerator<Uint8Array> {
  const isFile = (await file.stat()).isFile();
  const before = isFile ? await stampOf(file) : '';
  yield* file.createReadStream({ autoClose: false });
  if (!isFile || (await stampOf(file)) === before) return;
  throw new InputError(
    `${name} changed while it was being read`,
    'wait until it is complete, then run the command again; nothing was sent',
  );
}

/** A private copy of the input, and a test for the path of the original. */
interface Copied extends Spooled {
  readonly isAt: (path: string) => Promise<boolean>;
}

const copyOf = async (path: string, { name, spoolFolder }: InputOptions): Promise<Copied> => {
  const file = await open(path, 'r').catch((thrown: unknown) => {
    throw new InputError(`${name} can't be read: ${reasonOf(thrown)}`, 'check the path and permissions');
  });
  try {
    const here = await file.stat({ bigint: true });
    if (here.isDirectory()) throw new InputError(`${name} is a folder`, 'name a file');
    const spooled = await spool(bytesIn(file, name), name, spoolFolder);
    const isAt = async (other: string): Promise<boolean> => {
      const there = await stat(other, { bigint: true }).catch(() => undefined);
      return there !== undefined && here.dev === there.dev && here.ino === there.ino;
    };
    return { ...spooled, isAt };
  } finally {
    await file.close();
  }
};

const copied = async (options: InputOptions): Promise<Copied> =>
  'path' in options
    ? copyOf(options.path, options)
    : { ...(await spool(options.stdin, options.name, options.spoolFolder)), isAt: async () => false };

type Shape = Pick<InputOptions, 'name' | 'format' | 'delimiter' | 'isHeader' | 'hasHeader' | 'sheet'>;
type Rows = Pick<RowsFile, 'columns' | 'format' | 'delimiter' | 'titles' | 'rows'>;
type InputRows = Rows & Pick<RowsFile, 'hasBom' | 'notices'>;

/** The bytes after the first `length` ones, which the first chunk holds. */
async function* behind(length: number, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = length;
  for await (const chunk of chunks) {
    yield chunk.subarray(left);
    left = 0;
  }
}

const openCsv = async (bytes: Readable, head: Buffer, shape: Shape, fail: Fail): Promise<Rows> => {
  const { name, delimiter: given, isHeader, hasHeader = true } = shape;
  const line = separatorLine(head);
  const above = (isHeader && tableIn(head, isHeader, given ?? line?.delimiter)) ?? line;
  const delimiter = given ?? above?.delimiter ?? delimiterOf(head);
  checkDelimiter(delimiter, name);
  const length = above?.length ?? 0;
  const walk = (): AsyncIterable<Uint8Array> => behind(length, bytes.walk());
  const foreign = isHeader && { hasHeader };
  const columns = await csvColumns(walk(), delimiter, fail, foreign);
  const titles = head.toString('utf8', 0, length);
  const linesAbove = lineEnds([titles]);
  async function* rows(): AsyncGenerator<InputRow> {
    for await (const row of csvRows(walk(), delimiter, columns, fail, foreign)) {
      yield linesAbove === 0 ? row : { ...row, line: row.line + linesAbove };
    }
  }
  return { columns, format: 'csv', delimiter, titles, rows };
};

const openNdjson = async (bytes: Readable, fail: Fail): Promise<Rows> => {
  const columns = await ndjsonColumns(bytes.walk(), fail);
  return { columns, format: 'ndjson', delimiter: undefined, titles: '', rows: () => ndjsonRows(bytes.walk(), fail) };
};

/** The rows of a sheet, read as CSV. Its report begins as a spreadsheet wants it: with a byte order mark. */
const openWorkbook = async (bytes: Readable, shape: Shape): Promise<InputRows> => {
  const { sheetOf } = await import('./workbook.ts');
  const { csv, notices } = await sheetOf(bytes.walk(), shape.name, shape.sheet);
  const rows = await inputRows(bytesInMemory(csv), { ...shape, format: 'csv', delimiter: '\t', sheet: undefined });
  return { ...rows, delimiter: ',', hasBom: true, notices };
};

const inputRows = async (bytes: Readable, shape: Shape): Promise<InputRows> => {
  const { name, format, isHeader, sheet } = shape;
  const { head, hasBom } = await bytes.head();
  if (isHeader !== undefined && startsWith(head, ZIP)) return openWorkbook(bytes, shape);
  checkHead(head, name);
  if (sheet !== undefined)
    throw new InputError(`${name} is no workbook (.xlsx), and has no sheets`, 'leave out --sheet');
  const fail = failIn(name, isHeader && '');
  const isCsv = (format ?? formatOf(name, head)) === 'csv';
  const rows = await (isCsv ? openCsv(bytes, head, shape, fail) : openNdjson(bytes, fail));
  if (rows.columns.length === 0 && isCsv) checkHead(Buffer.alloc(0), name);
  return { ...rows, hasBom, notices: [] };
};

/** Opens a file of rows and reads its column names. Throws an InputError if it can't. */
export const openInput = async (options: InputOptions): Promise<RowsFile> => {
  const { file, digest, isAt } = await copied(options);
  const bytes = fileBytes(file, options.name);
  try {
    return { ...(await inputRows(bytes, options)), digest, isAt, close: bytes.close };
  } catch (thrown) {
    await bytes.close();
    throw thrown;
  }
};

/** The rows of an open file without a copy, for reading only. Throws an InputError if no rows can be read. */
export const rowsInPlace = (file: FileHandle, options: Shape): Promise<Rows> =>
  inputRows(fileBytes(file, options.name), options);

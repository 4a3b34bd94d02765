import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PayError, reasonOf } from '../core/error.ts';
import { type FileFormat, formatOfName, type InputRow } from './cells.ts';
import { csvColumns, csvRows, failIn, InputError, ndjsonColumns, ndjsonRows } from './formats.ts';

/** The rows of a chunk are taken apart together: with four times as many, a million short ones cost 30 MB more memory. */
const CHUNK = 16 * 1024;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const hasMark = (chunk: Buffer): boolean => chunk.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);

const withoutMark = (chunk: Buffer): Buffer => (hasMark(chunk) ? chunk.subarray(BYTE_ORDER_MARK.length) : chunk);

/** So many bytes unless the file ends before. */
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

/** The bytes of an open file that nobody else can change, which may be walked again and again. */
const bytesOf = (file: FileHandle, name: string) => {
  const read = (position: number): Promise<Buffer> =>
    readAt(file, position).catch((thrown: unknown) => {
      throw new InputError(`${name} can't be read: ${reasonOf(thrown)}`, 'copy it to another disk, or create it again');
    });

  /** All bytes but the byte order mark. */
  async function* walk(): AsyncGenerator<Uint8Array> {
    for (let position = 0; ; ) {
      const chunk = await read(position);
      if (chunk.length === 0) return;
      yield position === 0 ? withoutMark(chunk) : chunk;
      position += chunk.length;
    }
  }

  /** What the file begins with, without the byte order mark, and whether there is one. */
  const head = async () => {
    const chunk = await read(0);
    return { head: withoutMark(chunk), mark: hasMark(chunk) };
  };

  return { walk, head, close: (): Promise<void> => file.close() };
};
type FileBytes = ReturnType<typeof bytesOf>;

/** Told apart by the header; of as many of each, the first. */
const DELIMITERS = [',', ';', '\t'];

const isUtf16 = (head: Buffer): boolean => ['fffe', 'feff'].includes(head.subarray(0, 2).toString('hex'));

const isWorkbook = (head: Buffer): boolean => head.subarray(0, 4).toString('hex') === '504b0304';

/** Throws where the first bytes say that no row can be read. */
const checkHead = (head: Buffer, name: string): void => {
  if (head.length === 0) throw new InputError(`${name} is empty`, 'expected one charge or one customer per row');
  if (isUtf16(head)) throw new InputError(`${name} is UTF-16`, 'save it as UTF-8');
  if (isWorkbook(head))
    throw new InputError(`${name} is a spreadsheet workbook or another zip file`, 'save the sheet as CSV UTF-8');
};

/** By the name's ending, else by what the file begins with. A list is no NDJSON either, but that is where it is told so. */
const formatOf = (name: string, head: Buffer): FileFormat => {
  const first = head.toString('latin1').trimStart().charAt(0);
  return formatOfName(name) ?? (first === '{' || first === '[' ? 'ndjson' : 'csv');
};

/** The first line that is not blank, without what is in quotes. */
const barePartOfHeader = (head: Buffer): string =>
  head
    .toString('latin1')
    .replaceAll(/"[^"]*"?/g, '"')
    .split(/[\r\n]/)
    .find((line) => line !== '') ?? '';

/** The one of comma, semicolon and tab that the header has most of. */
const delimiterOf = (head: Buffer): string => {
  const header = barePartOfHeader(head);
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
};

/** The line in which a spreadsheet names the separator, above the header: `sep=;`. */
const separatorLine = (head: Buffer): { readonly length: number; readonly delimiter: string } | undefined => {
  const [line, delimiter] = /^"?sep=([ -!#-~\t])"?(?:\r\n|\n|\r|$)/i.exec(head.toString('latin1')) ?? [];
  return line === undefined || delimiter === undefined ? undefined : { length: line.length, delimiter };
};

/** What a delimiter may not be: it would end a row or a quote, or is more than one character. */
const checkDelimiter = (delimiter: string, name: string): void => {
  if ([...delimiter].length === 1 && !/["\r\n\0]/.test(delimiter)) return;
  throw new InputError(
    `${JSON.stringify(delimiter)} can't separate the columns of ${name}`,
    'use one character, such as ;',
  );
};

/** A file that nobody else can open and that loses its name at once, so that no end of the program leaves it behind. */
const makeNameless = async (folder: string): Promise<FileHandle> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `input-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await rm(path);
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
  return file;
};

/** What is an error of ours, such as an interruption while it was read, stays what it is. */
const notKept = (name: string, folder: string, thrown: unknown): PayError =>
  thrown instanceof PayError
    ? thrown
    : new InputError(
        `couldn't copy ${name} to ${folder}: ${reasonOf(thrown)}`,
        'free some space there; nothing was sent',
      );

/** A private copy, and the digest of all its bytes: SHA-256, hex. */
interface Spooled {
  readonly file: FileHandle;
  readonly digest: string;
}

/** Copies the input for as long as the copy stays open, so that what was read and approved is what is sent. */
const spool = async (bytes: AsyncIterable<Uint8Array>, name: string, folder: string): Promise<Spooled> => {
  const failed = (thrown: unknown): never => {
    throw notKept(name, folder, thrown);
  };
  const file = await makeNameless(folder).catch(failed);
  const hash = createHash('sha256');
  try {
    for await (const chunk of bytes) {
      hash.update(chunk);
      await file.appendFile(chunk);
    }
  } catch (thrown) {
    await file.close();
    failed(thrown);
  }
  return { file, digest: hash.digest('hex') };
};

/** A file of rows, which may be larger than memory and is read more than once: from a private copy that nobody changes. */
export interface RowsFile extends Pick<FileBytes, 'close'> {
  /** SHA-256 of all bytes, hex. */
  readonly digest: string;
  /** Whether the path leads to the file that was copied, which a report must not overwrite. */
  isAt(path: string): Promise<boolean>;
  /** Column names in the order of the file: CSV its header, NDJSON the names of its first row. */
  readonly columns: readonly string[];
  readonly format: FileFormat;
  /** What separates the cells of a CSV file. */
  readonly delimiter: string | undefined;
  /** Whether it began with a byte order mark. */
  readonly mark: boolean;
  /** All rows from the first on. Throws an InputError with row and column for what can't be read. */
  rows(): AsyncIterable<InputRow>;
}

export type InputOptions = ({ readonly path: string } | { readonly stdin: AsyncIterable<Uint8Array> }) & {
  /** What messages call it; its ending may tell the format. */
  readonly name: string;
  readonly format?: FileFormat | undefined;
  readonly delimiter?: string | undefined;
  /** A private folder for the copy. */
  readonly spoolFolder: string;
};

/** Something that changes with the content of a file. */
const stampOf = async (file: FileHandle): Promise<string> => {
  const { size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
  return `${size} ${mtimeNs} ${ctimeNs}`;
};

/** The bytes of a file, which must stay as it is while it is copied; a pipe, such as the shell's <(…), has its end. */
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

/** A private copy of the input, and how the input itself is known again. */
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

type Shape = Pick<InputOptions, 'name' | 'format' | 'delimiter'>;
type Rows = Pick<RowsFile, 'columns' | 'format' | 'delimiter' | 'rows'>;

/** The bytes behind the first so many, which the first chunk holds. */
async function* behind(length: number, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = length;
  for await (const chunk of chunks) {
    yield chunk.subarray(left);
    left = 0;
  }
}

const csv = async (bytes: FileBytes, head: Buffer, given: string | undefined, name: string): Promise<Rows> => {
  const fail = failIn(name);
  const line = separatorLine(head);
  const delimiter = given ?? line?.delimiter ?? delimiterOf(head);
  checkDelimiter(delimiter, name);
  const walk = (): AsyncIterable<Uint8Array> => behind(line?.length ?? 0, bytes.walk());
  const columns = await csvColumns(walk(), delimiter, fail);
  return { columns, format: 'csv', delimiter, rows: () => csvRows(walk(), delimiter, columns, fail) };
};

const ndjson = async (bytes: FileBytes, name: string): Promise<Rows> => {
  const fail = failIn(name);
  const columns = await ndjsonColumns(bytes.walk(), fail);
  return { columns, format: 'ndjson', delimiter: undefined, rows: () => ndjsonRows(bytes.walk(), fail) };
};

const rowsOf = async (bytes: FileBytes, { name, format, delimiter }: Shape): Promise<Rows & Pick<RowsFile, 'mark'>> => {
  const { head, mark } = await bytes.head();
  checkHead(head, name);
  const isCsv = (format ?? formatOf(name, head)) === 'csv';
  const rows = await (isCsv ? csv(bytes, head, delimiter, name) : ndjson(bytes, name));
  if (rows.columns.length === 0 && isCsv) checkHead(Buffer.alloc(0), name);
  return { ...rows, mark };
};

/** Opens a file of rows and reads its column names. Throws an InputError when that can't be. */
export const openInput = async (options: InputOptions): Promise<RowsFile> => {
  const { file, digest, isAt } = await copied(options);
  const bytes = bytesOf(file, options.name);
  try {
    return { ...(await rowsOf(bytes, options)), digest, isAt, close: bytes.close };
  } catch (thrown) {
    await bytes.close();
    throw thrown;
  }
};

/** The rows of a file as it lies there, for what is only looked at. Throws an InputError where there are none to be read. */
export const rowsInPlace = (file: FileHandle, options: Shape): Promise<Rows> =>
  rowsOf(bytesOf(file, options.name), options);

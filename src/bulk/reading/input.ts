import { type FileHandle, open, stat } from 'node:fs/promises';
import { reasonOf } from '../../core/error.ts';
import { type Bytes, bytesOf } from './bytes.ts';
import { csvColumns, csvRows } from './csv.ts';
import { failIn, InputError } from './fault.ts';
import type { Format } from './format.ts';
import { ndjsonColumns, ndjsonRows } from './ndjson.ts';
import type { InputRow } from './row.ts';
import { checkDelimiter, checkHead, delimiterOf, formatOf, separatorLine } from './sniff.ts';
import { type Spooled, spool } from './spool.ts';

/** A file of rows, which may be larger than memory and is read more than once: from a private copy that nobody changes. */
export interface Input extends Pick<Bytes, 'close'> {
  /** SHA-256 of all bytes, hex. */
  readonly digest: string;
  /** Whether the path leads to the file that was copied, which a report must not overwrite. */
  isAt(path: string): Promise<boolean>;
  /** Column names in the order of the file: CSV its header, NDJSON the names of its first row. */
  readonly columns: readonly string[];
  readonly format: Format;
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
  readonly format?: Format | undefined;
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
type Rows = Pick<Input, 'columns' | 'format' | 'delimiter' | 'rows'>;

/** The bytes behind the first so many, which the first chunk holds. */
async function* behind(length: number, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = length;
  for await (const chunk of chunks) {
    yield chunk.subarray(left);
    left = 0;
  }
}

const csv = async (bytes: Bytes, head: Buffer, given: string | undefined, name: string): Promise<Rows> => {
  const fail = failIn(name);
  const line = separatorLine(head);
  const delimiter = given ?? line?.delimiter ?? delimiterOf(head);
  checkDelimiter(delimiter, name);
  const walk = (): AsyncIterable<Uint8Array> => behind(line?.length ?? 0, bytes.walk());
  const columns = await csvColumns(walk(), delimiter, fail);
  return { columns, format: 'csv', delimiter, rows: () => csvRows(walk(), delimiter, columns, fail) };
};

const ndjson = async (bytes: Bytes, name: string): Promise<Rows> => {
  const fail = failIn(name);
  const columns = await ndjsonColumns(bytes.walk(), fail);
  return { columns, format: 'ndjson', delimiter: undefined, rows: () => ndjsonRows(bytes.walk(), fail) };
};

const rowsOf = async (bytes: Bytes, { name, format, delimiter }: Shape): Promise<Rows & Pick<Input, 'mark'>> => {
  const { head, mark } = await bytes.head();
  checkHead(head, name);
  const isCsv = (format ?? formatOf(name, head)) === 'csv';
  const rows = await (isCsv ? csv(bytes, head, delimiter, name) : ndjson(bytes, name));
  if (rows.columns.length === 0 && isCsv) checkHead(Buffer.alloc(0), name);
  return { ...rows, mark };
};

/** Opens a file of rows and reads its column names. Throws an InputError when that can't be. */
export const openInput = async (options: InputOptions): Promise<Input> => {
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

import { type FileHandle, open } from 'node:fs/promises';
import { reasonOf } from '../../core/error.ts';
import { type Bytes, bytesOf } from './bytes.ts';
import { csvColumns, csvRows } from './csv.ts';
import { failIn, InputError } from './fault.ts';
import type { Format } from './format.ts';
import { ndjsonColumns, ndjsonRows } from './ndjson.ts';
import type { InputRow } from './row.ts';
import { checkDelimiter, checkHead, delimiterOf, formatOf, separatorLine } from './sniff.ts';
import { spool } from './spool.ts';

/** A file of rows, which may be larger than memory and is read more than once. */
export interface Input extends Pick<Bytes, 'digest' | 'isAt' | 'close'> {
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
  /** A private folder for what can be read only once. */
  readonly spoolFolder: string;
};

const openPath = async (path: string, { name, spoolFolder }: InputOptions): Promise<FileHandle> => {
  const file = await open(path, 'r').catch((thrown: unknown) => {
    throw new InputError(`${name} can't be read: ${reasonOf(thrown)}`, 'check the path and permissions');
  });
  const stats = await file.stat();
  if (stats.isFile()) return file;
  // A pipe, such as the shell's <(…), closes with its stream.
  if (!stats.isDirectory()) return spool(file.createReadStream(), name, spoolFolder);
  await file.close();
  throw new InputError(`${name} is a folder`, 'name a file');
};

const opened = (options: InputOptions): Promise<FileHandle> =>
  'path' in options ? openPath(options.path, options) : spool(options.stdin, options.name, options.spoolFolder);

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

const rowsOf = async (bytes: Bytes, { name, format, delimiter }: InputOptions): Promise<Rows & Pick<Input, 'mark'>> => {
  const { head, mark } = await bytes.head();
  checkHead(head, name);
  const isCsv = (format ?? formatOf(name, head)) === 'csv';
  const rows = await (isCsv ? csv(bytes, head, delimiter, name) : ndjson(bytes, name));
  if (rows.columns.length === 0 && isCsv) checkHead(Buffer.alloc(0), name);
  return { ...rows, mark };
};

/** Opens a file of rows and reads its column names. Throws an InputError when that can't be. */
export const openInput = async (options: InputOptions): Promise<Input> => {
  const bytes = await bytesOf(await opened(options), options.name);
  try {
    const rows = await rowsOf(bytes, options);
    return { ...rows, digest: bytes.digest, isAt: bytes.isAt, close: bytes.close };
  } catch (thrown) {
    await bytes.close();
    throw thrown;
  }
};

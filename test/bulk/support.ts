import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { InputRow } from '../../src/bulk/cells.ts';
import { InputError } from '../../src/bulk/formats.ts';
import { openInput, type RowsFile } from '../../src/bulk/read-file.ts';
import { PayError } from '../../src/core/error.ts';

/** A folder for one test file. */
export const madeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'paycli-bulk-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

export const rowsOf = async (rows: AsyncIterable<InputRow>): Promise<InputRow[]> => {
  const all: InputRow[] = [];
  for await (const row of rows) all.push(row);
  return all;
};

export type More = Partial<Pick<Parameters<typeof openInput>[0], 'format' | 'delimiter'>>;

/** The opened file with this content. */
export const opened = async (
  folder: string,
  name: string,
  content: string | Uint8Array,
  more: More = {},
): Promise<RowsFile> => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return openInput({ path, name, spoolFolder: folder, ...more });
};

/** A file's columns and rows. */
export const read = async (folder: string, name: string, content: string | Uint8Array, more: More = {}) => {
  const input = await opened(folder, name, content, more);
  try {
    return { columns: input.columns, rows: (await rowsOf(input.rows())).map(({ fields }) => ({ ...fields })) };
  } finally {
    await input.close();
  }
};

/** The error of a promise; undefined without one. */
const thrownBy = (act: Promise<unknown>): Promise<unknown> =>
  act.then(
    () => undefined,
    (error: unknown) => error,
  );

/** The InputError that it throws. */
export const faultOf = async (act: Promise<unknown>): Promise<InputError> => {
  const thrown = await thrownBy(act);
  if (thrown instanceof InputError) return thrown;
  throw new Error('no InputError', { cause: thrown });
};

/** The open copies of files in this folder, as paths that can be read (Linux). */
export const keptCopies = (folder: string): string[] =>
  readdirSync('/proc/self/fd')
    .map((fd) => join('/proc/self/fd', fd))
    .filter((path) => {
      try {
        return readlinkSync(path).startsWith(`${folder}/input-`);
      } catch {
        return false;
      }
    });

/** Message and hint of the error, which ends the program with 2. */
export const usageFaultOf = async (statement: Promise<unknown>): Promise<string> => {
  const thrown = await thrownBy(statement);
  if (!(thrown instanceof PayError) || thrown.kind !== 'usage') throw new Error('no usage error', { cause: thrown });
  return `${thrown.message} | ${thrown.detail.hint}`;
};

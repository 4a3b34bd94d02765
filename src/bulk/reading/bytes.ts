import type { FileHandle } from 'node:fs/promises';
import { reasonOf } from '../../core/error.ts';
import { InputError } from './fault.ts';

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
export const bytesOf = (file: FileHandle, name: string) => {
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
export type Bytes = ReturnType<typeof bytesOf>;

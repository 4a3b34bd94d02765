import { createHash } from 'node:crypto';
import { type FileHandle, stat } from 'node:fs/promises';
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

/** What changes with the content: cheap to ask for before each chunk, where the digest is known only at the end. */
const stamp = async (file: FileHandle): Promise<string> => {
  const { size, mtimeNs } = await file.stat({ bigint: true });
  return `${size} ${mtimeNs}`;
};

/** The bytes of an open file, which may be walked again and again. */
export const bytesOf = async (file: FileHandle, name: string) => {
  const asOpened = await stamp(file);
  let known: string | undefined;
  const changed = () =>
    new InputError(`${name} changed while it was being read`, 'wait until it is complete, then run the command again');

  const read = (position: number): Promise<Buffer> =>
    readAt(file, position).catch((thrown: unknown) => {
      throw new InputError(`${name} can't be read: ${reasonOf(thrown)}`, 'copy it to another disk, or create it again');
    });

  /** All bytes but the byte order mark. Throws an InputError when they are no longer what they were. */
  async function* walk(): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    for (let position = 0; ; ) {
      const chunk = await read(position);
      if ((await stamp(file)) !== asOpened) throw changed();
      if (chunk.length === 0) break;
      hash.update(chunk);
      yield position === 0 ? withoutMark(chunk) : chunk;
      position += chunk.length;
    }
    const digest = hash.digest('hex');
    known ??= digest;
    if (known !== digest) throw changed();
  }

  /** SHA-256 of all bytes, hex; takes a walk of its own unless one went to the end. */
  const digest = async (): Promise<string> => {
    if (known === undefined) for await (const _ of walk());
    return known ?? '';
  };

  /** What the file begins with, without the byte order mark, and whether there is one. */
  const head = async () => {
    const chunk = await read(0);
    return { head: withoutMark(chunk), mark: hasMark(chunk) };
  };

  /** Whether the path leads to this very file, which a report must not overwrite. */
  const isAt = async (path: string): Promise<boolean> => {
    const [here, there] = await Promise.all([
      file.stat({ bigint: true }),
      stat(path, { bigint: true }).catch(() => undefined),
    ]);
    return there !== undefined && here.dev === there.dev && here.ino === there.ino;
  };

  return { walk, head, digest, isAt, close: (): Promise<void> => file.close() };
};
export type Bytes = Awaited<ReturnType<typeof bytesOf>>;

import { createReadStream } from 'node:fs';
import { PayError, reasonOf, usageError } from '../core/error.ts';
import type { ReadSource } from '../core/source.ts';
import type { Io } from './io.ts';

const MAX_SOURCE_BYTES = 8 * 1024 * 1024;

/** A stream to its end as UTF-8; a usage error beyond `limit` bytes, or for bytes that are no text. */
export const readAll = async (stream: AsyncIterable<Uint8Array>, limit: number, what: string): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > limit) throw usageError(`${what} is larger than ${limit} bytes`);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw usageError(`${what} is not valid UTF-8`);
  }
};

/** The text behind an option; files and standard input up to 8 MiB. */
export const readSource =
  (io: Io): ReadSource =>
  async (source) => {
    if (source.kind === 'inline') return source.text;
    if (source.kind === 'stdin') return io.stdin.text(MAX_SOURCE_BYTES);
    try {
      return await readAll(createReadStream(source.path), MAX_SOURCE_BYTES, source.path);
    } catch (thrown) {
      if (thrown instanceof PayError) throw thrown;
      throw usageError(`${source.path} can't be read: ${reasonOf(thrown)}`);
    }
  };

import { createReadStream, statSync } from 'node:fs';
import { addAbortSignal, Readable } from 'node:stream';
import { PayError, reasonOf, usageError } from '../core/error.ts';
import { interrupted } from '../core/interrupt.ts';
import type { Io } from '../core/io.ts';
import type { ReadSource } from '../core/source.ts';
import { decodeUtf8 } from '../core/utf8.ts';
import { pipeBytes } from './pipe.ts';

const MAX_SOURCE_BYTES = 8 * 1024 * 1024;

interface ReadOptions {
  /** In bytes. */
  readonly limit: number;
  /** How an error names it. */
  readonly what: string;
  readonly stop: AbortSignal;
}

const readBytes = async (stream: Readable, { limit, what, stop }: ReadOptions): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of addAbortSignal(stop, stream) as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > limit) throw usageError(`${what} is larger than ${limit} bytes`);
      chunks.push(chunk);
    }
  } catch (thrown) {
    if (stop.aborted) throw interrupted(stop.reason);
    if (thrown instanceof PayError) throw thrown;
    throw usageError(`${what} can't be read: ${reasonOf(thrown)}`);
  }
  return Buffer.concat(chunks);
};

/** A stream as it comes; the first signal ends it. */
export async function* bytesOf(stream: Readable, stop: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* addAbortSignal(stop, stream) as AsyncIterable<Uint8Array>;
  } catch (thrown) {
    throw stop.aborted ? interrupted(stop.reason) : thrown;
  }
}

const isPipe = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;

/** Where rows come from: `-` is standard input; what can be read only once is given as its bytes. */
export const rowSource =
  ({ stdin, signals }: Io, check: (path: string) => void) =>
  (from: string): { readonly path: string } | { readonly stdin: AsyncIterable<Uint8Array> } => {
    if (from === '-') return { stdin: stdin.bytes() };
    check(from);
    return isPipe(from) ? { stdin: pipeBytes(from, signals.stop) } : { path: from };
  };

/** A stream to its end as UTF-8; a usage error beyond `limit` bytes, or for bytes that are no text. */
export const readAll = async (stream: Readable, options: ReadOptions): Promise<string> => {
  const text = decodeUtf8(await readBytes(stream, options));
  if (text === undefined) throw usageError(`${options.what} is not valid UTF-8`);
  return text;
};

const streamOf = (path: string, stop: AbortSignal): Readable =>
  isPipe(path) ? Readable.from(pipeBytes(path, stop)) : createReadStream(path);

/** The bytes of a file, or of standard input for `-`; a usage error beyond `limit`. */
export const readBytesOf =
  ({ stdin, signals }: Io, check: (path: string) => void) =>
  async (from: string, limit: number): Promise<Uint8Array> => {
    if (from !== '-') check(from);
    const stream = from === '-' ? Readable.from(stdin.bytes()) : streamOf(from, signals.stop);
    return readBytes(stream, { limit, what: from === '-' ? 'standard input' : from, stop: signals.stop });
  };

/** The text behind an option; files and standard input up to 8 MiB. */
export const readSource =
  ({ stdin, signals }: Io, check: (path: string) => void): ReadSource =>
  async (source) => {
    if (source.kind === 'inline') return source.text;
    if (source.kind === 'stdin') return stdin.text(MAX_SOURCE_BYTES);
    check(source.path);
    const options = { limit: MAX_SOURCE_BYTES, what: source.path, stop: signals.stop };
    return readAll(streamOf(source.path, signals.stop), options);
  };

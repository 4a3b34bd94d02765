import { closeSync, constants, createReadStream, openSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { addAbortSignal, Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { interrupted, PayError, reasonOf, usageError } from '../core/error.ts';
import type { ReadSource } from '../core/input.ts';
import type { Io } from '../core/io.ts';
import { decodeUtf8 } from '../core/text.ts';

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const PIPE_CHUNK = 64 * 1024;
/** Interval in milliseconds for retrying a read, or for ending a waiting `open`. */
const REREAD_MS = 10;

/** Ends an `open` that waits for a writer, by briefly opening the pipe as one. Fails while no `open` waits. */
const releaseOpen = (path: string): void => {
  try {
    closeSync(openSync(path, O_WRONLY | O_NONBLOCK));
  } catch {
    // The next attempt will do.
  }
};

/** Opens the pipe once a writer has. Neither a signal nor an exit ends a waiting `open`, so `stop` ends it. */
const openWithWriter = async (path: string, stop: AbortSignal): Promise<FileHandle> => {
  const waiting = open(path, 'r');
  const over = new AbortController();
  const endWait = async (): Promise<void> => {
    while (!over.signal.aborted) {
      releaseOpen(path);
      await setTimeout(REREAD_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  };
  stop.addEventListener('abort', endWait, { once: true });
  if (stop.aborted) void endWait();
  try {
    return await waiting;
  } catch (thrown) {
    throw usageError(`${path} can't be read: ${reasonOf(thrown)}`);
  } finally {
    over.abort();
    stop.removeEventListener('abort', endWait);
  }
};

/** Reads the available bytes; undefined while a writer sends nothing, empty at the end. */
const readNow = async (file: FileHandle): Promise<Uint8Array | undefined> => {
  const buffer = Buffer.allocUnsafe(PIPE_CHUNK);
  try {
    const { bytesRead } = await file.read(buffer, 0, PIPE_CHUNK, null);
    return buffer.subarray(0, bytesRead);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw thrown;
  }
};

/**
 * Reads a pipe that has a path (a named pipe or the shell's <(…)) until its writers close it. Throws `interrupted` at
 * the first signal. It polls, because a waiting read can't be cancelled any more than a waiting open, and Bun has no
 * events for such a file.
 */
async function* pipeBytes(path: string, stop: AbortSignal): AsyncGenerator<Uint8Array> {
  const first = await openWithWriter(path, stop);
  const file = await open(path, O_RDONLY | O_NONBLOCK).finally(() => first.close());
  try {
    for (;;) {
      if (stop.aborted) throw interrupted(stop.reason);
      const chunk = await readNow(file);
      if (chunk?.byteLength === 0) return;
      if (chunk === undefined) await setTimeout(REREAD_MS, undefined, { signal: stop }).catch(() => undefined);
      else yield chunk;
    }
  } finally {
    await file.close();
  }
}

const MAX_SOURCE_BYTES = 8 * 1024 * 1024;

interface ReadOptions {
  /** In bytes. */
  readonly limit: number;
  /** The name used in errors. */
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

/** Yields the bytes of standard input; throws `interrupted` at the first signal. */
export async function* readStream(stream: Readable, stop: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* addAbortSignal(stop, stream) as AsyncIterable<Uint8Array>;
  } catch (thrown) {
    throw stop.aborted ? interrupted(stop.reason) : usageError(`standard input can't be read: ${reasonOf(thrown)}`);
  }
}

const isPipe = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;

/** Resolves a row source: `-` is standard input; a pipe can be read only once, so its bytes are returned. */
export const rowSource =
  ({ stdin, signals }: Io, check: (path: string) => void) =>
  (from: string): { readonly path: string } | { readonly stdin: AsyncIterable<Uint8Array> } => {
    if (from === '-') return { stdin: stdin.bytes() };
    check(from);
    return isPipe(from) ? { stdin: pipeBytes(from, signals.stop) } : { path: from };
  };

/** Reads a stream to its end as UTF-8. Throws a usage error beyond `limit` bytes, or if the bytes are not UTF-8. */
export const readAll = async (stream: Readable, options: ReadOptions): Promise<string> => {
  const text = decodeUtf8(await readBytes(stream, options));
  if (text === undefined) throw usageError(`${options.what} is not valid UTF-8`);
  return text;
};

const streamOf = (path: string, stop: AbortSignal): Readable =>
  isPipe(path) ? Readable.from(pipeBytes(path, stop)) : createReadStream(path);

/** Reads the bytes of a file, or of standard input for `-`. Throws a usage error beyond `limit`. */
export const readBytesOf =
  ({ stdin, signals }: Io, check: (path: string) => void) =>
  async (from: string, limit: number): Promise<Uint8Array> => {
    if (from !== '-') check(from);
    const stream = from === '-' ? Readable.from(stdin.bytes()) : streamOf(from, signals.stop);
    return readBytes(stream, { limit, what: from === '-' ? 'standard input' : from, stop: signals.stop });
  };

/** Reads the text of an option value; files and standard input up to 8 MiB. */
export const readSource =
  ({ stdin, signals }: Io, check: (path: string) => void): ReadSource =>
  async (source) => {
    if (source.kind === 'inline') return source.text;
    if (source.kind === 'stdin') return stdin.text(MAX_SOURCE_BYTES);
    check(source.path);
    const options = { limit: MAX_SOURCE_BYTES, what: source.path, stop: signals.stop };
    return readAll(streamOf(source.path, signals.stop), options);
  };

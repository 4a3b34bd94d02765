import { closeSync, constants, openSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { reasonOf, usageError } from '../core/error.ts';
import { interrupted } from '../core/interrupt.ts';

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const CHUNK = 64 * 1024;
/** Between two looks whether a writer has written, or a wait can be ended. */
const LOOK_AGAIN_MS = 10;

/** Lets an `open` go that waits for a writer, by being one for a moment; it fails while none waits. */
const letGo = (path: string): void => {
  try {
    closeSync(openSync(path, O_WRONLY | O_NONBLOCK));
  } catch {
    // The next look will do.
  }
};

/** Waits until there is, or was, a writer. No signal and no exit ends an `open` that waits: `stop` lets it go. */
const writer = async (path: string, stop: AbortSignal): Promise<FileHandle> => {
  const waiting = open(path, 'r');
  const over = new AbortController();
  const endWait = async (): Promise<void> => {
    while (!over.signal.aborted) {
      letGo(path);
      await setTimeout(LOOK_AGAIN_MS, undefined, { signal: over.signal }).catch(() => undefined);
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

/** What can be read now; undefined while a writer has nothing to say, empty at the end. */
const readNow = async (file: FileHandle): Promise<Uint8Array | undefined> => {
  const buffer = Buffer.allocUnsafe(CHUNK);
  try {
    const { bytesRead } = await file.read(buffer, 0, CHUNK, null);
    return buffer.subarray(0, bytesRead);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw thrown;
  }
};

/**
 * What comes through a pipe that has a path, a named one or the shell's <(…), until its writers are gone; the first signal
 * ends it, as `interrupted`. It looks again and again, since a read that waits can be ended no more than an open, and Bun has
 * no events for such a file.
 */
export async function* pipeBytes(path: string, stop: AbortSignal): AsyncGenerator<Uint8Array> {
  const first = await writer(path, stop);
  const file = await open(path, O_RDONLY | O_NONBLOCK).finally(() => first.close());
  try {
    for (;;) {
      if (stop.aborted) throw interrupted(stop.reason);
      const chunk = await readNow(file);
      if (chunk?.byteLength === 0) return;
      if (chunk === undefined) await setTimeout(LOOK_AGAIN_MS, undefined, { signal: stop }).catch(() => undefined);
      else yield chunk;
    }
  } finally {
    await file.close();
  }
}

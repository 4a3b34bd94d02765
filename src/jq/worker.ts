import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { loadJq } from 'jq-wasm';

/**
 * The data a worker starts with: the path of jq's WebAssembly file, and a number that is 1 once a piece of output has
 * been accepted.
 */
export interface JqStart {
  readonly wasm: string;
  readonly taken: Int32Array;
}

/** One run of jq: `program` over the JSON values in `text`. */
export interface JqTask {
  readonly text: string;
  readonly program: string;
  readonly flags: readonly string[];
}

/** The messages of a worker: it is ready, a piece of output, or the last piece and jq's exit. */
export type JqSaid =
  | { readonly kind: 'ready' }
  | { readonly kind: 'piece'; readonly bytes: Uint8Array }
  /** `stderr` is undefined if it was too long. */
  | { readonly kind: 'end'; readonly bytes: Uint8Array; readonly code: number; readonly stderr: string | undefined };

const PIECE = 64 * 1024;

const port = parentPort;
const { wasm, taken } = workerData as JqStart;
const room = new Uint8Array(PIECE);
let length = 0;

const filled = (): Uint8Array => {
  const bytes = room.slice(0, length);
  length = 0;
  return bytes;
};

const postSaid = (said: JqSaid): void => port?.postMessage(said);

/**
 * Replaces the output buffer of jq-wasm, which stores all output and trims it (see scripts/build.ts). jq waits until a
 * piece has been written, so that endless output needs little memory.
 */
const stdout = {
  push: (byte: number): void => {
    room[length] = byte;
    length += 1;
    if (length < PIECE) return;
    Atomics.store(taken, 0, 0);
    postSaid({ kind: 'piece', bytes: filled() });
    Atomics.wait(taken, 0, 0);
  },
  reset: (): void => {
    length = 0;
  },
  toString: (): string => '',
};

/** The most bytes that `debug`, `stderr` and errors may write in a run: they are kept until its end. */
const MOST_SAID = 1024 * 1024;

const messages = new Uint8Array(MOST_SAID);
let writtenCount = 0;

/** Replaces the buffer of jq-wasm for jq's messages, which has no limit. */
const stderr = {
  push: (byte: number): void => {
    if (writtenCount < MOST_SAID) messages[writtenCount] = byte;
    writtenCount += 1;
  },
  reset: (): void => {
    writtenCount = 0;
  },
  toString: (): string => new TextDecoder().decode(messages.subarray(0, writtenCount)),
};

Object.assign(globalThis, { jqStdout: stdout, jqStderr: stderr });

const jq = await loadJq({ wasmBinary: readFileSync(wasm) });

port?.on('message', ({ text, program, flags }: JqTask) => {
  const { exitCode: code, stderr: said } = jq.raw(text, program, [...flags]);
  postSaid({ kind: 'end', bytes: filled(), code, stderr: writtenCount > MOST_SAID ? undefined : said });
});
postSaid({ kind: 'ready' });

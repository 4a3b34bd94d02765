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
  | { readonly kind: 'end'; readonly bytes: Uint8Array; readonly code: number; readonly stderr: string };

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

const say = (said: JqSaid): void => port?.postMessage(said);

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
    say({ kind: 'piece', bytes: filled() });
    Atomics.wait(taken, 0, 0);
  },
  reset: (): void => {
    length = 0;
  },
  toString: (): string => '',
};

(globalThis as { jqStdout?: typeof stdout }).jqStdout = stdout;

const jq = await loadJq({ wasmBinary: readFileSync(wasm) });

port?.on('message', ({ text, program, flags }: JqTask) => {
  const { exitCode: code, stderr } = jq.raw(text, program, [...flags]);
  say({ kind: 'end', bytes: filled(), code, stderr });
});
say({ kind: 'ready' });

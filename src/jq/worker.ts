import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { loadJq } from 'jq-wasm';

/** The data a worker starts with: the path of jq's WebAssembly file, and memory that both threads share. */
export interface JqStart {
  readonly wasm: string;
  /** At [0] 1 once the worker may go on, at [1] the number of bytes in `input`: 0 is the end. */
  readonly turn: Int32Array;
  readonly input: Uint8Array;
}

/** One run of jq: `program` over the JSON values that come as `input`. The first bytes are there already. */
export interface JqTask {
  readonly program: string;
  readonly flags: readonly string[];
}

/** A message of a worker: a piece of output, or a pause in which jq needs more input or has ended. */
export interface JqMessage {
  readonly kind: 'piece' | 'pause';
  readonly bytes: Uint8Array;
  /** At a pause; undefined if it was too long. */
  readonly stderr?: string | undefined;
  /** Undefined if jq needs more input. */
  readonly code?: number | undefined;
}

const PIECE = 64 * 1024;

const port = parentPort;
const { wasm, turn, input } = workerData as JqStart;
const room = new Uint8Array(PIECE);
let length = 0;

const filled = (): Uint8Array => {
  const bytes = room.slice(0, length);
  length = 0;
  return bytes;
};

const tell = (message: JqMessage): void => port?.postMessage(message);

const waitAfter = (message: JqMessage): void => {
  Atomics.store(turn, 0, 0);
  tell(message);
  Atomics.wait(turn, 0, 0);
};

let inputAt = 0;
let inputEnd = 0;

const takeInput = (): void => {
  [inputAt, inputEnd] = [0, turn[1] ?? 0];
};

/**
 * Replaces jq-wasm's input, which is one text. After `count` bytes jq gets only what is there, and filters that first.
 */
const stdin = (count: number): number | null => {
  if (inputAt === inputEnd && count === 0 && inputEnd > 0) {
    waitAfter(jqPause());
    takeInput();
  }
  return inputAt === inputEnd ? null : (input[inputAt++] ?? null);
};

/** A replacement of an output buffer of jq-wasm, which stores all output and trims it (see scripts/build.ts). */
const sink = (push: (byte: number) => void) => ({ push, reset: () => undefined, toString: () => '' });

/** jq waits until a piece has been written, so that endless output needs little memory. */
const stdout = sink((byte) => {
  room[length] = byte;
  length += 1;
  if (length === PIECE) waitAfter({ kind: 'piece', bytes: filled() });
});

/** The most bytes that `debug`, `stderr` and errors may write between two pauses: they are stored until then. */
const MOST_STDERR = 1024 * 1024;

const messages = new Uint8Array(MOST_STDERR);
let writtenCount = 0;

const stderr = sink((byte) => {
  if (writtenCount < MOST_STDERR) messages[writtenCount] = byte;
  writtenCount += 1;
});

/** A pause, with all that jq has written since the last one. */
const jqPause = (code?: number): JqMessage => {
  const text = new TextDecoder().decode(messages.subarray(0, writtenCount));
  const isWhole = writtenCount <= MOST_STDERR;
  writtenCount = 0;
  return { kind: 'pause', bytes: filled(), stderr: isWhole ? text : undefined, code };
};

Object.assign(globalThis, { jqStdin: stdin, jqStdout: stdout, jqStderr: stderr });

const jq = await loadJq({ wasmBinary: readFileSync(wasm) });

port?.on('message', ({ program, flags }: JqTask) => {
  takeInput();
  tell(jqPause(jq.raw('', program, [...flags]).exitCode));
});
// Ready.
tell(jqPause());

import type { Dispatcher } from 'undici';
import { BOUNDS } from '../core/bounds.ts';

const FIRST_BYTES = 64 * 1024;

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** The bytes of a whole body, or why it was not read to its end. */
export type Bytes = { readonly bytes: Uint8Array } | { readonly fault: string };

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Bytes;
}

const COMPRESSED = "the answer is compressed, which paycli didn't ask for";
const TOO_LARGE = `the answer is larger than ${BOUNDS.bytes / 1024 / 1024} MiB`;

const isCompressed = (headers: Headers): boolean =>
  String(headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';

/** Takes chunks, of which there may be as many as bytes, into one buffer. */
const openBuffer = () => {
  let buffer = Buffer.alloc(0);
  let [size, expected] = [0, FIRST_BYTES];
  return {
    /** How long it is going to be, as far as that can be believed. */
    expect: ({ 'content-length': length }: Headers): void => {
      if (Number(length) > 0) expected = Number(length);
    },
    /** False where it would hold more than the bound. */
    take: (chunk: Uint8Array): boolean => {
      if (size + chunk.byteLength > BOUNDS.bytes) return false;
      if (size + chunk.byteLength > buffer.byteLength) {
        const length = Math.max(size + chunk.byteLength, 2 * buffer.byteLength, expected);
        const larger = Buffer.allocUnsafeSlow(Math.min(length, BOUNDS.bytes));
        larger.set(buffer.subarray(0, size));
        buffer = larger;
      }
      buffer.set(chunk, size);
      size += chunk.byteLength;
      return true;
    },
    bytes: (): Uint8Array => buffer.subarray(0, size),
  };
};

/**
 * Makes a request before it returns, and resolves with the answer once its last byte is there, or as soon as it is certain
 * that it will not be read to its end. `mayStart` is asked in the turn in which the request is handed over to a connection that
 * stands, and keeps it back. Rejects with what broke it, or with the reason of `signal`: once that is aborted,
 * nothing is handed over any more. (undici's own `request` makes a stream of each body, which costs more than all the rest.)
 */
export const answerTo = (
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
  mayStart: () => boolean = () => true,
): Promise<RawAnswer> => {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const buffer = openBuffer();
  let head: Pick<RawAnswer, 'status' | 'headers'> = { status: 0, headers: {} };
  let started: Dispatcher.DispatchController | undefined;

  const giveUp = (controller: Dispatcher.DispatchController, fault: string): void => {
    resolve({ ...head, body: { fault } });
    // Not at once: undici is in the middle of its parsing, and may come upon the end of what is no more.
    queueMicrotask(() => controller.abort(new Error(fault)));
  };
  const onAbort = (): void => {
    reject(signal.reason);
    started?.abort(signal.reason);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });

  dispatcher.dispatch(request, {
    onRequestStart: (controller) => {
      started = controller;
      if (signal.aborted) controller.abort(signal.reason);
      else if (!mayStart()) controller.abort(new Error('it was too late to send it'));
    },
    onResponseStart: (controller, status, headers) => {
      // What comes before the answer (1xx) is none.
      if (status < 200) return;
      head = { status, headers };
      buffer.expect(headers);
      if (isCompressed(headers)) giveUp(controller, COMPRESSED);
    },
    onResponseData: (controller, chunk) => {
      if (!buffer.take(chunk)) giveUp(controller, TOO_LARGE);
    },
    onResponseEnd: () => resolve({ ...head, body: { bytes: buffer.bytes() } }),
    onResponseError: (_controller, error) => reject(error),
  });
  return promise;
};

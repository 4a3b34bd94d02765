import { promisify } from 'node:util';
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

const TOO_LARGE = `the answer is larger than ${BOUNDS.bytes / 1024 / 1024} MiB`;

const encodingOf = (headers: Headers): string => String(headers['content-encoding'] || 'identity').toLowerCase();

type Zlib = typeof import('node:zlib');

/** Some servers send deflate without the header of zlib, whose first byte says its method in the lower half. */
const isBare = (bytes: Uint8Array): boolean => ((bytes[0] ?? 0) & 0x0f) !== 8;

const DECODERS = new Map<string, (zlib: Zlib, bytes: Uint8Array) => Zlib['gunzip'] | Zlib['brotliDecompress']>([
  ['gzip', (zlib) => zlib.gunzip],
  ['x-gzip', (zlib) => zlib.gunzip],
  ['deflate', (zlib, bytes) => (isBare(bytes) ? zlib.inflateRaw : zlib.inflate)],
  ['br', (zlib) => zlib.brotliDecompress],
]);

const decodeBy = async (name: string, bytes: Uint8Array): Promise<Bytes> => {
  const decoder = DECODERS.get(name);
  if (decoder === undefined) return { fault: 'the answer is compressed in a way that paycli does not read' };
  const zlib = await import('node:zlib');
  const decode = promisify(decoder(zlib, bytes) as Zlib['gunzip']);
  try {
    return { bytes: await decode(bytes, { maxOutputLength: BOUNDS.bytes }) };
  } catch (thrown) {
    const isTooLarge = (thrown as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return { fault: isTooLarge ? TOO_LARGE : 'the answer is compressed, and damaged' };
  }
};

/** The answer with its body as it was before it was compressed, which nobody asked for. An empty one never was. */
const decoded = async (answer: RawAnswer): Promise<RawAnswer> => {
  const { headers, body } = answer;
  const encoding = encodingOf(headers);
  if (encoding === 'identity' || 'fault' in body || body.bytes.byteLength === 0) return answer;
  return { ...answer, body: await decodeBy(encoding, body.bytes) };
};

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
    onResponseStart: (_controller, status, headers) => {
      // What comes before the answer (1xx) is none.
      if (status < 200) return;
      head = { status, headers };
      buffer.expect(headers);
    },
    onResponseData: (controller, chunk) => {
      if (!buffer.take(chunk)) giveUp(controller, TOO_LARGE);
    },
    onResponseEnd: () => resolve({ ...head, body: { bytes: buffer.bytes() } }),
    onResponseError: (_controller, error) => reject(error),
  });
  return promise.then(decoded);
};

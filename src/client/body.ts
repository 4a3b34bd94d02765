import type { Transform } from 'node:stream';
import type { Dispatcher } from 'undici';
import { MAIN_FIELDS } from '../contract/operations.ts';
import { BOUNDS, excessOf } from '../core/bounds.ts';
import { minify, parseTexts, withWholePairs } from '../core/json.ts';
import { type Element, measure, type Scan, type Span, scan } from '../core/json-scan.ts';
import { type ApiRecord, PAGE_FIELDS } from '../core/record.ts';
import { type Clean, cleanedAnswer } from '../core/secret.ts';
import { decodeUtf8 } from '../core/text.ts';

const FIRST_CHUNK_BYTES = 64 * 1024;

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** The bytes of a body, cut at the limit, or the reason why it was not read. */
type BodyBytes = { readonly bytes: Uint8Array; readonly isCut?: boolean } | { readonly fault: string };

/** An answer before decoding. */
export interface RawAnswer {
  readonly status: number;
  readonly reasonPhrase: string;
  readonly headers: Headers;
  readonly body: BodyBytes;
}

export type AnswerHead = Omit<RawAnswer, 'body'>;

export const TOO_LARGE = `the answer is larger than ${BOUNDS.bytes / 1024 / 1024} MiB`;

/** Some servers send deflate without the zlib header, whose first byte has the method in its lower half. */
const isBare = (bytes: Uint8Array): boolean => ((bytes[0] ?? 0) & 0x0f) !== 8;

/** Collects chunks, of which there may be as many as bytes, in one buffer. */
const openBuffer = () => {
  let buffer = Buffer.alloc(0);
  let [size, expected] = [0, FIRST_CHUNK_BYTES];
  return {
    /** Sets the first size of the buffer from the Content-Length. */
    expect: ({ 'content-length': length }: Headers): void => {
      if (Number(length) > 0) expected = Number(length);
    },
    /** False if the limit cuts the chunk. */
    take: (chunk: Uint8Array): boolean => {
      const part = chunk.subarray(0, BOUNDS.bytes - size);
      if (size + part.byteLength > buffer.byteLength) {
        const length = Math.max(size + part.byteLength, 2 * buffer.byteLength, expected);
        const larger = Buffer.allocUnsafeSlow(Math.min(length, BOUNDS.bytes));
        larger.set(buffer.subarray(0, size));
        buffer = larger;
      }
      buffer.set(part, size);
      size += part.byteLength;
      return part.byteLength === chunk.byteLength;
    },
    bytes: (): Uint8Array => buffer.subarray(0, size),
  };
};

/** Few chunks: each is a turn of the event loop. */
const CHUNKS = { chunkSize: 512 * 1024 };

const DECODERS = new Map<string, (zlib: typeof import('node:zlib'), bytes: Uint8Array) => Transform>([
  ['gzip', (zlib) => zlib.createGunzip(CHUNKS)],
  ['x-gzip', (zlib) => zlib.createGunzip(CHUNKS)],
  ['deflate', (zlib, bytes) => (isBare(bytes) ? zlib.createInflateRaw(CHUNKS) : zlib.createInflate(CHUNKS))],
  ['br', (zlib) => zlib.createBrotliDecompress(CHUNKS)],
]);

const decodeBy = async (name: string, bytes: Uint8Array): Promise<BodyBytes> => {
  const decoder = DECODERS.get(name);
  if (decoder === undefined) return { fault: 'the answer is compressed in a way that paycli does not read' };
  const stream = decoder(await import('node:zlib'), bytes);
  const buffer = openBuffer();
  try {
    stream.end(bytes);
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      if (!buffer.take(chunk)) return { bytes: buffer.bytes(), isCut: true };
    }
    return { bytes: buffer.bytes() };
  } catch {
    return { fault: 'the answer is compressed, and damaged' };
  }
};

/** The answer with its body decompressed, though no compression was requested. An empty body is never compressed. */
const decodedAnswer = async (answer: RawAnswer): Promise<RawAnswer> => {
  const { headers, body } = answer;
  const encoding = String(headers['content-encoding'] || 'identity').toLowerCase();
  if (encoding === 'identity' || 'fault' in body || body.bytes.byteLength === 0) return answer;
  return { ...answer, body: await decodeBy(encoding, body.bytes) };
};

/**
 * Dispatches a request before it returns, and resolves with the answer after its last byte, or as soon as it is
 * certain that the rest will not be read. `mayStart` is called in the turn in which the request is handed over to an
 * open connection; false holds it back. Rejects with the error of the connection, or with the reason of `signal`:
 * after an abort nothing is handed over. (undici's own `request` creates a stream for each body, which costs more than
 * all the rest.)
 */
export const readAnswerTo = (
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
  mayStart?: () => boolean,
): Promise<RawAnswer> => {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const buffer = openBuffer();
  let head: AnswerHead = { status: 0, reasonPhrase: '', headers: {} };
  let started: Dispatcher.DispatchController | undefined;

  const cutOff = (controller: Dispatcher.DispatchController): void => {
    resolve({ ...head, body: { bytes: buffer.bytes(), isCut: true } });
    // Deferred: undici is still parsing, and may reach the end of a response that it has already dropped.
    queueMicrotask(() => controller.abort(new Error(TOO_LARGE)));
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
      else if (mayStart?.() === false) controller.abort(new Error('it was too late to send it'));
    },
    onResponseStart: (_controller, status, headers, reasonPhrase = '') => {
      head = { status, reasonPhrase, headers };
      buffer.expect(headers);
    },
    onResponseData: (controller, chunk) => {
      if (!buffer.take(chunk)) cutOff(controller);
    },
    onResponseEnd: () => resolve({ ...head, body: { bytes: buffer.bytes() } }),
    onResponseError: (_controller, error) => reject(error),
  });
  return promise.then(decodedAnswer);
};

const decoder = new TextDecoder();
const OBJECT = 0x7b;

/**
 * A body of JSON, or a text that exceeds the bounds. It is scanned once, and its values are created on access. (A
 * class: V8 keeps each object with its own getter alive for longer than its page.)
 */
export class JsonBody implements ApiRecord {
  readonly text: string;
  /** The text in UTF-8. */
  readonly raw: Uint8Array;
  /** True if the body is longer than the limit; the text is its beginning. */
  readonly isCut: boolean;
  readonly note: string | undefined;
  readonly #scan: Scan;
  #value: unknown;

  constructor(text: string, raw: Uint8Array, isCut = false, note?: string) {
    this.text = text;
    this.raw = raw;
    this.isCut = isCut;
    this.note = note;
    this.#scan = scan(raw, PAGE_FIELDS);
  }

  get isJson(): boolean {
    return this.#scan.isJson;
  }

  /** Sentence that names the exceeded bound. */
  get excess(): string | undefined {
    return this.isCut ? TOO_LARGE : excessOf(this.#scan);
  }

  /** The main fields of an object that exceeds the bounds, as far as they are within them; undefined without any. */
  get mainFields(): Readonly<Record<string, unknown>> | undefined {
    const members = [...scan(this.raw, MAIN_FIELDS).members].map(([name, span]) => [name, this.textAt(span)] as const);
    const small = members.filter(([, text]) => text.length <= BOUNDS.kept && excessOf(measure(text)) === undefined);
    return small.length === 0 ? undefined : Object.fromEntries(small.map(([name, text]) => [name, parseTexts(text)]));
  }

  get value(): unknown {
    this.#value ??= JSON.parse(this.text);
    return this.#value;
  }

  /** The envelope of a list: an object for each record that is one, else null, and the next cursor. */
  get envelope(): { readonly data: unknown; readonly next_cursor: unknown } {
    const [data, next] = PAGE_FIELDS.map((field) => this.#scan.members.get(field));
    return {
      data: data?.elements?.map((element) => (this.raw[element.start] === OBJECT ? element : null)),
      next_cursor: next === undefined ? undefined : JSON.parse(this.textAt(next)),
    };
  }

  textAt({ start, end }: Span): string {
    const isAscii = this.raw.length === this.text.length;
    return isAscii ? this.text.slice(start, end) : decoder.decode(this.raw.subarray(start, end));
  }

  /** The records of a page whose envelope is proven. */
  records<T>(): ApiRecord<T>[] {
    const elements = this.#scan.members.get('data')?.elements ?? [];
    return elements.map((span, index) => new ListRecord<T>(this, span, index));
  }
}

/** A record of a page; its text and value are created on access. */
class ListRecord<T> implements ApiRecord<T> {
  readonly bytes: Uint8Array | undefined;
  readonly #page: JsonBody;
  readonly #span: Element;
  readonly #index: number;
  #text: string | undefined;

  constructor(page: JsonBody, span: Element, index: number) {
    this.bytes = span.isPlain ? page.raw.subarray(span.start, span.end) : undefined;
    this.#page = page;
    this.#span = span;
    this.#index = index;
  }

  get value(): T {
    return (this.#page.value as { readonly data: readonly T[] }).data[this.#index] as T;
  }

  get text(): string {
    const { isPlain } = this.#span;
    this.#text ??= isPlain ? this.#page.textAt(this.#span) : minify(this.#page.textAt(this.#span));
    return this.#text;
  }
}

const HALVES = 'the service sent half a surrogate pair, which is no character: it is shown as U+FFFD';

/** A body, or the reason why there is none. */
export type AnswerBody = JsonBody | { readonly fault: string };

/**
 * Reads bytes as JSON, or returns the reason why they are none. Known secrets are removed first: a later cut would
 * leave half of one.
 */
export const readAnswerBody = (received: BodyBytes, clean: Clean): AnswerBody => {
  if ('fault' in received) return received;
  const { bytes, isCut = false } = received;
  const text = isCut ? decoder.decode(bytes) : decodeUtf8(bytes);
  if (text === undefined) return { fault: 'the answer is not valid UTF-8' };
  const cleaned = cleanedAnswer(text, clean);
  const whole = withWholePairs(cleaned);
  // A byte order mark is no part of the JSON.
  const own = bytes[0] === 0xef ? bytes.subarray(3) : bytes;
  const raw = whole === text && !isCut ? own : Buffer.from(whole);
  const body = new JsonBody(whole, raw, isCut, whole === cleaned ? undefined : HALVES);
  if (body.isJson || body.excess !== undefined) return body;
  return { fault: whole === '' ? 'the answer is empty' : 'the answer is not JSON' };
};

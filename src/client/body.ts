import { keptFields } from '../contract/operations.ts';
import { excessOf } from '../core/bounds.ts';
import { breathe, inTurns } from '../core/breath.ts';
import { answerSteps, type Clean } from '../core/cleaned.ts';
import { minify } from '../core/json.ts';
import { cutSteps } from '../core/json-cut.ts';
import type { Element, Span } from '../core/json-members.ts';
import { type Scan, scanSteps } from '../core/json-scan.ts';
import { memo } from '../core/memo.ts';
import { PAGE_FIELDS } from '../core/page.ts';
import type { Received } from '../core/received.ts';
import { decodeUtf8 } from '../core/utf8.ts';
import type { Bytes } from './answer.ts';

const decoder = new TextDecoder();
const OBJECT = 0x7b;

/**
 * A whole body of JSON, or of a text that holds more than values are made of. It is passed once, and values are made of it where
 * they are asked for. (A class: V8 keeps every object that is written with a getter of its own for longer than its page.)
 */
export class JsonBody implements Received {
  readonly text: string;
  /** The text in UTF-8. */
  readonly raw: Uint8Array;
  /** So much of what is beyond the bounds as can be kept; undefined where nothing is. */
  readonly kept: unknown;
  readonly #scan: Scan;
  readonly #value = memo((): unknown => JSON.parse(this.text));

  constructor(text: string, raw: Uint8Array, passed: Scan, kept: unknown) {
    this.text = text;
    this.raw = raw;
    this.#scan = passed;
    this.kept = kept;
  }

  get isJson(): boolean {
    return this.#scan.isJson;
  }

  /** What there is too much of, as a sentence. */
  get excess(): string | undefined {
    return excessOf(this.#scan);
  }

  get value(): unknown {
    return this.#value();
  }

  /** The envelope of a list: an object for each record that is one, and what is said of the way on. */
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
  records<T>(): Received<T>[] {
    const elements = this.#scan.members.get('data')?.elements ?? [];
    return elements.map((span, index) => new ListRecord<T>(this, span, index));
  }
}

/** A record of a page, of which neither text nor value is made before it is asked for. */
class ListRecord<T> implements Received<T> {
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

/** A body, or why there is none. */
export type Body = JsonBody | { readonly fault: string };

/** A mark at the start that says what the bytes are is no part of the text. */
const withoutMark = (bytes: Uint8Array): Uint8Array => (bytes[0] === 0xef ? bytes.subarray(3) : bytes);

/** A body of any bytes as JSON, or why it is none. Known secrets are taken out first: a later cut would leave half of one. */
export const readBody = async (received: Bytes, clean: Clean): Promise<Body> => {
  if ('fault' in received) return received;
  const { bytes } = received;
  const text = decodeUtf8(bytes);
  if (text === undefined) return { fault: 'the answer is not valid UTF-8' };
  await breathe(bytes.byteLength);
  const cleaned = await inTurns(answerSteps(text, clean));
  await breathe(bytes.byteLength);
  const raw = cleaned === text ? withoutMark(bytes) : Buffer.from(cleaned);
  const passed = await inTurns(scanSteps(raw, PAGE_FIELDS));
  await breathe(bytes.byteLength);
  const isTooMuch = passed.isJson && excessOf(passed) !== undefined;
  const kept = isTooMuch ? await inTurns(cutSteps(raw, keptFields())) : undefined;
  const body = new JsonBody(cleaned, raw, passed, kept);
  if (body.isJson || body.excess !== undefined) return body;
  return { fault: cleaned === '' ? 'the answer is empty' : 'the answer is not JSON' };
};

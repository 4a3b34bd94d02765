import { excessOf } from '../core/bounds.ts';
import { breathe } from '../core/breath.ts';
import type { Clean } from '../core/cleaned.ts';
import { cleanedAnswer } from '../core/cleaned.ts';
import { minify } from '../core/json.ts';
import type { Element, Scan, Span } from '../core/json-scan.ts';
import { scan } from '../core/json-scan.ts';
import { memo } from '../core/memo.ts';
import { PAGE_FIELDS } from '../core/page.ts';
import type { Received } from '../core/received.ts';
import type { Bytes } from './answer.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const OBJECT = 0x7b;

/** A whole body of JSON, or of a text that holds more than values are made of: passed once, and made into values when they are asked for. */
export class JsonBody {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly #scan: Scan;
  readonly #value = memo((): unknown => JSON.parse(this.text));

  constructor(text: string, bytes: Uint8Array = encoder.encode(text)) {
    this.text = text;
    this.bytes = bytes;
    this.#scan = scan(bytes, PAGE_FIELDS);
  }

  get isJson(): boolean {
    return this.#scan.isJson;
  }

  /** What there is too much of, as a sentence. */
  get excess(): string | undefined {
    return excessOf(this.#scan);
  }

  get json(): unknown {
    return this.#value();
  }

  /** The envelope of a list, by which it is proven: records by their place, where they are objects, and what is said of the way on. */
  get envelope(): { readonly data: unknown; readonly next_cursor: unknown } {
    const [data, next] = PAGE_FIELDS.map((field) => this.#scan.members.get(field));
    return {
      data: data?.elements?.map((element) => (this.bytes[element.start] === OBJECT ? element : null)),
      next_cursor: next === undefined ? undefined : JSON.parse(this.textAt(next)),
    };
  }

  textAt({ start, end }: Span): string {
    const isAscii = this.bytes.length === this.text.length;
    return isAscii ? this.text.slice(start, end) : decoder.decode(this.bytes.subarray(start, end));
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
    this.bytes = span.isPlain ? page.bytes.subarray(span.start, span.end) : undefined;
    this.#page = page;
    this.#span = span;
    this.#index = index;
  }

  get value(): T {
    return (this.#page.json as { readonly data: readonly T[] }).data[this.#index] as T;
  }

  get text(): string {
    this.#text ??= minify(this.#page.textAt(this.#span));
    return this.#text;
  }
}

/** A body, or why there is none. */
export type Body = JsonBody | { readonly fault: string };

/** A mark at the start that says what the bytes are is no part of the text. */
const withoutMark = (bytes: Uint8Array): Uint8Array => (bytes[0] === 0xef ? bytes.subarray(3) : bytes);

const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

/** A body of any bytes as JSON, or why it is none. Known secrets are taken out first: a later cut would leave half of one. */
export const readBody = async (received: Bytes, clean: Clean): Promise<Body> => {
  if ('fault' in received) return received;
  const { bytes } = received;
  const text = decodeUtf8(bytes);
  if (text === undefined) return { fault: 'the answer is not valid UTF-8' };
  await breathe(bytes.byteLength);
  const cleaned = cleanedAnswer(text, clean);
  await breathe(bytes.byteLength);
  const body = new JsonBody(cleaned, cleaned === text ? withoutMark(bytes) : undefined);
  await breathe(bytes.byteLength);
  if (body.isJson || body.excess !== undefined) return body;
  return { fault: cleaned === '' ? 'the answer is empty' : 'the answer is not JSON' };
};

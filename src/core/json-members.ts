import { BOUNDS } from './bounds.ts';

const ARRAY = 0x5b;
const [BLANK, TAB, LINE_FEED, RETURN] = [0x20, 0x09, 0x0a, 0x0d] as const;

/** A stretch of bytes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** An element of an array. */
export interface Element extends Span {
  /** Nothing but printable ASCII, and no blanks between tokens: it can be printed as it is. */
  readonly isPlain: boolean;
}

/** The value of a member of the outermost object. */
export interface Member extends Span {
  /** Where it is an array. */
  readonly elements: readonly Element[] | undefined;
}

const decoder = new TextDecoder();
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

export const isBlank = (code: number): boolean =>
  code === BLANK || code === LINE_FEED || code === RETURN || code === TAB;

/** Notes members of the outermost object, and the elements of those that are arrays, as they are passed. */
export class Notes {
  readonly members = new Map<string, Member>();
  readonly #bytes: Uint8Array;
  readonly #fields: readonly string[];
  #field: string | undefined;
  #start = 0;
  #elements: Element[] | undefined;
  #element = 0;

  constructor(bytes: Uint8Array, fields: readonly string[]) {
    this.#bytes = bytes;
    this.#fields = fields;
  }

  /** The name of a member, quotes included. */
  name(start: number, end: number): void {
    if (this.#fields.length === 0) return;
    const name: unknown = JSON.parse(textOf(this.#bytes.subarray(start, end)));
    this.#field = this.#fields.find((field) => field === name);
  }

  /** A value begins: at depth 1 a member, at depth 2 an element. */
  begin(depth: number, at: number): void {
    if (depth === 2) this.#element = at;
    if (depth !== 1) return;
    this.#start = at;
    this.#elements = this.#field !== undefined && this.#bytes[at] === ARRAY ? [] : undefined;
  }

  /** It ends before this, but for blanks. */
  end(depth: number, before: number, isPlain: boolean): void {
    let end = before;
    while (isBlank(this.#bytes[end - 1] as number)) end -= 1;
    if (depth === 2) {
      // What there is beyond the bounds is never read.
      if ((this.#elements?.length ?? 0) <= BOUNDS.values) this.#elements?.push({ start: this.#element, end, isPlain });
    } else if (this.#field !== undefined) {
      this.members.set(this.#field, { start: this.#start, end, elements: this.#elements });
    }
  }
}

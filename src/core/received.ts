import { printExact } from './json.ts';

/**
 * A record from the service: its value, checked against the contract, and the very text it came as. Values are for
 * decisions and tables; what is printed as JSON is the text.
 */
export interface Received<T = unknown> {
  readonly value: T;
  readonly text: string;
  /** The text as UTF-8, where it can be handed on as it is: printable ASCII without blanks between tokens, in which no secret is. */
  readonly bytes?: Uint8Array | undefined;
  /** The `Date` header: the service's own clock as it answered, in milliseconds since the epoch, to the second; where it said so. */
  readonly servedAt?: number;
  /** The `Age` header: how long the answer had lain in a cache, in milliseconds; absent where it came from the service itself. */
  readonly age?: number;
  /** The value is not all that the text holds, and why: a sentence. */
  readonly cut?: string;
}

/** The service's clock as it gave an answer, or earlier: what lay in a cache may have got a new `Date` on the way. */
export const servedBy = ({ servedAt, age = 0 }: Pick<Received, 'servedAt' | 'age'> = {}): number | undefined =>
  servedAt === undefined ? undefined : servedAt - age;

/** The service tells whole seconds, and its answer takes a while. */
const CLOCKS_AGREE_MS = 2000;

/** `now` by the service's clock, as an answer tells that has just come; by this machine's where they agree, or a cache answered. */
export const serviceNow = ({ servedAt, age = 0 }: Pick<Received, 'servedAt' | 'age'>, now: number): number =>
  servedAt === undefined || age > CLOCKS_AGREE_MS || Math.abs(now - servedAt) <= CLOCKS_AGREE_MS ? now : servedAt;

/**
 * One page of a list (interface.md 2.6), with the cursor that asked for it (undefined for the first). The texts of its records
 * are without blanks between tokens.
 */
export interface ReceivedPage<T = unknown> {
  readonly records: readonly Received<T>[];
  readonly cursor: string | undefined;
  readonly nextCursor: string | null;
}

/** A record of our own making, in the shape of one received. */
export const madeHere = <T>(value: T): Received<T> => ({ value, text: JSON.stringify(value) });

/** A record whose numbers are exact, as `parseExact` gives it. */
export const receivedOf = (exact: unknown): Received => {
  const text = printExact(exact);
  return { value: JSON.parse(text), text };
};

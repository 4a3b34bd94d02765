import type { EventState } from '../core/event.ts';

/** Name and value, in the order and spelling in which they came. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** A delivery as it came, its signature checked. */
export interface Delivery {
  /** The event's own, or `sha256:…` of the body where it has none. */
  readonly uid: string;
  readonly event: string;
  readonly ugwo: string | undefined;
  readonly activity: string | undefined;
  /** The sender's name for this attempt. */
  readonly delivery: string | undefined;
  readonly signature: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly receivedAt: number;
}

/** Stands where an event came under a uid that was known with another body. Its own uid here is the digest of its bytes. */
export const OTHER_BODY = -1;

/** An event in the queue. */
export interface KeptEvent extends Delivery {
  /** Its place in the order in which events came. */
  readonly seq: number;
  /** 0, its number among the repeats that were kept, too, or `OTHER_BODY`. */
  readonly again: number;
  /** How often it came again and was dropped. */
  readonly repeats: number;
  readonly state: EventState;
  /** How often it was forwarded, to whatever end. */
  readonly attempts: number;
  /** What the target answered last. */
  readonly answer: string | undefined;
  readonly answeredAt: number | undefined;
  /** Since when the target has refused it. */
  readonly refusedSince: number | undefined;
}

/** What a list shows of it. */
export type EventSummary = Omit<KeptEvent, 'body' | 'headers'>;

/** A delivery that was turned away for its signature. */
export interface Refused {
  readonly at: number;
  readonly why: string;
  readonly delivery: string | undefined;
  readonly signature: string;
  readonly size: number;
  readonly body: Uint8Array;
}

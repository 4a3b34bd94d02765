/** How fast tries follow one another, in milliseconds: the longest wait before the first repeat, and before any. */
export interface BackoffRange {
  readonly base: number;
  readonly cap: number;
}

/** Requests to the service. */
const REQUESTS: BackoffRange = { base: 500, cap: 20_000 };

/** Makes a wait up to a fifth longer, so that requests that wait together don't come back together. */
export const spread = (ms: number, random: () => number): number => ms * (1 + 0.2 * random());

/** Full jitter: uniform in [0, min(cap, base × 2^retry)), `retry` counted from 0. */
export const backoff = (retry: number, random: () => number, { base, cap }: BackoffRange = REQUESTS): number =>
  random() * Math.min(cap, base * 2 ** retry);

const CAP_MS = 20_000;
const BASE_MS = 500;

/** Full jitter: uniform in [0, min(20 s, 0.5 s × 2^retry)), `retry` counted from 0. */
export const backoff = (retry: number, random: () => number): number =>
  random() * Math.min(CAP_MS, BASE_MS * 2 ** retry);

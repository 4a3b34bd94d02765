import type { Headers } from './kept.ts';

/** Between two machines only (RFC 9110, section 7.6.1), or said anew for the body as it is sent. */
const NOT_PASSED_ON = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Pairs out of what node:http gives as one list. */
export const pairsOf = (raw: readonly string[]): Headers =>
  Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index] ?? '', raw[2 * index + 1] ?? ''] as const);

/** The sender's headers without those that were for the way to here, those that Connection names included. */
export const passedOn = (headers: Headers): Headers => {
  const named = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((word) => word.trim().toLowerCase()));
  const dropped = new Set([...NOT_PASSED_ON, ...named]);
  return headers.filter(([name]) => !dropped.has(name.toLowerCase()));
};

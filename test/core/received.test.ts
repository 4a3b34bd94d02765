import { expect, it } from 'vitest';
import { serviceNow } from '../../src/core/record.ts';

it.each([
  ['the same', { servedAt: 9000 }, 10_000],
  ['another', { servedAt: 910_000 }, 910_000],
  ['not told', {}, 10_000],
  ['told by a cache', { servedAt: 910_000, age: 60_000 }, 10_000],
])('tells the time by the clock of the service: %s', (_what, answer, now) => {
  expect(serviceNow(answer, 10_000)).toBe(now);
});

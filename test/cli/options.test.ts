import { expect, it } from 'vitest';
import { asRate } from '../../src/cli/options.ts';

it('asRate parses a count per time unit', () => {
  expect(asRate('100/m')).toEqual({ count: 100, ms: 60_000 });
});

it('asRate rejects a rate without a time unit', () => {
  expect(() => asRate('50')).toThrow(
    expect.objectContaining({ kind: 'usage', message: '"50" is not a rate such as 50/s, 100/m or 1000/h' }),
  );
});

import { describe, expect, it } from 'vitest';
import { isBusy } from '../../src/database/connect.ts';

describe('isBusy', () => {
  it.each([
    [{ errcode: 5 }, true],
    [{ errcode: 261 }, true],
    [{ errcode: 517 }, true],
    [{ errcode: 6 }, false],
    [{ errcode: 10 }, false],
    [{}, false],
  ])('of %j is %s, also as the cause of another error', (some, expected) => {
    const thrown = Object.assign(new Error('x'), some);
    expect(isBusy(thrown)).toBe(expected);
    expect(isBusy(new Error('outer', { cause: thrown }))).toBe(expected);
  });

  it('goes by the outermost error of SQLite', () => {
    expect(
      isBusy(
        Object.assign(new Error('disk', { cause: Object.assign(new Error('database is locked'), { errcode: 5 }) }), {
          errcode: 10,
        }),
      ),
    ).toBe(false);
    expect(isBusy('SQLITE_BUSY')).toBe(false);
  });
});

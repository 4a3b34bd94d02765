import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gravest, isSignalCode, type RowEnd, rowExit, wasStopped } from '../../src/bulk/row-end.ts';
import { ROW_STATES } from '../../src/core/charge.ts';
import { EXIT_CODES } from '../../src/core/error.ts';

describe('wasStopped', () => {
  it.each<[RowEnd, boolean]>([
    [{ state: 'not_sent', exitCode: 130 }, true],
    [{ state: 'not_sent', exitCode: 143 }, true],
    [{ state: 'not_sent', exitCode: 5 }, false],
    [{ state: 'not_sent' }, false],
    [{ state: 'unknown', exitCode: 130 }, false],
  ])('%j: %s', (end, stopped) => {
    expect(wasStopped(end)).toBe(stopped);
  });

  it.each([
    [130, true],
    [143, true],
    [5, false],
    [0, false],
    [undefined, false],
  ] as const)('uses the exit code %s: %s', (code, is) => {
    expect(isSignalCode(code)).toBe(is);
  });
});

describe('rowExit', () => {
  it.each<[RowEnd, number]>([
    [{ state: 'accepted', exitCode: 0 }, 0],
    // Reconciled: its run exited with 6, but it was accepted.
    [{ state: 'accepted', exitCode: 6 }, 0],
    // Created, but its next action was unreadable.
    [{ state: 'accepted', exitCode: 7 }, 7],
    // Created, and its money went back.
    [{ state: 'accepted', exitCode: 11 }, 11],
    [{ state: 'failed' }, 11],
    [{ state: 'rejected', exitCode: 3 }, 3],
    [{ state: 'rejected', exitCode: 4 }, 4],
    [{ state: 'not_sent', exitCode: 5 }, 5],
    [{ state: 'not_sent', exitCode: 4 }, 4],
    [{ state: 'not_sent', exitCode: 8 }, 8],
    [{ state: 'not_sent', exitCode: 130 }, 130],
    [{ state: 'not_created', exitCode: 6 }, 5],
    [{ state: 'unknown' }, 6],
    [{ state: 'refused' }, 9],
    [{ state: 'sending' }, 0],
    [{ state: 'invalid' }, 5],
  ])('%j is %i', (end, code) => {
    expect(rowExit(end)).toBe(code);
  });
});

describe('gravest', () => {
  it('follows the documented order', () => {
    const order = [7, 6, 10, 4, 8, 130, 143, 3, 11, 5, 9, 0];
    for (const [index, code] of order.entries()) {
      expect(gravest(order.slice(index).reverse())).toBe(code);
    }
    expect(gravest([])).toBe(0);
  });

  it('never hides an unknown code', () => {
    expect(gravest([EXIT_CODES.unrecorded, EXIT_CODES.internal])).toBe(EXIT_CODES.internal);
  });

  it('is never 0 if one code is not 0', () => {
    const ends = fc.record({
      state: fc.constantFrom(...ROW_STATES),
      exitCode: fc.option(fc.nat(150), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(ends), (rows) => {
        const codes = rows.map(rowExit);
        expect(gravest(codes) === 0).toBe(codes.every((code) => code === 0));
      }),
    );
  });
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bitSet } from '../../src/bulk/counters.ts';

it('bitSet behaves like a Set', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40_000 }), { maxLength: 200 }), (rows) => {
      const [bits, model] = [bitSet(), new Set<number>()];
      for (const row of rows) {
        bits.set(row);
        model.add(row);
        expect(bits.count).toBe(model.size);
      }
      for (const row of rows) {
        for (const near of [row - 1, row, row + 1, row + 8]) expect(bits.has(near)).toBe(model.has(near));
      }
    }),
  );
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bitSet } from '../../src/bulk/counters.ts';

it('bitSet behaves like a Set', () => {
  const steps = fc.array(fc.record({ row: fc.integer({ min: 1, max: 40_000 }), set: fc.boolean() }), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(steps, (all) => {
      const [bits, model] = [bitSet(), new Set<number>()];
      for (const { row, set } of all) {
        if (set) {
          bits.set(row);
          model.add(row);
        } else {
          bits.clear(row);
          model.delete(row);
        }
        expect(bits.count).toBe(model.size);
      }
      for (const { row } of all) {
        for (const near of [row - 1, row, row + 1, row + 8]) expect(bits.has(near)).toBe(model.has(near));
      }
    }),
  );
});

const FIRST_BYTES = 1024;

/** A mark for each row of a file, from 1 on: an eighth of a byte a row. */
export const newBits = () => {
  let bytes = new Uint8Array(FIRST_BYTES);
  let count = 0;
  const has = (row: number): boolean => (((bytes[row >> 3] ?? 0) >> (row & 7)) & 1) === 1;
  const make = (row: number): void => {
    if (row >> 3 < bytes.length) return;
    const longer = new Uint8Array(Math.max(bytes.length * 2, (row >> 3) + 1));
    longer.set(bytes);
    bytes = longer;
  };
  const flip = (row: number): void => {
    make(row);
    bytes[row >> 3] = (bytes[row >> 3] ?? 0) ^ (1 << (row & 7));
  };
  return {
    has,
    set: (row: number): void => {
      if (has(row)) return;
      flip(row);
      count += 1;
    },
    clear: (row: number): void => {
      if (!has(row)) return;
      flip(row);
      count -= 1;
    },
    get count(): number {
      return count;
    },
  };
};
export type Bits = ReturnType<typeof newBits>;

const FIRST_BYTES = 1024;

/** A mark for each row of a file, from 1 on: an eighth of a byte a row. */
export const newBits = () => {
  let bytes = new Uint8Array(FIRST_BYTES);
  let count = 0;
  const has = (row: number): boolean => (((bytes[row >> 3] ?? 0) >> (row & 7)) & 1) === 1;
  const put = (row: number, isSet: boolean): void => {
    if (has(row) === isSet) return;
    const at = row >> 3;
    if (at >= bytes.length) {
      const longer = new Uint8Array(Math.max(bytes.length * 2, at + 1));
      longer.set(bytes);
      bytes = longer;
    }
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (row & 7));
    count += isSet ? 1 : -1;
  };
  return {
    has,
    set: (row: number): void => put(row, true),
    clear: (row: number): void => put(row, false),
    get count(): number {
      return count;
    },
  };
};
export type Bits = ReturnType<typeof newBits>;

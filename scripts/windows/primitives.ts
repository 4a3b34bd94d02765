/**
 * The library bcryptprimitives.dll, which Bun needs and Wine 8 lacks. Its one function leads to the older name of the
 * same function, so the library holds a table of names and no code.
 */

const NAMES = ['bcryptprimitives.dll', 'ProcessPrng', 'advapi32.SystemFunction036'].map((name) => `${name}\0`);
/** Offset of the only section in the file, and in memory. */
const [IN_FILE, IN_MEMORY] = [0x200, 0x1000];
const TABLES = 50;

/** The export directory, its three tables, and the names. */
const exportsSection = (): Buffer => {
  const section = Buffer.alloc(IN_FILE);
  const [library = 0, name = 0, target = 0] = NAMES.map(
    (_, i) => IN_MEMORY + TABLES + NAMES.slice(0, i).join('').length,
  );
  const directory = [0, 0, 0, library, 1, 1, 1, IN_MEMORY + 40, IN_MEMORY + 44, IN_MEMORY + 48];
  for (const [i, value] of [...directory, target, name].entries()) section.writeUInt32LE(value, i * 4);
  section.write(NAMES.join(''), TABLES, 'latin1');
  return section;
};

const numbers = (size: 2 | 4 | 8, ...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * size);
  for (const [i, value] of values.entries()) bytes.writeUIntLE(value, i * size, Math.min(size, 6));
  return bytes;
};

const DOS = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(58), numbers(4, 64)]);
/** x64, one section; a library for addresses beyond 2 GB. */
const FILE = Buffer.concat([
  Buffer.from('PE\0\0'),
  numbers(2, 0x8664, 1),
  numbers(4, 0, 0, 0),
  numbers(2, 240, 0x2022),
]);
const OPTIONAL = Buffer.concat([
  numbers(2, 0x20b, 0),
  numbers(4, 0, IN_FILE, 0, 0, IN_MEMORY),
  numbers(8, 0x180000000),
  numbers(4, IN_MEMORY, IN_FILE),
  // Versions of the system, of the image, and of the subsystem.
  numbers(2, 6, 0, 0, 0, 6, 0),
  numbers(4, 0, 2 * IN_MEMORY, IN_FILE, 0),
  numbers(2, 3, 0),
  numbers(8, 0x100000, 0x1000, 0x100000, 0x1000),
  numbers(4, 0, 16, IN_MEMORY, IN_FILE),
  Buffer.alloc(15 * 8),
]);
const SECTION = Buffer.concat([
  Buffer.from('.edata\0\0'),
  numbers(4, IN_FILE, IN_MEMORY, IN_FILE, IN_FILE, 0, 0, 0, 0x40000040),
]);

export const PRIMITIVES = {
  name: 'bcryptprimitives.dll',
  bytes: (): Buffer => {
    const head = Buffer.concat([DOS, FILE, OPTIONAL, SECTION]);
    return Buffer.concat([head, Buffer.alloc(IN_FILE - head.length), exportsSection()]);
  },
};

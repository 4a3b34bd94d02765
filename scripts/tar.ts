import { gzipSync } from 'node:zlib';

const BLOCK = 512;

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;

/** Header of a file in an archive (POSIX ustar), without owner and time, so that every machine creates the same bytes. */
const headOf = (name: string, size: number): Buffer => {
  const head = Buffer.alloc(BLOCK);
  if (name.length > 100) throw new Error(`${name} is too long a name`);
  head.write(name, 0);
  head.write(octal(0o644, 8), 100);
  head.write(octal(0, 8), 108);
  head.write(octal(0, 8), 116);
  head.write(octal(size, 12), 124);
  head.write(octal(0, 12), 136);
  head.write(' '.repeat(8), 148);
  head.write('0', 156);
  head.write('ustar\x0000', 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${octal(sum, 7)} `, 148);
  return head;
};

/** Files as a .tar.gz. */
export const tarOf = (files: ReadonlyMap<string, string>): Buffer => {
  const blocks = [...files].flatMap(([name, text]) => {
    const bytes = Buffer.from(text);
    return [headOf(name, bytes.byteLength), bytes, Buffer.alloc(-bytes.byteLength & (BLOCK - 1))];
  });
  const archive = gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 9 });
  // The operating system byte of gzip.
  archive[9] = 255;
  return archive;
};

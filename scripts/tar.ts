import { gzipSync } from 'node:zlib';

const BLOCK = 512;

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;

/** Time of every file: 1980-01-01. Debian's archive takes no earlier one. */
const TIME_S = 315_532_800;

/**
 * Header of a file or folder in an archive (POSIX ustar). It belongs to root and has a fixed time, so that every machine
 * creates the same bytes.
 */
const headOf = (name: string, size: number, isProgram: boolean): Buffer => {
  const isFolder = name.endsWith('/');
  const head = Buffer.alloc(BLOCK);
  if (name.length > 100) throw new Error(`${name} is too long a name`);
  head.write(name, 0);
  head.write(octal(isFolder || isProgram ? 0o755 : 0o644, 8), 100);
  head.write(octal(0, 8), 108);
  head.write(octal(0, 8), 116);
  head.write(octal(size, 12), 124);
  head.write(octal(TIME_S, 12), 136);
  head.write(' '.repeat(8), 148);
  head.write(isFolder ? '5' : '0', 156);
  head.write('ustar\x0000', 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${octal(sum, 7)} `, 148);
  return head;
};

/** Compresses without time, name or system. */
export const gzip = (bytes: string | Buffer): Buffer => {
  const compressed = gzipSync(bytes);
  // The operating system byte of gzip.
  compressed[9] = 255;
  return compressed;
};

/** Files as a .tar.gz, in this order. A name with a slash at its end is a folder; `program` names the one that runs. */
export const tarOf = (files: ReadonlyMap<string, string | Buffer>, program?: string): Buffer => {
  const blocks = [...files].flatMap(([name, content]) => {
    const bytes = Buffer.from(content);
    return [headOf(name, bytes.byteLength, name === program), bytes, Buffer.alloc(-bytes.byteLength & (BLOCK - 1))];
  });
  return gzip(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]));
};

import { closeSync, openSync, readSync } from 'node:fs';

const LINE_FEED = 10;
const AT_ONCE = 1 << 20;

export const linesIn = (bytes: Buffer): number => {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
};

export const linesInFile = (path: string): number => {
  const file = openSync(path, 'r');
  const bytes = Buffer.alloc(AT_ONCE);
  let count = 0;
  for (let read = readSync(file, bytes); read > 0; read = readSync(file, bytes)) {
    count += linesIn(bytes.subarray(0, read));
  }
  closeSync(file);
  return count;
};

import { lstatSync } from 'node:fs';

/** The permissions of a file or folder, in octal digits. */
export const modeOf = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);

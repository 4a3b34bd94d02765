import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian keeps some programs where only the PATH of root looks. */
const ROOTS = ['/usr/sbin', '/sbin'];

/** The path of a program of this machine; undefined where it is not installed. */
export const toolOf = (name: string): string | undefined =>
  [...(process.env['PATH'] ?? '').split(delimiter), ...ROOTS].map((folder) => join(folder, name)).find(existsSync);

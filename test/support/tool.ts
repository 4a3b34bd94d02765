import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian has some programs in root's PATH only. */
const ROOTS = ['/usr/sbin', '/sbin'];

/** The path of an installed program; undefined if it is missing. */
export const toolOf = (name: string): string | undefined =>
  [...(process.env['PATH'] ?? '').split(delimiter), ...ROOTS].map((folder) => join(folder, name)).find(existsSync);

import { readFileSync, realpathSync } from 'node:fs';
import { attempt } from './async.ts';

/** Where something is mounted, by what the kernel lists; blanks and the like are in octal there. */
export const mountPoints = (list: string): readonly string[] =>
  list
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .map((at) => at.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))));

/** True where a file or folder is mounted by itself. The kernel lists bytes, and a path is compared by them. */
export const isMounted = (path: string): boolean => {
  const list = attempt(() => readFileSync('/proc/self/mountinfo', 'latin1')) ?? '';
  const real = attempt(() => realpathSync(path)) ?? path;
  return mountPoints(list).includes(Buffer.from(real).toString('latin1'));
};

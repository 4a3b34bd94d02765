import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARIES = '/usr/lib';

const library = (): string | undefined =>
  existsSync(LIBRARIES)
    ? readdirSync(LIBRARIES)
        .map((folder) => join(LIBRARIES, folder, 'faketime', 'libfaketimeMT.so.1'))
        .find((path) => existsSync(path))
    : undefined;

/** Whether faketime is installed, which no package of npm brings. */
export const hasFaketime = (): boolean => library() !== undefined;

/**
 * What makes a program believe that it is so many seconds later, or earlier where they are negative. How long something
 * takes is measured by a clock of its own, which goes right.
 */
export const clockThatIsOff = (seconds: number): Record<string, string> => {
  const path = library();
  if (path === undefined) throw new Error('this test needs faketime: apt-get install faketime');
  return { LD_PRELOAD: path, FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}s`, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
};

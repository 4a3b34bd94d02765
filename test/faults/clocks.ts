import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARIES = '/usr/lib';

const library = (): string | undefined =>
  existsSync(LIBRARIES)
    ? readdirSync(LIBRARIES)
        .map((folder) => join(LIBRARIES, folder, 'faketime', 'libfaketimeMT.so.1'))
        .find((path) => existsSync(path))
    : undefined;

/** Whether faketime is installed; npm has no package for it. */
export const hasFaketime = (): boolean => library() !== undefined;

/** Variables that make a program's clock wrong by this many seconds. The monotonic clock is not affected. */
export const clockThatIsOff = (seconds: number): Record<string, string> => {
  const path = library();
  if (path === undefined) throw new Error('this test needs faketime: apt-get install faketime');
  return { LD_PRELOAD: path, FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}s`, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
};

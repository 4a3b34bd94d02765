import { existsSync, readdirSync, rmSync } from 'node:fs';
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

const MEMORY = '/dev/shm';

/** Removes what killed processes left: faketime ends each process that gets the number of one of these. */
const removeLeftovers = (): void => {
  for (const name of readdirSync(MEMORY)) {
    const pid = /^(?:sem\.)?faketime_(?:shm|sem)_(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(MEMORY, name), { force: true });
  }
};

/** Variables that make a program's clock wrong by this many seconds. The monotonic clock is not affected. */
export const clockThatIsOff = (seconds: number): Record<string, string> => {
  const path = library();
  if (path === undefined) throw new Error('this test needs faketime: apt-get install faketime');
  removeLeftovers();
  return { LD_PRELOAD: path, FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}s`, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
};

import { readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const IN_MEMORY = '/dev/shm';
/** Much more than one run of all tests writes. */
const ROOM = 2 ** 30;

const canBeUsed = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    // Tests run programs that they have written.
    const mounted = new RegExp(` ${IN_MEMORY} \\S+ (\\S+)`).exec(readFileSync('/proc/mounts', 'utf8'))?.[1];
    return bavail * bsize > ROOM && mounted?.split(',').includes('noexec') === false;
  } catch {
    return false;
  }
};

/** Where tests create their folders: in memory if there is space, so that no test waits for the disk. */
export const foldersGoTo = (): string => (canBeUsed() ? IN_MEMORY : tmpdir());

import { readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const IN_MEMORY = '/dev/shm';
/** Many times what one run of all tests writes. */
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

/** Where tests put their folders: in memory, where there is room, so that none waits for the disk to sync. */
export const foldersGoTo = (): string => (canBeUsed() ? IN_MEMORY : tmpdir());

import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RUN_FOLDER } from '../canary.ts';

/** Creates a folder that all tests of a run share. If several processes create it at once, the first one wins. */
export const makeOnce = async (name: string, make: (folder: string) => Promise<void>): Promise<string> => {
  const made = join(RUN_FOLDER, name);
  if (existsSync(made)) return made;
  await mkdir(RUN_FOLDER, { recursive: true, mode: 0o711 });
  const own = await mkdtemp(join(RUN_FOLDER, 'new-'));
  // The server's programs may run as another user.
  await chmod(own, 0o711);
  try {
    await make(join(own, name));
    await rename(join(own, name), made);
  } catch (thrown) {
    if (!existsSync(made)) throw thrown;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  return made;
};

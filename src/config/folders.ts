import { isAbsolute, resolve } from 'node:path';
import envPaths from 'env-paths';
import { usageError } from '../core/error.ts';
import type { Env } from '../core/io.ts';

/** Absolute paths of the folders that the program keeps things in. */
export interface Folders {
  readonly config: string;
  readonly data: string;
}

// Without its trailing slash: lstat would follow a link that is written with one.
const absolute = (path: string, problem: string, hint: string): string => {
  if (!isAbsolute(path)) throw usageError(problem, { hint });
  return resolve(path);
};

/**
 * Where things are kept: PAYCLI_HOME for all of it, else the platform's own folders. A relative path is refused, since
 * it would mean another place, and maybe somebody else's files, in every working folder.
 */
export const findFolders = (env: Env): Folders => {
  const home = env['PAYCLI_HOME'];
  if (home !== undefined) {
    const folder = absolute(
      home,
      'PAYCLI_HOME is not an absolute path',
      'set it to one that starts at the root, or unset it',
    );
    return { config: folder, data: folder };
  }
  const { config, data } = envPaths('paycli', { suffix: '' });
  const hint = 'set PAYCLI_HOME to an absolute path, or fix HOME and the XDG_… variables';
  return {
    config: absolute(config, 'the folder for settings is not an absolute path', hint),
    data: absolute(data, 'the folder for data is not an absolute path', hint),
  };
};

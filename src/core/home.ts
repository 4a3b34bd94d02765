import { homedir } from 'node:os';
import { PayError } from './error.ts';
import { tried } from './tried.ts';

/** The home folder of this user. In a container a user may have none: then whatever needs it throws. */
export const homeFolder = (hint = 'set HOME'): string => {
  const home = tried(homedir) ?? '';
  if (home !== '') return home;
  throw new PayError('auth', 'no home folder is known: HOME is not set, and the system has no entry for this user', {
    hint,
  });
};

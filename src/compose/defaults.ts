import { existsSync, readFileSync } from 'node:fs';
import type { Globals } from '../cli/globals.ts';
import type { Io } from '../core/io.ts';
import type { StoredDefaults } from '../core/settings.ts';
import { openRooms } from './run.ts';

/**
 * Stored defaults of the run's profile; undefined if there are none. A fault in the profile is left to the command to
 * report, if it needs a profile. The file is not parsed if no profile has defaults.
 */
export const storedDefaults = async (io: Io, globals: Globals): Promise<StoredDefaults | undefined> => {
  if (globals.local) return undefined;
  const rooms = openRooms(io);
  try {
    const file = `${(await rooms.folders()).config}/config.json`;
    if (!existsSync(file) || !readFileSync(file, 'latin1').includes('"defaults"')) return undefined;
    const room = await rooms.profiles();
    const { name, origin } = room.chosen(globals);
    return name === undefined && origin !== undefined ? undefined : room.defaults(name);
  } catch {
    return undefined;
  }
};

import { type BigIntStats, fstatSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { attempt } from '../core/async.ts';
import { DATA_FILES } from '../core/data-files.ts';

const OWN = [...DATA_FILES, ['config.json', 'the profile file']] as const;

const MOST_LINKS = 40;

const statOf = (path: string): BigIntStats | undefined => statSync(path, { bigint: true, throwIfNoEntry: false });

const isSame = (one: BigIntStats | undefined, other: BigIntStats | undefined): boolean =>
  one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;

/** Where a file would be made: symbolic links may lead to a place where there is none yet. */
const placeOf = (path: string): string => {
  let place = resolve(path);
  for (let links = 0; links < MOST_LINKS; links += 1) {
    try {
      place = resolve(dirname(place), readlinkSync(place));
    } catch {
      break;
    }
  }
  return place;
};

/** Whose file it is by its name; some systems do not tell capitals from small letters. */
const ownerOf = (name: string): string | undefined => OWN.find(([start]) => name.toLowerCase().startsWith(start))?.[1];

/** Whose a file in this folder is, whatever other path leads to it. */
const ownerIn = (folder: string, path: string): string | undefined => {
  const there = statOf(path);
  const names = attempt(() => readdirSync(folder)) ?? [];
  const found = names.find((name) => ownerOf(name) !== undefined && isSame(there, statOf(join(folder, name))));
  if (found !== undefined) return ownerOf(found);
  const place = placeOf(path);
  return isSame(statOf(dirname(place)), statOf(folder)) ? ownerOf(basename(place)) : undefined;
};

/** Whether a path leads to where a standard stream comes from or goes to. */
const isStream = (fd: 0 | 1, path: string): boolean =>
  attempt(() => {
    const there = statOf(path);
    // Nothing gets lost where all is thrown away.
    return isSame(there, fstatSync(fd, { bigint: true })) && !isSame(there, statOf('/dev/null'));
  }) === true;

/** What a path leads to that this run writes already, or that the program keeps; undefined where it may be written to. */
export const ownFileAt = (path: string, folders: readonly string[]): string | undefined => {
  if (isStream(1, path)) return 'standard output, which has the summary';
  if (isStream(0, path)) return 'standard input';
  return folders.map((folder) => ownerIn(folder, path)).find((owner) => owner !== undefined);
};

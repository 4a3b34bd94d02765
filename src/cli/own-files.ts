import { type BigIntStats, fstatSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { attempt } from '../core/async.ts';
import { DATA_FILES } from '../core/data-files.ts';
import { MOST_LINKS } from '../core/files.ts';

const OWN_FILES = [...DATA_FILES, ['config.json', 'the profile file']] as const;

const statsOfFile = (path: string): BigIntStats | undefined => statSync(path, { bigint: true, throwIfNoEntry: false });

const isSame = (one: BigIntStats | undefined, other: BigIntStats | undefined): boolean =>
  one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;

/** Resolves symbolic links to the path where a file would be created, even if it doesn't exist yet. */
const finalPlace = (path: string): string => {
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

/** Describes the program's own file of this name. Ignores case, since some file systems do. */
const ownerOf = (name: string): string | undefined =>
  OWN_FILES.find(([start]) => name.toLowerCase().startsWith(start))?.[1];

/** Describes the program's own file in this folder that a path leads to, through links too. */
const ownerIn = (folder: string, path: string): string | undefined => {
  const there = statsOfFile(path);
  const names = attempt(() => readdirSync(folder)) ?? [];
  const found = names.find((name) => ownerOf(name) !== undefined && isSame(there, statsOfFile(join(folder, name))));
  if (found !== undefined) return ownerOf(found);
  const place = finalPlace(path);
  return isSame(statsOfFile(dirname(place)), statsOfFile(folder)) ? ownerOf(basename(place)) : undefined;
};

/** True if a path leads to the file behind stdin (0) or stdout (1). */
const isStream = (fd: 0 | 1, path: string): boolean =>
  attempt(() => {
    const there = statsOfFile(path);
    // Writing to /dev/null twice loses nothing.
    return isSame(there, fstatSync(fd, { bigint: true })) && !isSame(there, statsOfFile('/dev/null'));
  }) === true;

/** Names the stream or the program's own file that a path leads to. Undefined if the path may be written to. */
export const ownFileAt = (path: string, folders: readonly string[]): string | undefined => {
  if (isStream(1, path)) return 'standard output, which has the summary';
  if (isStream(0, path)) return 'standard input';
  return folders.map((folder) => ownerIn(folder, path)).find((owner) => owner !== undefined);
};

import type { Stats } from 'node:fs';
import { lstatSync, readlinkSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { PayError } from './error.ts';
import { usageError } from './error.ts';
import { tried } from './tried.ts';

const MOST_LINKS = 40;
const ROOT = 0;

const refusal = (path: string, what: string): PayError =>
  usageError(`${path} ${what}, so it was not used`, { hint: 'use a file in a folder of your own; nothing was sent' });

/** Undefined where there is nothing, or nothing to be looked at: whoever opens it says why. */
const statsOf = (look: typeof lstatSync, path: string): Stats | undefined => tried(() => look(path));

/**
 * Refuses a path that leads through a symbolic link, or to a named pipe, of another user than this one and root: in a folder
 * for everybody, such as /tmp, they may have been put there. Asked again with what was `opened`, it also refuses what is not
 * what the path leads to. The folders on the way are not looked at. Windows has no such users: `uid` is undefined there.
 */
export const checkPath =
  (uid: number | undefined) =>
  (path: string, opened?: Stats): void => {
    if (uid === undefined) return;
    const others = (stats: Stats): boolean => stats.uid !== uid && stats.uid !== ROOT;
    let at = resolve(path);
    let there = statsOf(lstatSync, at);
    for (let links = 0; there?.isSymbolicLink() && links < MOST_LINKS; links += 1) {
      if (others(there)) throw refusal(path, `goes through a symbolic link of another user (${at}, uid ${there.uid})`);
      at = resolve(dirname(at), readlinkSync(at));
      // The shell's >(…) leads to no path: what is there is a descriptor of this process.
      there = statsOf(lstatSync, at);
    }
    if (there?.isFIFO() && others(there)) throw refusal(path, `is a named pipe of another user (uid ${there.uid})`);
    if (opened === undefined) return;
    const now = statsOf(statSync, path);
    if (now?.dev !== opened.dev || now.ino !== opened.ino) throw refusal(path, 'was replaced while it was opened');
  };

import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import type { Env } from '../core/io.ts';
import { tried } from '../core/tried.ts';
import type { Machine } from './machine.ts';

const isProgram = (path: string): boolean =>
  tried(() => {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  }) === true;

const realPath = (path: string): string | undefined => tried(() => realpathSync(path));

const isWithin = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
};

// From the root of the disk everything is inside: nothing would be found there, and nobody plants files there.
const isInWorkingFolder = (entry: string, cwd: string): boolean =>
  cwd === parse(cwd).root ? entry === cwd : isWithin(cwd, entry);

/** The folders of PATH without those that the working folder could have a say in: relative, equal to it, or inside it. */
const trustedFolders = (env: Env, machine: Machine): string[] => {
  const cwd = machine.cwd();
  const places = cwd === undefined ? [] : [resolve(cwd), realPath(cwd) ?? resolve(cwd)];
  return (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((entry) => {
    const real = isAbsolute(entry) ? realPath(entry) : undefined;
    if (real === undefined) return false;
    return !places.some((place) => isInWorkingFolder(resolve(entry), place) || isInWorkingFolder(real, place));
  });
};

/** The absolute path of a program, given as one or looked up on PATH; undefined when it isn't found or isn't trusted. */
export const findProgram = (word: string, env: Env, machine: Machine): string | undefined => {
  if (isAbsolute(word)) return isProgram(word) ? word : undefined;
  if (word === '' || word.includes('/') || word.includes(sep)) return undefined;
  const endings = machine.platform === 'win32' ? ['', '.exe', '.com'] : [''];
  return trustedFolders(env, machine)
    .flatMap((folder) => endings.map((ending) => join(folder, word + ending)))
    .find(isProgram);
};

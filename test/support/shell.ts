import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect } from 'vitest';
import { PROGRAM } from './built.ts';
import { type Ended, newFolder, type RunOptions, start } from './program.ts';

export const OTHER_UID = 54_321;
/**
 * Becomes a user id without a passwd entry. It may read everything, because the program may be in a folder that only
 * root can enter.
 */
export const BECOME = [
  'setpriv',
  ...[`--reuid=${OTHER_UID}`, `--regid=${OTHER_UID}`, '--clear-groups'],
  ...['--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'],
] as const;
export const mayBecome = (): boolean => spawnSync(BECOME[0], [...BECOME.slice(1), 'true']).status === 0;

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** A folder for PATH with programs of these names, each with a line of shell. */
export const programs = (lines: Readonly<Record<string, string>>): string => {
  const folder = newFolder('bin');
  for (const [name, line] of Object.entries(lines)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
};

/** The `paycli` command of the user's shell. */
const PAYCLI = `exec ${PROGRAM.map(quoted).join(' ')} "$@"`;

export interface Place {
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly cwd?: string;
  readonly also?: Readonly<Record<string, string>>;
}

/** Starts a shell with a script in which `paycli` is the program under test. */
export const inShell = (script: string, { home = newFolder(), env = {}, also = {}, ...rest }: Place): RunOptions => {
  const path = [programs({ paycli: PAYCLI, ...also }), process.env['PATH'] ?? ''].join(delimiter);
  return { home, program: ['/bin/sh', '-c', script], env: { PATH: path, ...env }, ...rest };
};

export interface Tried {
  /** The non-zero exit codes of the lines. */
  readonly codes: number[];
  readonly ended: Ended;
}

/** Runs the lines in a shell, exactly as printed. */
export const tryLines = async (lines: string, place: Place): Promise<Tried> => {
  const codes = join(newFolder('codes'), 'codes');
  const script = lines.split('\n').map((line) => `${line}\necho $? >> ${quoted(codes)}`);
  const ended = await start([], inShell(script.join('\n'), place)).ended;
  const all = existsSync(codes) ? readFileSync(codes, 'utf8').trim().split('\n').map(Number) : [];
  expect(all, ended.stderr).toHaveLength(lines.split('\n').length);
  return { codes: all.filter((code) => code !== 0), ended };
};

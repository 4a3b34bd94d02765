import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { fromNpm } from '../../scripts/from-npm.ts';
import { NODES } from '../../scripts/pinned.ts';
import { newFolder } from '../support/program.ts';

const run = promisify(execFile);

/** npm and what it installs are scripts on Windows, which only a shell starts. */
export const shell = process.platform === 'win32';

/** Runs the npm that is first on PATH. */
export const npm = async (args: readonly string[], cwd: string): Promise<void> => {
  await run('npm', args, { cwd, shell });
};

/** The package of what is built already, as a tarball: tests beside this one read dist/, so nothing is built anew. */
export const packedTarball = async (): Promise<string> => {
  const folder = newFolder('pack');
  await npm(['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], process.cwd());
  return join(folder, readdirSync(folder)[0] ?? '');
};

/** The tarball's package, unpacked. */
export const unpacked = async (tarball: string): Promise<string> => {
  const folder = newFolder('unpacked');
  await run('tar', ['-xzf', tarball], { cwd: folder });
  return join(folder, 'package');
};

export interface Runtime {
  readonly version: string;
  /** A PATH on which this Node comes first. */
  readonly path: () => Promise<string>;
}

/** The Nodes to try the package with: every pinned one where npm has them for this machine, else the one that runs this. */
export const runtimes = (): readonly Runtime[] => {
  const first = (program: string): string => [dirname(program), process.env['PATH']].join(delimiter);
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return [{ version: process.versions.node, path: async () => first(process.execPath) }];
  return NODES.map((node) => ({ version: node.version, path: async () => first(await fromNpm(node)) }));
};

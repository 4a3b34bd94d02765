import { execFile } from 'node:child_process';
import { chownSync, copyFileSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { fromNpm } from '../../scripts/from-npm.ts';
import { NODES } from '../../scripts/pinned.ts';
import { newFolder } from '../support/program.ts';

const run = promisify(execFile);

/** On Windows, npm and what it installs are scripts, which only a shell starts. */
export const shell = process.platform === 'win32';

/** The account `nobody` if the tests run as root. */
export const ordinaryUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** A folder of that user. */
export const ownFolder = (name: string): string => {
  const folder = newFolder(name);
  if (ordinaryUser.uid !== undefined) chownSync(folder, ordinaryUser.uid, ordinaryUser.gid);
  return folder;
};

/** Runs npm as that user, with umask 077. */
const npmAs = async (args: readonly string[], home: string): Promise<void> => {
  const env = { ...process.env, HOME: home, npm_config_cache: join(home, 'cache') };
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--offline'];
  const before = process.umask(0o077);
  const done = run('npm', [...args, ...quiet], { cwd: home, shell, env, ...ordinaryUser });
  process.umask(before);
  await done;
};

/** Installs a tarball globally for that user. Returns npm's prefix. */
export const installGlobally = async (tarball: string): Promise<string> => {
  const [prefix, home] = [ownFolder('prefix'), ownFolder('npm-home')];
  const mine = join(home, 'paycli.tgz');
  copyFileSync(tarball, mine);
  await npmAs(['install', '--global', '--ignore-scripts=false', '--prefix', prefix, mine], home);
  return prefix;
};

/** Uninstalls it. */
export const uninstall = (prefix: string): Promise<void> =>
  npmAs(['uninstall', '--global', '--prefix', prefix, 'paycli'], ownFolder('npm-home'));

/** Runs the first npm on PATH. */
const npm = async (args: readonly string[], cwd: string): Promise<void> => {
  await run('npm', args, { cwd, shell });
};

/** Packs the existing build: other tests read dist/, so nothing is rebuilt. */
export const packedTarball = async (): Promise<string> => {
  const folder = newFolder('pack');
  await npm(['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], process.cwd());
  return join(folder, readdirSync(folder)[0] ?? '');
};

/** The unpacked tarball. */
export const unpacked = async (tarball: string): Promise<string> => {
  const folder = newFolder('unpacked');
  await run('tar', ['-xzf', tarball], { cwd: folder });
  return join(folder, 'package');
};

export interface Runtime {
  readonly version: string;
  /** A PATH that begins with this Node. */
  readonly path: () => Promise<string>;
}

/** The Nodes to test the package with: all pinned ones if npm has them for this machine, else the current one. */
export const runtimes = (): readonly Runtime[] => {
  const first = (program: string): string => [dirname(program), process.env['PATH']].join(delimiter);
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return [{ version: process.versions.node, path: async () => first(process.execPath) }];
  return NODES.map((node) => ({ version: node.version, path: async () => first(await fromNpm(node)) }));
};

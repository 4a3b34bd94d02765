import { chownSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { ClusterOptions, Settings } from './kinds.ts';
import { makeOnce } from './once.ts';
import { type Programs, serverUser } from './programs.ts';
import { runAsServer } from './server.ts';

/** Gives files to the user who runs the server. */
export const giveToServer = (...paths: readonly string[]): void => {
  const user = serverUser();
  if (user !== undefined) for (const path of paths) chownSync(path, user.uid, user.gid);
};

const copyIfThere = (from: string, to: string): void => {
  try {
    copyFileSync(from, to);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    return;
  }
  giveToServer(to);
};

/**
 * Copies a data folder, except the contents of some subfolders. A server may be running on it, and its files may
 * disappear.
 */
export const copyData = (from: string, to: string, emptied: readonly string[] = []): void => {
  mkdirSync(to, { mode: 0o700 });
  giveToServer(to);
  if (emptied.includes(basename(from))) return;
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (!entry.isDirectory()) copyIfThere(source, target);
    else copyData(source, target, emptied);
  }
};

/** The data of an empty server. `initdb` takes a second: it runs once, and each test gets a copy. */
export const emptyData = async ({ bin, version }: Programs, to: string): Promise<void> => {
  const uid = serverUser()?.uid ?? process.getuid?.();
  const made = await makeOnce(`postgres-${version}-data-of-${uid}`, async (folder) => {
    giveToServer(join(folder, '..'));
    const who = ['-U', 'postgres', '-E', 'UTF8', '--locale=C'];
    const fast = ['--no-sync', '--no-instructions', '--wal-segsize=1'];
    await runAsServer(join(bin, 'initdb'), ['-D', folder, ...who, ...fast]);
  });
  copyData(made, to);
};

const quoted = (value: string | number | boolean): string => `'${String(value).replaceAll("'", "''")}'`;

export const writeSettings = (data: string, settings: Settings): void => {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${quoted(value)}\n`);
  writeFileSync(join(data, 'postgresql.conf'), lines.join(''));
};

const FIXTURES = resolve('test/fixtures/tls');

/** Writes pg_hba.conf; returns the settings that it needs. */
export const writeDoor = (data: string, { tls, loopback = 'trust' }: ClusterOptions): Settings => {
  const over = tls === undefined ? 'host' : 'hostssl';
  const who = ['all', 'replication'];
  const lines = who.flatMap((what) => [`local ${what} all trust`, `${over} ${what} all 127.0.0.1/32 ${loopback}`]);
  writeFileSync(join(data, 'pg_hba.conf'), `${lines.join('\n')}\n`);
  if (tls === undefined) return {};
  const [cert, key, ca] = [join(data, 'server.pem'), join(data, 'server.key'), join(data, 'ca.pem')];
  copyFileSync(join(FIXTURES, `${tls}.pem`), cert);
  copyFileSync(join(FIXTURES, 'ca.pem'), ca);
  writeFileSync(key, readFileSync(join(FIXTURES, `${tls}.key`)), { mode: 0o600 });
  giveToServer(key);
  return { ssl: true, ssl_cert_file: cert, ssl_key_file: key, ssl_ca_file: ca };
};

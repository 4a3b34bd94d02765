import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldersGoTo } from '../memory.ts';
import { startOnFreePort } from '../ports.ts';
import { toolOf } from '../tool.ts';
import { giveToServer } from './data.ts';
import type { Cluster } from './kinds.ts';
import { startServer } from './server.ts';
import { startWatcher } from './watcher.ts';

export interface BouncerOptions {
  /** The users who may connect; `postgres` by default. */
  readonly users?: readonly string[];
  /** Additional settings for pgbouncer.ini. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** A PgBouncer in front of a cluster. */
export interface Bouncer {
  /** On 127.0.0.1: `cluster.url(database, { port })` connects through it. */
  readonly port: number;
  pid(): number;
  log(): string;
  remove(): Promise<void>;
}

/** Whether PgBouncer is installed; npm has no package for it. */
export const hasBouncer = (): boolean => toolOf('pgbouncer') !== undefined;

const iniOf = (cluster: Cluster, folder: string, port: number, settings: BouncerOptions['settings']): string => {
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(folder, 'users.txt'),
    pool_mode: 'transaction',
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}\n`);
  return `[databases]\n* = host=${cluster.socketDir} port=${cluster.port}\n\n[pgbouncer]\n${lines.join('')}`;
};

/** Starts a PgBouncer in transaction mode. The caller removes it. */
export const startBouncer = async (cluster: Cluster, options: BouncerOptions = {}): Promise<Bouncer> => {
  const program = toolOf('pgbouncer');
  if (program === undefined) throw new Error('this test needs PgBouncer: apt-get install pgbouncer');
  const folder = mkdtempSync(join(foldersGoTo(), 'paycli-pgbouncer-'));
  const watcher = startWatcher(folder);
  const ini = join(folder, 'pgbouncer.ini');
  const users = (options.users ?? ['postgres']).map((user) => `"${user}" ""\n`);
  try {
    writeFileSync(join(folder, 'users.txt'), users.join(''));
    giveToServer(folder);
    const { server, port } = await startOnFreePort((free) => {
      writeFileSync(ini, iniOf(cluster, folder, free, options.settings));
      return startServer([program, ini], /process up/);
    });
    watcher.watch(server.pid);
    const remove = async (): Promise<void> => {
      server.kill('SIGKILL');
      await server.ended;
      watcher.watch(undefined);
      await watcher.remove();
    };
    return { port, pid: () => server.pid, log: server.log, remove };
  } catch (thrown) {
    await watcher.remove();
    throw thrown;
  }
};

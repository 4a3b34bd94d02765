import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { foldersGoTo } from '../memory.ts';
import { startOnFreePort } from '../ports.ts';
import { emptyData, giveToServer, writeDoor, writeSettings } from './data.ts';
import type { Cluster, ClusterOptions, Settings } from './kinds.ts';
import { processesOf } from './processes.ts';
import { findPrograms, type Programs } from './programs.ts';
import { type Server, startServer } from './server.ts';
import { askedAt } from './sql.ts';
import { startWatcher } from './watcher.ts';

const READY = /ready to accept (?:read-only )?connections/;

/** Starts a cluster in a new folder with data from `fill`. */
export const startOn = async (
  programs: Programs,
  options: ClusterOptions,
  fill: (data: string) => Promise<void>,
): Promise<Cluster> => {
  const socketDir = mkdtempSync(join(foldersGoTo(), 'paycli-pg-'));
  const data = join(socketDir, 'data');
  const watcher = startWatcher(socketDir);
  const start = async (port: number, more: Settings): Promise<Server> => {
    const quiet = { autovacuum: false, jit: false };
    const place = { listen_addresses: '127.0.0.1', port, unix_socket_directories: socketDir };
    writeSettings(data, { ...quiet, ...place, ...more });
    const server = await startServer([join(programs.bin, 'postgres'), '-D', data], READY, options.env);
    watcher.watch(server.pid);
    void server.ended.then(() => watcher.watch(undefined));
    return server;
  };
  try {
    giveToServer(socketDir);
    await fill(data);
    let settings = { ...options.settings, ...writeDoor(data, options) };
    const { server, port } = await startOnFreePort((free) => start(free, settings));
    const processes = processesOf(server, (more) => {
      settings = { ...settings, ...more };
      return start(port, settings);
    });
    const unref = (): void => {
      processes.unref();
      watcher.unref();
    };
    const remove = async (): Promise<void> => {
      await processes.stop('immediate');
      await watcher.remove();
    };
    const at = { port, socketDir };
    return { ...at, programs, options, data, ...askedAt(at), ...processes, unref, remove };
  } catch (thrown) {
    await watcher.remove();
    throw thrown;
  }
};

/** Starts an empty cluster. The caller removes it. */
export const startCluster = async (options: ClusterOptions = {}): Promise<Cluster> => {
  const programs = await findPrograms(options.which);
  return startOn(programs, options, (data) => emptyData(programs, data));
};

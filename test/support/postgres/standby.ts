import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { startOn } from './cluster.ts';
import { copyData, giveToServer } from './data.ts';
import type { Cluster, ClusterOptions } from './kinds.ts';

export interface StandbyOptions extends Pick<ClusterOptions, 'settings' | 'env'> {
  /** Whether each commit of the primary waits for it. */
  readonly synchronous: boolean;
  /** The port of a proxy to the primary; by default it uses the Unix socket. */
  readonly through?: number;
}

/** A replica of a primary. */
export interface Standby extends Cluster {
  /** Promotes it, whether or not the old primary is running; resolves when it accepts writes. */
  promote(): Promise<void>;
}

/** True once the standby has replayed all commits of its primary. */
export const hasReplayed = async (primary: Cluster, standby: Cluster): Promise<boolean> => {
  const [now] = await primary.sql<{ at: string }>('SELECT pg_current_wal_flush_lsn()::text AS at');
  const ask = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS is';
  const [seen] = await standby.sql<{ is: boolean }>(ask, [now?.at]);
  return seen?.is === true;
};

/** Files of the primary's own processes. */
const OWN = ['postmaster.pid', 'postmaster.opts', 'postgresql.auto.conf'];
/** Folders that the copy must not have, or receives from the primary later. */
const EMPTIED = ['pg_wal', 'pg_replslot', 'pg_stat_tmp', 'pg_notify'];

/** Copies the data of a running primary. pg_basebackup would do this, but some packages lack it. */
const backUp = async (primary: Cluster, slot: string, to: string): Promise<void> => {
  const { socketDir: host, port } = primary;
  const client = new pg.Client({ host, port, user: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    await client.query('SELECT pg_create_physical_replication_slot($1, true)', [slot]);
    await client.query('SELECT pg_backup_start($1, true)', [slot]);
    copyData(primary.data, to, EMPTIED);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    writeFileSync(join(to, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
  for (const name of OWN) rmSync(join(to, name), { force: true });
  writeFileSync(join(to, 'standby.signal'), '');
  giveToServer(join(to, 'backup_label'), join(to, 'standby.signal'));
};

/** Resolves when the primary replicates to the named standby in this mode. */
const followed = async (primary: Cluster, name: string, way: 'sync' | 'async'): Promise<void> => {
  const ask = 'SELECT FROM pg_stat_replication WHERE application_name = $1 AND state = $2 AND sync_state = $3';
  while ((await primary.sql(ask, [name, 'streaming', way])).length === 0) await wait(5);
};

/** Makes each commit of the primary wait for the named standby. */
const waitedFor = async (primary: Cluster, name: string): Promise<void> => {
  await primary.sql(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await primary.sql('SELECT pg_reload_conf()');
  await followed(primary, name, 'sync');
};

let standbys = 0;

/** Starts a standby of a primary; resolves when it replicates. Needs PostgreSQL 15. The caller removes it. */
export const startStandby = async (primary: Cluster, options: StandbyOptions): Promise<Standby> => {
  standbys += 1;
  const name = `standby_${standbys}`;
  const from =
    options.through === undefined
      ? `host=${primary.socketDir} port=${primary.port}`
      : `host=127.0.0.1 port=${options.through}`;
  const settings = {
    ...primary.options.settings,
    primary_conninfo: `${from} user=postgres application_name=${name}`,
    primary_slot_name: name,
    // The retry interval after the primary or the connection was down.
    wal_retrieve_retry_interval: '100ms',
    ...options.settings,
  };
  const cluster = await startOn(primary.programs, { ...primary.options, ...options, settings }, (data) =>
    backUp(primary, name, data),
  );
  await followed(primary, name, 'async');
  if (options.synchronous) await waitedFor(primary, name);
  return { ...cluster, promote: async () => void (await cluster.sql('SELECT pg_promote()')) };
};

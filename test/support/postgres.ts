import { onTestFinished } from 'vitest';
import { type Bouncer, type BouncerOptions, startBouncer } from './postgres/bouncer.ts';
import { startCluster } from './postgres/cluster.ts';
import type { Cluster, ClusterOptions } from './postgres/kinds.ts';
import { type Standby, type StandbyOptions, startStandby } from './postgres/standby.ts';

/** A PostgreSQL for one test, which may kill, freeze or configure it. */
export const ownCluster = async (options: ClusterOptions = {}): Promise<Cluster> => {
  const cluster = await startCluster(options);
  onTestFinished(cluster.remove);
  return cluster;
};

/** A standby of a cluster for one test. */
export const ownStandby = async (primary: Cluster, options: StandbyOptions): Promise<Standby> => {
  const standby = await startStandby(primary, options);
  onTestFinished(standby.remove);
  return standby;
};

/** A PgBouncer in front of a cluster for one test. */
export const ownBouncer = async (cluster: Cluster, options: BouncerOptions = {}): Promise<Bouncer> => {
  const bouncer = await startBouncer(cluster, options);
  onTestFinished(bouncer.remove);
  return bouncer;
};

const startShared = async (): Promise<Cluster> => {
  const cluster = await startCluster();
  cluster.unref();
  return cluster;
};

let shared: Promise<Cluster> | undefined;

/**
 * The PostgreSQL that all tests of this process share: each creates its own database, and must not disturb the
 * others.
 */
export const sharedCluster = (): Promise<Cluster> => {
  shared ??= startShared();
  return shared;
};

/** A ledger's address in output: without the user. */
export const shownUrl = (url: string): string => {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
};

import type { QueryResultRow } from 'pg';
import type { Programs, Which } from './programs.ts';

/** Settings of postgresql.conf. */
export type Settings = Readonly<Record<string, string | number | boolean>>;

export interface ClusterOptions {
  /** The installed PostgreSQL, or the one from npm; by default PAYCLI_TEST_POSTGRES decides. */
  readonly which?: Which;
  /** The server's certificate in test/fixtures/tls: connections over loopback must then be encrypted. */
  readonly tls?: string;
  /**
   * The pg_hba.conf method for loopback, `trust` by default: `scram-sha-256`, `cert`, `trust clientcert=verify-full`
   * … The Unix socket is always trusted.
   */
  readonly loopback?: string;
  /** Additional settings for postgresql.conf. */
  readonly settings?: Settings;
  /** Additional environment of its processes, such as another clock. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Where a cluster listens: on a port of 127.0.0.1, and on the Unix socket with that number in a folder. */
export interface At {
  readonly port: number;
  readonly socketDir: string;
}

export interface UrlOptions {
  /** By default the superuser `postgres`. */
  readonly user?: string;
  /** `tcp` by default. */
  readonly over?: 'tcp' | 'socket';
  /** `127.0.0.1` by default. */
  readonly host?: string;
  /** The port of a proxy or pool in front of it. */
  readonly port?: number;
}

/** Queries to a cluster. */
export interface Asked {
  url(database: string, options?: UrlOptions): string;
  /** Runs one statement as superuser, on its own connection over the Unix socket. */
  sql<Row extends QueryResultRow>(text: string, values?: readonly unknown[], database?: string): Promise<Row[]>;
  /** Creates an empty database, or a copy of an unused one; returns its name. */
  createDatabase(template?: string): Promise<string>;
}

/** Control of a cluster's processes. */
export interface Processes {
  /** The postmaster. */
  pid(): number;
  /** The children of the postmaster. Linux only. */
  children(): number[];
  /** The server's log since its last start. */
  log(): string;
  /**
   * `fast`: an orderly shutdown without waiting for clients. `immediate`: all its processes end at once. Does nothing
   * if it has ended.
   */
  stop(how?: 'fast' | 'immediate'): Promise<void>;
  /** Ends all its processes by SIGKILL, including frozen ones. Linux only. */
  kill(): Promise<void>;
  /** Restarts it after its end, on the same port, with additional settings. */
  start(more?: Settings): Promise<void>;
  /** Lets this process exit while the cluster runs, which then removes itself. */
  unref(): void;
}

/** A PostgreSQL of its own, in a folder that is deleted with it, and with the process that started it. */
export interface Cluster extends At, Asked, Processes {
  readonly programs: Programs;
  readonly options: ClusterOptions;
  readonly data: string;
  /** Stops it and deletes its folder. */
  remove(): Promise<void>;
}

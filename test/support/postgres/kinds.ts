import type { QueryResultRow } from 'pg';
import type { Programs, Which } from './programs.ts';

/** Settings of postgresql.conf. */
export type Settings = Readonly<Record<string, string | number | boolean>>;

export interface ClusterOptions {
  /** The machine's own PostgreSQL, or the one that npm brings; PAYCLI_TEST_POSTGRES decides when it is not given. */
  readonly which?: Which;
  /** The certificate of test/fixtures/tls that it shows: connections over loopback then must be encrypted. */
  readonly tls?: string;
  /**
   * How pg_hba.conf lets in who comes over loopback, `trust` when it is not given: `scram-sha-256`, `cert`,
   * `trust clientcert=verify-full` … Over the Unix socket everybody is let in.
   */
  readonly loopback?: string;
  /** What postgresql.conf says besides. */
  readonly settings?: Settings;
  /** What its processes find in their environment besides, such as another clock. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Where a cluster listens: on a port of 127.0.0.1, and on the Unix socket of that number in a folder. */
export interface At {
  readonly port: number;
  readonly socketDir: string;
}

export interface UrlOptions {
  /** `postgres`, who may do anything, when it is not given. */
  readonly user?: string;
  /** `tcp` when it is not given. */
  readonly over?: 'tcp' | 'socket';
  /** `127.0.0.1` when it is not given. */
  readonly host?: string;
  /** That of a relay or a pool in front of it. */
  readonly port?: number;
}

/** What can be asked of a cluster. */
export interface Asked {
  url(database: string, options?: UrlOptions): string;
  /** Runs one statement as the user who may do anything, on a connection of its own over the Unix socket. */
  sql<Row extends QueryResultRow>(text: string, values?: readonly unknown[], database?: string): Promise<Row[]>;
  /** Makes an empty database, or a copy of one that nobody uses; gives its name. */
  createDatabase(template?: string): Promise<string>;
}

/** What can be done to the processes of a cluster. */
export interface Processes {
  /** The server's first process. */
  pid(): number;
  /** The processes of its connections, and its own. Linux only. */
  children(): number[];
  /** What the server has logged since its last start. */
  log(): string;
  /** `fast`: in order, without waiting for clients. `immediate`: all its processes end at once. Nothing where it has ended. */
  stop(how?: 'fast' | 'immediate'): Promise<void>;
  /** Ends all its processes by SIGKILL, frozen ones too. Linux only. */
  kill(): Promise<void>;
  /** Starts it again once it has ended, on the same port, with more settings where they are given. */
  start(more?: Settings): Promise<void>;
  /** Lets this process end while the cluster runs, which then goes away by itself. */
  unref(): void;
}

/** A PostgreSQL of its own, in a folder that goes away with it, and with the process that started it. */
export interface Cluster extends At, Asked, Processes {
  readonly programs: Programs;
  readonly options: ClusterOptions;
  readonly data: string;
  /** Ends it and takes its folder away. */
  remove(): Promise<void>;
}

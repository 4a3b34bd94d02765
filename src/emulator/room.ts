import type { Clock } from '../core/io.ts';
import type { Dialect } from '../core/local.ts';
import type { Settled, Settling } from './settle.ts';

export { emulatorRoom } from './emulator.ts';

/** A running emulator: real HTTP on loopback. */
export interface RunningEmulator {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** `sk.Lcal.` and 80 characters; made once for a data file and kept in it. */
  readonly key: string;
  close(): Promise<void>;
}

export interface EmulatorRoom {
  /** Starts the service over the data in `file` (made when missing, 0600); `port` 0 takes any free one; in the documented dialect. */
  start(options: {
    readonly file: string;
    readonly port: number;
    readonly clock: Clock;
    readonly dialect?: Dialect;
  }): Promise<RunningEmulator>;
  /** Adds so many customers and payment requests, and says how many; the same calls on a new file give the same identifiers. */
  seed(options: {
    readonly file: string;
    readonly clock: Clock;
    readonly customers: number;
    readonly ugwo: number;
    /** Adds nothing when there is a record already; decided and done in one step among all processes. */
    readonly onlyIfNew?: boolean;
  }): Promise<{ readonly customers: number; readonly ugwo: number }>;
  /** Ends an open activity, now or later; an emulator that runs over the file shows it with its next answer. */
  settle(options: Settling & { readonly file: string; readonly clock: Clock }): Promise<Settled>;
  /** Removes every record; the key stays, and no identifier is given again. A file that is damaged or from a newer paycli is made anew, with a new key. */
  reset(options: { readonly file: string; readonly clock: Clock }): Promise<void>;
}

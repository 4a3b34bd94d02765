import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { openTransport } from '../../src/client/transport.ts';
import type { Clock, Flight, Io } from '../../src/core/io.ts';

export const KEY = `sk.Test.${'k'.repeat(80)}`;

const TIMEOUT_MS = 20_000;

export interface Bench {
  readonly client: Client;
  readonly io: Pick<Io, 'clock' | 'random' | 'signals'>;
  /** The waits between attempts in ms. They end at once and advance the clock. */
  readonly waits: number[];
  readonly debug: string[];
  readonly stop: AbortController;
  readonly leave: AbortController;
  readonly flight: Flight;
  /** Sets only the wall clock. */
  readonly setClock: (ms: number) => void;
}

export interface BenchOptions {
  readonly timeout?: number;
  readonly validate?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly clean?: (text: string) => string;
}

/** The real client with real connections; waits between attempts take no time. */
export const bench = (origin: string, options: BenchOptions = {}): Bench => {
  const waits: number[] = [];
  const debug: string[] = [];
  const [stop, leave] = [new AbortController(), new AbortController()];
  const timeout = options.timeout ?? TIMEOUT_MS;
  const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    try {
      await wait(ms, undefined, signal === undefined ? {} : { signal });
    } catch (thrown) {
      throw signal?.reason ?? thrown;
    }
  };
  let [skipped, moved] = [0, 0];
  const now = (): number => Date.now() + skipped + moved;
  const ticks = (): number => performance.now() + skipped;
  const deadlines: Clock = { now, ticks, sleep };
  const between: Clock = {
    now,
    ticks,
    sleep: (ms, signal) => {
      waits.push(ms);
      skipped += ms;
      return sleep(0, signal);
    },
  };
  const flight: Flight = { open: 0, accepted: 0 };
  const log = (line: string): void => void debug.push(line);
  const transport = openTransport({
    credentials: { origin, key: options.key ?? KEY },
    env: options.env ?? {},
    clock: deadlines,
    userAgent: 'paycli/test',
    debug: log,
    clean: options.clean ?? ((text) => text),
  });
  const io = { clock: between, random: () => 0.5, signals: { stop: stop.signal, leave: leave.signal } };
  const client = createClient({
    ...io,
    transport,
    origin,
    timeout,
    debug: log,
    notice: log,
    flight,
    validate: options.validate ?? true,
  });
  onTestFinished(() => client.close());
  const setClock = (ms: number): void => {
    moved += ms;
  };
  return { client, io, waits, debug, stop, leave, flight, setClock };
};

/** The rejection of a promise. */
export const thrownBy = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise;
  } catch (thrown) {
    return thrown;
  }
  throw new Error('it did not throw');
};

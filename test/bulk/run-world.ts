import { Readable } from 'node:stream';
import { type Pace, type RowSignals, runRows } from '../../src/bulk/pace.ts';
import { VirtualClock } from './virtual-clock.ts';

type Ran = Awaited<ReturnType<typeof runRows>>;
type RowsRun = Parameters<typeof runRows<number>>[0];
type Consequence = Awaited<ReturnType<RowsRun['work']>>;

/** The outcome of a row, and its state in the counts. */
export interface End extends Consequence {
  readonly state: string;
}

/** Events in order. */
export interface Event {
  readonly what: 'pulled' | 'started' | 'sent' | 'asked' | 'settled' | 'stopped' | 'closed';
  readonly at: number;
  readonly row: number;
  /** For `asked`: the requested delay. */
  readonly ms?: number;
}

/** A row of a simulated file and its outcome. */
export interface Planned {
  readonly takes?: number;
  readonly end?: Partial<End>;
  /** A delay requested during the row. */
  readonly asks?: number;
  readonly throws?: unknown;
}

export interface WorldOptions
  extends Partial<Omit<Parameters<typeof runRows<number, End>>[0], 'rows' | 'work' | 'stop' | 'clock' | 'onSettled'>> {
  /** Also gets the counts so far. */
  readonly onSettled?: (row: number, end: End, tally: Readonly<Record<string, number>>) => void | Promise<void>;
  /** Rows report the answer before they are settled. */
  readonly lands?: boolean;
  readonly late?: () => number;
  /** The time of the signal. */
  readonly stopAt?: number | undefined;
  /** The time to read a row. */
  readonly reading?: number;
}

export interface World {
  readonly clock: VirtualClock;
  readonly events: Event[];
  readonly stop: AbortController;
  readonly ended: Promise<Ran & { readonly tally: Readonly<Record<string, number>> }>;
  readonly of: (what: Event['what']) => Event[];
}

/** Runs the planned rows, numbered from 0, and records events. */
export const world = (plan: Iterable<Planned>, options: WorldOptions = {}): World => {
  const clock = new VirtualClock(options.late);
  const stop = new AbortController();
  const events: Event[] = [];
  const planned = new Map<number, Planned>();
  const log = (what: Event['what'], row: number, ms?: number): void =>
    void events.push({ what, row, at: clock.time, ...(ms === undefined ? {} : { ms }) });

  async function* rows(): AsyncGenerator<number> {
    let row = 0;
    try {
      for (const next of plan) {
        if (options.reading !== undefined) await clock.sleep(options.reading);
        planned.set(row, next);
        log('pulled', row);
        yield row;
        row += 1;
      }
    } finally {
      log('closed', row);
    }
  }
  const work = async (row: number, { turn, slowDown, landed }: RowSignals): Promise<End> => {
    const { takes = 100, end = {}, asks, throws } = planned.get(row) ?? {};
    planned.delete(row);
    log('started', row);
    await clock.sleep(takes / 2);
    await turn();
    log('sent', row);
    if (asks !== undefined) {
      slowDown(asks);
      log('asked', row, asks);
    }
    await clock.sleep(takes / 2);
    if (throws !== undefined) throw throws;
    if (options.lands === true) landed(end.stops);
    if (end.slowDown !== undefined) log('asked', row, end.slowDown);
    return { state: 'accepted', ...end };
  };
  if (options.stopAt !== undefined) {
    void clock.sleep(options.stopAt).then(() => {
      log('stopped', -1);
      stop.abort('SIGINT');
    });
  }
  const tally: Record<string, number> = {};
  const ended = runRows<number, End>({
    concurrency: 4,
    random: () => 0.5,
    ...options,
    rows: rows(),
    work,
    stop: stop.signal,
    clock,
    onSettled: async (row, end) => {
      tally[end.state] = (tally[end.state] ?? 0) + 1;
      if (end.stops !== undefined) log('stopped', row);
      log('settled', row);
      await options.onSettled?.(row, end, tally);
    },
  }).then((ran) => ({ ...ran, tally }));
  // Handled where awaited.
  ended.catch(() => undefined);
  return { clock, events, stop, ended, of: (what) => events.filter((event) => event.what === what) };
};

/** Rows that all succeed. */
export const plain = (count: number, takes = 100): Planned[] => Array.from({ length: count }, () => ({ takes }));

/** The highest number of rows in flight. */
export const peak = (events: readonly Event[]): number => {
  let [now, most] = [0, 0];
  for (const { what } of events) {
    if (what === 'started') now += 1;
    if (what === 'settled') now -= 1;
    most = Math.max(most, now);
  }
  return most;
};

export type PaceOptions = Pick<RowsRun, 'concurrency' | 'rate' | 'random'>;

/** The pace of a run of no rows. */
export const paceOf = async (options: Partial<PaceOptions> = {}) => {
  const clock = new VirtualClock();
  const opened = Promise.withResolvers<Pace>();
  await runRows<number>({
    ...{ concurrency: 16, random: () => 0, ...options, clock, stop: new AbortController().signal },
    rows: (pace) => {
      opened.resolve(pace);
      return Readable.from([]);
    },
    work: async () => ({}),
    onSettled: () => undefined,
  });
  return { clock, pace: await opened.promise };
};

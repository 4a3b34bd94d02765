import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { newFolder } from '../support/program.ts';
import { type Bench, openBench } from './bulk-bench.ts';
import { writeRows } from './bulk-file.ts';
import { type Counting, type Fate, MADE, type Post, serveCounting } from './counting.ts';
import { endRunning } from './strace.ts';

afterEach(endRunning);

const SECOND_MS = 1000;
/** A busy machine can group or delay requests; a pace that is really violated fails each time. */
const BUSY = { retry: 2 };
const SLOW_DOWN: Fate = { makes: false, answer: { status: 429, retryAfter: 1 } };

const open = async (decide: (post: Post) => Fate, rows: number): Promise<{ bench: Bench; service: Counting }> => {
  const service = await serveCounting(decide);
  onTestFinished(service.close);
  const bench = openBench(newFolder(), service);
  writeRows(bench.rows, rows);
  return { bench, service };
};

/** How many of the times are in [from, to). */
const within = (times: readonly number[], from: number, to: number): number =>
  times.filter((at) => at >= from && at < to).length;

const timesOf = ({ posts }: Counting): number[] => posts.map(({ at }) => at);

describe('a service that answers one row with 429', () => {
  const ROWS = 150;
  const WORKERS = 16;
  const LATENCY_MS = 100;

  it('gets no requests from the other rows either, which then resume one by one', BUSY, async () => {
    const inFlight: number[] = [];
    const { bench, service } = await open(() => {
      inFlight.push(service.inFlight());
      const fate = service.posts.length === 30 ? SLOW_DOWN : MADE;
      return { ...fate, before: wait(LATENCY_MS) };
    }, ROWS);
    expect(await bench.charge(['--concurrency', String(WORKERS)])).toMatchObject({ code: 0 });
    expect(service.posts).toHaveLength(ROWS + 1);

    const times = timesOf(service);
    const told = (times[29] as number) + LATENCY_MS;
    // Those in flight already.
    expect(within(times, told, told + SECOND_MS - LATENCY_MS)).toBeLessThan(WORKERS);
    const back = times.findIndex((at) => at >= told + SECOND_MS - LATENCY_MS);
    const after = inFlight.slice(back);
    // Half as many as before, one more after every ten successes, and the row that waits in its own turn.
    const crowded = after.flatMap((count, nth) =>
      count > WORKERS / 2 + Math.floor(nth / 10) + 1 ? [[nth, count]] : [],
    );
    expect(crowded).toEqual([]);
    expect(Math.max(...inFlight.slice(0, 29))).toBeGreaterThan(WORKERS / 2 + 1);
  });
});

describe('a service that accepts a limited number of requests per second', () => {
  const ROWS = 100;
  const MOST = 20;

  it('rejects few requests, and gets almost none during a Retry-After', BUSY, async () => {
    const taken: number[] = [];
    const { bench, service } = await open(({ at }) => {
      if (within(taken, at - SECOND_MS, at) >= MOST) return SLOW_DOWN;
      taken.push(at);
      return MADE;
    }, ROWS);
    expect(await bench.charge(['--concurrency', '16'])).toMatchObject({ code: 0 });
    const refused = service.posts.filter(({ fate }) => fate === SLOW_DOWN).map(({ at }) => at);
    expect(taken).toHaveLength(ROWS);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(ROWS / 2);
    // A burst is rejected as a whole; later requests in the same second would be too many.
    const [first = 0] = refused;
    expect(within(timesOf(service), first + 300, first + SECOND_MS)).toBeLessThanOrEqual(1);
  });
});

describe('--rate', () => {
  const ROWS = 60;
  const RATE = 20;
  /** Requests sent apart may arrive together on a busy machine; test/bulk checks the exact rate. */
  const LATE = 4;

  it('limits the requests as measured by the service', BUSY, async () => {
    const { bench, service } = await open(() => MADE, ROWS);
    expect(await bench.charge(['--concurrency', '16', '--rate', `${RATE}/s`])).toMatchObject({ code: 0 });
    const times = timesOf(service);
    expect(times).toHaveLength(ROWS);
    const fullest = Math.max(...times.map((at) => within(times, at, at + SECOND_MS)));
    expect(fullest).toBeLessThanOrEqual(RATE + LATE);
    const took = (times.at(-1) as number) - (times[0] as number);
    expect(took).toBeGreaterThan(((ROWS - 1 - LATE) / RATE) * SECOND_MS);
  });
});

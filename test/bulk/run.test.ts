import { describe, expect, it } from 'vitest';
import { type RowSignals, runRows } from '../../src/bulk/pace.ts';
import { PayError } from '../../src/core/error.ts';
import { HOUR } from '../support/units.ts';
import { type End, peak, plain, world } from './run-world.ts';
import { settled, VirtualClock } from './virtual-clock.ts';

const REFUSED = new PayError('auth', 'the service does not take this key');

describe('a run', () => {
  it('uses its full concurrency, and no more', async () => {
    const { clock, ended, events } = world(plain(40), { concurrency: 8 });
    await clock.until(ended);
    expect(peak(events)).toBe(8);
    expect(clock.time).toBe(500);
  });

  it('continues beside a slow row', async () => {
    const { clock, ended, of } = world([{ takes: 10_000 }, ...plain(30)], { concurrency: 2 });
    await clock.until(ended);
    expect(clock.time).toBe(10_000);
    expect(of('settled').at(-1)?.row).toBe(0);
  });

  it('reports each outcome with the counts so far', async () => {
    const told: unknown[] = [];
    const onSettled = (row: number, end: End, tally: object): void => void told.push([row, end.state, { ...tally }]);
    const plan = [{ takes: 300, end: { state: 'late' } }, { takes: 100 }, { takes: 200 }];
    const { clock, ended } = world(plan, { onSettled });
    await clock.until(ended);
    expect(told).toEqual([
      [1, 'accepted', { accepted: 1 }],
      [2, 'accepted', { accepted: 2 }],
      [0, 'late', { accepted: 2, late: 1 }],
    ]);
  });

  it('starts no row while an outcome is being written', async () => {
    const written = Promise.withResolvers<void>();
    const { clock, ended, of } = world(plain(6), { concurrency: 2, onSettled: () => written.promise });
    await clock.pass(HOUR);
    expect(of('started')).toHaveLength(2);
    written.resolve();
    expect(await clock.until(ended)).toMatchObject({ started: 6 });
  });

  it('reads a row only when it can start, for any number of rows', async () => {
    let made = 0;
    const endless = {
      *[Symbol.iterator]() {
        for (;;) {
          made += 1;
          yield { takes: 10 };
        }
      },
    };
    const { clock, ended, events, stop } = world(endless, { concurrency: 3 });
    await clock.pass(1000);
    let [pulled, done] = [0, 0];
    for (const { what } of events) {
      if (what === 'pulled') pulled += 1;
      if (what === 'settled') done += 1;
      expect(pulled - done).toBeLessThanOrEqual(3);
    }
    stop.abort('SIGINT');
    const { started } = await clock.until(ended);
    expect(made).toBe(started);
    expect(started).toBeGreaterThan(200);
  });

  it('starts all rows of a long file without storing them', async () => {
    const rows = 20_000;
    let [alive, most] = [0, 0];
    async function* many(): AsyncGenerator<number> {
      for (let row = 0; row < rows; row += 1) {
        alive += 1;
        most = Math.max(most, alive);
        yield row;
      }
    }
    const ran = await runRows<number>({
      rows: many(),
      concurrency: 16,
      work: async () => {
        await settled();
        return {};
      },
      onSettled: () => {
        alive -= 1;
      },
      stop: new AbortController().signal,
      clock: new VirtualClock(),
      random: () => 0,
    });
    expect([ran.started, most, alive]).toEqual([rows, 16, 0]);
  });
});

describe('a signal', () => {
  it('before the start reads no row', async () => {
    const stop = AbortSignal.abort('SIGTERM');
    const rows = {
      [Symbol.asyncIterator]: () => {
        throw new Error('asked');
      },
    };
    const clock = new VirtualClock();
    const work = async () => ({});
    const run = { rows, concurrency: 2, work, stop, clock, random: () => 0, onSettled: () => undefined };
    expect(await runRows(run)).toEqual({ started: 0, stopped: 'signal' });
  });

  it('ends a pause for the rate or a 429 at once', async () => {
    const slow = world(plain(10), { rate: { count: 1, ms: HOUR }, stopAt: 1000 });
    expect(await slow.clock.until(slow.ended)).toEqual({ tally: { accepted: 1 }, started: 1, stopped: 'signal' });
    expect(slow.clock.time).toBe(1000);
    const held = world([{ end: { slowDown: HOUR } }, ...plain(9)], { concurrency: 1, stopAt: 1000 });
    expect(await held.clock.until(held.ended)).toMatchObject({ started: 1, stopped: 'signal' });
    expect(held.clock.time).toBe(1000);
  });

  it('while reading a row does not start it', async () => {
    const { clock, ended, of } = world(plain(3), { reading: 1000, stopAt: 500 });
    expect(await clock.until(ended)).toEqual({ tally: {}, started: 0, stopped: 'signal' });
    expect(of('pulled')).toHaveLength(1);
  });

  it('after the last start stops nothing', async () => {
    const { clock, ended } = world(plain(3), { stopAt: 50 });
    expect(await clock.until(ended)).toEqual({ tally: { accepted: 3 }, started: 3 });
  });
});

describe('a stopping outcome', () => {
  it('is reported even for the last row', async () => {
    const { clock, ended } = world([{ end: { stops: REFUSED } }]);
    expect((await clock.until(ended)).stopped).toBe(REFUSED);
  });

  it('is reported if it came first', async () => {
    const other = new PayError('unknown', 'it may have been made');
    const plan = [{ takes: 200, end: { stops: other } }, { takes: 100, end: { stops: REFUSED } }, ...plain(9)];
    const { clock, ended } = world(plan, { concurrency: 2, stopAt: 150 });
    expect((await clock.until(ended)).stopped).toBe(REFUSED);
  });
});

describe('a defect', () => {
  it('in a row is thrown after the others are finished, and nothing new starts', async () => {
    const defect = new TypeError('no such thing');
    const plan = [{ takes: 100, throws: defect }, { takes: 500 }, ...plain(20)];
    const { clock, ended, of } = world(plan, { concurrency: 2 });
    await expect(clock.until(ended)).rejects.toBe(defect);
    expect([of('started').length, of('settled').length, of('closed').length]).toEqual([2, 1, 1]);
    expect(clock.time).toBe(500);
  });

  it('is not hidden by a stop', async () => {
    const plan = [{ takes: 100, end: { stops: REFUSED } }, { takes: 200, throws: 'lost?' }, ...plain(9)];
    const { clock, ended } = world(plan, { concurrency: 2 });
    await expect(clock.until(ended)).rejects.toBe('lost?');
  });

  it('in onSettled ends the run in the same way', async () => {
    const full = new PayError('read_failed', 'the report could not be written');
    const onSettled = async (): Promise<void> => {
      throw full;
    };
    const { clock, ended, of } = world(plain(20), { concurrency: 2, onSettled });
    await expect(clock.until(ended)).rejects.toBe(full);
    expect(of('settled')).toHaveLength(2);
  });

  it('in the rows ends the run in the same way', async () => {
    const unreadable = new PayError('usage', 'row 3 can not be read');
    const broken = {
      *[Symbol.iterator]() {
        yield* plain(2);
        throw unreadable;
      },
    };
    const { clock, ended, of } = world(broken);
    await expect(clock.until(ended)).rejects.toBe(unreadable);
    expect(of('settled')).toHaveLength(2);
  });
});

describe('a service that requests a delay', () => {
  it('gets nothing during it, and half the concurrency afterwards', async () => {
    const refused = Array.from({ length: 16 }, () => ({ end: { state: 'not_sent', slowDown: 5000 } }));
    const { clock, ended, of, events } = world([...refused, ...plain(60)], { concurrency: 16 });
    await clock.until(ended);
    const later = of('started').slice(16);
    expect(later[0]?.at).toBeGreaterThanOrEqual(5100);
    expect(later[0]?.at).toBeLessThanOrEqual(6100);
    expect(later.filter(({ at }) => at === later[0]?.at)).toHaveLength(8);
    expect(peak(events.slice(events.findIndex(({ row }) => row === 16)))).toBeLessThanOrEqual(13);
  });

  it('is obeyed while the row continues', async () => {
    const { clock, ended, of } = world([{ takes: 60_000, asks: 9000 }, ...plain(1000)], { concurrency: 2 });
    await clock.until(ended);
    const ask = of('asked')[0]?.at ?? Number.NaN;
    expect(ask).toBe(30_000);
    expect(of('started').filter(({ at }) => at > ask && at < ask + 9000)).toEqual([]);
    expect(of('started').filter(({ at }) => at < ask).length).toBeGreaterThan(100);
  });

  it('gets the full concurrency back gradually', async () => {
    const { clock, ended, events } = world([{ takes: 10, end: { slowDown: 1000 } }, ...plain(200)], {
      concurrency: 8,
    });
    await clock.until(ended);
    expect(peak(events.filter(({ row }) => row >= 8 && row < 18))).toBe(4);
    expect(peak(events.filter(({ row }) => row >= 100))).toBe(8);
  });
});

describe('an answered row', () => {
  const open = () => Promise.withResolvers<void>();

  it('is replaced by another one before it is recorded', async () => {
    const written = open();
    const { clock, ended, of } = world(plain(6), { concurrency: 2, lands: true, onSettled: () => written.promise });
    await clock.pass(150);
    expect(of('started')).toHaveLength(4);
    written.resolve();
    expect(await clock.until(ended)).toMatchObject({ started: 6 });
  });

  it('lets others be a few rows ahead at most', async () => {
    const written = open();
    const { clock, ended, of } = world(plain(40), { concurrency: 2, lands: true, onSettled: () => written.promise });
    await clock.pass(HOUR);
    expect(of('started')).toHaveLength(8);
    written.resolve();
    expect(await clock.until(ended)).toMatchObject({ started: 40 });
  });

  it('is settled before the row that takes its place', async () => {
    const [second, order] = [open(), [] as number[]];
    async function* rows(): AsyncGenerator<number> {
      yield* [1, 2];
    }
    const work = async (row: number, { landed }: RowSignals) => {
      if (row === 2) second.resolve();
      else landed(undefined);
      await second.promise;
      if (row === 1) await settled();
      return {};
    };
    const onSettled = (row: number): void => void order.push(row);
    const [stop, clock] = [new AbortController().signal, new VirtualClock()];
    await runRows<number>({ rows: rows(), concurrency: 1, work, onSettled, stop, clock, random: () => 0 });
    expect(order).toEqual([1, 2]);
  });

  it('starts nothing new if its outcome stops the run, even before it is settled', async () => {
    const written = open();
    const plan = [{ takes: 50, end: { stops: REFUSED } }, ...plain(20)];
    const { clock, ended, of } = world(plan, { concurrency: 2, lands: true, onSettled: () => written.promise });
    await clock.pass(HOUR);
    expect(of('started')).toHaveLength(2);
    written.resolve();
    expect(await clock.until(ended)).toMatchObject({ started: 2, stopped: REFUSED });
  });
});

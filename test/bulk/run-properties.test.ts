import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PayError } from '../../src/core/error.ts';
import { type Event, type Planned, peak, world } from './run-world.ts';

const STOPS = new PayError('ledger', 'the ledger can not be written');

/** A requested delay: none, or some. */
const asked = fc.constantFrom(0, 1, 250, 5000);
const rare = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 6 });

const row: fc.Arbitrary<Planned> = fc
  .record({ takes: fc.integer({ min: 0, max: 400 }), asks: rare(asked), slowDown: rare(asked), stops: fc.nat(60) })
  .map(({ takes, asks, slowDown, stops }) => ({
    takes,
    ...(asks === undefined ? {} : { asks }),
    end: {
      state: slowDown === undefined ? 'accepted' : 'not_sent',
      ...(slowDown === undefined ? {} : { slowDown }),
      ...(stops === 0 ? { stops: STOPS } : {}),
    },
  }));

const rate = fc.option(fc.record({ count: fc.integer({ min: 1, max: 30 }), ms: fc.constantFrom(100, 1000, 60_000) }), {
  nil: undefined,
});

const shape = fc.record({
  plan: fc.array(row, { maxLength: 50 }),
  concurrency: fc.integer({ min: 1, max: 9 }),
  rate,
  stopAt: rare(fc.nat(3000)),
  reading: fc.constantFrom(undefined, 0, 30),
  lateness: fc.array(fc.nat(40), { minLength: 1 }),
  chance: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1 }),
});
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never;

const inTurn = (values: readonly number[]): (() => number) => {
  let index = 0;
  return () => values[index++ % values.length] ?? 0;
};

const play = async ({ plan, lateness, chance, reading, ...options }: Shape) => {
  const place = world(plan, {
    ...options,
    ...(reading === undefined ? {} : { reading }),
    late: inTurn(lateness),
    random: inTurn(chance),
  });
  return { ...place, ran: await place.clock.until(place.ended) };
};

/** Checks a property of every run. */
const always = (check: (shape: Shape, played: Awaited<ReturnType<typeof play>>) => void): Promise<void> =>
  fc.assert(
    fc.asyncProperty(shape, async (made) => check(made, await play(made))),
    { numRuns: 150 },
  );

const rowsOf = (events: readonly Event[]): number[] => events.map((event) => event.row);

describe('in every run', () => {
  it('the concurrency is never exceeded', async () => {
    await always(({ concurrency }, { events }) => {
      expect(peak(events)).toBeLessThanOrEqual(concurrency);
    });
  });

  it.each<['started' | 'sent']>([['started'], ['sent']])(
    'the rate is never exceeded in any window by the rows that are %s',
    async (what) => {
      await always((made, { of }) => {
        const { count, ms } = made.rate ?? { count: 1, ms: 0 };
        const ended = of('stopped').find(({ row }) => row === -1)?.at ?? Infinity;
        const times = of(what).flatMap(({ at }) => (at < ended ? [at] : []));
        const gaps = times.slice(count).map((at, index) => at - (times[index] ?? 0));
        expect(Math.min(...gaps)).toBeGreaterThan(ms - 1e-6);
      });
    },
  );

  it('each row is processed at most once, in file order', async () => {
    await always(({ plan }, { of, ran }) => {
      const started = rowsOf(of('started'));
      expect(started).toEqual(Array.from({ length: ran.started }, (_, index) => index));
      expect(rowsOf(of('settled')).sort((a, b) => a - b)).toEqual(started);
      expect(Object.values(ran.tally).reduce((sum, count) => sum + count, 0)).toBe(ran.started);
      if (ran.stopped === undefined) expect(ran.started).toBe(plan.length);
    });
  });

  it('nothing starts after a signal or a stopping outcome', async () => {
    await always(({ plan }, { events, ran }) => {
      const stopped = events.findIndex(({ what }) => what === 'stopped');
      const after = stopped === -1 ? [] : events.slice(stopped).filter(({ what }) => what === 'started');
      expect(after).toEqual([]);
      if (stopped === -1) expect(ran.stopped).toBeUndefined();
      if (ran.started < plan.length) expect(ran.stopped).toBeDefined();
    });
  });

  it('nothing starts before the requested time', async () => {
    await always((_made, { events }) => {
      for (const [index, { what, at, ms = 0 }] of events.entries()) {
        if (what !== 'asked') continue;
        // What happens at one instant has no order.
        const next = events.slice(index).find((event) => event.what === 'started' && event.at > at);
        expect(next?.at ?? Infinity).toBeGreaterThanOrEqual(at + ms);
      }
    });
  });

  it('only the next row is read ahead', async () => {
    await always(({ concurrency }, { events }) => {
      let [pulled, started, settled] = [0, 0, 0];
      for (const { what } of events) {
        if (what === 'pulled') pulled += 1;
        if (what === 'started') started += 1;
        if (what === 'settled') settled += 1;
        expect(pulled - started).toBeLessThanOrEqual(1);
        expect(pulled - settled).toBeLessThanOrEqual(concurrency);
      }
    });
  });
});

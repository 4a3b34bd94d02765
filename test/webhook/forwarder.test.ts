import { describe, expect, it, onTestFinished } from 'vitest';
import { forward } from '../../src/webhook/forward.ts';
import type { PostResult } from '../../src/webhook/post.ts';
import { ugwoOf, uidOf } from '../support/webhooks.ts';
import { delivery, newQueue, TestClock } from './support.ts';

const [MINUTE, HOUR] = [60_000, 3_600_000];

const answered = (status: number, retryAfter?: string): PostResult => ({ kind: 'answered', status, retryAfter });
const AWAY: PostResult = { kind: 'failed', why: 'connect ECONNREFUSED', reached: false };
const SILENT: PostResult = { kind: 'failed', why: 'no answer within 30 s', reached: true };

/** A forwarder with virtual time; `answer` decides each attempt of an event. */
const started = async (
  answer: (number: number, attempts: number, now: number, clock: TestClock) => PostResult,
  numbers: readonly (readonly [number: number, ugwo: number])[],
  random = 0.5,
  due = 0,
) => {
  const [queue, clock, stop] = [newQueue(), new TestClock(), new AbortController()];
  const statesMeanwhile: (string | undefined)[] = [];
  const [tries, said] = [[] as [number: number, at: number][], [] as string[]];
  for (const [number, ugwo] of numbers) {
    await queue.keep(delivery(number, { ugwo: ugwoOf(ugwo) }), { state: 'waiting', duplicates: false, due });
  }
  const forwarder = forward(
    queue,
    {
      clock,
      steady: () => clock.ticks(),
      random: () => random,
      say: async (text) => {
        said.push(text);
        // An earlier commit is complete by then.
        await queue.set('target', text);
        statesMeanwhile.push(queue.find(uidOf(1))?.state);
      },
      send: async ({ uid, attempts }) => {
        const number = Number(uid.slice(-6));
        tries.push([number, clock.time]);
        return answer(number, attempts, clock.time, clock);
      },
    },
    stop.signal,
  );
  const end = async (): Promise<void> => {
    stop.abort();
    await forwarder.ended;
  };
  onTestFinished(end);
  /** Advances time until nothing waits, or up to a limit. */
  const pass = async (limit: number): Promise<void> => {
    await forwarder.quiet();
    while (clock.time < limit && (await clock.step())) await forwarder.quiet();
  };
  return {
    queue,
    clock,
    tries,
    said,
    statesMeanwhile,
    pass,
    stateOf: (number: number) => queue.find(uidOf(number))?.state,
  };
};

describe('the forwarder', () => {
  it('sends the events of one payment request in order, and those of others in parallel', async () => {
    const { tries, pass, stateOf } = await started(
      (number, attempts) => answered(number === 1 && attempts < 3 ? 500 : 200),
      [
        [1, 1],
        [2, 1],
        [3, 2],
        [4, 2],
      ],
    );
    await pass(HOUR);
    expect(tries.filter(([, at]) => at === 0).map(([number]) => number)).toEqual([1, 3, 4]);
    expect(tries.map(([number]) => number).filter((number) => number < 3)).toEqual([1, 1, 1, 1, 2]);
    for (const number of [1, 2, 3, 4]) expect(stateOf(number)).toBe('forwarded');
  });

  it('waits longer after each attempt, up to ten minutes, and gives up after three days', async () => {
    const { tries, said, statesMeanwhile, pass, stateOf } = await started(
      (number) => answered(number === 1 ? 400 : 200),
      [
        [1, 1],
        [2, 1],
      ],
      0.999,
    );
    await pass(100 * HOUR);
    const times = tries.filter(([number]) => number === 1).map(([, at]) => at);
    const waits = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(waits.slice(0, 4)).toEqual([999, 1998, 3996, 7992]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(10 * MINUTE);
    expect(times.at(-1)).toBeGreaterThanOrEqual(72 * HOUR);
    expect(times.at(-1)).toBeLessThan(72 * HOUR + 10 * MINUTE);
    expect([stateOf(1), stateOf(2)]).toEqual(['failed', 'forwarded']);
    expect(said.join('\n')).toMatch(/refused for three days \(400\).*events replay evt/);
    // A kill between the message and the note makes it give up, with a message, again.
    expect([said.length, statesMeanwhile]).toEqual([3, ['waiting', 'waiting', 'failed']]);
  });

  it('never gives up while the target is down, and probes it with one event', async () => {
    const { tries, said, pass, stateOf } = await started(
      (_number, _attempts, now) => (now < 80 * HOUR ? AWAY : answered(200)),
      [
        [1, 1],
        [2, 2],
        [3, 3],
      ],
      0.999,
    );
    await pass(81 * HOUR);
    const later = tries.filter(([, at]) => at > 0 && at < 80 * HOUR);
    expect(new Set(later.map(([number]) => number)).size).toBe(1);
    expect(later.length).toBeLessThan(600);
    for (const number of [1, 2, 3]) expect(stateOf(number)).toBe('forwarded');
    expect(said.slice(0, 2)).toEqual([
      expect.stringContaining("can't take events now"),
      'the target takes events again',
    ]);
    expect(said.slice(2)).toEqual([1, 2, 3].map((number) => `${uidOf(number)} forwarded: 200, 0 ms`));
  });

  it.each([
    [100, 'forwarded'],
    [101, 'failed'],
  ])('counts no time that the target was down towards giving up: %i refusals, %s', async (refusals, state) => {
    const { pass, stateOf } = await started(
      (_number, attempts, now) => {
        if (now >= 80 * HOUR) return answered(attempts < refusals ? 500 : 200);
        return attempts === 0 ? answered(500) : AWAY;
      },
      [[1, 1]],
      0.999,
    );
    await pass(100 * HOUR);
    expect(stateOf(1)).toBe(state);
  });

  it.each([429, 502, 503, 504])('holds all events after %d for the time in Retry-After', async (status) => {
    const { tries, pass } = await started(
      (number, attempts) => (number === 1 && attempts === 0 ? answered(status, '3600') : answered(200)),
      [
        [1, 1],
        [2, 2],
        [3, 1],
        [4, 2],
      ],
    );
    await pass(2 * HOUR);
    expect(tries.filter(([, at]) => at > 0 && at < HOUR)).toEqual([]);
    expect(tries.filter(([number]) => number % 2 === 1).map(([number]) => number)).toEqual([1, 1, 3]);
    expect(tries.find(([number]) => number === 4)?.[1]).toBeGreaterThanOrEqual(HOUR);
  });

  it('applies Retry-After of another status to its event alone, for at most a day', async () => {
    const { tries, pass } = await started(
      (number, attempts) =>
        attempts > 0 || number === 3 ? answered(200) : answered(400, number === 1 ? '7200' : '99999999'),
      [
        [1, 1],
        [2, 2],
        [3, 3],
      ],
    );
    await pass(3 * HOUR);
    expect(tries.filter(([number]) => number === 1).map(([, at]) => at)).toEqual([0, 2 * HOUR]);
    expect(tries.filter(([number]) => number === 2).map(([, at]) => at)).toEqual([0, 24 * HOUR]);
    expect(tries.filter(([number]) => number === 3)).toEqual([[3, 0]]);
  });

  it('retries an event without an answer', async () => {
    const { tries, pass, stateOf } = await started(
      (_number, attempts) => (attempts < 2 ? SILENT : answered(200)),
      [[1, 1]],
    );
    await pass(HOUR);
    expect([tries.length, stateOf(1)]).toEqual([3, 'forwarded']);
  });

  it('retries an event that could not be sent after a pause, and sends others in the meantime', async () => {
    const { tries, pass, stateOf } = await started(
      (number, attempts) => {
        if (number === 1 && attempts < 3) throw new Error('no header like this');
        return answered(200);
      },
      [
        [1, 1],
        [2, 2],
      ],
    );
    await pass(HOUR);
    const times = tries.filter(([number]) => number === 1).map(([, at]) => at);
    expect(times).toEqual([0, 500, 1500, 3500]);
    expect(tries.filter(([number]) => number === 2)).toEqual([[2, 0]]);
    for (const number of [1, 2]) expect(stateOf(number)).toBe('forwarded');
  });

  it.each([-HOUR, HOUR])('keeps its pauses if the clock is changed by %d ms', async (set) => {
    const { tries, pass, stateOf } = await started(
      (_number, attempts, _now, clock) => {
        if (attempts === 0) clock.set = set;
        return answered(attempts < 3 ? 500 : 200);
      },
      [
        [1, 1],
        [2, 1],
      ],
    );
    await pass(HOUR);
    expect(tries.map(([, at]) => at)).toEqual([0, 500, 1500, 3500, 3500, 4000, 5000, 7000]);
    for (const number of [1, 2]) expect(stateOf(number)).toBe('forwarded');
  });

  it('sends at once what waits for more than a day, because the clock was set back since', async () => {
    const numbers = [[1, 1]] as const;
    const { tries, pass } = await started(() => answered(200), numbers, 0.5, 25 * HOUR);
    await pass(HOUR);
    expect(tries).toEqual([[1, 0]]);
    const soon = await started(() => answered(200), numbers, 0.5, 23 * HOUR);
    await soon.pass(30 * HOUR);
    expect(soon.tries).toEqual([[1, 23 * HOUR]]);
  });

  it("reports each change of the target's answer once for all events", async () => {
    const answers = [404, 404, 300, 401, 401, 200, 500, 200];
    const { said, pass } = await started(
      (number, attempts) => {
        if (number === 4) return answered(200);
        return answered(number === 1 ? (answers[attempts] ?? 200) : attempts < 1 ? 404 : 200);
      },
      [
        [1, 1],
        [2, 2],
        [3, 1],
        [4, 4],
      ],
      0.999,
    );
    await pass(HOUR);
    expect(said).toEqual([
      `${uidOf(1)} was refused (404); it is tried again, and the events behind it wait`,
      `${uidOf(4)} forwarded: 200, 0 ms`,
      `${uidOf(2)} forwarded: 200, 0 ms`,
      `${uidOf(1)} was refused (300, and redirects are not followed); it is tried again, and the events behind it wait`,
      `${uidOf(1)} was refused (401); it is tried again, and the events behind it wait`,
      `${uidOf(1)} forwarded: 200, 0 ms`,
      `${uidOf(3)} was refused (404); it is tried again, and the events behind it wait`,
      `${uidOf(3)} forwarded: 200, 0 ms`,
    ]);
  });

  it('reports a new reason why the target is down', async () => {
    const { said, pass } = await started(
      (_number, _attempts, now) => (now < MINUTE ? AWAY : answered(now < 2 * MINUTE ? 503 : 200)),
      [[1, 1]],
      0.999,
    );
    await pass(HOUR);
    expect(said).toEqual([
      expect.stringContaining('(connect ECONNREFUSED)'),
      expect.stringContaining('(503)'),
      'the target takes events again',
      `${uidOf(1)} forwarded: 200, 0 ms`,
    ]);
  });

  it('sends nothing after 410, and keeps the events', async () => {
    const { tries, said, pass, stateOf } = await started(
      () => answered(410),
      [
        [1, 1],
        [2, 1],
      ],
    );
    await pass(100 * HOUR);
    expect([tries.length, stateOf(1), stateOf(2)]).toEqual([1, 'waiting', 'waiting']);
    expect(said).toEqual([
      'the target answered 410 Gone: nothing more is forwarded until `webhook listen` is started again',
    ]);
  });
});

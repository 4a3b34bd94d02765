import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ACTIVITY, type Answer, hang, json, problem, serve, UGWO_ID } from '../support/service.ts';
import { bench } from './support.ts';

const INPUT = { params: { ugwoUid: UGWO_ID }, body: { type: 'charge', data: { medium: 'bank_transfer' } } };
const AT_ONCE = 200;

/** Answers only once all requests have arrived. */
const crowd = async (answer: Answer) => {
  const { promise: all, resolve: arrive } = Promise.withResolvers<void>();
  let asked = 0;
  const answerAll: Answer = (...request) => {
    asked += 1;
    if (asked === AT_ONCE) arrive();
    void all.then(() => answer(...request));
  };
  const service = await serve(Array.from({ length: AT_ONCE }, () => answerAll));
  return { ...bench(service.origin), all };
};

const startAll = ({ client }: Pick<ReturnType<typeof bench>, 'client'>): Promise<unknown>[] =>
  Array.from({ length: AT_ONCE }, () => client.call('ugwo.charge', INPUT).catch((thrown: unknown) => thrown));

const listenersOn = ({ stop, leave }: ReturnType<typeof bench>): number =>
  [stop, leave].flatMap(({ signal }) => getEventListeners(signal, 'abort')).length;

describe('200 concurrent writes', () => {
  const warnings: string[] = [];
  const note = ({ name }: Error): void => void warnings.push(name);
  beforeEach(() => {
    warnings.length = 0;
    process.on('warning', note);
  });
  afterEach(() => {
    process.removeListener('warning', note);
  });

  it.each([
    ['accepted', json(200, ACTIVITY)],
    ['rejected', problem(422, 'No')],
  ] as const)('leave no listeners and cause no warning: %s', async (_what, answer) => {
    const world = await crowd(answer);
    const calls = startAll(world);
    await world.all;
    expect(listenersOn(world)).toBeGreaterThan(0);
    await Promise.all(calls);
    expect(listenersOn(world)).toBe(0);
    // Node emits warnings in a later tick.
    await new Promise(setImmediate);
    expect(warnings).not.toContain('MaxListenersExceededWarning');
  });

  it('cause one notice at the first signal', async () => {
    const world = await crowd(json(200, ACTIVITY));
    const calls = startAll(world);
    await world.all;
    world.stop.abort('SIGINT');
    await Promise.all(calls);
    expect(world.debug.filter((line) => line.includes('Finishing requests in flight'))).toHaveLength(1);
    expect(world.flight).toEqual({ open: 0, accepted: AT_ONCE });
  });

  it('are all unknown after the second signal', async () => {
    const world = await crowd(hang);
    const calls = startAll(world);
    await world.all;
    world.stop.abort('SIGINT');
    world.leave.abort('SIGINT');
    for (const thrown of await Promise.all(calls)) expect(thrown).toMatchObject({ kind: 'unknown' });
    expect(world.flight).toEqual({ open: AT_ONCE, accepted: 0 });
    expect(listenersOn(world)).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import { free, inTurns, turn, yieldToEventLoop } from '../../src/core/async.ts';
import { RUNTIME } from '../support/built.ts';

const MIB = 1024 * 1024;

/** So many bytes of what was made before have gone when this is done. */
const freedBy = async (work: () => unknown): Promise<number> => {
  let waste: object[] | undefined = Array.from({ length: 300_000 }, (_, at) => ({ at, text: [`${at}`] }));
  const before = process.memoryUsage().heapUsed;
  expect(waste).toHaveLength(300_000);
  waste = undefined;
  // What the stack still holds is let go of.
  await turn();
  await work();
  return before - process.memoryUsage().heapUsed;
};

const steps = function* (count: number): Generator<void, string> {
  for (let step = 0; step < count; step += 1) yield;
  return 'done';
};

/** Of the source, which is the same for all runtimes. */
describe.runIf(RUNTIME === 'node')('memory that nothing needs any more', () => {
  it('is freed when that is asked for', async () => {
    expect(await freedBy(free)).toBeGreaterThan(20 * MIB);
  });

  it('is freed between two steps of work on a large answer', async () => {
    expect(await freedBy(() => yieldToEventLoop(MIB))).toBeGreaterThan(20 * MIB);
  });

  it('is freed each eight steps', async () => {
    expect(await freedBy(() => inTurns(steps(8)))).toBeGreaterThan(20 * MIB);
  });
});

describe('work in steps', () => {
  it('lets others have their turn between two of them, and gives what it ends with', async () => {
    const seen: string[] = [];
    setImmediate(() => seen.push('another'));
    expect(await inTurns(steps(2))).toBe('done');
    expect(seen).toEqual(['another']);
  });

  it('on a large answer lets others have their turn', async () => {
    const seen: string[] = [];
    setImmediate(() => seen.push('another'));
    await yieldToEventLoop(1000);
    expect(seen).toEqual([]);
    await yieldToEventLoop(MIB);
    expect(seen).toEqual(['another']);
  });
});

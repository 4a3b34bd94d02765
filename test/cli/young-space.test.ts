import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { holdYoungSpace } from '../../src/cli/young-space.ts';

const MIB = 1024 * 1024;
const ENOUGH = 8 * MIB;

/** How large V8's space for new objects gets in a program that makes many which live for a while, in MiB. */
const grown = (): number => {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { setTimeout as sleep } from 'node:timers/promises';
    const { holdYoungSpace } = await import(${JSON.stringify(resolve('src/cli/young-space.ts'))});
    const over = new AbortController();
    const clock = { sleep: (ms, signal) => sleep(ms, undefined, { signal }) };
    const held = holdYoungSpace(clock, over.signal, ${ENOUGH});
    const size = () => getHeapSpaceStatistics().find((one) => one.space_name === 'new_space').space_size;
    const living = [];
    let most = 0;
    const work = async (turns, until) => {
      for (let turn = 0; turn < turns && !until(); turn += 1) {
        living[turn % 60] = Array.from({ length: 40_000 }, (_, n) => ({ n, turn }));
        most = Math.max(most, size());
        await sleep(5);
      }
    };
    await work(100, () => size() >= ${ENOUGH});
    // An engine whose space never gets so large has nothing to hold.
    if (size() >= ${ENOUGH}) await held;
    await work(200, () => false);
    over.abort();
    console.log(Math.round(most / ${MIB}));`;
  return Number(execFileSync(process.execPath, ['--max-semi-space-size=64', '--input-type=module', '-e', script]));
};

it('keeps the space for new objects from growing on and on', () => {
  // Left alone it grows to eight times as much and more, in those versions of Node that let it grow at all.
  expect(grown()).toBeLessThan((3 * ENOUGH) / MIB);
});

it('ends when it is over', async () => {
  const over = new AbortController();
  const holding = holdYoungSpace({ sleep: (ms, signal) => sleep(ms, undefined, { signal }) }, over.signal, ENOUGH);
  over.abort();
  await expect(holding).resolves.toBeUndefined();
});

import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { holdYoungSpace } from '../../src/cli/young-space.ts';

/** How large V8's space for new objects gets in a program that makes many which live for a while, in MB. */
const grown = (held: boolean): number => {
  const module = JSON.stringify(resolve('src/cli/young-space.ts'));
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { setTimeout as sleep } from 'node:timers/promises';
    const { holdYoungSpace } = await import(${module});
    const over = new AbortController();
    if (${held}) void holdYoungSpace({ sleep: (ms, signal) => sleep(ms, undefined, { signal }) }, over.signal);
    const size = () => getHeapSpaceStatistics().find((one) => one.space_name === 'new_space').space_size;
    const living = [];
    let most = 0;
    for (let turn = 0; turn < 200; turn += 1) {
      living[turn % 20] = Array.from({ length: 40_000 }, (_, n) => ({ n, turn }));
      most = Math.max(most, size());
      await sleep(5);
    }
    over.abort();
    console.log(Math.round(most / 1024 / 1024));`;
  return Number(execFileSync(process.execPath, ['--max-semi-space-size=64', '--input-type=module', '-e', script]));
};

it('keeps the space for new objects from growing on and on', () => {
  const [free, held] = [grown(false), grown(true)];
  expect(held).toBeLessThan(free);
});

it('ends when it is over', async () => {
  const over = new AbortController();
  const holding = holdYoungSpace({ sleep: (ms, signal) => sleep(ms, undefined, { signal }) }, over.signal);
  over.abort();
  await expect(holding).resolves.toBeUndefined();
});

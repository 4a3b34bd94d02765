import { afterEach, expect, it, onTestFinished } from 'vitest';
import { newFolder } from '../support/program.ts';
import { openBench } from './bulk-bench.ts';
import { writeRows } from './bulk-file.ts';
import { MADE, serveCounting } from './counting.ts';
import { endRunning } from './strace.ts';

afterEach(endRunning);

const ROWS = 60;
const RATE = 20;

// A slow machine only adds time. test/bulk checks the exact pace.
it('--rate limits the requests, whatever the concurrency', async () => {
  const service = await serveCounting(() => MADE);
  onTestFinished(service.close);
  const bench = openBench(newFolder(), service);
  writeRows(bench.rows, ROWS);
  const started = performance.now();
  expect(await bench.charge(['--concurrency', '16', '--rate', `${RATE}/s`])).toMatchObject({ code: 0 });
  const times = service.posts.map(({ at }) => at);
  expect(times).toHaveLength(ROWS);
  expect((times.at(-1) ?? 0) - started).toBeGreaterThan(((ROWS - 1) / RATE) * 1000);
});

import { expect, it } from 'vitest';
import { listedPages } from '../../src/commands/list.ts';
import type { Run, RunState } from '../../src/commands/run.ts';
import { madeHere } from '../../src/core/record.ts';

it('a list of this machine counts what it has read, and reads no page after a signal', async () => {
  const stop = new AbortController();
  const status: RunState['status'] = {};
  const run = { io: { signals: { stop: stop.signal } }, state: { status } } as unknown as Run;
  const numbers = {
    find: async (behind: number | undefined, limit: number) =>
      Array.from({ length: limit }, (_, index) => (behind ?? 0) + index + 1),
    placeOf: (number: number) => number,
    cursorOf: String,
    recordsOf: async (found: readonly number[]) => found.map((number) => madeHere({ number })),
    size: 600,
  };
  const pages = listedPages(run, numbers, {});
  expect(status.doing?.()).toBeUndefined();
  await pages.next();
  await pages.next();
  expect(status.doing?.()).toBe('1,200 read');
  stop.abort('SIGTERM');
  await expect(pages.next()).rejects.toMatchObject({ kind: 'interrupted', detail: { exitCode: 143 } });
});

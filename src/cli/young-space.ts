import { memoryUsage } from 'node:process';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { free } from '../core/async.ts';
import type { Clock } from '../core/io.ts';

const MIB = 1024 * 1024;

/** In bytes, so much is of use: with less, V8 would clean up too often; more gains nothing. */
export const YOUNG_SPACE = { walk: 8 * MIB, file: 16 * MIB } as const;
const LOOK_AGAIN_MS = 100;

/** In bytes; 0 where there is none, as in Bun, which has another engine. */
const youngSpace = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;

/** In bytes: from the first on a process is told to collect, and again when it has grown by the second since. */
const [MUCH, MORE] = [92 * MIB, 10 * MIB] as const;

/** The same for Bun, whose engine lets the memory of a walk grow by half. */
const freeAgain = async ({ sleep }: Pick<Clock, 'sleep'>, over: AbortSignal): Promise<void> => {
  for (let much = MUCH; !over.aborted; await sleep(LOOK_AGAIN_MS / 2, over).catch(() => undefined)) {
    if (memoryUsage.rss() < much) continue;
    free();
    much = Math.max(MUCH, memoryUsage.rss() + MORE);
  }
};

/**
 * Keeps V8's space for new objects, which grows for as long as a run makes many, from growing beyond `enough`: a million rows
 * or records then need no more memory than ten thousand. Ends when that is done, or at `over`. On Bun, which has no such space,
 * it looks at all memory until `over`.
 */
export const holdYoungSpace = async (clock: Pick<Clock, 'sleep'>, over: AbortSignal, enough: number): Promise<void> => {
  while (!over.aborted) {
    const size = youngSpace();
    if (size === 0) return freeAgain(clock, over);
    if (size >= enough) return setFlagsFromString('--semi-space-growth-factor=1');
    await clock.sleep(LOOK_AGAIN_MS, over).catch(() => undefined);
  }
};

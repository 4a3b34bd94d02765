import { memoryUsage } from 'node:process';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { free } from '../core/async.ts';
import type { Clock } from '../core/io.ts';

const MIB = 1024 * 1024;

/** Useful sizes of V8's new space, in bytes. With less, V8 would collect too often; more gains nothing. */
export const YOUNG_SPACE = { walk: 8 * MIB, file: 16 * MIB } as const;
const LOOK_AGAIN_MS = 100;

/** Size of V8's new space in bytes; 0 if there is none, as in Bun, which has another engine. */
const youngSpace = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;

/** Thresholds in bytes: collect from MUCH of resident memory on, and again after each growth by MORE. */
const [MUCH, MORE] = [92 * MIB, 10 * MIB] as const;

/** Collects on Bun, whose engine otherwise lets memory grow by half during a walk. */
const freeAgain = async ({ sleep }: Pick<Clock, 'sleep'>, over: AbortSignal): Promise<void> => {
  for (let much = MUCH; !over.aborted; await sleep(LOOK_AGAIN_MS / 2, over).catch(() => undefined)) {
    if (memoryUsage.rss() < much) continue;
    free();
    much = Math.max(MUCH, memoryUsage.rss() + MORE);
  }
};

/**
 * Stops V8's new space from growing beyond `enough`. It otherwise grows while a run allocates many objects; with the
 * limit, a million rows or records need no more memory than ten thousand. Ends once the limit is set, or at `over`. On
 * Bun, which has no such space, it checks all memory until `over`.
 */
export const holdYoungSpace = async (clock: Pick<Clock, 'sleep'>, over: AbortSignal, enough: number): Promise<void> => {
  while (!over.aborted) {
    const size = youngSpace();
    if (size === 0) return freeAgain(clock, over);
    if (size >= enough) return setFlagsFromString('--semi-space-growth-factor=1');
    await clock.sleep(LOOK_AGAIN_MS, over).catch(() => undefined);
  }
};

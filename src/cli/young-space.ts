import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import type { Clock } from './io.ts';

/** In bytes: with less, V8 would clean up too often; more gains nothing. */
const ENOUGH = 16 * 1024 * 1024;
const LOOK_AGAIN_MS = 100;

/** In bytes; 0 where there is none, as in Bun, which has another engine. */
const youngSpace = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;

/**
 * Keeps V8's space for new objects, which grows for as long as a run makes many, from growing beyond what is of use: a file
 * of a million rows then needs no more memory than one of ten thousand. Ends when that is done, or at `over`.
 */
export const holdYoungSpace = async ({ sleep }: Pick<Clock, 'sleep'>, over: AbortSignal): Promise<void> => {
  while (!over.aborted) {
    const size = youngSpace();
    if (size === 0) return;
    if (size >= ENOUGH) return setFlagsFromString('--semi-space-growth-factor=1');
    await sleep(LOOK_AGAIN_MS, over).catch(() => undefined);
  }
};

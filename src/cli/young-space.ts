import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import type { Clock } from '../core/io.ts';

const MIB = 1024 * 1024;

/** In bytes, so much is of use: with less, V8 would clean up too often; more gains nothing. */
export const YOUNG_SPACE = { walk: 8 * MIB, file: 16 * MIB } as const;
const LOOK_AGAIN_MS = 100;

/** In bytes; 0 where there is none, as in Bun, which has another engine. */
const youngSpace = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;

/**
 * Keeps V8's space for new objects, which grows for as long as a run makes many, from growing beyond `enough`: a million rows
 * or records then need no more memory than ten thousand. Ends when that is done, or at `over`.
 */
export const holdYoungSpace = async (
  { sleep }: Pick<Clock, 'sleep'>,
  over: AbortSignal,
  enough: number,
): Promise<void> => {
  while (!over.aborted) {
    const size = youngSpace();
    if (size === 0) return;
    if (size >= enough) return setFlagsFromString('--semi-space-growth-factor=1');
    await sleep(LOOK_AGAIN_MS, over).catch(() => undefined);
  }
};

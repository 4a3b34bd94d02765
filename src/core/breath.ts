import { getBuiltinModule } from 'node:process';
import { memo } from './memo.ts';

/** In bytes or characters: less is worked through in a few milliseconds. */
const MUCH = 256 * 1024;

/** What makes an engine collect at once, made where it is first wanted. */
const collector = memo((): (() => void) => {
  const { Bun } = globalThis as { Bun?: { gc(now: boolean): void } };
  if (Bun !== undefined) return () => Bun.gc(true);
  getBuiltinModule('node:v8').setFlagsFromString('--expose-gc');
  return getBuiltinModule('node:vm').runInNewContext('gc') as () => void;
});

/**
 * Frees what nothing needs any more, around work on a large answer: engines let garbage grow with what is in use, Bun's by half as
 * much again. It takes up to twenty milliseconds.
 */
export const free = (): void => collector()();

/** The next turn of the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Between two steps of work on so much: a signal is heard only between two turns of the event loop. */
export const breathe = async (size: number): Promise<void> => {
  if (size < MUCH) return;
  await turn();
  free();
};

/** Memory is freed each time that so many steps are done. */
const STEPS = 8;

/** Work that says itself where a step ends, with a turn of the event loop between two of them. */
export const inTurns = async <T>(work: Generator<void, T>): Promise<T> => {
  for (let steps = 1; ; steps += 1) {
    const { done, value } = work.next();
    if (done === true) return value;
    await turn();
    if (steps % STEPS === 0) free();
  }
};

/** The same in one go. */
export const atOnce = <T>(work: Generator<void, T>): T => {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
};

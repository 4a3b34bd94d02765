/** In bytes or characters: less is worked through in a few milliseconds. */
const MUCH = 256 * 1024;

/** The next turn of the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Between two steps of work on so much: a signal is heard only between two turns of the event loop. */
export const breathe = async (size: number): Promise<void> => {
  if (size >= MUCH) await turn();
};

/** Work that says itself where a step ends, with a turn of the event loop between two of them. */
export const inTurns = async <T>(work: Generator<void, T>): Promise<T> => {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    await turn();
  }
};

/** The same in one go. */
export const atOnce = <T>(work: Generator<void, T>): T => {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
};

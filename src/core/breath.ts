/** In bytes or characters: less is worked through in a few milliseconds. */
const MUCH = 256 * 1024;

/** Between two steps of work on so much: a signal is heard only between two turns of the event loop. */
export const breathe = async (size: number): Promise<void> => {
  if (size >= MUCH) await new Promise((resolve) => setImmediate(resolve));
};

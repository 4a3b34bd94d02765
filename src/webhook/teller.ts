import type { KeptEvent } from './kept.ts';
import type { Queue } from './queue.ts';

/** So many are read in one go. */
const AT_ONCE = 100;

/**
 * Events to be told, each once for good: it is noted before that they are about to be, and after that they were. Those that a
 * kill has caught in between are told no more, since they may have been.
 */
export const openTeller = (queue: Queue) => {
  let told = queue.place('told');
  return {
    /** What a kill has caught: they are no next ones, and found again until they are noted as told. */
    doubtful: (): readonly KeptEvent[] => {
      const telling = queue.place('telling');
      const found: KeptEvent[] = [];
      while (told < telling) {
        const some = queue.behind(told, AT_ONCE).filter(({ seq }) => seq <= telling);
        found.push(...some);
        told = some.at(-1)?.seq ?? telling;
      }
      return found;
    },
    /** What comes next, at most so many; empty where nothing does. */
    next: (most = AT_ONCE): readonly KeptEvent[] => queue.behind(told, most),
    /** All up to this one are about to be told, or were. */
    note: async (what: 'telling' | 'told', { seq }: KeptEvent): Promise<void> => {
      await queue.setPlace(what, seq);
      if (what === 'told') told = seq;
    },
  };
};

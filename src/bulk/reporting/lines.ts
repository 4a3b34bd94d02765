import type { FileHandle } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';

/** An open file that lines are added to. */
export interface Lines {
  /** Returns when the line is with the operating system; lines stand in the order of the calls. */
  append(line: string): Promise<void>;
  /** Returns when the last line has been written, or could not be. */
  close(): Promise<void>;
}

/**
 * One write after the other. Lines that are asked for in the same turn, or while another write is under way, go together:
 * a write for each would cost more than the rest of a row. After one that failed there is none, since its lines may stand
 * there in part.
 */
export const linesOf = (file: Pick<FileHandle, 'appendFile' | 'close'>): Lines => {
  const waiting: string[] = [];
  let last: Promise<unknown> = Promise.resolve();

  const writeAfter = async (earlier: Promise<unknown>): Promise<void> => {
    const [before] = await Promise.allSettled([earlier, setImmediate()]);
    const text = waiting.splice(0).join('');
    if (before.status === 'rejected') throw before.reason;
    await file.appendFile(text);
  };

  return {
    append: async (line) => {
      if (waiting.push(line) === 1) last = writeAfter(last);
      await last;
    },
    close: async () => {
      await last.catch(() => undefined);
      await file.close();
    },
  };
};

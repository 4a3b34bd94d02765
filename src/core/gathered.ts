import { turn } from './breath.ts';

/** Waits for what else this turn of the program brings, and the next ones as long as each brings more. */
export const gathered = async (count: () => number): Promise<void> => {
  for (let before = 0; count() > before; ) {
    before = count();
    await turn();
  }
};

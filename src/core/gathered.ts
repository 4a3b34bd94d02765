import { turn } from './breath.ts';

/**
 * Gathers what this turn of the program asks for, and the next ones as long as each brings more, and has it done together:
 * `run` takes what it does out of the list, and is called again while there is more.
 */
export const gathering = <T>(run: (waiting: T[]) => Promise<void>): ((one: T) => void) => {
  const waiting: T[] = [];
  let _running: Promise<void> | undefined;
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      for (let before = 0; waiting.length > before; ) {
        before = waiting.length;
        await turn();
      }
      await run(waiting);
    }
    _running = undefined;
  };
  return (one) => {
    waiting.push(one);
    _running ??= flush();
  };
};

import { randomInt } from 'node:crypto';
import { CHARGE } from '../core/effect.ts';
import { memo } from '../core/memo.ts';

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const HALF = 2 ** 30;

/** Half of an id, in letters that can be read out over the phone: none look alike. There are 32 of them. */
const sixLetters = (half: number): string =>
  [25, 20, 15, 10, 5, 0].map((shift) => LETTERS.charAt((half >> shift) % LETTERS.length)).join('');

/** Odd, so that all numbers come before one comes again, and so large that neighbours differ in several letters. */
const STEP = 20_706_943;

/**
 * The ids of what one process sends, from a drawn one on. They ascend, so that those of a file lie side by side in an index:
 * drawn each by itself they would touch a page of it each.
 */
export const idsFrom = (first: number, second: number): ((kind: string) => string) => {
  let [high, low] = [first, second];
  return (kind) => {
    low += STEP;
    if (low >= HALF) [high, low] = [(high + 1) % HALF, low - HALF];
    return `${kind === CHARGE ? 'chg' : kind}-${sixLetters(high)}${sixLetters(low)}`;
  };
};

const ids = memo(() => idsFrom(randomInt(HALF), randomInt(HALF)));

/** An id that nothing else in any ledger has. */
export const newId = (kind: string): string => ids()(kind);

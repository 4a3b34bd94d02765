import { randomBytes } from 'node:crypto';
import { CHARGE } from '../core/effect.ts';
import { memo } from '../core/memo.ts';

/** The digits of a number to the base of 32 in letters that can be read out over the phone: none look alike. */
const DIGITS = '0123456789abcdefghijklmnopqrstuv';
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 12;
const BITS = 5 * LENGTH;

/** Odd, so that all numbers come before one comes again, and so large that neighbours differ in several letters. */
const STEP = 20_706_943n;

/**
 * The names of what one process sends, from a drawn one on: each greater than the one before, so that those of a file lie side by
 * side in an index. Drawn each by itself they would touch a page of it each.
 */
export const idsFrom = (start: bigint): ((kind: string) => string) => {
  let number = start;
  return (kind) => {
    number = BigInt.asUintN(BITS, number + STEP);
    const digits = number.toString(DIGITS.length).padStart(LENGTH, '0');
    const letters = digits.replaceAll(/[i-v]/g, (digit) => LETTERS.charAt(DIGITS.indexOf(digit)));
    return `${kind === CHARGE ? 'chg' : kind}-${letters}`;
  };
};

const ids = memo(() => idsFrom(randomBytes(8).readBigUInt64LE()));

/** A name that nothing else in any ledger has. */
export const newId = (kind: string): string => ids()(kind);

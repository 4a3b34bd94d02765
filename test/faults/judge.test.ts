import { describe, expect, it } from 'vitest';
import type { ChargeEnd } from './charger.ts';
import { activityOf, ugwoOf } from './counting.ts';
import { endOfRun, faultsOfStruck, KILLED, type Row, type Struck } from './judge.ts';

const UGWO = ugwoOf(1);

/** `a accepted 0`: the charge of the first run, with the exit code that is recorded. */
const rowsOf = (...lines: readonly string[]): Row[] =>
  lines.map((line) => {
    const [id = '', state = '', exit] = line.split(' ');
    const activity = state === 'accepted' ? activityOf(UGWO) : null;
    return { id, state, exit: exit === undefined ? null : Number(exit), activity };
  });

const end = (code: number, id?: string): ChargeEnd => ({ ...endOfRun(code, null, ''), id });
const UNTOLD = endOfRun(0, null, '');
const REFUSED = end(9, 'a');

const [DONE, DOUBT, UNSENT] = ['a accepted 0', 'a unknown 6', 'a not_sent 5'];

type Case = readonly [name: string, struck: Omit<Struck, 'ugwo'>];

const sound: readonly Case[] = [
  ['is recorded and refused again', struckBy(end(0, 'a'), 1, REFUSED, 1, DONE)],
  ['is recorded by a run that does not tell its ID', struckBy(UNTOLD, 1, REFUSED, 1, DONE)],
  ['is in doubt, though it was not executed', struckBy(end(6, 'a'), 0, REFUSED, 0, DOUBT)],
  ['was not sent, and is sent again', struckBy(end(5, 'a'), 0, end(0, 'b'), 1, UNSENT, 'b accepted 0')],
  ['was kept from being sent by its look', struckBy(end(8), 0, end(0, 'b'), 1, 'b accepted 0')],
  ['could not be noted in the end, and was noted later', struckBy(end(7, 'a'), 1, REFUSED, 1, DONE)],
  ['could not be begun, as far as is known', struckBy(end(10), 0, REFUSED, 0, 'a unknown 6')],
  ['was killed before its intent', struckBy(KILLED, 0, end(0, 'b'), 1, 'b accepted 0')],
  ['was killed after it was sent', struckBy(KILLED, 1, REFUSED, 1, 'a unknown')],
  ['is told by files of another machine', { ...struckBy(end(7, 'a'), 1, REFUSED, 1, 'a sending'), isElsewhere: true }],
  ['is in doubt without them in the end', { ...struckBy(end(7, 'a'), 1, REFUSED, 1, 'a unknown'), isElsewhere: true }],
];

const wrong: readonly (readonly [...Case, RegExp])[] = [
  ['was executed twice', struckBy(end(0, 'a'), 2, REFUSED, 2, DONE), /executed 2 times/],
  ['says it was not sent', struckBy(end(5, 'a'), 1, REFUSED, 1, UNSENT), /executed 1 times/],
  ['says it was done', struckBy(end(0, 'a'), 0, REFUSED, 0, DONE), /executed 0 times/],
  ['is lost', struckBy(KILLED, 1, REFUSED, 1), /lost/],
  ['is taken for not sent', struckBy(KILLED, 1, end(0, 'b'), 2, UNSENT, 'b accepted 0'), /lost/],
  ['lost its outcome', struckBy(end(7, 'a'), 1, REFUSED, 1, 'a sending'), /says a sending/],
  ['lost its outcome to doubt', struckBy(end(7, 'a'), 1, REFUSED, 1, 'a unknown'), /says a unknown/],
  ['has the outcome of another', struckBy(end(0, 'a'), 1, REFUSED, 1, 'b accepted 0'), /says b accepted/],
  ['has an outcome, and tells no ID', struckBy(end(0), 1, REFUSED, 1, DONE), /says a accepted/],
  ['was sent again, which is another row', struckBy(end(8), 0, end(0, 'c'), 1, 'b accepted 0'), /says b accepted/],
  ['has two rows', struckBy(end(6, 'a'), 0, REFUSED, 0, DOUBT, 'b unknown 6'), /2 rows/],
  ['is repeated', struckBy(end(0, 'a'), 1, end(0, 'b'), 2, DONE, 'b accepted 0'), /second was accepted/],
  ['is repeated in doubt', struckBy(end(6, 'a'), 0, end(0, 'b'), 1, DOUBT, 'b accepted 0'), /second was accepted/],
  ['is repeated without a word', struckBy(end(0, 'a'), 1, REFUSED, 2, DONE), /the second charged/],
  ['blocks though nothing was begun', struckBy(end(8), 0, REFUSED, 0), /second was refused/],
  ['left a trace of its look', struckBy(end(8), 0, REFUSED, 0, DOUBT), /says a unknown/],
  ['met itself', struckBy({ ...end(10), message: 'duplicate key' }, 0, REFUSED, 0, DOUBT), /own intent/],
  ['exits with the code of another end', struckBy({ ...end(0, 'a'), exitCode: 6 }, 1, REFUSED, 1, DONE), /exit 6/],
  ['is recorded with another exit code', struckBy(end(0, 'a'), 1, REFUSED, 1, 'a accepted 6'), /says exit 6/],
  ['ended as nothing known', struckBy(end(1), 0, REFUSED, 0), /ended as exit 1/],
];

function struckBy(
  first: ChargeEnd,
  executed: number,
  second: ChargeEnd,
  inAll: number,
  ...rows: readonly string[]
): Omit<Struck, 'ugwo'> {
  return { first, executed, second: { end: second, executed: inAll }, rows: rowsOf(...rows) };
}

describe('a charge at which something struck', () => {
  it.each(sound)('has no fault if it %s', (_name, struck) => {
    expect(faultsOfStruck({ ugwo: UGWO, ...struck })).toEqual([]);
  });

  it.each(wrong)('has a fault if it %s', (_name, struck, fault) => {
    expect(faultsOfStruck({ ugwo: UGWO, ...struck }).join()).toMatch(fault);
  });

  it('has a fault if it has the activity of another', () => {
    const [row] = rowsOf(DONE);
    const rows = [{ ...(row as Row), activity: activityOf(UGWO, 2) }];
    expect(faultsOfStruck({ ugwo: UGWO, first: end(0, 'a'), executed: 1, rows }).join()).toMatch(/its activity/);
  });

  it('has a fault if it ended in a way that is not meant', () => {
    const struck = struckBy(end(6, 'a'), 0, REFUSED, 0, DOUBT);
    expect(faultsOfStruck({ ugwo: UGWO, ...struck }, ['accepted']).join()).toMatch(/ended as unknown/);
  });
});

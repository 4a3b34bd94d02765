import { describe, expect, it } from 'vitest';
import { ownCluster } from '../../support/postgres.ts';
import { type Change, faultsIn, type Post, WATCHED_SETTINGS, watchLedger } from './history.ts';

/** `a sending 10` and so on, all about one payment request. */
const changes = (...lines: readonly string[]): Change[] =>
  lines.map((line) => {
    const [id = '', state = '', at] = line.split(' ');
    return { id, about: 'ugw', state, at: Number(at) };
  });
const posts = (...at: readonly number[]): Post[] => at.map((one) => ({ about: 'ugw', at: one }));

const WHOLE = ['a sending 10', 'a accepted 30'];

describe('a history', () => {
  it.each([
    ['a charge', WHOLE, [20]],
    ['one that nobody heard of', ['a sending 10', 'a unknown 30'], [20]],
    [
      'one that was never sent, and one after it',
      ['a sending 10', 'a not_sent 20', 'b sending 20', 'b accepted 40'],
      [30],
    ],
    ['one that was opened again', ['a sending 10', 'a not_created 20', 'a unknown 25', 'a accepted 40'], [15]],
    ['one that came in the millisecond of the commit', ['a sending 10.7', 'a accepted 30'], [10]],
  ])('of %s is whole', (_name, rows, came) => {
    expect(faultsIn(changes(...rows), posts(...came))).toEqual([]);
  });

  it.each([
    [
      'two that were open at once',
      ['a sending 10', 'b sending 20', 'a accepted 30', 'b not_sent 40'],
      [25],
      /overlaps/,
    ],
    ['another after one that was made', [...WHOLE, 'b sending 40', 'b not_sent 50'], [20], /begun after/],
    ['what came before the commit', WHOLE, [5], /lies in none/],
    ['what came after the end', ['a sending 10', 'a not_sent 30'], [35], /lies in none/],
    ['what came without a row', [], [5], /lies in none of no rows/],
    ['two that came of one row', WHOLE, [15, 25], /2 came/],
    ['one that is said to be made, and never came', WHOLE, [], /0 came/],
    ['one that is said not to be sent, and came', ['a sending 10', 'a not_sent 30'], [20], /1 came/],
  ])('of %s is not', (_name, rows, came, fault) => {
    expect(faultsIn(changes(...rows), posts(...came)).join()).toMatch(fault);
  });

  it('of other payment requests is another', () => {
    const other = changes('b sending 20', 'b accepted 40').map((one) => ({ ...one, about: 'other' }));
    expect(faultsIn([...changes(...WHOLE), ...other], [...posts(20), { about: 'other', at: 30 }])).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('a ledger that is watched', () => {
  it('tells what was committed, in order, and when', async () => {
    const cluster = await ownCluster({ settings: WATCHED_SETTINGS });
    await cluster.sql('CREATE SCHEMA paycli');
    await cluster.sql('CREATE TABLE paycli.charge (id text, ugwo text, state text)');
    const { changes: told } = await watchLedger(cluster, 'postgres');
    const before = Date.now();
    await cluster.sql("INSERT INTO paycli.charge VALUES ('a', 'ugw', 'sending')");
    await cluster.sql('UPDATE paycli.charge SET id = id');
    await cluster.sql("UPDATE paycli.charge SET state = 'accepted'");
    await cluster.sql("BEGIN; INSERT INTO paycli.charge VALUES ('b', 'ugw', 'sending'); ROLLBACK");
    const after = Date.now();
    const rows = await told();
    expect(rows.map(({ id, about, state }) => `${id} ${about} ${state}`)).toEqual(['a ugw sending', 'a ugw accepted']);
    for (const { at } of rows) {
      expect(at).toBeGreaterThanOrEqual(before);
      expect(at).toBeLessThanOrEqual(after + 1);
    }
  });
});

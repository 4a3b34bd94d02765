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
    ['an unknown charge', ['a sending 10', 'a unknown 30'], [20]],
    [
      'a charge that was not sent, and one after it',
      ['a sending 10', 'a not_sent 20', 'b sending 20', 'b accepted 40'],
      [30],
    ],
    ['a reopened charge', ['a sending 10', 'a not_created 20', 'a unknown 25', 'a accepted 40'], [15]],
    ['a charge that was received in the millisecond of the commit', ['a sending 10.7', 'a accepted 30'], [10]],
  ])('of %s has no fault', (_name, rows, came) => {
    expect(faultsIn(changes(...rows), posts(...came))).toEqual([]);
  });

  it.each([
    [
      'two charges that were open at once',
      ['a sending 10', 'b sending 20', 'a accepted 30', 'b not_sent 40'],
      [25],
      /overlaps/,
    ],
    ['a charge after an accepted one', [...WHOLE, 'b sending 40', 'b not_sent 50'], [20], /begun after/],
    ['a charge received before the commit', WHOLE, [5], /lies in none/],
    ['a charge received after the end', ['a sending 10', 'a not_sent 30'], [35], /lies in none/],
    ['a charge received without a row', [], [5], /lies in none of no rows/],
    ['two charges received for one row', WHOLE, [15, 25], /2 came/],
    ['a charge that is accepted, but was never received', WHOLE, [], /0 came/],
    ['a charge that is not_sent, but was received', ['a sending 10', 'a not_sent 30'], [20], /1 came/],
  ])('of %s has a fault', (_name, rows, came, fault) => {
    expect(faultsIn(changes(...rows), posts(...came)).join()).toMatch(fault);
  });

  it('is separate for each payment request', () => {
    const other = changes('b sending 20', 'b accepted 40').map((one) => ({ ...one, about: 'other' }));
    expect(faultsIn([...changes(...WHOLE), ...other], [...posts(20), { about: 'other', at: 30 }])).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('a watched ledger', () => {
  it('lists what was committed, in order, with times', async () => {
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

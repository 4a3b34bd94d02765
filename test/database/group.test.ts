import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nextTurn } from '../../src/core/async.ts';
import { groupCommit } from '../../src/database/group.ts';

const [STOP, LEAVE] = [new AbortController().signal, new AbortController().signal];

const table = (within?: <T>(work: () => T) => T) => {
  const db = new DatabaseSync(':memory:');
  onTestFinished(() => db.close());
  db.exec('CREATE TABLE word (text TEXT UNIQUE)');
  const commits: AbortSignal[] = [];
  const together = groupCommit(
    db,
    async (transaction, until) => {
      commits.push(until);
      return transaction();
    },
    [STOP, LEAVE],
    within,
  );
  const insert = (text: string) => () => {
    db.prepare('INSERT INTO word VALUES (?)').run(text);
    return text;
  };
  const words = (): unknown[] =>
    db
      .prepare('SELECT text FROM word ORDER BY rowid')
      .all()
      .map(({ text }) => text);
  return { db, together, insert, words, commits };
};

describe('writes of one turn', () => {
  it('share one transaction, and each returns its own result', async () => {
    const { together, insert, words, commits } = table();
    const all = Array.from({ length: 50 }, (_, index) => together(insert(`word ${index}`), STOP));
    expect(await Promise.all(all)).toEqual(Array.from({ length: 50 }, (_, index) => `word ${index}`));
    expect(words()).toHaveLength(50);
    expect(commits).toEqual([STOP]);
  });

  it('share it with writes of the next turns', async () => {
    const { together, insert, commits } = table();
    const second = nextTurn().then(() => together(insert('b'), STOP));
    await Promise.all([together(insert('a'), STOP), second]);
    expect(commits).toEqual([STOP]);
  });

  it('keep their changes when another one fails', async () => {
    const { together, insert, words } = table();
    const twice = (): never => {
      insert('undone')();
      throw new Error('no');
    };
    const ended = await Promise.allSettled([
      together(insert('a'), STOP),
      together(twice, STOP),
      together(insert('a'), STOP),
      together(insert('b'), STOP),
    ]);
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(words()).toEqual(['a', 'b']);
  });

  it('are repeated if another one fails; a single write is not', async () => {
    const { together, insert, words } = table();
    const asked: string[] = [];
    const write = (text: string, fails: boolean) => () => {
      asked.push(text);
      insert(text)();
      if (fails) throw new Error('no');
    };
    await Promise.allSettled([together(write('a', false), STOP), together(write('b', true), STOP)]);
    await Promise.allSettled([together(write('c', true), STOP)]);
    expect(asked).toEqual(['a', 'b', 'a', 'b', 'c']);
    expect(words()).toEqual(['a']);
  });

  it.each([
    ['at once', 1],
    ['when a failed write is repeated alone', 2],
  ])('all fail with the same reason if their transaction does: %s', async (_when, time) => {
    const { db, together, insert, words } = table();
    let asked = 0;
    const fails = (): never => {
      asked += 1;
      if (asked === time) db.exec('ROLLBACK');
      throw new Error('the disk is full');
    };
    const writes = [together(insert('a'), STOP), together(fails, STOP), together(insert('b'), STOP)];
    const reasons = (await Promise.allSettled(writes)).map((ended) => 'reason' in ended && String(ended.reason));
    expect(reasons).toEqual(Array.from({ length: 3 }, () => 'Error: the disk is full'));
    expect([asked, words()]).toEqual([time, []]);
    expect(await together(insert('c'), STOP)).toBe('c');
  });

  it('all fail if the commit is refused, and are not repeated', async () => {
    let mayNot = true;
    const { together, insert, words } = table((work) => {
      const result = work();
      if (mayNot) throw new Error('the file was removed');
      return result;
    });
    let asked = 0;
    const write = (text: string) => (): void => {
      asked += 1;
      insert(text)();
    };
    const ended = await Promise.allSettled([together(write('a'), STOP), together(write('b'), STOP)]);
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect([asked, words()]).toEqual([2, []]);
    mayNot = false;
    await together(write('c'), STOP);
    expect(words()).toEqual(['c']);
  });

  it('wait for a locked file as long as the most patient one', async () => {
    const { together, insert, commits } = table();
    await Promise.all([together(insert('a'), STOP), together(insert('b'), LEAVE)]);
    await Promise.all([together(insert('c'), LEAVE), together(insert('d'), STOP)]);
    await together(insert('e'), STOP);
    expect(commits).toEqual([LEAVE, LEAVE, STOP]);
  });
});

it('a write requested during a commit belongs to the next one', async () => {
  const { together, insert, words, commits } = table();
  let later: Promise<string> | undefined;
  await together(() => {
    later = together(insert('later'), STOP);
    return insert('first')();
  }, STOP);
  await later;
  expect(words()).toEqual(['first', 'later']);
  expect(commits).toHaveLength(2);
});

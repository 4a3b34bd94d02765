import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { migrate, transact, versionOf } from '../../src/database/connect.ts';
import {
  addWord,
  besides,
  faultOf,
  inFile,
  kindOf,
  opened,
  openOnce,
  runScript,
  SOURCES,
  tempFile,
  wordsIn,
} from './support.ts';

/** Each takes a while, leaves one word, and cannot run twice. */
const MIGRATIONS = Array.from(
  { length: 4 },
  (_, index) => `
    ${index === 0 ? 'CREATE TABLE word (text TEXT NOT NULL) STRICT;' : ''}
    CREATE TABLE step_${index} (n INTEGER) STRICT;
    INSERT INTO step_${index} WITH RECURSIVE n (v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n LIMIT 30000) SELECT v FROM n;
    INSERT INTO word (text) VALUES ('step ${index}');`,
);

const STEPS = ['step 0', 'step 1', 'step 2', 'step 3'];

describe('a file from an older paycli', () => {
  test('is brought up to date with its records kept', () => {
    const file = tempFile();
    openOnce(file, kindOf({ migrations: MIGRATIONS.slice(0, 1) }));
    inFile(file, (db) => addWord(db, 'mine'));
    openOnce(file, kindOf({ migrations: MIGRATIONS }));
    openOnce(file, kindOf({ migrations: MIGRATIONS }));
    expect(wordsIn(file)).toEqual(['step 0', 'mine', 'step 1', 'step 2', 'step 3']);
    expect(inFile(file, versionOf)).toBe(4);
  });

  test('is not filled again', () => {
    const file = tempFile();
    openOnce(file, kindOf({ fill: (db) => addWord(db, 'filled') }));
    const more = [...kindOf().migrations, 'CREATE TABLE more (a INTEGER) STRICT;'];
    openOnce(file, kindOf({ migrations: more, fill: (db) => addWord(db, 'again') }));
    expect(wordsIn(file)).toEqual(['filled']);
  });

  test('stays as it was when a migration fails', () => {
    const file = tempFile();
    openOnce(file, kindOf({ migrations: MIGRATIONS.slice(0, 1) }));
    const broken = [...MIGRATIONS.slice(0, 3), 'CREATE TABLE step_0 (n INTEGER) STRICT;'];
    expect(faultOf(file, kindOf({ migrations: broken }))).toMatchObject({
      kind: 'unusable',
      what: expect.stringContaining('step_0'),
    });
    expect([wordsIn(file), inFile(file, versionOf)]).toEqual([['step 0'], 1]);
    openOnce(file, kindOf({ migrations: MIGRATIONS }));
    expect(wordsIn(file)).toEqual(STEPS);
  });
});

describe('a file from a newer paycli', () => {
  test('is refused and left as it is, its log too', () => {
    const file = tempFile();
    openOnce(file, kindOf({ migrations: MIGRATIONS, journal: 'wal' }));
    const before = readFileSync(file);
    const older = kindOf({ migrations: MIGRATIONS.slice(0, 3), journal: 'truncate' });
    expect(faultOf(file, older)).toMatchObject({
      kind: 'newer',
      what: 'was made by a newer paycli (schema 4, this one knows 3)',
    });
    expect(readFileSync(file)).toEqual(before);
    expect(besides(file)).toEqual(['a.sqlite']);
  });

  test('keeps its version when it became newer just before its migrations were to run', () => {
    const file = tempFile();
    const db = opened(file, kindOf({ migrations: MIGRATIONS }));
    migrate(db, kindOf({ migrations: MIGRATIONS.slice(0, 2) }));
    expect(versionOf(db)).toBe(4);
  });
});

/** Four processes that open the file at one moment, each with a word of its own. */
const openAtOnce = (file: string, survives = 'power loss'): Promise<unknown[]> => {
  const at = Date.now() + 400;
  return Promise.all(
    ['a', 'b', 'c', 'd'].map((word) =>
      runScript(`
        import { openDatabase } from ${JSON.stringify(join(SOURCES, 'database/open.ts'))};
        const kind = {
          applicationId: ${kindOf().applicationId},
          migrations: ${JSON.stringify(MIGRATIONS)},
          survives: '${survives}',
          error: ({ what, cause }) => new Error(what, { cause }),
        };
        while (Date.now() < ${at});
        openDatabase(${JSON.stringify(file)}, kind, (db) => {
          const seen = db.prepare("SELECT count(*) AS n FROM word WHERE text LIKE 'step%'").get().n;
          db.exec("INSERT INTO word (text) VALUES ('${word}')");
          console.log(seen);
          db.close();
        });`),
    ),
  );
};

describe('four processes at once', () => {
  test('on an older file: each migration runs once, and nobody sees half of them', async () => {
    const file = tempFile();
    openOnce(file, kindOf({ migrations: MIGRATIONS.slice(0, 1) }));
    expect(await openAtOnce(file)).toEqual([4, 4, 4, 4]);
    const words = wordsIn(file);
    expect(words.slice(0, 4)).toEqual(STEPS);
    expect(words.slice(4).toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('on no file: all end up with the same one, and nothing else is left', async () => {
    const file = tempFile();
    expect(await openAtOnce(file)).toEqual([4, 4, 4, 4]);
    expect(wordsIn(file).toSorted()).toEqual(['a', 'b', 'c', 'd', ...STEPS]);
    expect(besides(file).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  test('on an empty file: no word is lost', async () => {
    const file = tempFile();
    writeFileSync(file, '');
    expect(await openAtOnce(file, 'process')).toEqual([4, 4, 4, 4]);
    expect(wordsIn(file).toSorted()).toEqual(['a', 'b', 'c', 'd', ...STEPS]);
  });
});

describe('a transaction', () => {
  test('gives what its work gives, and keeps it', () => {
    const db = opened(tempFile());
    const given = transact(db, () => {
      addWord(db, 'kept');
      return 7;
    });
    expect([given, db.isTransaction]).toEqual([7, false]);
    expect(db.prepare('SELECT count(*) AS n FROM word').get()).toEqual({ n: 1 });
  });

  test('undoes what was written when its work throws, also where SQLite has ended it already', () => {
    const db = opened(tempFile());
    for (const end of ['', 'ROLLBACK']) {
      const work = (): never => {
        addWord(db, 'undone');
        if (end !== '') db.exec(end);
        throw new Error('stop');
      };
      expect(() => transact(db, work)).toThrow('stop');
      expect(db.isTransaction).toBe(false);
    }
    expect(db.prepare('SELECT count(*) AS n FROM word').get()).toEqual({ n: 0 });
  });
});

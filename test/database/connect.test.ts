import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, test } from 'vitest';
import { isBusy, migrate, transact, useJournal, versionOf } from '../../src/database/connect.ts';
import {
  addWord,
  besides,
  faultOf,
  firstValue,
  inFile,
  journalOf,
  kindOf,
  opened,
  openOnce,
  runScript,
  SOURCES,
  tempFile,
  wordsIn,
} from './support.ts';

/** The journal of a new file under a version of SQLite. */
const journalUnder = (version: string): string => {
  let mode = 'delete';
  const answer = (sql: string): object => {
    if (sql.includes('sqlite_version')) return { v: version };
    mode = / = (\w+)/.exec(sql)?.[1] ?? mode;
    return { page_count: 0, journal_mode: mode };
  };
  useJournal({ prepare: (sql: string) => ({ get: () => answer(sql) }) } as unknown as DatabaseSync, kindOf());
  return mode;
};

describe('the journal of a file that must survive power loss', () => {
  test.each([
    ['3.51.3', 'wal'],
    ['3.51.10', 'wal'],
    ['3.52.0', 'wal'],
    ['3.100.0', 'wal'],
    ['4.0.0', 'wal'],
    ['3.51.2', 'truncate'],
    ['3.51.0', 'truncate'],
    ['3.50.4', 'truncate'],
    ['3.9.9', 'truncate'],
    ['2.99.99', 'truncate'],
  ] as const)('SQLite %s: %s', (version, journal) => {
    expect(journalUnder(version)).toBe(journal);
  });
});

describe('the settings of a connection', () => {
  const settingOf = (name: string, survives: 'power loss' | 'process' = 'power loss'): unknown =>
    firstValue(opened(tempFile(), kindOf({ survives })), `PRAGMA ${name}`);

  test.each([
    ['power loss', 'FULL', 2],
    ['process', 'NORMAL', 1],
  ] as const)('write a file that must survive a %s with synchronous %s', (survives, _word, value) => {
    expect(settingOf('synchronous', survives)).toBe(value);
  });

  test.each(['fullfsync', 'checkpoint_fullfsync'])('enable %s, for macOS', (name) => {
    expect(settingOf(name)).toBe(1);
  });

  test('distrust the schema', () => {
    expect(settingOf('trusted_schema')).toBe(0);
  });

  test('checkpoint the WAL after the given number of pages', () => {
    expect(settingOf('wal_autocheckpoint')).toBe(1000);
    expect(firstValue(opened(tempFile(), kindOf({ logPages: 7 })), 'PRAGMA wal_autocheckpoint')).toBe(7);
  });

  test('wait 20 seconds for a lock', () => {
    expect(settingOf('busy_timeout')).toBe(20_000);
  });

  // Node before version 24 lacks this setting.
  test.skipIf(!('enableDefensive' in DatabaseSync.prototype))('forbid statements that change the schema', () => {
    const db = opened(tempFile());
    db.exec('PRAGMA writable_schema = ON');
    expect(() => db.exec('DELETE FROM sqlite_schema')).toThrow('may not be modified');
  });
});

describe('the journal of a file', () => {
  const truncate = kindOf({ journal: 'truncate' });

  test.each(['wal', 'truncate'] as const)('is the one given by its kind: %s', (journal) => {
    expect(firstValue(opened(tempFile(), kindOf({ journal })), 'PRAGMA journal_mode')).toBe(journal);
  });

  test('depends on the version of SQLite by default', () => {
    const db = opened(tempFile());
    const version = String(firstValue(db, 'SELECT sqlite_version()'));
    expect(firstValue(db, 'PRAGMA journal_mode')).toBe(journalUnder(version));
  });

  test('is a WAL if the file need only survive the process', () => {
    expect(firstValue(opened(tempFile(), kindOf({ survives: 'process' })), 'PRAGMA journal_mode')).toBe('wal');
  });

  test('changes from a WAL with all its content, for good', () => {
    const file = tempFile();
    const first = opened(file, kindOf({ journal: 'wal' }));
    addWord(first, 'logged');
    first.close();
    expect(journalOf(file)).toBe('wal');
    const second = opened(file, truncate);
    expect(firstValue(second, 'PRAGMA journal_mode')).toBe('truncate');
    addWord(second, 'journalled');
    second.close();
    const third = opened(file, kindOf({ journal: 'wal' }));
    expect(firstValue(third, 'PRAGMA journal_mode')).toBe('truncate');
    third.close();
    expect(journalOf(file)).toBe('delete');
    expect(wordsIn(file)).toEqual(['logged', 'journalled']);
  });

  test('stays a WAL while another connection uses it, and the file is rejected until then', () => {
    const file = tempFile();
    const holder = opened(file, kindOf({ journal: 'wal' }));
    addWord(holder, 'before');
    expect(faultOf(file, truncate)).toMatchObject({
      kind: 'unusable',
      what: 'cannot be used: its journal must change, and another process has it open; try again when that has ended',
    });
    addWord(holder, 'after');
    holder.close();
    openOnce(file, truncate);
    expect(wordsIn(file)).toEqual(['before', 'after']);
  });

  test('is not written if it is already right', () => {
    const file = tempFile();
    openOnce(file, truncate);
    const changes = (): unknown => inFile(file, (db) => firstValue(db, 'PRAGMA data_version'));
    const before = [changes(), besides(file)];
    openOnce(file, truncate);
    expect([changes(), besides(file)]).toEqual(before);
  });
});

describe('isBusy', () => {
  it.each([
    [{ errcode: 5 }, true],
    [{ errcode: 261 }, true],
    [{ errcode: 517 }, true],
    [{ errcode: 6 }, false],
    [{ errcode: 10 }, false],
    [{}, false],
  ])('of %j is %s, also as the cause of another error', (some, expected) => {
    const thrown = Object.assign(new Error('x'), some);
    expect(isBusy(thrown)).toBe(expected);
    expect(isBusy(new Error('outer', { cause: thrown }))).toBe(expected);
  });

  it('uses the outermost error of SQLite', () => {
    expect(
      isBusy(
        Object.assign(new Error('disk', { cause: Object.assign(new Error('database is locked'), { errcode: 5 }) }), {
          errcode: 10,
        }),
      ),
    ).toBe(false);
    expect(isBusy('SQLITE_BUSY')).toBe(false);
  });
});

/** Each takes a while, leaves one word, and can't run twice. */
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
  test('is migrated with its records', () => {
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

  test('is unchanged if a migration fails', () => {
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
  test('is rejected and left unchanged with its WAL', () => {
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

  test('keeps its version if it becomes newer right before a migration', () => {
    const file = tempFile();
    const db = opened(file, kindOf({ migrations: MIGRATIONS }));
    migrate(db, kindOf({ migrations: MIGRATIONS.slice(0, 2) }));
    expect(versionOf(db)).toBe(4);
  });
});

/** Opens the file in four processes at once, each of which adds a word. */
const openAtOnce = (file: string, survives = 'power loss'): Promise<unknown[]> => {
  const at = Date.now() + 400;
  return Promise.all(
    ['a', 'b', 'c', 'd'].map((word) =>
      runScript(`
        import { openDatabase } from ${JSON.stringify(join(SOURCES, 'database/open.ts'))};
        const kind = {
          applicationId: ${kindOf().applicationId},
          first: 1,
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

describe('four processes that open a file at once', () => {
  test('run each migration of an older file once, and never see half of them', async () => {
    const file = tempFile();
    openOnce(file, kindOf({ migrations: MIGRATIONS.slice(0, 1) }));
    expect(await openAtOnce(file)).toEqual([4, 4, 4, 4]);
    const words = wordsIn(file);
    expect(words.slice(0, 4)).toEqual(STEPS);
    expect(words.slice(4).toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('create one new file, and leave no other', async () => {
    const file = tempFile();
    expect(await openAtOnce(file)).toEqual([4, 4, 4, 4]);
    expect(wordsIn(file).toSorted()).toEqual(['a', 'b', 'c', 'd', ...STEPS]);
    expect(besides(file).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  test('fill an empty file without losing a word', async () => {
    const file = tempFile();
    writeFileSync(file, '');
    expect(await openAtOnce(file, 'process')).toEqual([4, 4, 4, 4]);
    expect(wordsIn(file).toSorted()).toEqual(['a', 'b', 'c', 'd', ...STEPS]);
  });
});

describe('transact', () => {
  test('returns the result of its work and commits', () => {
    const db = opened(tempFile());
    const given = transact(db, () => {
      addWord(db, 'kept');
      return 7;
    });
    expect([given, db.isTransaction]).toEqual([7, false]);
    expect(db.prepare('SELECT count(*) AS n FROM word').get()).toEqual({ n: 1 });
  });

  test('rolls back if its work throws, even if SQLite has already done so', () => {
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

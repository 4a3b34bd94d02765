import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { journalFor } from '../../src/database/connect.ts';
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
  tempFile,
  wordsIn,
} from './support.ts';

describe('the journal for what must survive a loss of power', () => {
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
    expect(journalFor(version)).toBe(journal);
  });
});

describe('settings of a connection', () => {
  const settingOf = (name: string, survives: 'power loss' | 'process' = 'power loss'): unknown =>
    firstValue(opened(tempFile(), kindOf({ survives })), `PRAGMA ${name}`);

  test.each([
    ['power loss', 'FULL', 2],
    ['process', 'NORMAL', 1],
  ] as const)('what survives a %s is written with synchronous %s', (survives, _word, value) => {
    expect(settingOf('synchronous', survives)).toBe(value);
  });

  test.each(['fullfsync', 'checkpoint_fullfsync'])('%s is on, for macOS', (name) => {
    expect(settingOf(name)).toBe(1);
  });

  test('what a schema calls is not trusted', () => {
    expect(settingOf('trusted_schema')).toBe(0);
  });

  test('its log grows as long as its kind says', () => {
    expect(settingOf('wal_autocheckpoint')).toBe(1000);
    expect(firstValue(opened(tempFile(), kindOf({ logPages: 7 })), 'PRAGMA wal_autocheckpoint')).toBe(7);
  });

  test('it waits 20 seconds for its turn', () => {
    expect(settingOf('busy_timeout')).toBe(20_000);
  });

  // Node before 24 has no such setting.
  test.skipIf(!('enableDefensive' in DatabaseSync.prototype))('no statement can write to the schema', () => {
    const db = opened(tempFile());
    db.exec('PRAGMA writable_schema = ON');
    expect(() => db.exec('DELETE FROM sqlite_schema')).toThrow('may not be modified');
  });
});

describe('the journal of a file', () => {
  const truncate = kindOf({ journal: 'truncate' });

  test.each(['wal', 'truncate'] as const)('is the one that its kind names: %s', (journal) => {
    expect(firstValue(opened(tempFile(), kindOf({ journal })), 'PRAGMA journal_mode')).toBe(journal);
  });

  test('follows from the version of SQLite where its kind names none', () => {
    const db = opened(tempFile());
    const version = String(firstValue(db, 'SELECT sqlite_version()'));
    expect(firstValue(db, 'PRAGMA journal_mode')).toBe(journalFor(version));
  });

  test('is a log for what survives the process alone', () => {
    expect(firstValue(opened(tempFile(), kindOf({ survives: 'process' })), 'PRAGMA journal_mode')).toBe('wal');
  });

  test('a log is given up for a kind without one, with all that was in it, and never taken up again', () => {
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

  test('a log that another connection uses stays, and the file is refused until that has ended', () => {
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

  test('nothing is written for a file whose journal is right', () => {
    const file = tempFile();
    openOnce(file, truncate);
    const changes = (): unknown => inFile(file, (db) => firstValue(db, 'PRAGMA data_version'));
    const before = [changes(), besides(file)];
    openOnce(file, truncate);
    expect([changes(), besides(file)]).toEqual(before);
  });
});

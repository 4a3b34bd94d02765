import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { replaceFile } from '../../src/database/file.ts';
import { modeOf } from '../support/files.ts';
import {
  addWord,
  besides,
  faultOf,
  firstValue,
  inFile,
  kindOf,
  opened,
  openOnce,
  runScript,
  SOURCES,
  tempFile,
  tempFolder,
  wordsIn,
} from './support.ts';

describe('a new file', () => {
  test('has its name only once it is whole, and is 0600 before anything is in it', () => {
    const file = tempFile();
    const seen: unknown[] = [];
    const fill = (): void => {
      const names = besides(file).filter((name) => !/-(?:wal|shm|journal)$/.test(name));
      seen.push(existsSync(file), names.length, ...besides(file).map((name) => modeOf(join(dirname(file), name))));
    };
    openOnce(file, kindOf({ fill }));
    expect(seen.slice(0, 2)).toEqual([false, 1]);
    expect(new Set(seen.slice(2))).toEqual(new Set(['600']));
    expect(besides(file)).toEqual(['a.sqlite']);
    expect(modeOf(file)).toBe('600');
  });

  test('is not there when making it fails, nor is anything else', () => {
    const file = tempFile();
    const fill = (): never => {
      throw new Error('no more room');
    };
    expect(faultOf(file, kindOf({ fill }))).toMatchObject({
      kind: 'unusable',
      path: file,
      what: 'cannot be made: no more room',
    });
    expect(besides(file)).toEqual([]);
  });

  test('is filled once: who comes second takes the first one as it is', () => {
    const file = tempFile();
    const other = kindOf({ fill: (db) => addWord(db, 'first') });
    const fill = kindOf({
      fill: (db) => {
        addWord(db, 'second');
        openOnce(file, other);
      },
    });
    openOnce(file, fill);
    openOnce(file, fill);
    expect(wordsIn(file)).toEqual(['first']);
    expect(besides(file)).toEqual(['a.sqlite']);
  });

  test.each(['000', '077'])('is 0600 in new folders of 0700 under umask %s', async (umask) => {
    const folder = tempFolder();
    const seen = await runScript<unknown>(`
      import { statSync } from 'node:fs';
      import { openDatabase } from ${JSON.stringify(join(SOURCES, 'database/open.ts'))};
      process.umask(0o${umask});
      const kind = { applicationId: 1, migrations: ['CREATE TABLE a (b) '], survives: 'process', error: ({ cause }) => cause };
      const mode = (path) => (statSync(${JSON.stringify(folder)} + path).mode & 0o777).toString(8);
      openDatabase(${JSON.stringify(join(folder, 'deep/new/a.sqlite'))}, kind, (db) => {
        db.exec('INSERT INTO a VALUES (1)');
        console.log(JSON.stringify(['/deep', '/deep/new', '/deep/new/a.sqlite', '/deep/new/a.sqlite-wal'].map(mode)));
        db.close();
      });`);
    expect(seen).toEqual(['700', '700', '600', '600']);
  });

  test('a folder that was there keeps its mode', () => {
    const folder = join(tempFolder(), 'mine');
    mkdirSync(folder);
    chmodSync(folder, 0o750);
    openOnce(join(folder, 'a.sqlite'));
    expect(modeOf(folder)).toBe('750');
  });

  test.each([
    ['power loss', ['', '/deep', '/deep/new']],
    ['process', []],
  ] as const)('what is to survive a %s: the folders whose names are put on the disk', async (survives, synced) => {
    const folder = tempFolder();
    const seen = await runScript<string[]>(`
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const { openSync, fsyncSync } = fs;
      const names = new Map();
      const synced = [];
      fs.openSync = (path, ...rest) => {
        const descriptor = openSync(path, ...rest);
        names.set(descriptor, path);
        return descriptor;
      };
      fs.fsyncSync = (descriptor) => {
        synced.push(names.get(descriptor));
        fsyncSync(descriptor);
      };
      syncBuiltinESMExports();
      const { openDatabase } = await import(${JSON.stringify(join(SOURCES, 'database/open.ts'))});
      const kind = { applicationId: 1, migrations: ['CREATE TABLE a (b) '], survives: '${survives}', error: ({ cause }) => cause };
      openDatabase(${JSON.stringify(join(folder, 'deep/new/a.sqlite'))}, kind, (db) => db.close());
      console.log(JSON.stringify(synced));`);
    expect(seen.toSorted()).toEqual(synced.map((name) => folder + name));
  });
});

/** Of a kind that may be made anew. */
const LIGHT = { survives: 'process' } as const;

describe('an empty file that was there', () => {
  test('is filled where it is, and becomes 0600', () => {
    const file = tempFile();
    writeFileSync(file, '', { mode: 0o644 });
    const before = statSync(file).ino;
    openOnce(file, kindOf({ ...LIGHT, fill: (db) => addWord(db, 'filled') }));
    expect([statSync(file).ino, modeOf(file)]).toEqual([before, '600']);
    openOnce(file, kindOf(LIGHT));
    expect(wordsIn(file)).toEqual(['filled']);
  });

  test('stays empty when filling it fails', () => {
    const file = tempFile();
    writeFileSync(file, '');
    const fill = (): never => {
      throw new Error('no more room');
    };
    expect(faultOf(file, kindOf({ ...LIGHT, fill })).kind).toBe('unusable');
    expect(statSync(file).size).toBe(0);
    openOnce(file, kindOf(LIGHT));
    expect(wordsIn(file)).toEqual([]);
  });

  test('is all that a failing disk has left of what must survive a loss of power: nothing is begun in its place', () => {
    const file = tempFile();
    writeFileSync(file, '');
    expect(faultOf(file)).toMatchObject({ kind: 'damaged', what: 'is empty: what it held is lost' });
    expect(statSync(file).size).toBe(0);
  });
});

describe('a log whose database is gone does not come back in the new one', () => {
  const busy = (journal: 'wal' | 'truncate'): string => {
    const file = tempFile();
    const db = opened(file, kindOf({ journal }));
    for (let count = 0; count < 200; count += 1) addWord(db, 'committed '.repeat(50));
    // So little memory that changes are written before the commit, and what they replace is in the journal.
    db.exec('PRAGMA cache_size = 1; BEGIN; DELETE FROM word');
    for (let count = 0; count < 200; count += 1) addWord(db, 'not committed '.repeat(50));
    return file;
  };

  test.each([
    ['wal', '-wal', 'missing'],
    ['wal', '-wal', 'empty'],
    ['truncate', '-journal', 'missing'],
    ['truncate', '-journal', 'empty'],
  ] as const)('%s: %s beside a file that is %s', (journal, suffix, state) => {
    const file = tempFile();
    copyFileSync(busy(journal) + suffix, file + suffix);
    expect(statSync(file + suffix).size).toBeGreaterThan(4096);
    if (state === 'empty') writeFileSync(file, '');
    openOnce(file, kindOf({ ...LIGHT, journal }));
    openOnce(file, kindOf({ ...LIGHT, journal }));
    expect(wordsIn(file)).toEqual([]);
    expect(inFile(file, (db) => firstValue(db, 'PRAGMA integrity_check'))).toBe('ok');
  });

  test.each(['-wal', '-journal'])('%s: of what must survive a loss of power nothing is begun beside it', (suffix) => {
    const file = tempFile();
    writeFileSync(file + suffix, 'what is left');
    expect(faultOf(file)).toMatchObject({
      kind: 'unusable',
      what: expect.stringContaining('the file itself is missing'),
    });
    expect(besides(file)).toEqual([`a.sqlite${suffix}`]);
  });
});

describe('what is not ours is refused and never written to', () => {
  const foreign: [string, (file: string) => void][] = [
    ['a text', (file) => writeFileSync(file, 'my notes\n')],
    ['a single byte', (file) => writeFileSync(file, 'S')],
    ['bytes that only start like a database', (file) => writeFileSync(file, 'SQLite format 3\0 and so on')],
    ["another program's database", (file) => inFile(file, (db) => db.exec('CREATE TABLE a (b)'))],
    [
      'a database of another kind of ours',
      (file) => openOnce(file, kindOf({ applicationId: 7, journal: 'wal', migrations: ['CREATE TABLE a (b)'] })),
    ],
  ];

  test.each(foreign)('%s', (_case, make) => {
    const file = tempFile();
    make(file);
    const before = readFileSync(file);
    expect(faultOf(file)).toMatchObject({ kind: 'foreign', path: file, what: 'is not one of its files' });
    expect(() => replaceFile(file, kindOf())).toThrow('is not one of its files');
    expect(readFileSync(file)).toEqual(before);
    expect(besides(file)).toEqual(['a.sqlite']);
  });

  test.each(foreign)('%s that takes the name while the file is made', (_case, make) => {
    const file = tempFile();
    let before: Buffer | undefined;
    const fill = (): void => {
      make(file);
      before = readFileSync(file);
    };
    expect(faultOf(file, kindOf({ fill })).kind).toBe('foreign');
    expect(readFileSync(file)).toEqual(before);
    expect(besides(file)).toEqual(['a.sqlite']);
  });

  test('a folder', () => {
    const folder = tempFolder();
    expect(faultOf(folder).kind).toBe('foreign');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a link that leads nowhere: what it names is not made', () => {
    const [file, target] = [tempFile(), tempFile()];
    symlinkSync(target, file);
    expect(faultOf(file)).toMatchObject({ kind: 'unusable', what: expect.stringContaining('cannot be made') });
    expect(existsSync(target)).toBe(false);
  });
});

test('a link to a file of ours is that file', () => {
  const [file, link] = [tempFile(), tempFile()];
  openOnce(file, kindOf({ fill: (db) => addWord(db, 'here') }));
  symlinkSync(file, link);
  addWord(opened(link), 'there');
  expect(wordsIn(file)).toEqual(['here', 'there']);
});

describe('a file of ours that is not whole is damaged', () => {
  const flipped =
    (at: number) =>
    (bytes: Buffer): Buffer => {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ 0xff;
      return copy;
    };

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['cut to its first page', (bytes) => bytes.subarray(0, 4096)],
    ['cut to half a page', (bytes) => bytes.subarray(0, 2048)],
    ['cut to its header', (bytes) => bytes.subarray(0, 100)],
    ['another size of its pages', flipped(16)],
    ['another version of its format', flipped(19)],
    ['another kind of page in its first', flipped(100)],
    ['a first page of nonsense', (bytes) => Buffer.from(bytes).fill(0xff, 100, 4096)],
  ])('%s', (_case, spoil) => {
    const file = tempFile();
    openOnce(file, kindOf({ fill: (db) => addWord(db, 'whole') }));
    const spoilt = spoil(readFileSync(file));
    writeFileSync(file, spoilt);
    expect(faultOf(file)).toMatchObject({ kind: 'damaged', path: file, what: expect.stringMatching(/^is damaged: ./) });
    expect(readFileSync(file)).toEqual(spoilt);
  });

  test('can be replaced by a new one', () => {
    const file = tempFile();
    openOnce(file);
    writeFileSync(file, readFileSync(file).subarray(0, 4096));
    replaceFile(file, kindOf({ fill: (db) => addWord(db, 'new') }));
    expect([wordsIn(file), modeOf(file)]).toEqual([['new'], '600']);
  });
});

test('a name below a file cannot be made', () => {
  const file = tempFile();
  writeFileSync(file, 'x');
  expect(faultOf(join(file, 'b.sqlite')).kind).toBe('unusable');
});

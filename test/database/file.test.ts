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
  test('gets its name when it is complete, and has mode 0600 from the start', () => {
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

  test('does not exist if its creation fails, nor do other files', () => {
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

  test("is filled once: the second process opens the first one's file", () => {
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

  test.each(['000', '077'])('has mode 0600 in new folders with mode 0700 under umask %s', async (umask) => {
    const folder = tempFolder();
    const seen = await runScript<unknown>(`
      import { statSync } from 'node:fs';
      import { openDatabase } from ${JSON.stringify(join(SOURCES, 'database/open.ts'))};
      process.umask(0o${umask});
      const kind = { applicationId: 1, first: 1, migrations: ['CREATE TABLE a (b) '], survives: 'process', error: ({ cause }) => cause };
      const mode = (path) => (statSync(${JSON.stringify(folder)} + path).mode & 0o777).toString(8);
      openDatabase(${JSON.stringify(join(folder, 'deep/new/a.sqlite'))}, kind, (db) => {
        db.exec('INSERT INTO a VALUES (1)');
        console.log(JSON.stringify(['/deep', '/deep/new', '/deep/new/a.sqlite', '/deep/new/a.sqlite-wal'].map(mode)));
        db.close();
      });`);
    expect(seen).toEqual(['700', '700', '600', '600']);
  });

  test('leaves the mode of an existing folder', () => {
    const folder = join(tempFolder(), 'mine');
    mkdirSync(folder);
    chmodSync(folder, 0o750);
    openOnce(join(folder, 'a.sqlite'));
    expect(modeOf(folder)).toBe('750');
  });

  test.each([
    ['power loss', ['', '/deep', '/deep/new']],
    ['process', []],
  ] as const)('that must survive a %s syncs its folders', async (survives, synced) => {
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
      const kind = { applicationId: 1, first: 1, migrations: ['CREATE TABLE a (b) '], survives: '${survives}', error: ({ cause }) => cause };
      openDatabase(${JSON.stringify(join(folder, 'deep/new/a.sqlite'))}, kind, (db) => db.close());
      console.log(JSON.stringify(synced));`);
    expect(seen.toSorted()).toEqual(synced.map((name) => folder + name));
  });
});

/** A kind that may be recreated. */
const LIGHT = { survives: 'process' } as const;

describe('an existing empty file', () => {
  test('is filled in place, and gets mode 0600', () => {
    const file = tempFile();
    writeFileSync(file, '', { mode: 0o644 });
    const before = statSync(file).ino;
    openOnce(file, kindOf({ ...LIGHT, fill: (db) => addWord(db, 'filled') }));
    expect([statSync(file).ino, modeOf(file)]).toEqual([before, '600']);
    openOnce(file, kindOf(LIGHT));
    expect(wordsIn(file)).toEqual(['filled']);
  });

  test('stays empty if filling it fails', () => {
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

  test('is reported as damaged if it had to survive power loss', () => {
    const file = tempFile();
    writeFileSync(file, '');
    expect(faultOf(file)).toMatchObject({ kind: 'damaged', what: 'is empty: what it held is lost' });
    expect(statSync(file).size).toBe(0);
  });
});

describe('the journal of a missing database is not replayed into a new one', () => {
  const busy = (journal: 'wal' | 'truncate'): string => {
    const file = tempFile();
    const db = opened(file, kindOf({ journal }));
    for (let count = 0; count < 200; count += 1) addWord(db, 'committed '.repeat(50));
    // A tiny cache: changes are written before the commit, and the replaced pages are in the journal.
    db.exec('PRAGMA cache_size = 1; BEGIN; DELETE FROM word');
    for (let count = 0; count < 200; count += 1) addWord(db, 'not committed '.repeat(50));
    return file;
  };

  test.each([
    ['wal', '-wal', 'missing'],
    ['wal', '-wal', 'empty'],
    ['truncate', '-journal', 'missing'],
    ['truncate', '-journal', 'empty'],
  ] as const)('%s: %s of a file that is %s', (journal, suffix, state) => {
    const file = tempFile();
    copyFileSync(busy(journal) + suffix, file + suffix);
    expect(statSync(file + suffix).size).toBeGreaterThan(4096);
    if (state === 'empty') writeFileSync(file, '');
    openOnce(file, kindOf({ ...LIGHT, journal }));
    openOnce(file, kindOf({ ...LIGHT, journal }));
    expect(wordsIn(file)).toEqual([]);
    expect(inFile(file, (db) => firstValue(db, 'PRAGMA integrity_check'))).toBe('ok');
  });

  test.each(['-wal', '-journal'])(
    '%s: nothing is created next to it if the file had to survive power loss',
    (suffix) => {
      const file = tempFile();
      writeFileSync(file + suffix, 'what is left');
      expect(faultOf(file)).toMatchObject({
        kind: 'unusable',
        what: expect.stringContaining('the file itself is missing'),
      });
      expect(besides(file)).toEqual([`a.sqlite${suffix}`]);
    },
  );
});

describe('a foreign file is rejected and never written', () => {
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

  test.each(foreign)('%s that appears while the file is created', (_case, make) => {
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

  test('a dangling link, whose target is not created', () => {
    const [file, target] = [tempFile(), tempFile()];
    symlinkSync(target, file);
    expect(faultOf(file)).toMatchObject({ kind: 'unusable', what: expect.stringContaining('cannot be made') });
    expect(existsSync(target)).toBe(false);
  });
});

test('a link to a paycli file opens that file', () => {
  const [file, link] = [tempFile(), tempFile()];
  openOnce(file, kindOf({ fill: (db) => addWord(db, 'here') }));
  symlinkSync(file, link);
  addWord(opened(link), 'there');
  expect(wordsIn(file)).toEqual(['here', 'there']);
});

describe('a damaged paycli file is reported', () => {
  const flipped =
    (at: number) =>
    (bytes: Buffer): Buffer => {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ 0xff;
      return copy;
    };

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['truncated to its first page', (bytes) => bytes.subarray(0, 4096)],
    ['truncated to half a page', (bytes) => bytes.subarray(0, 2048)],
    ['truncated to its header', (bytes) => bytes.subarray(0, 100)],
    ['another page size', flipped(16)],
    ['another format version', flipped(19)],
    ['another type of first page', flipped(100)],
    ['a garbled first page', (bytes) => Buffer.from(bytes).fill(0xff, 100, 4096)],
  ])('%s', (_case, spoil) => {
    const file = tempFile();
    openOnce(file, kindOf({ fill: (db) => addWord(db, 'whole') }));
    const spoilt = spoil(readFileSync(file));
    writeFileSync(file, spoilt);
    expect(faultOf(file)).toMatchObject({ kind: 'damaged', path: file, what: expect.stringMatching(/^is damaged: ./) });
    expect(readFileSync(file)).toEqual(spoilt);
  });

  test('and can be replaced by a new one', () => {
    const file = tempFile();
    openOnce(file);
    writeFileSync(file, readFileSync(file).subarray(0, 4096));
    replaceFile(file, kindOf({ fill: (db) => addWord(db, 'new') }));
    expect([wordsIn(file), modeOf(file)]).toEqual([['new'], '600']);
  });
});

test("a path below a file can't be created", () => {
  const file = tempFile();
  writeFileSync(file, 'x');
  expect(faultOf(join(file, 'b.sqlite')).kind).toBe('unusable');
});

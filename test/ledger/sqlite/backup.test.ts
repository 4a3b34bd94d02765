import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { backUp } from '../../../src/ledger/sqlite/backup.ts';
import { thrownBy } from '../../client/support.ts';
import { modeOf } from '../../support/files.ts';
import { newFolder } from '../../support/program.ts';
import { beside, intent, newPath, open } from '../support/charges.ts';

const NEVER = new AbortController().signal;

const begin = async (ledger: Ledger, number: number): Promise<void> => {
  const begun = await ledger.begin(intent({ about: `ugw.AbCd.${number}` }), { again: false });
  if (begun.kind === 'begun') await ledger.record(begun.id, { state: 'rejected', exitCode: 3 });
};

/** Replaces a ledger with a copy. */
const putBack = (copy: string, ledger: string): void => {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(ledger + suffix, { force: true });
  renameSync(copy, ledger);
};

describe('a backup of a ledger', () => {
  it('is made during use, is private and leaves no other file', async () => {
    const [path, folder] = [newPath(), newFolder('copies')];
    const ledger = await open(path);
    for (const number of [1, 2, 3]) await begin(ledger, number);
    const file = join(folder, 'copy.sqlite');
    expect(await backUp(path, file, NEVER)).toEqual({ file, bytes: statSync(file).size, entries: 3 });
    await begin(ledger, 4);
    expect(modeOf(file)).toBe(process.platform === 'win32' ? '666' : '600');
    expect(readdirSync(folder)).toEqual(['copy.sqlite']);
    const journal = (at: string) => beside(at, 'PRAGMA journal_mode');
    expect(journal(file)).toEqual(journal(path));
  });

  it('contains the same ledger when restored', async () => {
    const path = newPath();
    const ledger = await open(path);
    await begin(ledger, 1);
    const before = await ledger.list({ limit: -1 });
    const copy = join(dirname(path), 'copy');
    await backUp(path, copy, NEVER);
    await ledger.close();
    putBack(copy, path);
    const again = await open(path);
    expect(await again.list({ limit: -1 })).toEqual(before);
    expect(await again.verify()).toMatchObject({ faults: [] });
  });

  it('is refused as outdated if restored after later charges', async () => {
    const path = newPath();
    const ledger = await open(path);
    await begin(ledger, 1);
    const copy = join(dirname(path), 'copy');
    await backUp(path, copy, NEVER);
    await begin(ledger, 2);
    await ledger.close();
    putBack(copy, path);
    expect(await thrownBy(open(path))).toMatchObject({
      kind: 'ledger',
      message: `the ledger ${path} is an old copy: it knows 1 of 2 charges`,
    });
  });

  it.each<[string, (file: string) => void]>([
    ['a file', (file) => writeFileSync(file, 'mine')],
    ['a folder', (file) => mkdirSync(file)],
    ['a dangling link', (file) => symlinkSync('/nowhere', file)],
    ['another name of the ledger itself', (file) => linkSync(ledgerBeside(file), file)],
  ])('never overwrites %s', async (_what, put) => {
    const path = newPath();
    await begin(await open(path), 1);
    const file = join(dirname(path), 'copy');
    put(file);
    const before = lstatSync(file);
    await expect(backUp(path, file, NEVER)).rejects.toThrow(`${file} is there already`);
    expect(lstatSync(file).ino).toBe(before.ino);
    if (before.isFile()) expect(readFileSync(file).length).toBe(before.size);
  });

  it("that can't be written fails and leaves no file", async () => {
    const path = newPath();
    await begin(await open(path), 1);
    await expect(backUp(path, join(dirname(path), 'missing', 'copy'), NEVER)).rejects.toThrow("couldn't write");
  });
});

const ledgerBeside = (file: string): string => join(dirname(file), 'ledger.sqlite');

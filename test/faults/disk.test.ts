import { describe, expect, it } from 'vitest';
import { Disk, type DiskEvent, type Fate } from './disk.ts';

const NONE: Fate = { change: () => false, sector: () => false };
const ALL: Fate = { change: () => true, sector: () => true };

/** Returns the answers in turn, then false. */
const saying = (...answers: readonly boolean[]): (() => boolean) => {
  const rest = [...answers];
  return () => rest.shift() ?? false;
};

const ROOT = 0;
const FILE = 1;
const NAMED: DiskEvent = { kind: 'name', folder: ROOT, name: 'a', inode: FILE, isFolder: false };
const SYNC_ROOT: DiskEvent = { kind: 'sync', inode: ROOT };
const SYNC_FILE: DiskEvent = { kind: 'sync', inode: FILE };
const write = (offset: number, text: string): DiskEvent => ({
  kind: 'write',
  inode: FILE,
  offset,
  bytes: Buffer.from(text),
});

/** The files after these events, as text by path. */
const found = (events: readonly DiskEvent[], fate: Fate): Record<string, string | undefined> => {
  const disk = new Disk(ROOT);
  for (const event of events) disk.apply(event);
  return Object.fromEntries(disk.crash(fate).map(({ path, bytes }) => [path, bytes?.toString()]));
};

describe('a disk that loses power', () => {
  it('keeps synced data, and may lose data that is not synced', () => {
    const before = [NAMED, SYNC_ROOT, write(0, 'one')];
    expect(found(before, NONE)).toEqual({ a: '' });
    expect(found(before, ALL)).toEqual({ a: 'one' });
    expect(found([...before, SYNC_FILE], NONE)).toEqual({ a: 'one' });
  });

  it('keeps a name only if its folder was synced', () => {
    expect(found([NAMED, write(0, 'one'), SYNC_FILE], NONE)).toEqual({});
    expect(found([NAMED, write(0, 'one'), SYNC_FILE, SYNC_ROOT], NONE)).toEqual({ a: 'one' });
  });

  it('keeps no folder whose own name was not synced', () => {
    const folder: DiskEvent = { kind: 'name', folder: ROOT, name: 'f', inode: 2, isFolder: true };
    const inside = [folder, { ...NAMED, folder: 2 }, { kind: 'sync', inode: 2 }] as const;
    expect(found(inside, NONE)).toEqual({});
    expect(found([...inside, SYNC_ROOT], NONE)).toEqual({ f: undefined, 'f/a': '' });
  });

  it('may keep a later write and lose an earlier one', () => {
    const events = [NAMED, SYNC_ROOT, write(0, 'one'), write(3, 'two')];
    expect(found(events, { change: saying(false, true), sector: () => true })).toEqual({ a: '\0\0\0two' });
  });

  it('tears a write at the borders of disk sectors', () => {
    const events = [NAMED, SYNC_ROOT, write(510, 'abcd')];
    expect(found(events, { change: () => true, sector: saying(true, false) })['a']).toBe(`${'\0'.repeat(510)}ab`);
    expect(found(events, { change: () => true, sector: saying(false, true) })['a']).toBe(`${'\0'.repeat(512)}cd`);
  });

  it('may lose the truncation of a file', () => {
    const events = [
      NAMED,
      SYNC_ROOT,
      write(0, 'one'),
      SYNC_FILE,
      { kind: 'truncate', inode: FILE, length: 0 } as const,
    ];
    expect(found(events, NONE)).toEqual({ a: 'one' });
    expect(found(events, ALL)).toEqual({ a: '' });
  });

  it('renames and removes atomically', () => {
    const events = [NAMED, SYNC_ROOT, { kind: 'rename', folder: ROOT, from: 'a', to: 'b' } as const];
    expect(found(events, NONE)).toEqual({ a: '' });
    expect(found(events, ALL)).toEqual({ b: '' });
    const removed = [NAMED, SYNC_ROOT, { kind: 'unname', folder: ROOT, name: 'a' } as const];
    expect(found(removed, NONE)).toEqual({ a: '' });
    expect(found(removed, ALL)).toEqual({});
  });
});

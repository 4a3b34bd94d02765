import { execFileSync } from 'node:child_process';
import { lchownSync, mkdtempSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkPath } from '../../src/core/files.ts';

const uid = process.geteuid?.() ?? 0;
const folder = mkdtempSync(join(tmpdir(), 'paycli-planted-'));

/** Only root can give a file away; other users simulate another user. */
const give = (path: string): string => {
  if (uid === 0) lchownSync(path, 12_345, 12_345);
  return path;
};
const check = checkPath(uid === 0 ? 0 : uid + 1);

let made = 0;
const named = (): string => join(folder, `${++made}`);
const file = (path = named()): string => {
  writeFileSync(path, 'x');
  return path;
};
const link = (to: string): string => {
  const path = named();
  symlinkSync(to, path);
  return path;
};
const pipe = (): string => {
  const path = named();
  execFileSync('mkfifo', [path]);
  return path;
};

const refusal = (message: RegExp): object =>
  expect.objectContaining({ kind: 'usage', message: expect.stringMatching(message) });

describe.runIf(process.platform !== 'win32')('checkPath', () => {
  it.each([
    ['a link', () => give(link(file()))],
    ['a dangling link', () => give(link('/nowhere'))],
    ['a link to a link', () => link(give(link(file())))],
    ['a link to a pipe', () => give(link(pipe()))],
  ])('rejects %s of another user on the way', (_what, made) => {
    expect(() => check(made())).toThrow(refusal(/goes through a symbolic link of another user/));
  });

  it('rejects a named pipe of another user', () => {
    expect(() => check(give(pipe()))).toThrow(refusal(/is a named pipe of another user/));
  });

  it.each([
    ['a missing file', named],
    ['a file', file],
    ['a link', () => link(file())],
    ['a pipe', pipe],
    ['a link to a pipe', () => link(pipe())],
    ['a loop of links', () => link(join(folder, `${made + 1}`))],
    ['a path below a file', () => join(file(), 'below')],
    ['a device', () => '/dev/null'],
  ])('accepts own files: %s', (_what, path) => {
    expect(() => checkPath(uid)(path())).not.toThrow();
  });

  it("leaves another user's regular file to the system's permissions", () => {
    expect(() => check(give(file()))).not.toThrow();
  });

  it('rejects a path that was replaced after opening', () => {
    const [path, other] = [file(), file()];
    const opened = statSync(path);
    expect(() => checkPath(uid)(path, opened)).not.toThrow();
    renameSync(other, path);
    expect(() => checkPath(uid)(path, opened)).toThrow(refusal(/was replaced while it was opened/));
  });

  it('does nothing on a system without uids', () => {
    expect(() => checkPath(undefined)(give(pipe()))).not.toThrow();
  });
});

import { execFileSync } from 'node:child_process';
import { lchownSync, mkdtempSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkPath } from '../../src/core/files.ts';

const uid = process.geteuid?.() ?? 0;
const folder = mkdtempSync(join(tmpdir(), 'paycli-planted-'));

/** Only root can give a file away; whoever else runs this looks at their own files as another user. */
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

describe.runIf(process.platform !== 'win32')('a path', () => {
  it.each([
    ['a link', () => give(link(file()))],
    ['a link to nothing', () => give(link('/nowhere'))],
    ['a link to a link', () => link(give(link(file())))],
    ['a link to a pipe', () => give(link(pipe()))],
  ])('through %s of another user is refused', (_what, made) => {
    expect(() => check(made())).toThrow(refusal(/goes through a symbolic link of another user/));
  });

  it('to a named pipe of another user is refused', () => {
    expect(() => check(give(pipe()))).toThrow(refusal(/is a named pipe of another user/));
  });

  it.each([
    ['nothing', named],
    ['a file', file],
    ['a link', () => link(file())],
    ['a pipe', pipe],
    ['a link to a pipe', () => link(pipe())],
    ['a loop of links', () => link(join(folder, `${made + 1}`))],
    ['a path below a file', () => join(file(), 'below')],
    ['a device', () => '/dev/null'],
  ])('that is ours is taken: %s', (_what, path) => {
    expect(() => checkPath(uid)(path())).not.toThrow();
  });

  it('to a file of another user is for the system to allow', () => {
    expect(() => check(give(file()))).not.toThrow();
  });

  it('that leads elsewhere than to what was opened is refused', () => {
    const [path, other] = [file(), file()];
    const opened = statSync(path);
    expect(() => checkPath(uid)(path, opened)).not.toThrow();
    renameSync(other, path);
    expect(() => checkPath(uid)(path, opened)).toThrow(refusal(/was replaced while it was opened/));
  });

  it('is not looked at where users have no numbers', () => {
    expect(() => checkPath(undefined)(give(pipe()))).not.toThrow();
  });
});

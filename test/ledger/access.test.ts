import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkAccess } from '../../src/ledger/access.ts';
import { newPath } from './support/charges.ts';

/** A file of a mode, in a folder of a mode. */
const fileOf = (mode: number, folder = 0o700): string => {
  const path = newPath();
  writeFileSync(path, '');
  chmodSync(path, mode);
  chmodSync(dirname(path), folder);
  return path;
};

const refusal = (message: RegExp): object =>
  expect.objectContaining({ kind: 'ledger', message: expect.stringMatching(message) });

describe('a ledger', () => {
  it.each([0o600, 0o400, 0o700])('that is its owner’s alone (mode %o) is used', (mode) => {
    expect(() => checkAccess(fileOf(mode))).not.toThrow();
  });

  it.each([0o640, 0o620, 0o604, 0o602, 0o610, 0o666])('that is open to others (mode %o) is refused', (mode) => {
    expect(() => checkAccess(fileOf(mode))).toThrow(refusal(/is open to other users \(mode 0\d{3}\)/));
  });

  it('that is a symbolic link is refused, wherever it points', () => {
    const [target, link, dangling] = [fileOf(0o600), newPath(), newPath()];
    symlinkSync(target, link);
    symlinkSync('/nowhere', dangling);
    expect(() => checkAccess(link)).toThrow(refusal(/is a symbolic link/));
    expect(() => checkAccess(dangling)).toThrow(refusal(/is a symbolic link/));
  });

  it('of another user is refused', () => {
    expect(() => checkAccess(fileOf(0o600), (process.geteuid?.() ?? 0) + 1)).toThrow(
      refusal(/belongs to another user/),
    );
  });

  it('in a folder that everybody may write to is refused, unless only owners may replace what is in it', () => {
    expect(() => checkAccess(fileOf(0o600, 0o777))).toThrow(refusal(/can be written to by everybody/));
    expect(() => checkAccess(fileOf(0o600, 0o1777))).not.toThrow();
  });

  it('behind a link to its folder is judged by the folder', () => {
    const [mine, everybodys, links] = [fileOf(0o600), fileOf(0o600, 0o777), dirname(newPath())];
    symlinkSync(dirname(mine), `${links}/mine`);
    symlinkSync(dirname(everybodys), `${links}/everybodys`);
    expect(() => checkAccess(`${links}/mine/ledger.sqlite`)).not.toThrow();
    expect(() => checkAccess(`${links}/everybodys/ledger.sqlite`)).toThrow(refusal(/can be written to by everybody/));
  });

  it('is put right by the command that the refusal names, whatever its folder is called', () => {
    const folder = `${dirname(newPath())}/my data`;
    mkdirSync(folder);
    writeFileSync(`${folder}/ledger.sqlite`, '');
    chmodSync(`${folder}/ledger.sqlite`, 0o644);
    const hinted = (hint: string): object => expect.objectContaining({ detail: { hint } });
    expect(() => checkAccess(`${folder}/ledger.sqlite`)).toThrow(hinted(`run: chmod 600 '${folder}/ledger.sqlite'`));
    chmodSync(folder, 0o777);
    const hint = `run: chmod o-w '${folder}', or name another folder with PAYCLI_HOME`;
    expect(() => checkAccess(`${folder}/ledger.sqlite`)).toThrow(hinted(hint));
  });

  it('that is not there yet is judged by its folder, where there is one', () => {
    const path = newPath();
    expect(() => checkAccess(path)).not.toThrow();
    expect(() => checkAccess(`${dirname(path)}/none/ledger.sqlite`)).not.toThrow();
    const open = `${dirname(path)}/open`;
    mkdirSync(open);
    chmodSync(open, 0o777);
    expect(() => checkAccess(`${open}/ledger.sqlite`)).toThrow(refusal(/can be written to by everybody/));
  });
});

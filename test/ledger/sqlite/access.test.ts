import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HIGHEST_FILE_NAME } from '../../../src/core/charge.ts';
import { mountPoints } from '../../../src/core/files.ts';
import { LOGS } from '../../../src/database/file.ts';
import { checkAccess } from '../../../src/ledger/sqlite/file.ts';
import { newPath } from '../support/charges.ts';

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

  it('in a folder of another user is refused', () => {
    const path = fileOf(0o600);
    expect(() => checkAccess(path, (process.geteuid?.() ?? 0) + 1)).toThrow(
      refusal(new RegExp(`^the ledger's folder ${dirname(path)} belongs to another user`)),
    );
  });

  it.runIf(process.geteuid?.() === 0).each(['', ...LOGS])('of another user is refused: ledger.sqlite%s', (suffix) => {
    const path = fileOf(0o600);
    writeFileSync(path + suffix, '', { mode: 0o600 });
    chownSync(path + suffix, 1, 1);
    expect(() => checkAccess(path)).toThrow(refusal(new RegExp(`${path}${suffix} belongs to another user`)));
  });

  it.each([0o777, 0o1777, 0o770, 0o1770, 0o720, 0o702])(
    'in a folder that others may write to (mode %o) is refused',
    (mode) => {
      expect(() => checkAccess(fileOf(0o600, mode))).toThrow(refusal(/is writable by other users \(mode 07/));
    },
  );

  it('in a folder that others may only read is used, wherever that is', () => {
    const everybodys = dirname(fileOf(0o600, 0o1777));
    mkdirSync(`${everybodys}/mine`, { mode: 0o755 });
    expect(() => checkAccess(`${everybodys}/mine/ledger.sqlite`)).not.toThrow();
  });

  it.each([...LOGS.map((suffix) => `ledger.sqlite${suffix}`), HIGHEST_FILE_NAME])(
    'is refused where what is beside it was put there, or is open, to others: %s',
    (name) => {
      const path = fileOf(0o600);
      const beside = join(dirname(path), name);
      symlinkSync(fileOf(0o600), beside);
      expect(() => checkAccess(path)).toThrow(refusal(new RegExp(`${name} is a symbolic link`)));
      rmSync(beside);
      writeFileSync(beside, '');
      chmodSync(beside, 0o620);
      expect(() => checkAccess(path)).toThrow(refusal(new RegExp(`${name} is open to other users`)));
      chmodSync(beside, 0o600);
      expect(() => checkAccess(path)).not.toThrow();
    },
  );

  it('behind a link to its folder is judged by the folder', () => {
    const [mine, everybodys, links] = [fileOf(0o600), fileOf(0o600, 0o777), dirname(newPath())];
    symlinkSync(dirname(mine), `${links}/mine`);
    symlinkSync(dirname(everybodys), `${links}/everybodys`);
    expect(() => checkAccess(`${links}/mine/ledger.sqlite`)).not.toThrow();
    if (process.geteuid?.() === 0) {
      lchownSync(`${links}/mine`, 1, 1);
      expect(() => checkAccess(`${links}/mine/ledger.sqlite`)).toThrow(refusal(/^the link .* belongs to another user/));
    }
    expect(() => checkAccess(`${links}/everybodys/ledger.sqlite`)).toThrow(refusal(/is writable by other users/));
  });

  it('is put right by the command that the refusal names, whatever its folder is called', () => {
    const folder = `${dirname(newPath())}/my data`;
    mkdirSync(folder);
    writeFileSync(`${folder}/ledger.sqlite`, '');
    chmodSync(`${folder}/ledger.sqlite`, 0o644);
    const hinted = (hint: string): object => expect.objectContaining({ detail: { hint } });
    expect(() => checkAccess(`${folder}/ledger.sqlite`)).toThrow(hinted(`run: chmod 600 '${folder}/ledger.sqlite'`));
    chmodSync(folder, 0o777);
    const hint = `run: chmod go-w '${folder}', or set PAYCLI_HOME to another folder`;
    expect(() => checkAccess(`${folder}/ledger.sqlite`)).toThrow(hinted(hint));
  });

  it.each([
    ['', 'the ledger'],
    [LOGS[0] ?? '', "the ledger's log"],
  ])('that is a folder is refused, and called by its name: ledger.sqlite%s', (suffix, name) => {
    const path = newPath();
    mkdirSync(path + suffix, { mode: 0o700 });
    expect(() => checkAccess(path)).toThrow(
      expect.objectContaining({ message: `${name} ${path}${suffix} is not a file`, detail: { hint: 'move it away' } }),
    );
  });

  it('that is a link is named, with what to do', () => {
    const [path, count] = [newPath(), fileOf(0o600)];
    symlinkSync('/nowhere', path);
    expect(() => checkAccess(path)).toThrow(
      expect.objectContaining({
        message: `the ledger ${path} is a symbolic link`,
        detail: { hint: 'replace it with what it points to' },
      }),
    );
    symlinkSync('/nowhere', join(dirname(count), HIGHEST_FILE_NAME));
    expect(() => checkAccess(count)).toThrow(refusal(/^the ledger's count .* is a symbolic link$/));
  });

  it('with a second name is refused by either, and used again when that is gone', () => {
    const [path, other] = [fileOf(0o600), newPath()];
    linkSync(path, other);
    for (const name of [path, other]) expect(() => checkAccess(name)).toThrow(refusal(/has 2 names \(hard links\)/));
    rmSync(other);
    expect(() => checkAccess(path)).not.toThrow();
  });

  it('loses the name under which it was made, and no other', () => {
    const path = fileOf(0o600);
    const [made, making] = [`${path}.0123456789ab.new`, `${path}.ba9876543210.new`];
    linkSync(path, made);
    writeFileSync(making, '');
    expect(() => checkAccess(path)).not.toThrow();
    expect([existsSync(made), existsSync(making)]).toEqual([false, true]);
  });

  it('is found among what is mounted by the bytes of its path', () => {
    const list = [
      '36 35 98:0 / / rw,noatime shared:1 - ext4 /dev/root rw',
      '40 36 98:0 /l /data/my\\040file\\134x rw - ext4 /dev/root rw',
      '',
    ];
    expect(mountPoints(list.join('\n'))).toEqual(['/', '/data/my file\\x', '']);
  });

  it('that can not be looked at is refused', () => {
    const path = join(dirname(newPath()), 'x'.repeat(300));
    expect(() => checkAccess(path)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^the ledger .* cannot be used: ENAMETOOLONG/),
        detail: expect.objectContaining({ hint: expect.stringMatching(/^free some disk space/) }),
      }),
    );
  });

  it.runIf(process.geteuid?.() === 0)('behind a link of the system’s is judged by the folder alone', () => {
    const [mine, links] = [fileOf(0o600), dirname(newPath())];
    symlinkSync(dirname(mine), `${links}/mine`);
    const refused = expect.objectContaining({
      message: expect.stringMatching(/^the ledger's folder .* belongs to another user \(uid 0; you are uid 7\)$/),
      detail: { hint: 'run paycli as its owner, or set PAYCLI_HOME to a folder of your own' },
    });
    expect(() => checkAccess(`${links}/mine/ledger.sqlite`, 7)).toThrow(refused);
  });

  it('that is not there yet is judged by its folder, where there is one', () => {
    const path = newPath();
    expect(() => checkAccess(path)).not.toThrow();
    expect(() => checkAccess(`${dirname(path)}/none/ledger.sqlite`)).not.toThrow();
    const open = `${dirname(path)}/open`;
    mkdirSync(open);
    chmodSync(open, 0o777);
    expect(() => checkAccess(`${open}/ledger.sqlite`)).toThrow(refusal(/is writable by other users/));
  });
});

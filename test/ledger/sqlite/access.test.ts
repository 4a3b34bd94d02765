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
import { HIGHEST_FILE_NAME } from '../../../src/core/data-files.ts';
import { checkAccess, namesInFolder } from '../../../src/ledger/local/file.ts';
import { newPath } from '../support/charges.ts';

const LOGS = ['-wal', '-shm', '-journal'];

/** A file of this mode in a folder of this mode. */
const fileOf = (mode: number, folder = 0o700): string => {
  const path = newPath();
  writeFileSync(path, '');
  chmodSync(path, mode);
  chmodSync(dirname(path), folder);
  return path;
};

const refusal = (message: RegExp): object =>
  expect.objectContaining({ kind: 'ledger', message: expect.stringMatching(message) });

describe('checkAccess', () => {
  it.each([0o600, 0o400, 0o700])('accepts a private file (mode %o)', (mode) => {
    expect(() => checkAccess(fileOf(mode))).not.toThrow();
  });

  it.each([0o640, 0o620, 0o604, 0o602, 0o610, 0o666])('rejects a file open to others (mode %o)', (mode) => {
    expect(() => checkAccess(fileOf(mode))).toThrow(refusal(/is open to other users \(mode 0\d{3}\)/));
  });

  it('rejects a symbolic link, wherever it points', () => {
    const [target, link, dangling] = [fileOf(0o600), newPath(), newPath()];
    symlinkSync(target, link);
    symlinkSync('/nowhere', dangling);
    expect(() => checkAccess(link)).toThrow(refusal(/is a symbolic link/));
    expect(() => checkAccess(dangling)).toThrow(refusal(/is a symbolic link/));
  });

  it('rejects a folder of another user', () => {
    const path = fileOf(0o600);
    expect(() => checkAccess(path, (process.geteuid?.() ?? 0) + 1)).toThrow(
      refusal(new RegExp(`^the ledger's folder ${dirname(path)} belongs to another user`)),
    );
  });

  it.runIf(process.geteuid?.() === 0).each(['', ...LOGS])(
    'rejects a file of another user: ledger.sqlite%s',
    (suffix) => {
      const path = fileOf(0o600);
      writeFileSync(path + suffix, '', { mode: 0o600 });
      chownSync(path + suffix, 1, 1);
      expect(() => checkAccess(path)).toThrow(refusal(new RegExp(`${path}${suffix} belongs to another user`)));
    },
  );

  it.each([0o777, 0o1777, 0o770, 0o1770, 0o720, 0o702])(
    'rejects a folder that others can write to (mode %o)',
    (mode) => {
      expect(() => checkAccess(fileOf(0o600, mode))).toThrow(refusal(/is writable by other users \(mode 07/));
    },
  );

  it('accepts a folder that others can only read, wherever it is', () => {
    const everybodys = dirname(fileOf(0o600, 0o1777));
    mkdirSync(`${everybodys}/mine`, { mode: 0o755 });
    expect(() => checkAccess(`${everybodys}/mine/ledger.sqlite`)).not.toThrow();
  });

  it.each([...LOGS.map((suffix) => `ledger.sqlite${suffix}`), HIGHEST_FILE_NAME])(
    'rejects a foreign or open file beside the ledger: %s',
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

  it('checks the target of a linked folder', () => {
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

  it('names a command that fixes the access, with any folder name', () => {
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
  ])('rejects and names a folder: ledger.sqlite%s', (suffix, name) => {
    const path = newPath();
    mkdirSync(path + suffix, { mode: 0o700 });
    expect(() => checkAccess(path)).toThrow(
      expect.objectContaining({ message: `${name} ${path}${suffix} is not a file`, detail: { hint: 'move it away' } }),
    );
  });

  it('rejects and names a link, with a hint', () => {
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

  it('rejects a file with two hard links by either name, until one is removed', () => {
    const [path, other] = [fileOf(0o600), newPath()];
    linkSync(path, other);
    for (const name of [path, other]) expect(() => checkAccess(name)).toThrow(refusal(/has 2 names \(hard links\)/));
    rmSync(other);
    expect(() => checkAccess(path)).not.toThrow();
  });

  it('removes the temporary name left by creating the ledger', () => {
    const path = fileOf(0o600);
    const [made, making] = [`${path}.0123456789ab.new`, `${path}.ba9876543210.new`];
    linkSync(path, made);
    writeFileSync(making, '');
    expect(() => checkAccess(path)).not.toThrow();
    expect([existsSync(made), existsSync(making)]).toEqual([false, true]);
  });

  it("rejects a path that can't be read", () => {
    const path = join(dirname(newPath()), 'x'.repeat(300));
    expect(() => checkAccess(path)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^the ledger .* cannot be used: ENAMETOOLONG/),
        detail: expect.objectContaining({ hint: expect.stringMatching(/^free some disk space/) }),
      }),
    );
  });

  it.runIf(process.geteuid?.() === 0)('checks only the folder behind a link of the system', () => {
    const [mine, links] = [fileOf(0o600), dirname(newPath())];
    symlinkSync(dirname(mine), `${links}/mine`);
    const refused = expect.objectContaining({
      message: expect.stringMatching(/^the ledger's folder .* belongs to another user \(uid 0; you are uid 7\)$/),
      detail: { hint: 'run paycli as its owner, or set PAYCLI_HOME to a folder of your own' },
    });
    expect(() => checkAccess(`${links}/mine/ledger.sqlite`, 7)).toThrow(refused);
  });

  it('checks the folder of a ledger that does not exist yet', () => {
    const path = newPath();
    expect(() => checkAccess(path)).not.toThrow();
    expect(() => checkAccess(`${dirname(path)}/none/ledger.sqlite`)).not.toThrow();
    const open = `${dirname(path)}/open`;
    mkdirSync(open);
    chmodSync(open, 0o777);
    expect(() => checkAccess(`${open}/ledger.sqlite`)).toThrow(refusal(/is writable by other users/));
  });
});

it('a folder without a ledger has no names, and one that cannot be read is no such folder', () => {
  const file = fileOf(0o600);
  expect(namesInFolder(join(dirname(file), 'none'))).toEqual([]);
  expect(() => namesInFolder(file)).toThrow(refusal(/^the data folder .* can't be read: /));
});

import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { signatureOf } from '../../src/core/webhook-event.ts';
import { PROGRAM } from '../support/built.ts';
import { CANARY } from '../support/canary.ts';
import { inProcess } from '../support/in-process.ts';
import { type Ended, errorOf, newFolder, start } from '../support/program.ts';
import { DEAD_ORIGIN, held, serve } from '../support/service.ts';
import { BECOME, mayBecome, OTHER_UID } from '../support/shell.ts';
import { SECRET, secretFile } from '../support/webhooks.ts';
import { charged, postsOf, serveCharges, ugwoOf } from './bulk-support.ts';

const mayMount = process.platform === 'linux' && spawnSync('unshare', ['-m', 'true']).status === 0;
/** A folder that this user owns. */
const folderOf = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'paycli-uid-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chownSync(folder, OTHER_UID, OTHER_UID);
  return folder;
};

/** Runs the program as that user, with only these variables. */
const asNobody = (args: readonly string[], ...variables: readonly string[]): Promise<Ended> => {
  return start(args, { program: [...BECOME, 'env', '-i', ...variables, ...PROGRAM] }).ended;
};

describe.runIf(mayBecome())('a user without a passwd entry and without HOME', () => {
  it('keeps settings and data in PAYCLI_HOME', async () => {
    const home = `PAYCLI_HOME=${folderOf()}/paycli`;
    expect(await asNobody(['onye', 'list', '--local', '--limit', '1'], home)).toMatchObject({ code: 0 });
    expect(await asNobody(['profile', 'list'], home)).toMatchObject({ code: 0 });
  });

  it('can read with a key from the environment, and print help', async () => {
    const given = [`PAYCLI_SECRET_KEY=${CANARY}`, `PAYCLI_BASE_URL=${DEAD_ORIGIN}`];
    expect(await asNobody(['ugwo', 'list'], ...given)).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('refused the connection'),
    });
    expect(await asNobody(['login', '--help'])).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([['profile list'], ['ugwo list'], ['onye list --local']])(
    'gets the missing variable named by %s',
    async (line) => {
      expect(await asNobody(line.split(' '))).toMatchObject({
        code: 4,
        stderr:
          'error: no home folder is known: HOME is not set, and the system has no entry for this user\n' +
          '-> set PAYCLI_HOME to an absolute path, where paycli then keeps everything; or set HOME\n',
      });
    },
  );
});

/** Runs the program with a read-only HOME. */
const onReadOnly = (args: readonly string[]): Promise<Ended> => {
  const home = newFolder();
  const script = `mount -t tmpfs none '${home}' && mount -o remount,ro '${home}' && unset PAYCLI_HOME && exec "$@"`;
  const given = { PAYCLI_SECRET_KEY: CANARY, PAYCLI_BASE_URL: DEAD_ORIGIN };
  return start(args, {
    home,
    stdin: CANARY,
    env: given,
    program: ['unshare', '-m', 'sh', '-c', script, 'sh', ...PROGRAM],
  }).ended;
};

describe.runIf(mayMount)('a read-only file system', () => {
  it('is reported by doctor, with the exit code of a charge', async () => {
    const { code, stdout } = await onReadOnly(['doctor', '--offline', '-o', 'tsv']);
    expect(code).toBe(10);
    expect(stdout).toMatch(/^settings\twarn\tnothing can be written in \S+: EROFS: read-only file system/m);
    expect(stdout).toMatch(/^data\twarn\tnothing can be written in \S+: EROFS: read-only file system/m);
    expect(stdout).toMatch(/^ledger\tfail\tnone yet, and none can be made: EROFS: read-only file system/m);
  });

  it.each([
    [10, ['ugwo', 'charge', SEEDED.ugwo, '--medium', 'bank_transfer']],
    [4, ['login', '--key-stdin', '--no-verify']],
  ] as const)('is named in the error instead of a missing folder: exits with %i', async (code, args) => {
    expect(await onReadOnly(args)).toMatchObject({
      code,
      stderr: expect.stringContaining('EROFS: read-only file system, mkdir'),
    });
  });
});

describe.runIf(mayBecome())('a secret mounted world-readable by root', () => {
  it("is accepted from a user who can't change it", async () => {
    const [file, body] = [join(folderOf(), 'secret'), '{}'];
    writeFileSync(file, SECRET);
    chmodSync(file, 0o444);
    const verify = ['webhook', 'verify', '--secret-file', file, '--signature', signatureOf(SECRET, Buffer.from(body))];
    const ended = await asNobody(verify, `PAYCLI_HOME=${folderOf()}`);
    expect(ended.stderr).not.toContain('chmod');
    expect(ended.code).not.toBe(4);
    chmodSync(file, 0o446);
    expect(await asNobody(verify, `PAYCLI_HOME=${folderOf()}`)).toMatchObject({ code: 4 });
  });
});

describe.runIf(mayMount)('a settings file that is its own mount', () => {
  it("can't be replaced, and the error says so", async () => {
    const home = newFolder();
    const login = ['login', '--key-stdin', '--no-verify'];
    const options = { home, stdin: CANARY, env: { PAYCLI_BASE_URL: DEAD_ORIGIN } };
    expect(await start(login, options).ended).toMatchObject({ code: 0 });
    const script = `mount --bind '${home}/config.json' '${home}/config.json' && exec "$@"`;
    const program = ['unshare', '-m', 'sh', '-c', script, 'sh', ...PROGRAM] as const;
    expect(await start([...login, '--yes'], { ...options, program }).ended).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(
        'the file is mounted by itself, so it can not be replaced: mount its folder instead',
      ),
    });
    const open = [
      'unshare',
      '-m',
      'sh',
      '-c',
      `chmod 644 '${home}/config.json' && ${script}`,
      'sh',
      ...PROGRAM,
    ] as const;
    const { code, stderr } = await start(['profile', 'list'], { home, program: open }).ended;
    expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining('its mode must be 600') });
    expect(stderr).not.toContain('chmod');
  });
});

const OTHER_TIME = ['unshare', '--time', '--boottime', '1000', '--fork'] as const;
const mayMoveTime =
  process.platform === 'linux' && spawnSync(OTHER_TIME[0], [...OTHER_TIME.slice(1), 'true']).status === 0;

describe.runIf(mayMoveTime)('a process in another time namespace', () => {
  it('sees that a charge is still being sent', async () => {
    const { hold, letGo } = held(charged(1));
    const service = await serveCharges({ 1: hold });
    const options = { home: newFolder(), service };
    const args = ['ugwo', 'charge', ugwoOf(1), '--medium', 'ussd', '--provider', 'gtb', '--no-preflight', '--json'];
    const first = start(args, options);
    await service.came(1);
    const second = await start(args, { ...options, program: [...OTHER_TIME, ...PROGRAM] }).ended;
    expect(errorOf(second)).toMatchObject({
      exit_code: 9,
      message: expect.stringContaining('is charging it right now'),
    });
    letGo();
    expect(await first.ended).toMatchObject({ code: 0 });
    expect(postsOf(service)).toEqual({ 1: 1 });
  });
});

describe('quotes left by docker --env-file', () => {
  it.each(['"', "'"])('around a key are reported, and nothing is sent: %s', async (quote) => {
    const service = await serve([]);
    const env = { PAYCLI_SECRET_KEY: quote + CANARY + quote };
    expect(await inProcess(['ugwo', 'list'], { service, env })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('has a quotation mark at its start or end'),
    });
    expect((await inProcess(['doctor', '--offline'], { service, env })).stdout).toMatch(/^key\tfail\t.*quotation/m);
  });

  it('around an endpoint secret are reported', async () => {
    const file = secretFile(newFolder(), `"${SECRET}"`);
    const args = ['webhook', 'verify', '--secret-file', file, '--signature', 'x'];
    expect(await inProcess(args, { stdin: '{}' })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('has a quotation mark at its start or end'),
    });
  });
});

import { once } from 'node:events';
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RUNTIME } from '../support/built.ts';
import { CANARY } from '../support/canary.ts';
import { newFolder, paycli, start } from '../support/program.ts';
import { type Scene, scene } from '../support/scene.ts';
import { hang, page, problem, serve, serveBy } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { fileOf } from './bulk-support.ts';

const TAIL = `…${CANARY.slice(-4)}`;
const mode = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);

/** Stores a key without a read of the service. */
const login = (home: string, ...more: readonly string[]) =>
  scene({ home, argv: ['login', '--key-stdin', '--no-verify', ...more], stdin: `${CANARY}\n`, stderr: /^/ });

/** A home with one profile for this service. */
const loggedIn = async (origin: string): Promise<string> => (await login(newFolder(), '--base-url', origin)).home;

const configOf = (home: string): string => readFileSync(join(home, 'config.json'), 'utf8');

describe('login', () => {
  it('checks the key with the smallest read, stores it for one origin, and prints its last four characters', async () => {
    const service = await serve([page([1], 'c'), page([], null)]);
    const { origin } = service;
    const { home } = await scene({
      built: true,
      argv: ['login', '--base-url', origin, '--key-stdin', '--json'],
      stdin: `${CANARY}\n`,
      json: { name: 'default', default: true, origin, key: TAIL },
    });
    await scene({ built: true, home, argv: ['ugwo', 'list'], stderr: 'Nothing found.\n' });
    const headers = { authorization: `Bearer ${CANARY}` };
    expect(service.seen).toMatchObject([{ method: 'GET', url: '/v1/ugwo?limit=1', headers }, { headers }]);
    expect(mode(home)).toBe('700');
    expect(mode(join(home, 'config.json'))).toBe('600');
    expect(configOf(home)).toContain(CANARY);
  });

  it('prompts for the key without echo on a terminal', async () => {
    const service = await serve([page([], null)]);
    const home = newFolder();
    const terminal = openTerminal(['login', '--base-url', service.origin], { home });
    await terminal.saw(/not shown/);
    terminal.type(`${CANARY}\r`);
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(terminal.raw()).not.toContain(CANARY);
    expect(await terminal.screen()).toContain(TAIL);
  });

  it('exits with 130 on Ctrl-C and stores nothing', async () => {
    const home = newFolder();
    const terminal = openTerminal(['login', '--environment', 'sandbox'], { home });
    await terminal.saw(/not shown/);
    terminal.type('\u0003');
    expect(await terminal.ended).toEqual({ code: 130 });
    expect(existsSync(join(home, 'config.json'))).toBe(false);
  });

  it('stores a key command and runs it for each call', async () => {
    const service = await serve([page([], null), page([], null)]);
    const file = fileOf(`${CANARY}\n`, 'key');
    const argv = ['login', '--base-url', service.origin, '--key-command', `cat '${file}'`];
    const { home } = await scene({ argv, stderr: /^/ });
    expect(configOf(home)).not.toContain(CANARY);
    await scene({ home, argv: ['ugwo', 'list'], stderr: 'Nothing found.\n' });
    expect(service.seen.map(({ headers }) => headers['authorization'])).toEqual([
      `Bearer ${CANARY}`,
      `Bearer ${CANARY}`,
    ]);
    rmSync(file);
  });

  it('is named as the source of a key that the service refuses', async () => {
    const service = await serveBy(() => problem(401, 'Unauthorized'));
    const key = fileOf(`${CANARY}\n`, 'key');
    const argv = ['login', '--base-url', service.origin, '--no-verify', '--key-command', `cat '${key}'`];
    const { home: command } = await scene({ argv, stderr: /^/ });
    const stored = await loggedIn(service.origin);
    const env = { PAYCLI_SECRET_KEY: CANARY };
    const refused: readonly [Partial<Scene>, RegExp][] = [
      [{ home: stored }, /^the key of the profile "default" was .* --profile default`$/],
      [{ home: command }, /^the key of the profile "default", which its key command prints,/],
      [
        { home: stored, env },
        /^the key in PAYCLI_SECRET_KEY, which overrides the key of the profile "default", .*: fix the variable, or unset it$/,
      ],
      [{ env: { ...env, PAYCLI_BASE_URL: service.origin } }, /^the key in PAYCLI_SECRET_KEY was .*: fix the variable$/],
    ];
    for (const [options, hint] of refused) {
      const error = { hint: expect.stringMatching(hint) };
      await scene({ ...options, argv: ['ugwo', 'list', '--json'], exit: 4, error });
    }
    rmSync(key);
  });

  it('rejects a key as an option', () =>
    scene({
      argv: ['login', '--environment', 'live', '--key', 'sk.x'],
      stdin: CANARY,
      exit: 2,
      stderr: ["unknown option '--key'"],
    }));

  it('rejects a public key', async () => {
    const stdin = 'pk.Cnry.12345678901234567890';
    const argv = ['login', '--environment', 'live', '--key-stdin', '--no-verify'];
    const { stderr } = await scene({ argv, stdin, exit: 4, stderr: ['public key'] });
    expect(stderr).not.toContain(stdin.slice(8));
  });
});

describe('a stored key', () => {
  it('is never sent to another origin', async () => {
    const [own, other] = [await serve([]), await serve([])];
    const home = await loggedIn(own.origin);
    await scene({ home, argv: ['ugwo', 'list', '--base-url', other.origin], exit: 4 });
    expect(other.connections()).toBe(0);
  });

  it('is refused if its file is readable by others', async () => {
    const service = await serve([]);
    const home = await loggedIn(service.origin);
    chmodSync(join(home, 'config.json'), 0o644);
    await scene({ home, argv: ['ugwo', 'list'], exit: 4, stderr: ['chmod 600'] });
    expect(service.connections()).toBe(0);
  });

  it('is stored in an empty home after closing that to others', async () => {
    const home = newFolder();
    chmodSync(home, 0o755);
    await login(home, '--environment', 'sandbox');
    expect(mode(home)).toBe('700');
  });

  it('is removed only with --yes or confirmation', async () => {
    const home = await loggedIn('https://api.example.com');
    const before = configOf(home);
    const remove = ['profile', 'remove'];
    await scene({ home, argv: remove, exit: 2, stderr: ['--yes'] });
    await scene({ home, argv: [...remove, '--no-input'], exit: 2, stderr: ['--yes'] });
    expect(configOf(home)).toBe(before);
    await scene({ home, argv: [...remove, '--local', '--yes'], exit: 2 });
    await scene({ home, argv: [...remove, '--no-input', '--yes'], stderr: ['No profiles left'] });
    expect(configOf(home)).not.toContain(CANARY);
    await scene({ home, argv: ['ugwo', 'list'], exit: 4 });
  });
});

describe('profiles', () => {
  it('can be listed, shown, selected and removed without printing a key', async () => {
    const home = newFolder();
    const other = `sk.Shop.${'s'.repeat(76)}beef`;
    const argv = ['login', '--environment', 'sandbox', '--key-stdin', '--no-verify', '--profile'];
    await scene({ home, argv: [...argv, 'shop'], stdin: other, stderr: /^/ });
    await scene({ home, argv: [...argv, 'main'], stdin: CANARY, stderr: /^/ });
    await scene({
      home,
      env: { PAYCLI_PROFILE: 'local' },
      argv: ['profile', 'list', '--json'],
      json: {
        data: [
          { name: 'shop', default: true, key: '…beef' },
          { name: 'main', default: false, key: TAIL },
        ],
        next_cursor: null,
      },
    });
    await scene({ home, argv: ['profile', 'use', 'main'], stderr: /^/ });
    await scene({ home, argv: ['profile', 'show', '--json'], json: { name: 'main', default: true } });
    const env = { PAYCLI_PROFILE: 'shop' };
    await scene({ home, env, argv: ['ledger', 'use', '--file', '--json'], json: { name: 'shop' } });
    await scene({ home, argv: ['profile', 'remove', 'shop', '--yes'], stderr: /^/ });
    await scene({ home, argv: ['ugwo', 'list', '--profile', 'mian', '--json'], exit: 4, stderr: ['main'] });
  });

  it.each(['./cache', ''])('put no code cache in the working folder (XDG_CACHE_HOME=%j)', async (XDG_CACHE_HOME) => {
    const cwd = newFolder('cwd');
    for (const HOME of [newFolder(), '', '.', 'home']) {
      expect(await paycli(['--version'], { cwd, env: { XDG_CACHE_HOME, HOME } })).toMatchObject({ code: 0 });
      expect(readdirSync(cwd), HOME).toEqual([]);
    }
  });

  it('are never read from the working folder; without any, the error names login and --local', async () => {
    const cwd = newFolder('trap');
    writeFileSync(join(cwd, '.env'), `PAYCLI_SECRET_KEY=${CANARY}\nPAYCLI_BASE_URL=https://evil.test\n`);
    writeFileSync(
      join(cwd, 'config.json'),
      JSON.stringify({
        version: 1,
        default: 'x',
        profiles: { x: { origin: 'https://evil.test', key: 'sk.Evil.123456789' } },
      }),
      { mode: 0o600 },
    );
    writeFileSync(join(cwd, 'package.json'), '{"type":"commonjs","main":"evil.js"}');
    const ended = await paycli(['ugwo', 'list'], { cwd, env: { NODE_ENV: 'development' } });
    expect(ended).toMatchObject({ code: 4, stdout: '' });
    expect(ended.stderr).not.toContain('evil');
    expect(ended.stderr).toMatch(/paycli login[\s\S]*--local|--local[\s\S]*paycli login/);
    rmSync(join(cwd, '.env'));
  });
});

// Bun has no crash reports or code cache: see test/standalone.
if (RUNTIME === 'node') {
  describe('the key of a call', () => {
    it('is not in a crash report', async () => {
      const folder = newFolder('reports');
      const service = await serve([hang]);
      const env = { NODE_OPTIONS: `--report-on-signal --report-directory=${folder}`, OTHER_SECRET: 'of-another-tool' };
      const running = start(['ugwo', 'list'], { service, env });
      await service.came(1);
      const written = once(watch(folder), 'change');
      running.kill('SIGUSR2');
      await written;
      running.kill('SIGTERM');
      await running.ended;
      const [report = ''] = readdirSync(folder);
      const text = readFileSync(join(folder, report), 'utf8');
      expect(text).toContain('"header"');
      expect(text).not.toContain(CANARY);
      expect(text).not.toContain('of-another-tool');
    });

    const cacheIn = (home: string): string => join(home, 'paycli', 'compile-cache');
    const versionIn = (home: string): string => join(cacheIn(home), readdirSync(cacheIn(home))[0] ?? '');
    const isUsed = (home: string): boolean => readdirSync(versionIn(home)).length > 0;

    it('is not next to a code cache that others can write to, whatever the umask', async () => {
      const XDG_CACHE_HOME = newFolder('cache');
      const umask = process.umask(0);
      onTestFinished(() => void process.umask(umask));
      await paycli(['--version'], { env: { XDG_CACHE_HOME } });
      expect(isUsed(XDG_CACHE_HOME)).toBe(true);
      const folders = [join(XDG_CACHE_HOME, 'paycli'), cacheIn(XDG_CACHE_HOME), versionIn(XDG_CACHE_HOME)];
      for (const folder of folders) expect(mode(folder), folder).toBe('700');
      for (const name of readdirSync(versionIn(XDG_CACHE_HOME))) rmSync(join(versionIn(XDG_CACHE_HOME), name));
      for (const folder of folders) {
        chmodSync(folder, 0o770);
        expect(await paycli(['--version'], { env: { XDG_CACHE_HOME } })).toMatchObject({ code: 0, stderr: '' });
        expect(isUsed(XDG_CACHE_HOME), folder).toBe(false);
        chmodSync(folder, 0o700);
      }
    });
  });
}

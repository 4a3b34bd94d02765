import { once } from 'node:events';
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RUNTIME } from '../support/built.ts';
import { CANARY } from '../support/canary.ts';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder, paycli, type RunOptions, start } from '../support/program.ts';
import { hang, page, problem, serve, serveBy } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';

const TAIL = `…${CANARY.slice(-4)}`;
const mode = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);

/** A home with one profile for this service. */
const loggedIn = async (origin: string, home = newFolder()): Promise<string> => {
  const ended = await inProcess(['login', '--base-url', origin, '--key-stdin', '--no-verify'], {
    home,
    stdin: `${CANARY}\n`,
  });
  expect(ended.code, ended.stderr).toBe(0);
  return home;
};

describe('login', () => {
  it('checks the key with the smallest read, stores it for one origin, and prints its last four characters', async () => {
    const service = await serve([page([1], 'c'), page([], null)]);
    const home = newFolder();
    const ended = await paycli(['login', '--base-url', service.origin, '--key-stdin', '--json'], {
      home,
      stdin: `${CANARY}\n`,
    });
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      name: 'default',
      default: true,
      origin: service.origin,
      key: TAIL,
    });
    expect(await paycli(['ugwo', 'list'], { home })).toMatchObject({ code: 0 });
    const headers = { authorization: `Bearer ${CANARY}` };
    expect(service.seen).toMatchObject([{ method: 'GET', url: '/v1/ugwo?limit=1', headers }, { headers }]);
    expect(mode(home)).toBe('700');
    expect(mode(join(home, 'config.json'))).toBe('600');
    expect(readFileSync(join(home, 'config.json'), 'utf8')).toContain(CANARY);
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

  it('stores nothing if the service rejects the key', async () => {
    const service = await serve([problem(401, 'Unauthorized')]);
    const home = newFolder();
    const ended = await inProcess(['login', '--base-url', service.origin, '--key-stdin'], { home, stdin: CANARY });
    expect(ended).toMatchObject({ code: 4, stdout: '' });
    expect(ended.stderr).toContain('nothing was stored');
    expect(existsSync(join(home, 'config.json'))).toBe(false);
  });

  it('stores a key command and runs it for each call', async () => {
    const service = await serve([page([], null), page([], null)]);
    const home = newFolder();
    const file = join(newFolder(), 'key');
    writeFileSync(file, `${CANARY}\n`);
    const ended = await inProcess(['login', '--base-url', service.origin, '--key-command', `cat '${file}'`], { home });
    expect(ended.code, ended.stderr).toBe(0);
    expect(readFileSync(join(home, 'config.json'), 'utf8')).not.toContain(CANARY);
    expect(await inProcess(['ugwo', 'list'], { home })).toMatchObject({ code: 0 });
    expect(service.seen.map(({ headers }) => headers['authorization'])).toEqual([
      `Bearer ${CANARY}`,
      `Bearer ${CANARY}`,
    ]);
    rmSync(file);
  });

  it('is named as the source of a key that the service refuses', async () => {
    const service = await serveBy(() => problem(401, 'Unauthorized'));
    const stored = await loggedIn(service.origin);
    const [command, key] = [newFolder(), join(newFolder(), 'key')];
    writeFileSync(key, `${CANARY}\n`);
    const words = ['login', '--base-url', service.origin, '--no-verify', '--key-command', `cat '${key}'`];
    expect(await inProcess(words, { home: command })).toMatchObject({ code: 0 });
    const hintOf = async (options: RunOptions): Promise<string> => {
      const ended = await inProcess(['ugwo', 'list', '--json'], options);
      expect(ended.code).toBe(4);
      return String(errorOf(ended)['hint']);
    };
    expect(await hintOf({ home: stored })).toMatch(/^the key of the profile "default" was .* --profile default`$/);
    expect(await hintOf({ home: command })).toMatch(/^the key of the profile "default", which its key command prints,/);
    expect(await hintOf({ home: stored, env: { PAYCLI_SECRET_KEY: CANARY } })).toMatch(
      /^the key in PAYCLI_SECRET_KEY, which overrides the key of the profile "default", .*: fix the variable, or unset it$/,
    );
    expect(await hintOf({ service })).toMatch(/^the key in PAYCLI_SECRET_KEY was .*: fix the variable$/);
    rmSync(key);
  });

  it('rejects a key as an option', async () => {
    const ended = await inProcess(['login', '--environment', 'live', '--key', 'sk.x'], { stdin: CANARY });
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/unknown option '--key'/) });
  });

  it('rejects a public key', async () => {
    const [words, stdin] = [['login', '--environment', 'live', '--key-stdin'], 'pk.Cnry.12345678901234567890'];
    const ended = await inProcess([...words, '--no-verify'], { stdin });
    expect(ended).toMatchObject({ code: 4, stdout: '', stderr: expect.stringMatching(/public key/) });
    expect(ended.stderr).not.toContain(stdin.slice(8));
  });
});

describe('a stored key', () => {
  it('is never sent to another origin', async () => {
    const [own, other] = [await serve([]), await serve([])];
    const home = await loggedIn(own.origin);
    const ended = await inProcess(['ugwo', 'list', '--base-url', other.origin, '--json'], { home });
    expect(ended).toMatchObject({ code: 4, stdout: '' });
    expect(other.connections()).toBe(0);
  });

  it('is refused if its file is readable by others', async () => {
    const service = await serve([]);
    const home = await loggedIn(service.origin);
    chmodSync(join(home, 'config.json'), 0o644);
    const ended = await inProcess(['ugwo', 'list'], { home });
    expect(ended).toMatchObject({ code: 4, stdout: '', stderr: expect.stringMatching(/chmod 600/) });
    expect(service.connections()).toBe(0);
  });

  it('is stored in an empty home after closing that to others', async () => {
    const home = newFolder();
    chmodSync(home, 0o755);
    const args = ['login', '--environment', 'sandbox', '--key-stdin', '--no-verify'];
    expect(await inProcess(args, { home, stdin: CANARY })).toMatchObject({ code: 0 });
    expect(lstatSync(home).mode & 0o777).toBe(0o700);
  });

  it('is removed only with --yes or confirmation', async () => {
    const home = await loggedIn('https://api.example.com');
    const before = readFileSync(join(home, 'config.json'), 'utf8');
    for (const more of [[], ['--no-input']]) {
      const asked = await inProcess(['profile', 'remove', ...more], { home });
      expect(asked).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--yes') });
    }
    expect(readFileSync(join(home, 'config.json'), 'utf8')).toBe(before);
    expect(await inProcess(['profile', 'remove', '--local', '--yes'], { home })).toMatchObject({ code: 2 });
    const ended = await inProcess(['profile', 'remove', '--no-input', '--yes'], { home });
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('No profiles left') });
    expect(readFileSync(join(home, 'config.json'), 'utf8')).not.toContain(CANARY);
    expect(await inProcess(['ugwo', 'list'], { home })).toMatchObject({ code: 4 });
  });
});

describe('profiles', () => {
  it('can be listed, shown, selected and removed without printing a key', async () => {
    const home = newFolder();
    const other = `sk.Shop.${'s'.repeat(76)}beef`;
    for (const [name, key] of [
      ['shop', other],
      ['main', CANARY],
    ] as const) {
      await inProcess(['login', '--profile', name, '--environment', 'sandbox', '--key-stdin', '--no-verify'], {
        home,
        stdin: key,
      });
    }
    const list = await inProcess(['profile', 'list', '--json'], { home });
    expect(JSON.parse(list.stdout)).toMatchObject({
      data: [
        { name: 'shop', default: true, key: '…beef' },
        { name: 'main', default: false, key: TAIL },
      ],
      next_cursor: null,
    });
    expect(await inProcess(['profile', 'use', 'main'], { home })).toMatchObject({ code: 0 });
    expect(JSON.parse((await inProcess(['profile', 'show', '--json'], { home })).stdout)).toMatchObject({
      name: 'main',
      default: true,
    });
    expect(await inProcess(['profile', 'remove', 'shop', '--yes'], { home })).toMatchObject({ code: 0 });
    const unknown = await inProcess(['ugwo', 'list', '--profile', 'mian', '--json'], { home });
    expect(unknown.code).toBe(4);
    expect(JSON.stringify(errorOf(unknown))).toContain('main');
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

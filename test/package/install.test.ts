import { execFile } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { environment } from '../support/program.ts';
import { ACTIVITY, json, ONYE_ID, page, serve, UGWO_ID } from '../support/service.ts';
import { toolOf } from '../support/tool.ts';
import { installGlobally, ordinaryUser, ownFolder, packedTarball, runtimes, shell, uninstall } from './npm.ts';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const CUSTOMER = { uid: ONYE_ID, email: 'ada@example.com', meta: {}, status: 'active' };

const isWindows = process.platform === 'win32';

describe('installed globally without privileges and without a network', () => {
  let [prefix, cache] = ['', ''];

  beforeAll(async () => {
    prefix = await installGlobally(await packedTarball());
    cache = ownFolder('cache');
  });

  const bin = (): string => (isWindows ? prefix : join(prefix, 'bin'));
  const packages = (): string => join(prefix, ...(isWindows ? [] : ['lib']), 'node_modules');

  /** Runs the installed program from an unrelated folder, by the first Node of a PATH. */
  const paycliUnder =
    (path: () => string) =>
    (args: readonly string[], home: string, service?: { readonly origin: string }): Promise<Ended> => {
      const options = { home, ...(service === undefined ? {} : { service }) };
      const env = { ...environment(options), XDG_CACHE_HOME: cache, PATH: [bin(), path()].join(delimiter) };
      return new Promise((done) => {
        const program = join(bin(), isWindows ? 'paycli.cmd' : 'paycli');
        execFile(program, args, { cwd: ownFolder('cwd'), env, shell, ...ordinaryUser }, (error, stdout, stderr) =>
          done({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
        );
      });
    };

  it('is one package', () => {
    expect(readdirSync(packages()).filter((name) => !name.startsWith('.'))).toEqual(['paycli']);
  });

  it.skipIf(isWindows)('belongs to the user, who alone may read it', () => {
    const { mode, uid } = statSync(join(packages(), 'paycli', 'dist', 'main.js'));
    expect({ mode: mode & 0o777, uid }).toEqual({ mode: 0o600, uid: ordinaryUser.uid ?? process.getuid?.() });
  });

  it.skipIf(isWindows)('has its manual pages where `man` finds them', () => {
    const pages = readdirSync(join(prefix, 'share', 'man', 'man1'));
    expect(pages).toHaveLength(readdirSync(join('dist', 'man', 'man1')).length);
    expect(lstatSync(join(prefix, 'share', 'man', 'man1', 'paycli.1')).isSymbolicLink()).toBe(true);
  });

  it.runIf(toolOf('man') !== undefined)('is found by `man`, as doctor says', async () => {
    const { stdout } = await paycliUnder(() => process.env['PATH'] ?? '')(
      ['doctor', '--offline', '--json'],
      ownFolder('home'),
    );
    const { data } = JSON.parse(stdout) as { data: { check: string; status: string; detail: string }[] };
    const manual = data.find(({ check }) => check === 'manual');
    expect(manual).toMatchObject({ status: 'ok' });
    const page = join(prefix, 'share', 'man', 'man1', 'paycli.1');
    expect(realpathSync(manual?.detail ?? '')).toBe(realpathSync(page));
  });

  describe.each(runtimes())('under Node $version', (runtime) => {
    let path = '';
    const paycli = paycliUnder(() => path);

    // May have to download that Node first.
    beforeAll(async () => {
      path = await runtime.path();
    }, 180_000);

    it('runs under this Node', async () => {
      const { stdout } = await promisify(execFile)('node', ['--version'], { env: { PATH: path }, shell });
      expect(stdout.trim()).toBe(`v${runtime.version}`);
    });

    it('prints its version', async () => {
      const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
      expect(await paycli(['--version'], ownFolder('home'))).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    });

    it('updates a customer, records a charge, and lists all pages', async () => {
      const home = ownFolder('home');
      const service = await serve([json(200, CUSTOMER), json(200, ACTIVITY), page([1, 2], 'c2'), page([3], null)]);
      expect(await paycli(['onye', 'update', ONYE_ID, '--email', 'ada@example.com', '--json'], home, service)).toEqual({
        code: 0,
        stdout: `${JSON.stringify(CUSTOMER)}\n`,
        stderr: '',
      });
      const charged = await paycli(['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer', '--json'], home, service);
      expect(charged).toEqual({ code: 0, stdout: `${JSON.stringify(ACTIVITY)}\n`, stderr: '' });
      const listed = await paycli(['ugwo', 'list', '--all', '--json'], home, service);
      expect(listed).toMatchObject({ code: 0, stderr: '' });
      expect((JSON.parse(listed.stdout) as { data: { ref: string }[] }).data.map(({ ref }) => ref)).toEqual([
        'order-1',
        'order-2',
        'order-3',
      ]);
      expect(service.seen.map(({ method, url }) => `${method} ${url.split('?')[0]}`)).toEqual([
        `PATCH /v1/onye/${ONYE_ID}`,
        `POST /v1/ugwo/${UGWO_ID}/activities`,
        'GET /v1/ugwo',
        'GET /v1/ugwo',
      ]);
      const ledger = await paycli(['ledger', 'list', '--json'], home);
      const { data } = JSON.parse(ledger.stdout) as { data: unknown[] };
      expect(data).toMatchObject([{ ugwo: UGWO_ID, state: 'accepted' }]);
    });

    it('processes a file, and remembers its rows', async () => {
      const home = ownFolder('home');
      const file = join(ownFolder('file'), 'charges.csv');
      writeFileSync(file, `ugwo,medium\n${UGWO_ID},bank_transfer\n`);
      const service = await serve([json(200, ACTIVITY)]);
      expect(await paycli(['ugwo', 'charge', '--from', file], home, service)).toMatchObject({ code: 0 });
      const jobs = await paycli(['ledger', 'jobs', '--json'], home);
      expect((JSON.parse(jobs.stdout) as { data: unknown[] }).data).toMatchObject([{ rows: 1, accepted: 1 }]);
    });

    it('contains the emulator', async () => {
      const ended = await paycli(['ugwo', 'list', '--local', '--limit', '3', '--json'], ownFolder('home'));
      expect(ended).toMatchObject({ code: 0 });
      expect((JSON.parse(ended.stdout) as { data: unknown[] }).data).toHaveLength(3);
    });
  });

  it('leaves no files after its removal', async () => {
    await uninstall(prefix);
    const left = readdirSync(prefix, { recursive: true, withFileTypes: true }).filter((one) => !one.isDirectory());
    expect(left.map(({ name }) => name).filter((name) => name !== '.package-lock.json')).toEqual([]);
  });
});

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { environment, newFolder } from '../support/program.ts';
import { ACTIVITY, json, ONYE_ID, page, serve, UGWO_ID } from '../support/service.ts';
import { npm, packedTarball, runtimes, shell } from './npm.ts';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const CUSTOMER = { uid: ONYE_ID, email: 'ada@example.com', meta: {}, status: 'active' };

const installed = newFolder('install');

// By the npm that is first on PATH: what it installs is the same for each Node.
beforeAll(async () => {
  const tarball = await packedTarball();
  writeFileSync(join(installed, 'package.json'), '{"private":true}');
  const cache = newFolder('npm-cache');
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier'];
  await npm(['install', '--offline', '--ignore-scripts=false', '--cache', cache, ...quiet, tarball], installed);
}, 180_000);

describe.each(runtimes())('installed without a network, under Node $version', (runtime) => {
  let path = '';

  // It may have to fetch that Node first.
  beforeAll(async () => {
    path = await runtime.path();
  }, 180_000);

  /** Runs the program as npm put it there, from a folder that has nothing to do with it. */
  const paycli = (args: readonly string[], home: string, service?: { readonly origin: string }): Promise<Ended> => {
    const options = { home, ...(service === undefined ? {} : { service }) };
    const env = { ...environment(options), PATH: path };
    return new Promise((done) => {
      const program = join(installed, 'node_modules', '.bin', 'paycli');
      execFile(program, args, { cwd: newFolder('cwd'), env, shell }, (error, stdout, stderr) =>
        done({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
  };

  it('is one package', () => {
    const names = readdirSync(join(installed, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(names).toEqual(['paycli']);
  });

  it('runs under this Node', async () => {
    const { stdout } = await promisify(execFile)('node', ['--version'], { env: { PATH: path }, shell });
    expect(stdout.trim()).toBe(`v${runtime.version}`);
  });

  it('tells its version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await paycli(['--version'], newFolder())).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('does the main job: updates a customer, charges and notes it, walks through a list', async () => {
    const home = newFolder();
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

  it('works through a file, and knows of it afterwards', async () => {
    const home = newFolder();
    const file = join(newFolder('file'), 'charges.csv');
    writeFileSync(file, `ugwo,medium\n${UGWO_ID},bank_transfer\n`);
    const service = await serve([json(200, ACTIVITY)]);
    expect(await paycli(['ugwo', 'charge', '--from', file], home, service)).toMatchObject({ code: 0 });
    const jobs = await paycli(['ledger', 'jobs', '--json'], home);
    expect((JSON.parse(jobs.stdout) as { data: unknown[] }).data).toMatchObject([{ rows: 1, accepted: 1 }]);
  });

  it('has the service inside', async () => {
    const ended = await paycli(['ugwo', 'list', '--local', '--limit', '3', '--json'], newFolder());
    expect(ended).toMatchObject({ code: 0 });
    expect((JSON.parse(ended.stdout) as { data: unknown[] }).data).toHaveLength(3);
  });
});

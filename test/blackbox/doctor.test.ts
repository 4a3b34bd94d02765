import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import type { CheckResult } from '../../src/core/result.ts';
import { CANARY } from '../support/canary.ts';
import { newFolder } from '../support/program.ts';
import { type Scene, scene } from '../support/scene.ts';
import { DEAD_ORIGIN, json, page, problem, serveMute } from '../support/service.ts';
import { programs } from '../support/shell.ts';
import { openTerminal } from '../support/terminal.ts';
import { CA_FILE } from '../support/tls.ts';
import { fileOf } from './bulk-support.ts';

/** A run of doctor that finds these lines of check, status, kind, detail and advice. */
const doctor = (words: string, found: readonly (string | RegExp)[], wanted: Partial<Scene> = {}) => {
  const columns = ['-o', 'tsv', '--columns', 'check,status,kind,detail,advice'];
  const argv = ['doctor', ...columns, ...words.split(' ').filter(Boolean)];
  return scene({ argv, stdout: found, stderr: /^/, ...wanted });
};

/** A home with a profile of the sandbox. */
const loggedIn = async (): Promise<string> => {
  const argv = ['login', '--environment', 'sandbox', '--key-stdin', '--no-verify'];
  return (await scene({ argv, stdin: `sk.Test.${'0'.repeat(80)}`, stderr: /^/ })).home;
};

const at = (origin: string) => ({ PAYCLI_BASE_URL: origin, PAYCLI_SECRET_KEY: CANARY });

describe('doctor', () => {
  it('reports every check and sends one GET', async () => {
    const { stdout } = await scene({
      service: [page([1], null)],
      argv: ['doctor', '--json'],
      requests: ['GET /v1/ugwo?limit=1'],
    });
    const { data } = JSON.parse(stdout) as { data: CheckResult[] };
    expect(data.map(({ check }) => check)).toEqual([
      ...['paycli', 'settings', 'profile', 'origin', 'key', 'tls', 'proxy', 'service', 'clock'],
      ...['ledger', 'terminal', 'manual'],
    ]);
    expect(data.filter(({ check, status }) => check !== 'manual' && status !== 'ok')).toEqual([]);
    expect(data[4]?.detail).toBe(`…${CANARY.slice(-4)}, PAYCLI_SECRET_KEY`);
    expect(stdout).not.toContain(CANARY);
  });

  it('works without a profile and explains how to create one', () =>
    doctor(
      '',
      [/^profile\tfail\tauth\t.*paycli login/m, 'key\tskipped\t\tnot known: see profile\t\n', 'service\tskipped\t'],
      { exit: 4 },
    ));

  it('sends nothing with --offline', async () => {
    const env = { NODE_EXTRA_CA_CERTS: CA_FILE, SSL_CERT_FILE: CA_FILE };
    const found = [
      /^tls\tok\t\t.*the system's, and by [^,]+ca\.pem\t$/m,
      'profile\tok\t\tdefault (the default)\t\n',
      'origin\tok\t\tsandbox: https://sandbox-api.kwugwo.africa\t\n',
      'key\tok\t\t…0000, stored in the profile\t\n',
      'service\tskipped\t\tnot asked (--offline)\t\n',
    ];
    await doctor('--offline', found, { home: await loggedIn(), env });
  });

  it.each([
    [401, 4, 'auth'],
    [422, 3, 'rejected'],
  ])('exits like a rejected key: %i', async (status, exit, kind) => {
    const data = expect.arrayContaining([expect.objectContaining({ check: 'service', status: 'fail', kind })]);
    const error = { kind, exit_code: exit, message: '1 check failed: service' };
    await scene({ service: [problem(status, 'No')], argv: ['doctor', '--json'], exit, json: { data }, error });
  });

  it('exits with 8 if nobody answers', () =>
    doctor('', ['service\tfail\tread_failed\t'], { env: at(DEAD_ORIGIN), exit: 8 }));

  it('stops waiting for a silent service at --timeout', async () => {
    const { origin } = await serveMute();
    await doctor('--timeout 1s', ['service\tfail\tread_failed\t', '\nledger\t'], { env: at(origin), exit: 8 });
  });

  it.each([
    [-3600, /^clock\twarn\t\t36\d\d s ahead of the service's\t.*set this machine's clock/m],
    [3600, /^clock\twarn\t\t3[56]\d\d s behind the service's\t.*set this machine's clock/m],
  ])("compares the clock with the service's: %i s", async (seconds, found) => {
    const date = new Date(Date.now() + seconds * 1000).toUTCString();
    await doctor('', [found], { service: [json(200, { data: [], next_cursor: null }, { date })] });
  });

  it.runIf(process.platform !== 'win32')('reports a folder that others can read', async () => {
    const home = await loggedIn();
    chmodSync(home, 0o755);
    await doctor('--offline', [/^settings\tfail\t.*chmod 700/m], { home, exit: 4 });
  });

  it('reports a damaged settings file and leaves it unchanged', async () => {
    const home = newFolder();
    const file = join(home, 'config.json');
    writeFileSync(file, '{"profiles', { mode: 0o600 });
    await doctor('--offline', [/^profile\tfail\t.*is damaged/m], { home, exit: 4 });
    expect(readFileSync(file, 'utf8')).toBe('{"profiles');
  });

  it("exits with 10 if the ledger can't be used, whatever else is wrong", async () => {
    const home = newFolder();
    writeFileSync(join(home, 'ledger.sqlite'), 'this is no database, and never was one'.repeat(100), { mode: 0o600 });
    await doctor('--offline', ['ledger\tfail\tledger\t', 'profile\tfail\t'], { home, exit: 10 });
  });

  it('runs a key command once', async () => {
    const [home, folder] = [newFolder(), newFolder('helper')];
    const [helper, runs] = [join(folder, 'helper'), join(folder, 'runs')];
    writeFileSync(helper, `#!/bin/sh\necho x >> ${runs}\necho sk.Test.${'0'.repeat(80)}\n`, { mode: 0o755 });
    const login = ['login', '--environment', 'sandbox', '--key-command', helper, '--no-verify'];
    await scene({ home, argv: login, stderr: /^/ });
    writeFileSync(runs, '');
    await doctor('--offline', ['key\tok\t\t…0000, printed by the key command\t\n'], { home });
    expect(readFileSync(runs, 'utf8')).toBe('x\n');
  });

  it('hides a proxy password and rejects variables that disable TLS checks', async () => {
    const env = { HTTPS_PROXY: 'http://ada:secret-word@proxy.example:3128', NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const found = ['proxy\tok\t\tproxy.example:3128\t\n', 'tls\tfail\tauth\t'];
    const { stdout, stderr } = await doctor('--offline', found, { home: await loggedIn(), env, exit: 4 });
    expect(stdout + stderr).not.toContain('secret-word');
  });

  it('reports the ledger and its unknown entries', () =>
    doctor('--local', ['ledger\tok\t\tnone yet: the first charge makes it\t\n', 'service\tok\t'], {
      before: [['ugwo', 'list', '--local']],
    }));

  it('explains for the built-in service how to resolve unknown charges and reset its clock', async () => {
    const home = newFolder();
    const rules = [{ method: 'POST', times: 1, reset: true, when: 'after' }];
    const charge = ['ugwo', 'charge', SEEDED.ugwo, '--medium', 'bank_transfer', '--local'];
    const faults = ['emulator', 'faults', fileOf(JSON.stringify({ rules }), 'faults.json')];
    await scene({ home, before: [faults], argv: charge, exit: 6 });
    await doctor(
      '--local',
      [/^charges\t.*`paycli ledger sync --local`/m, /^clock\twarn\t.*`paycli emulator clock back`/m],
      { home, before: [['emulator', 'clock', '+15m']] },
    );
  });

  it.runIf(process.platform !== 'win32')('reports a ledger that it may not open', async () => {
    const home = newFolder();
    symlinkSync('ledger.sqlite', join(home, 'ledger.sqlite'));
    await doctor('--offline', ['ledger\tfail\t'], { home, exit: 10 });
  });

  it.runIf(process.platform !== 'win32').each([
    [
      'finds the manual page',
      '[ "$*" = "-w paycli" ] && echo /man/man1/paycli.1',
      'manual\tok\t\t/man/man1/paycli.1\t\n',
    ],
    [
      'finds no manual page',
      'exit 1',
      /^manual\twarn\t\t`man paycli` finds no page\t.*export MANPATH="\$MANPATH":\S*(?:dist\/man|share\/man)$/m,
    ],
  ])('checks that `man` %s', async (_what, man, found) => {
    await doctor('--local', [found], { env: { PATH: `${programs({ man })}:/usr/bin:/bin` } });
  });

  it('skips the manual page without `man`', () =>
    doctor('--offline', ['manual\tskipped\t\tthis machine has no `man`\t\n'], {
      env: { PATH: newFolder('bin') },
      exit: 4,
    }));

  it('prints a table on a terminal, with a word per status', async () => {
    const home = await loggedIn();
    const terminal = openTerminal(['doctor', '--offline'], { home, columns: 100, env: { NO_COLOR: '1' } });
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(await terminal.screen()).toMatch(
      /^check +status +detail\n[\s\S]*terminal +ok +100 columns, no color, UTF-8/m,
    );
  });
});

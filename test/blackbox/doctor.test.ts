import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import type { CheckResult } from '../../src/core/result.ts';
import { CANARY } from '../support/canary.ts';
import { inProcess } from '../support/in-process.ts';
import { type Ended, errorOf, newFolder, type RunOptions } from '../support/program.ts';
import { DEAD_ORIGIN, json, page, problem, serve, serveMute } from '../support/service.ts';
import { programs } from '../support/shell.ts';
import { openTerminal } from '../support/terminal.ts';
import { CA_FILE } from '../support/tls.ts';

const ORDER = [
  'paycli',
  'settings',
  'profile',
  'origin',
  'key',
  'tls',
  'proxy',
  'service',
  'ledger',
  'terminal',
  'manual',
];

const findingsOf = ({ stdout }: Ended): ReadonlyMap<string, CheckResult> => {
  const { data } = JSON.parse(stdout) as { data: CheckResult[] };
  return new Map(data.map((finding) => [finding.check, finding]));
};

const doctor = async (options: RunOptions, ...args: readonly string[]) => {
  const ended = await inProcess(['doctor', '--json', ...args], options);
  return { ...ended, findings: findingsOf(ended) };
};

const login = async (home: string, args: readonly string[] = ['--environment', 'sandbox']): Promise<void> => {
  const stdin = `sk.Test.${'0'.repeat(80)}`;
  expect(await inProcess(['login', ...args, '--key-stdin', '--no-verify'], { home, stdin })).toMatchObject({ code: 0 });
};

describe('doctor', () => {
  it('reports every check and sends one GET', async () => {
    const service = await serve([page([1], null)]);
    const { code, stderr, stdout, findings } = await doctor({ service });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect([...findings.keys()]).toEqual([...ORDER.slice(0, 8), 'clock', ...ORDER.slice(8)]);
    const others = [...findings.values()].filter(({ check }) => check !== 'manual');
    expect(others.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(findings.get('key')?.detail).toBe(`…${CANARY.slice(-4)}, PAYCLI_SECRET_KEY`);
    expect(stdout).not.toContain(CANARY);
    expect(service.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /v1/ugwo?limit=1']);
  });

  it('works without a profile and explains how to create one', async () => {
    const { code, findings } = await doctor({});
    expect(code).toBe(4);
    expect(findings.get('profile')).toMatchObject({
      status: 'fail',
      kind: 'auth',
      advice: expect.stringContaining('paycli login'),
    });
    expect(findings.get('key')).toMatchObject({ status: 'skipped', detail: 'not known: see profile' });
    expect(findings.get('service')?.status).toBe('skipped');
  });

  it('sends nothing with --offline', async () => {
    const home = newFolder();
    await login(home);
    const env = { NODE_EXTRA_CA_CERTS: CA_FILE, SSL_CERT_FILE: CA_FILE };
    const { code, findings } = await doctor({ home, env }, '--offline');
    expect(code).toBe(0);
    expect(findings.get('tls')?.detail).toMatch(/the system's, and by [^,]+ca\.pem$/);
    expect(findings.get('profile')?.detail).toBe('default (the default)');
    expect(findings.get('origin')?.detail).toBe('sandbox: https://sandbox-api.kwugwo.africa');
    expect(findings.get('key')?.detail).toBe('…0000, stored in the profile');
    expect(findings.get('service')?.detail).toBe('not asked (--offline)');
  });

  it.each([
    [401, 4, 'auth'],
    [422, 3, 'rejected'],
  ])('exits like a rejected key: %i', async (status, code, kind) => {
    const service = await serve([problem(status, 'No')]);
    const ended = await doctor({ service });
    expect(ended.code).toBe(code);
    expect(ended.findings.get('service')).toMatchObject({ status: 'fail', kind });
    expect(errorOf(ended)).toMatchObject({ kind, exit_code: code, message: '1 check failed: service' });
  });

  it('exits with 8 if nobody answers', async () => {
    const { code, findings } = await doctor({ service: { origin: DEAD_ORIGIN } });
    expect(code).toBe(8);
    expect(findings.get('service')).toMatchObject({ status: 'fail', kind: 'read_failed' });
  });

  it('stops waiting for a silent service at --timeout', async () => {
    const { origin } = await serveMute();
    const { code, findings } = await doctor({ service: { origin } }, '--timeout', '1s');
    expect(code).toBe(8);
    expect(findings.get('service')).toMatchObject({ status: 'fail', kind: 'read_failed' });
    expect(findings.has('ledger')).toBe(true);
  });

  it.each([
    [-3600, /^36\d\d s ahead of the service's$/],
    [3600, /^3[56]\d\d s behind the service's$/],
  ])("compares the clock with the service's: %i s", async (seconds, detail) => {
    const date = new Date(Date.now() + seconds * 1000).toUTCString();
    const service = await serve([json(200, { data: [], next_cursor: null }, { date })]);
    const { code, findings } = await doctor({ service });
    expect(code).toBe(0);
    expect(findings.get('clock')).toMatchObject({
      status: 'warn',
      detail: expect.stringMatching(detail),
      advice: expect.stringContaining("set this machine's clock"),
    });
  });

  it.runIf(process.platform !== 'win32')('reports a folder that others can read', async () => {
    const home = newFolder();
    await login(home);
    chmodSync(home, 0o755);
    const { code, findings } = await doctor({ home }, '--offline');
    expect(code).toBe(4);
    expect(findings.get('settings')).toMatchObject({ status: 'fail', advice: expect.stringContaining('chmod 700') });
  });

  it('reports a damaged settings file and leaves it unchanged', async () => {
    const home = newFolder();
    writeFileSync(join(home, 'config.json'), '{"profiles', { mode: 0o600 });
    const { code, findings } = await doctor({ home }, '--offline');
    expect(code).toBe(4);
    expect(findings.get('profile')?.detail).toContain('is damaged');
  });

  it("exits with 10 if the ledger can't be used, whatever else is wrong", async () => {
    const home = newFolder();
    writeFileSync(join(home, 'ledger.sqlite'), 'this is no database, and never was one'.repeat(100), { mode: 0o600 });
    const { code, findings } = await doctor({ home }, '--offline');
    expect(code).toBe(10);
    expect(findings.get('ledger')).toMatchObject({ status: 'fail', kind: 'ledger' });
    expect(findings.get('profile')?.status).toBe('fail');
  });

  it('runs a key command once', async () => {
    const [home, folder] = [newFolder(), newFolder('helper')];
    const helper = join(folder, 'helper');
    writeFileSync(helper, `#!/bin/sh\necho x >> ${folder}/runs\necho sk.Test.${'0'.repeat(80)}\n`);
    chmodSync(helper, 0o755);
    const args = ['login', '--environment', 'sandbox', '--key-command', helper, '--no-verify'];
    expect(await inProcess(args, { home })).toMatchObject({ code: 0 });
    writeFileSync(join(folder, 'runs'), '');
    const { findings } = await doctor({ home }, '--offline');
    expect(findings.get('key')?.detail).toBe('…0000, printed by the key command');
    const { readFileSync } = await import('node:fs');
    expect(readFileSync(join(folder, 'runs'), 'utf8')).toBe('x\n');
  });

  it('hides a proxy password and rejects variables that disable TLS checks', async () => {
    const home = newFolder();
    await login(home);
    const env = { HTTPS_PROXY: 'http://ada:secret-word@proxy.example:3128', NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const { code, stdout, findings } = await doctor({ home, env }, '--offline');
    expect(code).toBe(4);
    expect(findings.get('proxy')?.detail).toBe('proxy.example:3128');
    expect(stdout).not.toContain('secret-word');
    expect(findings.get('tls')).toMatchObject({ status: 'fail', kind: 'auth' });
  });

  it('reports the ledger and its unknown entries', async () => {
    const home = newFolder();
    mkdirSync(home, { recursive: true });
    expect(await inProcess(['ugwo', 'list', '--local'], { home })).toMatchObject({ code: 0 });
    const { findings } = await doctor({ home }, '--local');
    expect(findings.get('ledger')).toMatchObject({ status: 'ok', detail: 'none yet: the first charge makes it' });
    expect(findings.get('service')?.status).toBe('ok');
  });

  it('explains for the built-in service how to resolve unknown charges and reset its clock', async () => {
    const home = newFolder();
    const lost = join(newFolder(), 'faults.json');
    writeFileSync(lost, JSON.stringify({ rules: [{ method: 'POST', times: 1, reset: true, when: 'after' }] }));
    expect(await inProcess(['emulator', 'faults', lost], { home })).toMatchObject({ code: 0 });
    const charge = ['ugwo', 'charge', SEEDED.ugwo, '--medium', 'bank_transfer', '--local'];
    expect(await inProcess(charge, { home })).toMatchObject({ code: 6 });
    expect(await inProcess(['emulator', 'clock', '+15m'], { home })).toMatchObject({ code: 0 });
    const { findings } = await doctor({ home }, '--local');
    expect(findings.get('charges')?.advice).toContain('`paycli ledger sync --local`');
    expect(findings.get('clock')).toMatchObject({
      status: 'warn',
      advice: expect.stringContaining('`paycli emulator clock back`'),
    });
  });

  it.runIf(process.platform !== 'win32')('reports a ledger that it may not open', async () => {
    const home = newFolder();
    symlinkSync('ledger.sqlite', join(home, 'ledger.sqlite'));
    const { code, findings } = await doctor({ home }, '--offline');
    expect(code).toBe(10);
    expect(findings.get('ledger')).toMatchObject({ status: 'fail' });
  });

  it.runIf(process.platform !== 'win32').each([
    ['finds the manual page', '[ "$*" = "-w paycli" ] && echo /man/man1/paycli.1', 'ok', '/man/man1/paycli.1', /^$/],
    [
      'finds no manual page',
      'exit 1',
      'warn',
      '`man paycli` finds no page',
      /export MANPATH="\$MANPATH":\S*(?:dist\/man|share\/man)$/,
    ],
  ])('checks that `man` %s', async (_what, man, status, detail, advice) => {
    const PATH = `${programs({ man })}:/usr/bin:/bin`;
    const { code, findings } = await doctor({ home: newFolder(), env: { PATH } }, '--local');
    expect(code).toBe(0);
    const found = findings.get('manual');
    expect(found).toMatchObject({ status, detail });
    expect(found?.advice ?? '').toMatch(advice);
  });

  it('skips the manual page without `man`', async () => {
    const { findings } = await doctor({ env: { PATH: newFolder('bin') } }, '--offline');
    expect(findings.get('manual')).toMatchObject({ status: 'skipped', detail: 'this machine has no `man`' });
  });

  it('prints a table on a terminal, with a word per status', async () => {
    const home = newFolder();
    await login(home);
    const terminal = openTerminal(['doctor', '--offline'], { home, columns: 100, env: { NO_COLOR: '1' } });
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(await terminal.screen()).toMatch(
      /^check +status +detail\n[\s\S]*terminal +ok +100 columns, no color, UTF-8/m,
    );
  });
});

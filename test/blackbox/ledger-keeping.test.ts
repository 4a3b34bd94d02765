import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { attempt } from '../../src/core/async.ts';
import { openLedger } from '../../src/ledger/sqlite/open.ts';
import { account, beside } from '../ledger/support/charges.ts';
import { intent } from '../ledger/support/memory.ts';
import { PROGRAM, RUNTIME } from '../support/built.ts';
import { inProcess } from '../support/in-process.ts';
import { ledgerOptions, rewrite } from '../support/ledger.ts';
import { childrenOf } from '../support/postgres/processes.ts';
import { ownCluster } from '../support/postgres.ts';
import { errorOf, newFolder, paycli, runBefore, start } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import { ACTIVITY, json, problem, serveAllBy, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import {
  activityOf,
  charged,
  chargeFrom,
  csvOf,
  fileOf,
  reportOf,
  reportPath,
  serveCharges,
  ugwoOf,
} from './bulk-support.ts';
import { chargeOf, newTeam } from './team-support.ts';

const OLD = Date.parse('2026-01-15T12:00:00Z');

/** A home whose ledger has `count` old paid charges and one unknown one. */
const withOld = async (count: number): Promise<{ home: string; ledger: string }> => {
  const home = newFolder();
  const path = `${home}/ledger.sqlite`;
  const ledger = await openLedger(ledgerOptions(path, { now: () => OLD }));
  for (let number = 0; number <= count; number += 1) {
    const asked = { amount: 500, currency: 'NGN', ref: `INV-${number}`, customer: 'ony.AbCd.1' };
    const begun = await ledger.begin(intent({ about: String(ugwo(number)['uid']), asked }), { again: false });
    if (begun.kind !== 'begun') throw new Error(begun.why);
    const activity = account({ uid: `act.AbCd.${String(number).padStart(24, '0')}`, status: 'successful' });
    if (number < count) await ledger.record(begun.id, { state: 'accepted', exitCode: 0, activity });
    else await ledger.record(begun.id, { state: 'unknown', exitCode: 6 });
  }
  await ledger.close();
  return { home, ledger: path };
};

const PRUNE = ['ledger', 'prune', '--before', '2026-02-01'];

describe('ledger prune', () => {
  it('asks for confirmation with the number, and changes nothing unless confirmed', async () => {
    const { home, ledger } = await withOld(2);
    const before = readFileSync(ledger);
    const session = openTerminal(PRUNE, { home, columns: 60 });
    await session.saw(/\[y\/N\]|Type /);
    expect(await session.screen()).toContain('Prune 2 entries that started before 2026-02-01');
    session.type('\r');
    expect(await session.ended).toEqual({ code: 130 });
    expect(readFileSync(ledger)).toEqual(before);
  });

  it('needs --yes without a terminal', async () => {
    const { home, ledger } = await withOld(2);
    await scene({ home, argv: PRUNE, exit: 2, stderr: ['add --yes; nothing was changed'] });
    expect(readFileSync(ledger).includes('INV-1')).toBe(true);
    await scene({ home, argv: [...PRUNE, '--yes', '--json'], json: { pruned: 2, open: 1 } });
    // Free pages are cleared, too.
    expect(readFileSync(ledger).includes('INV-1')).toBe(false);
    expect(readFileSync(ledger).includes('INV-2')).toBe(true);
    await scene({
      home,
      argv: ['ledger', 'report', '-o', 'tsv', '--columns', 'reported,count,amount'],
      stdout: 'charged\t2\t1000\npaid\t2\t1000\nunknown\t1\t500\n',
      stderr: /^/,
    });
  });

  it.each([
    ['no value', ['ledger', 'prune'], '--before is required'],
    ['today', ['ledger', 'prune', '--before', '1h'], '--before must be at least a day ago'],
    ['text', ['ledger', 'prune', '--before', 'soon'], '--before: "soon" is not a time'],
  ])('rejects %s for --before', async (_what, args, message) => {
    const { home } = await withOld(1);
    await scene({ home, argv: args, exit: 2, stderr: [message] });
  });
});

describe('ledger backup', () => {
  it('writes a complete copy that can be restored', async () => {
    const { home, ledger } = await withOld(3);
    const folder = newFolder('copies');
    const made = await paycli(['ledger', 'backup', 'copy.sqlite', '--json'], { home, cwd: folder });
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { file, entries } = JSON.parse(made.stdout) as { file: string; entries: number };
    expect([file.endsWith('/copy.sqlite'), entries]).toEqual([true, 4]);
    if (process.platform !== 'win32') expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    const listed = await inProcess(['ledger', 'list', '--json'], { home });
    for (const suffix of ['', '-wal', '-shm']) rmSync(ledger + suffix, { force: true });
    copyFileSync(file, ledger);
    expect(await inProcess(['ledger', 'list', '--json'], { home })).toEqual(listed);
    expect(await inProcess(['ledger', 'verify'], { home })).toMatchObject({ code: 0 });
  });

  it('never overwrites a file', async () => {
    const { home, ledger } = await withOld(1);
    await scene({ home, argv: ['ledger', 'backup', ledger], exit: 2, stderr: ['is there already'] });
  });

  describe('on a file system without hard links', () => {
    const backedUp = async (more = '') => {
      const { home } = await withOld(3);
      const folder = newFolder('copies');
      const env = runBefore(`import fs from 'node:fs';
        import { syncBuiltinESMExports } from 'node:module';
        const { openSync, writeFileSync } = fs;
        fs.linkSync = () => {
          throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' });
        };
        ${more}
        syncBuiltinESMExports();`);
      const ended = await paycli(['ledger', 'backup', 'copy.sqlite', '--json'], { home, cwd: folder, env });
      return { ended, folder };
    };

    it('writes a complete copy', async () => {
      const { ended, folder } = await backedUp();
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      expect(readdirSync(folder)).toEqual(['copy.sqlite']);
      renameSync(`${folder}/copy.sqlite`, `${folder}/ledger.sqlite`);
      const listed = await inProcess(['ledger', 'verify', '--json'], { home: folder });
      expect(JSON.parse(listed.stdout)).toMatchObject({ ok: true, entries: 4 });
    });

    it('never overwrites a file that comes meanwhile', async () => {
      const { ended, folder } = await backedUp(`fs.openSync = (path, ...how) => {
        if (String(path).endsWith('/copy.sqlite')) writeFileSync(path, 'other');
        return openSync(path, ...how);
      };`);
      expect([ended.code, errorOf(ended)['message']]).toEqual([2, expect.stringContaining('EEXIST')]);
      expect(readdirSync(folder)).toEqual(['copy.sqlite']);
      expect(readFileSync(`${folder}/copy.sqlite`, 'utf8')).toBe('other');
    });
  });

  it('creates no ledger', async () => {
    const home = newFolder();
    const ended = await inProcess(['ledger', 'backup', `${home}/copy`], { home });
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no ledger on this machine') });
    expect([existsSync(`${home}/copy`), existsSync(`${home}/ledger.sqlite`)]).toEqual([false, false]);
  });

  it('restored after later charges is detected and blocks charging', async () => {
    const service = await serveCharges();
    const home = newFolder();
    const options = { home, service };
    expect(await chargeOf(ugwoOf(1), options)).toMatchObject({ code: 0 });
    expect(await inProcess(['ledger', 'backup', `${home}/copy`], options)).toMatchObject({ code: 0 });
    expect(await chargeOf(ugwoOf(2), options)).toMatchObject({ code: 0 });
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${home}/ledger.sqlite${suffix}`, { force: true });
    renameSync(`${home}/copy`, `${home}/ledger.sqlite`);
    const ended = await chargeOf(ugwoOf(2), options);
    expect(errorOf(ended)).toMatchObject({
      exit_code: 10,
      message: expect.stringContaining('is an old copy: it knows 1 of 2 charges'),
    });
  });
});

describe('a pruned account number', () => {
  const FAR = '2099-01-01T00:00:00.000Z';
  const REMOVED = 'its account number was removed by `paycli ledger prune`';

  it('is named as removed where a charge is open again', async () => {
    const headers = { bank_name: 'Wema Bank', account_name: 'Ada', account_number: '0123456789', expires_at: FAR };
    let status = 'failed';
    const service = await serveAllBy(({ method, url }) => {
      if (method === 'POST') return charged(1, { next_action: { type: 'transfer', headers } });
      if (url.includes('/activities/')) return problem(404, 'Not Found');
      const activity = { ...ACTIVITY, uid: activityOf(1), status, next_action: null };
      return json(200, { ...ugwo(1), uid: ugwoOf(1), checkout: { uid: 'chk.AbCd.1' }, activities: [activity] });
    });
    const options = { home: newFolder(), service };
    const file = fileOf(csvOf('ugwo,medium', `${ugwoOf(1)},bank_transfer`));
    const transfer = (...more: readonly string[]) =>
      inProcess(
        ['ugwo', 'charge', ugwoOf(1), '--medium', 'bank_transfer', '--no-preflight', '--json', ...more],
        options,
      );
    expect(await chargeFrom(file, options, '--no-preflight')).toMatchObject({ code: 0 });
    expect((await transfer()).stderr).toContain('account number 0123456789');
    expect(await inProcess(['ugwo', 'get', ugwoOf(1)], options)).toMatchObject({ code: 0 });
    rewrite(`${options.home}/ledger.sqlite`, 'UPDATE charge SET created_at = created_at - 864000000');
    const done = await inProcess(['ledger', 'prune', '--before', '2d', '--yes', '--json'], options);
    expect(JSON.parse(done.stdout)).toMatchObject({ pruned: 1 });
    status = 'requires_action';
    expect(await inProcess(['ugwo', 'get', ugwoOf(1)], options)).toMatchObject({ code: 0 });

    const refused = errorOf(await transfer());
    expect(refused).toMatchObject({ exit_code: 9, message: expect.stringContaining(REMOVED) });
    expect(refused['hint']).not.toContain('give these details');
    const reused = await transfer('--reuse');
    expect(reused.code).toBe(7);
    expect(errorOf(reused)['message']).toBe(`the charge was made, but ${REMOVED}`);
    expect(JSON.parse(reused.stdout)).toMatchObject({ next_action: { type: 'pruned', headers: { expires_at: FAR } } });
    const report = reportPath();
    expect(await chargeFrom(file, options, '--no-preflight', '--report', report)).toMatchObject({ code: 7 });
    const { 1: row } = reportOf(report);
    expect(row).toMatchObject({ state: 'accepted', account_number: '', error: `the charge was made, but ${REMOVED}` });
    const shared = await transfer('--reuse', '--share');
    expect(shared.stdout + shared.stderr).not.toContain('account_number');
    const shown = await inProcess(['ledger', 'list', '--json'], options);
    expect(shown.stdout).not.toContain('account_number');
  });
});

/** Adds rows whose check takes SQLite many minutes. */
const checkedForLong = (ledger: string): void => {
  const db = new DatabaseSync(ledger);
  db.exec(`PRAGMA ignore_check_constraints = ON;
    CREATE TABLE slow (size INTEGER CHECK (length(hex(zeroblob(size))) > 0));
    WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 100000)
    INSERT INTO slow SELECT 10000000 FROM counted`);
  db.close();
};

// Windows has no such signals.
describe.skipIf(process.platform === 'win32')('while SQLite checks a file for long', () => {
  it('ledger verify says so, and ends at Ctrl-C', async () => {
    const { home, ledger } = await withOld(1);
    checkedForLong(ledger);
    const session = openTerminal(['ledger', 'verify'], { home });
    await session.saw(/ledger verify/);
    session.type('\x03');
    expect(await session.ended).toEqual({ code: 130 });
    expect(session.raw()).toContain('Cancelled by Ctrl-C');
  });

  /** A backup whose check does not end, and the folder of its copy. */
  const copying = async () => {
    const { home, ledger } = await withOld(1);
    checkedForLong(ledger);
    const folder = newFolder('copies');
    const running = start(['ledger', 'backup', 'copy.sqlite'], { home, cwd: folder });
    // The copy itself is written at once.
    const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    const isWritten = (): boolean =>
      readdirSync(folder).some((name) => sizeOf(`${folder}/${name}`) >= sizeOf(ledger) / 2);
    await expect.poll(isWritten).toBe(true);
    return { folder, running, children: process.platform === 'linux' ? childrenOf(running.pid as number) : [] };
  };

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ledger backup ends at %s and leaves no file and no process', async (signal, code) => {
    const { folder, running, children } = await copying();
    running.kill(signal);
    expect(await running.ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining('Cancelled by') });
    expect(readdirSync(folder)).toEqual([]);
    for (const child of children) await expect.poll(() => attempt(() => process.kill(child, 0))).toBeUndefined();
  });

  it.runIf(process.platform === 'linux')(
    'ledger backup whose child is killed names that, and not the ledger',
    async () => {
      const { folder, running, children } = await copying();
      for (const child of children) process.kill(child, 'SIGKILL');
      const { code, stderr } = await running.ended;
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(
          /^error: couldn't write \S+copy\.sqlite: the process that reads the ledger ended with SIGKILL\n/,
        ),
      ]);
      expect(stderr).toContain('the ledger was not touched');
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it.runIf(process.platform === 'linux')(
    'ledger backup onto a full disk names the copy, and not the ledger',
    async () => {
      const { home, ledger } = await withOld(200);
      const folder = newFolder('copies');
      // A limit of file sizes simulates the full disk; `exec` replaces the shell.
      const kib = Math.floor(statSync(ledger).size / 2048);
      const program = ['bash', '-c', `ulimit -f ${kib}; exec "$@"`, 'bash', ...PROGRAM] as const;
      const ended = await paycli(['ledger', 'backup', 'copy.sqlite'], { home, cwd: folder, program });
      expect(ended).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^error: couldn't write \S+copy\.sqlite: /),
      });
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  // Bun ends in such a folder by itself, and says why.
  it.runIf(process.platform === 'linux' && RUNTIME === 'node').each([
    ['ledger', 'backup', 'copy.sqlite'],
    ['ledger', 'match', 'statement.csv'],
  ])('%s %s in a folder that was removed names that', async (...args) => {
    const { home } = await withOld(1);
    const program = ['sh', '-c', 'rmdir "$PWD" && exec "$@"', 'sh', ...PROGRAM] as const;
    const ended = await paycli([...args, '--json'], { home, program });
    expect([ended.code, errorOf(ended)]).toEqual([
      2,
      expect.objectContaining({ message: "the working folder doesn't exist", hint: 'change to a folder that exists' }),
    ]);
  });
});

describe('ledger verify', () => {
  it('exits with 0 for an unchanged ledger', async () => {
    const { home } = await withOld(3);
    const ended = await inProcess(['ledger', 'verify', '--json'], { home });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toEqual({ ok: true, entries: 4, jobs: 0, faults: [] });
  });

  const filesIn = (home: string) =>
    Object.fromEntries(readdirSync(home).map((name) => [name, readFileSync(join(home, name), 'base64')]));

  it('changes no file, and leaves what an ended process has left to the next command', async () => {
    const { home, ledger } = await withOld(3);
    const ended = Buffer.from(JSON.stringify({ pid: 2 ** 30, boot: 'before', started: '1' })).toString('base64url');
    writeFileSync(`${ledger}-emergency-${ended}.000000000000.ndjson`, ' ', { mode: 0o600 });
    for (const where of [home, newFolder()]) {
      const before = filesIn(where);
      expect(await inProcess(['ledger', 'verify'], { home: where })).toMatchObject({ code: 0 });
      expect(filesIn(where)).toEqual(before);
    }
    expect(await inProcess(['ledger', 'list'], { home })).toMatchObject({ code: 0 });
    expect(readdirSync(home).filter((name) => name.includes('-emergency-'))).toEqual([]);
  });

  it('exits with 10 if a row was changed, names it and explains what to do', async () => {
    const { home, ledger } = await withOld(3);
    beside(ledger, 'UPDATE charge SET amount = 1 WHERE seq = 2');
    const ended = await inProcess(['ledger', 'verify', '--json'], { home });
    expect(ended.code).toBe(10);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      ok: false,
      entries: 3,
      faults: [expect.stringContaining('(row 2)')],
    });
    expect(errorOf(ended)).toMatchObject({
      message: expect.stringMatching(/^the ledger is damaged: chg-\w+ \(row 2\) is not what paycli wrote$/),
      hint: expect.stringContaining('restore the last backup'),
    });
  });
});

// The tests have no PostgreSQL on Windows.
describe.skipIf(process.platform === 'win32')('a ledger in PostgreSQL', () => {
  it('supports report, verify and prune; its server makes the backup', { timeout: 60_000 }, async () => {
    const cluster = await ownCluster();
    await cluster.sql('CREATE ROLE ada LOGIN');
    const team = await newTeam(cluster, 'ada');
    const service = await serveCharges();
    const [owner, ada] = [team.machine(service), team.machine(service, 'ada')];
    expect(await chargeOf(ugwoOf(1), ada)).toMatchObject({ code: 0 });
    expect(await inProcess(['ledger', 'verify', '--json'], ada)).toMatchObject({ code: 0, stderr: '' });
    // Old and paid.
    await cluster.sql(
      "UPDATE paycli.charge SET created_at = created_at - 864000000, status = 'successful', money = NULL, payment = 'paid'",
      [],
      team.database,
    );
    const report = await inProcess(['ledger', 'report', '-o', 'tsv', '--columns', 'reported,count'], ada);
    expect(report.stdout).toBe('charged\t1\npaid\t1\n');
    const prune = ['ledger', 'prune', '--before', '2d', '--yes', '--json'];
    const refused = await inProcess(prune, ada);
    expect(errorOf(refused)).toMatchObject({ exit_code: 10, hint: 'prune as the owner of the database' });
    const done = await inProcess(prune, owner);
    expect(JSON.parse(done.stdout)).toMatchObject({ pruned: 1, open: 0 });
    expect(await inProcess(['ledger', 'verify', '--json'], ada)).toMatchObject({ code: 0, stderr: '' });
    expect(await chargeOf(ugwoOf(1), ada)).toMatchObject({ code: 9 });
    const backup = await inProcess(['ledger', 'backup', 'copy'], owner);
    expect(backup).toMatchObject({ code: 2, stderr: expect.stringContaining('pg_dump --schema=paycli') });
  });
});

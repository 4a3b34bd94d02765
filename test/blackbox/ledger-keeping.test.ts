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
import { ledgerOptions, rewrite } from '../support/ledger.ts';
import { childrenOf } from '../support/postgres/processes.ts';
import { ownCluster } from '../support/postgres.ts';
import { newFolder, runBefore, start } from '../support/program.ts';
import { type Scene, scene } from '../support/scene.ts';
import { ACTIVITY, json, problem, serveAllBy, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { activityOf, charged, charging, csvOf, fileOf, serveCharges, ugwoOf } from './bulk-support.ts';
import { byUssd, newTeam } from './team-support.ts';

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
    const copy = join(folder, 'copy.sqlite');
    await scene({
      ...{ built: true, home, cwd: folder },
      argv: ['ledger', 'backup', 'copy.sqlite', '--json'],
      json: { file: /\/copy\.sqlite$/, entries: 4 },
    });
    if (process.platform !== 'win32') expect((statSync(copy).mode & 0o777).toString(8)).toBe('600');
    const listing = { home, argv: ['ledger', 'list', '--json'] };
    const { stdout } = await scene(listing);
    for (const suffix of ['', '-wal', '-shm']) rmSync(ledger + suffix, { force: true });
    copyFileSync(copy, ledger);
    await scene({ ...listing, stdout });
    await scene({ home, argv: ['ledger', 'verify'], stdout: 'ok\ttrue\nentries\t4\njobs\t0\nfaults\t[]\n' });
  });

  it('never overwrites a file', async () => {
    const { home, ledger } = await withOld(1);
    await scene({ home, argv: ['ledger', 'backup', ledger], exit: 2, stderr: ['is there already'] });
  });

  describe('on a file system without hard links', () => {
    const backup = async (more: string, wanted: Partial<Scene>): Promise<string> => {
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
      const argv = ['ledger', 'backup', 'copy.sqlite', '--json'];
      await scene({ built: true, home, cwd: folder, env, argv, ...wanted });
      expect(readdirSync(folder)).toEqual(['copy.sqlite']);
      return folder;
    };

    it('writes a complete copy', async () => {
      const home = await backup('', { json: { entries: 4 } });
      renameSync(`${home}/copy.sqlite`, `${home}/ledger.sqlite`);
      await scene({ home, argv: ['ledger', 'verify', '--json'], json: { ok: true, entries: 4 } });
    });

    it('never overwrites a file that comes meanwhile', async () => {
      const folder = await backup(
        `fs.openSync = (path, ...how) => {
          if (String(path).endsWith('/copy.sqlite')) writeFileSync(path, 'other');
          return openSync(path, ...how);
        };`,
        { exit: 2, error: { message: /EEXIST/ } },
      );
      expect(readFileSync(`${folder}/copy.sqlite`, 'utf8')).toBe('other');
    });
  });

  it('creates no ledger', async () => {
    const home = newFolder();
    const stderr = ['there is no ledger on this machine'];
    await scene({ home, argv: ['ledger', 'backup', `${home}/copy`], exit: 2, stderr });
    expect([existsSync(`${home}/copy`), existsSync(`${home}/ledger.sqlite`)]).toEqual([false, false]);
  });

  it('restored after later charges is detected and blocks charging', async () => {
    const [service, home] = [await serveCharges(), newFolder()];
    const before = [byUssd(ugwoOf(1)), ['ledger', 'backup', `${home}/copy`]];
    await scene({ home, service, before, argv: byUssd(ugwoOf(2)) });
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${home}/ledger.sqlite${suffix}`, { force: true });
    renameSync(`${home}/copy`, `${home}/ledger.sqlite`);
    const error = { message: /is an old copy: it knows 1 of 2 charges/ };
    await scene({ home, service, argv: byUssd(ugwoOf(2)), exit: 10, error, requests: [] });
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
    const [file, get] = [fileOf(csvOf('ugwo,medium', `${ugwoOf(1)},bank_transfer`)), ['ugwo', 'get', ugwoOf(1)]];
    const transfer = ['ugwo', 'charge', ugwoOf(1), '--medium', 'bank_transfer', '--no-preflight'];
    const before = [charging(file, '--no-preflight')];
    await scene({ ...options, before, argv: transfer, exit: 9, stderr: ['account number 0123456789'] });
    await scene({ ...options, argv: get });
    rewrite(`${options.home}/ledger.sqlite`, 'UPDATE charge SET created_at = created_at - 864000000');
    const prune = ['ledger', 'prune', '--before', '2d', '--yes', '--json'];
    await scene({ ...options, argv: prune, json: { pruned: 1 } });
    status = 'requires_action';

    const message = `the charge was made, but ${REMOVED}`;
    const check = `paycli activity get ${ugwoOf(1)} ${activityOf(1)}`;
    const hint = `check its status: \`${check}\`; --again makes a second charge`;
    const removed = new RegExp(`is still under way\n${REMOVED}$`);
    await scene({
      ...options,
      before: [get],
      argv: [...transfer, '--json'],
      exit: 9,
      error: { message: removed, hint },
    });
    await scene({
      ...options,
      argv: [...transfer, '--reuse', '--json'],
      exit: 7,
      json: { next_action: { type: 'pruned', headers: { expires_at: FAR } } },
      error: { message },
    });
    await scene({
      ...options,
      argv: charging(file, '--no-preflight'),
      exit: 7,
      json: { rows: 1, accepted: 1 },
      report: { 1: { state: 'accepted', account_number: '', error: message } },
    });
    const without = /^(?![\s\S]*account_number)/;
    await scene({
      ...options,
      argv: [...transfer, '--reuse', '--share'],
      exit: 7,
      stderr: without,
    });
    await scene({ ...options, argv: ['ledger', 'list', '--json'], stdout: without });
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
      const stderr = /^error: couldn't write \S+copy\.sqlite: /;
      await scene({ home, cwd: folder, program, argv: ['ledger', 'backup', 'copy.sqlite'], exit: 2, stderr });
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
    const error = { message: "the working folder doesn't exist", hint: 'change to a folder that exists' };
    await scene({ home, program, argv: [...args, '--json'], exit: 2, error });
  });
});

describe('ledger verify', () => {
  it('exits with 0 for an unchanged ledger', async () => {
    const { home } = await withOld(3);
    const stdout = '{"ok":true,"entries":4,"jobs":0,"faults":[]}\n';
    await scene({ home, argv: ['ledger', 'verify', '--json'], stdout });
  });

  const filesIn = (home: string) =>
    Object.fromEntries(readdirSync(home).map((name) => [name, readFileSync(join(home, name), 'base64')]));

  it('changes no file, and leaves what an ended process has left to the next command', async () => {
    const { home, ledger } = await withOld(3);
    const ended = Buffer.from(JSON.stringify({ pid: 2 ** 30, boot: 'before', started: '1' })).toString('base64url');
    writeFileSync(`${ledger}-emergency-${ended}.000000000000.ndjson`, ' ', { mode: 0o600 });
    for (const where of [home, newFolder()]) {
      const before = filesIn(where);
      await scene({ home: where, argv: ['ledger', 'verify'] });
      expect(filesIn(where)).toEqual(before);
    }
    await scene({ home, argv: ['ledger', 'list'], stderr: /^/ });
    expect(readdirSync(home).filter((name) => name.includes('-emergency-'))).toEqual([]);
  });

  it('exits with 10 if a row was changed, names it and explains what to do', async () => {
    const { home, ledger } = await withOld(3);
    beside(ledger, 'UPDATE charge SET amount = 1 WHERE seq = 2');
    await scene({
      home,
      argv: ['ledger', 'verify', '--json'],
      exit: 10,
      json: { ok: false, entries: 3, faults: [/\(row 2\)/] },
      error: {
        message: /^the ledger is damaged: chg-\w+ \(row 2\) is not what paycli wrote$/,
        hint: /restore the last backup/,
      },
    });
  });
});

// The tests have no PostgreSQL on Windows.
describe.skipIf(process.platform === 'win32')('a ledger in PostgreSQL', () => {
  it('supports report, verify and prune; its server makes the backup', async () => {
    const cluster = await ownCluster();
    await cluster.sql('CREATE ROLE ada LOGIN');
    const team = await newTeam(cluster, 'ada');
    const service = await serveCharges();
    const [owner, ada] = [team.machine(service), team.machine(service, 'ada')];
    const verify = { ...ada, argv: ['ledger', 'verify', '--json'] };
    await scene({ ...verify, before: [byUssd(ugwoOf(1))] });
    // Old and paid.
    await cluster.sql(
      "UPDATE paycli.charge SET created_at = created_at - 864000000, status = 'successful', money = NULL, payment = 'paid'",
      [],
      team.database,
    );
    const report = ['ledger', 'report', '-o', 'tsv', '--columns', 'reported,count'];
    await scene({ ...ada, argv: report, stdout: 'charged\t1\npaid\t1\n', stderr: /^/ });
    const prune = ['ledger', 'prune', '--before', '2d', '--yes', '--json'];
    await scene({ ...ada, argv: prune, exit: 10, error: { hint: 'prune as the owner of the database' } });
    await scene({ ...owner, argv: prune, json: { pruned: 1, open: 0 } });
    await scene(verify);
    await scene({ ...ada, argv: byUssd(ugwoOf(1)), exit: 9, requests: [] });
    await scene({ ...owner, argv: ['ledger', 'backup', 'copy'], exit: 2, stderr: ['pg_dump --schema=paycli'] });
  });
});

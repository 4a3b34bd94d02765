import { mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openLedger } from '../../src/ledger/sqlite/open.ts';
import { intent } from '../ledger/support/memory.ts';
import { CANARY } from '../support/canary.ts';
import { uidOf } from '../support/ids.ts';
import { inProcess } from '../support/in-process.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { onTerminal } from '../support/on-terminal.ts';
import type { Ended } from '../support/program.ts';
import { errorOf, newFolder } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import type { Answer } from '../support/service.ts';
import { ACTIVITY, json, problem, reset, serve, UGWO_ID, ugwo } from '../support/service.ts';
import { command } from './schema-support.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb', '--no-preflight'];

const now = (offset = 0): string => `${new Date(Date.now() + offset).toISOString().slice(0, 19)}+00:00`;

/** The payment request with new activities. */
const shown =
  (...uids: readonly string[]): Answer =>
  (seen, response, socket) => {
    const activities = uids.map((uid) => ({ ...ACTIVITY, uid, created_at: now(), updated_at: now() }));
    json(200, { ...ugwo(1), uid: UGWO_ID, activities })(seen, response, socket);
  };

interface Row {
  readonly id: string;
  readonly state: string;
  readonly activity: string | null;
  readonly evidence: readonly Record<string, unknown>[];
}

const rowsOf = ({ stdout }: Ended): Row[] => (JSON.parse(stdout) as { data: Row[] }).data;

/** Loses the answer of a charge; the service then gives these answers. */
const lost = async (...answers: readonly Answer[]) => {
  const service = await serve([reset, ...answers], { looks: 'asked' });
  const ended = await scene({ service, argv: [...CHARGE, '--json'], exit: 6, requests: ['POST'] });
  return { options: { service, home: ended.home }, id: String(errorOf(ended)['ledger_id']) };
};

describe('a charge whose answer is lost', () => {
  it('is unknown in the ledger until ledger sync finds its activity', async () => {
    const { options, id } = await lost(shown(ACTIVITY.uid));
    const listed = await inProcess(['ledger', 'list', '--state', 'unknown', '--json'], options);
    expect(rowsOf(listed)).toMatchObject([{ id, state: 'unknown', activity: null }]);
    const ended = await inProcess(['ledger', 'sync', '--json'], options);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(rowsOf(ended)).toEqual([{ payment: 'open', currency: null, count: 1, amount: null, received: 0 }]);
    const now = await inProcess(['ledger', 'list', '--json'], options);
    expect(rowsOf(now)).toMatchObject([
      { id, state: 'accepted', ugwo: UGWO_ID, activity: ACTIVITY.uid, status: 'requires_action', exit_code: 6 },
    ]);
    const [answer, look] = rowsOf(now)[0]?.evidence ?? [];
    expect(answer).toMatchObject({ kind: 'answer' });
    expect(look).toMatchObject({ kind: 'look', found: 'one', candidates: [{ uid: ACTIVITY.uid, medium: 'ussd' }] });
    expect(typeof look?.['skew_ms']).toBe('number');
    expect(options.service).toMatchObject({
      seen: [{ method: 'POST' }, { method: 'GET', url: `/v1/ugwo/${UGWO_ID}` }],
    });
    // The ledger never contains the key.
    const { stdout } = await inProcess(['ledger', 'list', '--kind', 'all', '-o', 'ndjson'], options);
    expect(stdout).toContain(ACTIVITY.uid);
    expect(stdout).not.toContain(CANARY);
  });

  it('stays unknown if several activities match, until someone resolves it', async () => {
    const { options, id } = await lost(shown(uidOf(1), uidOf(2)));
    const ended = await inProcess(['ledger', 'sync', '--json'], options);
    expect(ended.code).toBe(6);
    expect(rowsOf(ended)).toMatchObject([{ payment: 'unknown', count: 1 }]);
    expect(errorOf(ended)).toMatchObject({
      kind: 'unknown',
      ledger_id: id,
      hint: expect.stringContaining(`paycli ledger resolve ${id} --as created`),
    });
    const refused = await inProcess([...CHARGE, '--again', '--json'], options);
    expect(refused.code).toBe(9);
    const resolve = ['ledger', 'resolve', id, '--as', 'created', '--activity', uidOf(2), '--reason', 'the dashboard'];
    expect((await inProcess(resolve, options)).code).toBe(2);
    const resolved = await inProcess([...resolve, '--yes', '--json'], options);
    expect(resolved).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(resolved.stdout)).toMatchObject({
      state: 'accepted',
      activity: uidOf(2),
      evidence: [{ kind: 'answer' }, { kind: 'look' }, { kind: 'resolved', reason: 'the dashboard' }],
    });
  });

  it('stays unknown while no activity exists, and the hint says when to sync again', async () => {
    const { options, id } = await lost(shown());
    const ended = await inProcess(['ledger', 'sync', id, '--json'], options);
    expect(ended.code).toBe(6);
    const kept = await inProcess(['ledger', 'list', '--json'], options);
    expect(rowsOf(kept)).toMatchObject([{ state: 'unknown', evidence: [{}, { found: 'none' }] }]);
    expect(errorOf(ended)['hint']).toMatch(/no activity found yet; run `paycli ledger sync` again at .*\d\d:\d\d$/);
  });

  it.each([
    ['has no such read', json(405, '<html></html>')],
    ['does not know the payment request', problem(404, 'ugwo.error.not_found')],
  ])('stays unknown if the service %s', async (_what, answer) => {
    const { options, id } = await lost(answer);
    await scene({
      ...options,
      argv: ['ledger', 'sync', '--json'],
      exit: 6,
      json: { data: [{ payment: 'unknown', count: 1 }] },
      error: { hint: expect.stringContaining(`paycli ledger resolve ${id}`) },
    });
  });

  it('stays unknown if the key is rejected, which ends the sync', async () => {
    const { options } = await lost(problem(401, 'no'));
    const json = { data: [{ payment: 'unknown', count: 1 }] };
    await scene({ ...options, argv: ['ledger', 'sync', '--json'], exit: 4, json });
  });

  it('is shown as unknown, never searched at another service, and resolved only after confirmation', async () => {
    const { options, id } = await lost();
    const card = await onTerminal(['ledger', 'show', id], options);
    expect(card.code).toBe(0);
    for (const part of [id, 'unknown', UGWO_ID, 'gtb']) expect(card.raw).toContain(part);
    const list = await onTerminal(['ledger', 'list'], { ...options, columns: 140 });
    expect(list.code).toBe(0);
    expect(list.raw).toContain('\u001b[41munknown');
    expect(list.raw).toContain(id);

    const other = { ...options, service: await serve([]) };
    const origin = options.service?.origin;
    const where = `${id}: sent to ${origin}; run \`paycli ledger sync --base-url ${origin}\``;
    expect(await inProcess(['ledger', 'sync'], other)).toMatchObject({
      code: 0,
      stderr: `Not checked: ${where}.\nNo charge is open or unknown.\n`,
    });
    const elsewhere = await inProcess(['ledger', 'sync', id, '--json'], other);
    expect(elsewhere.code).toBe(6);
    expect(errorOf(elsewhere)['hint']).toBe(where);

    const resolved = await onTerminal(
      ['ledger', 'resolve', id, '--as', 'not-created'],
      { ...options, columns: 200 },
      { after: /How do you know\?/, line: 'not in the dashboard' },
      { after: /can then be charged again\. .* \[y\/N\]/, line: 'y' },
    );
    expect(resolved.code).toBe(0);
    const shownRow = await inProcess(['ledger', 'show', id, '--json'], options);
    expect(JSON.parse(shownRow.stdout)).toMatchObject({ state: 'not_created' });
  });
});

describe('the ledger', () => {
  it('is exported with all fields as NDJSON, and with chosen ones as CSV', async () => {
    const options = { service: await serve([json(200, ACTIVITY)]), home: newFolder() };
    await inProcess(CHARGE, options);
    const [line = ''] = (await inProcess(['ledger', 'list', '-o', 'ndjson'], options)).stdout.split('\n');
    expect(Object.keys(JSON.parse(line) as Row).sort()).toEqual(command('ledger list')?.output.columns.toSorted());
    expect(JSON.parse(line)).toMatchObject({ provider: 'gtb', evidence: [{ kind: 'odd' }] });
    const csv = (await inProcess(['ledger', 'list', '-o', 'csv', '--columns', 'ugwo,provider'], options)).stdout;
    expect(csv).toBe(`ugwo,provider\r\n${UGWO_ID},gtb\r\n`);
  });

  it('is closed by every command: no journal remains, and entries have monotonic times', async () => {
    const options = { service: await serve([json(200, ACTIVITY)]), home: newFolder() };
    expect((await inProcess(CHARGE, options)).code).toBe(0);
    // Older SQLite leaves an empty journal.
    const left = readdirSync(options.home).filter((name) => statSync(join(options.home, name)).size > 0);
    expect(left.filter((name) => name.startsWith('ledger'))).toEqual(['ledger.sqlite']);
    const db = new DatabaseSync(`${options.home}/ledger.sqlite`);
    const marked = Number(db.prepare('SELECT begun_uptime FROM charge').get()?.['begun_uptime']);
    db.close();
    expect(Math.abs(marked - uptime() * 1000)).toBeLessThan(60_000);
  });

  it('treats a sender of another machine as running until its deadline', async () => {
    const home = newFolder();
    const self = { pid: process.pid, boot: '', started: '' };
    const ledger = await openLedger(ledgerOptions(`${home}/ledger.sqlite`, { self }));
    await ledger.begin(intent({ bound: -1 }), { again: false });
    await ledger.begin(intent({ about: String(ugwo(2)['uid']), bound: 3_600_000 }), { again: false });
    const states = rowsOf(await inProcess(['ledger', 'list', '--json'], { home })).map(({ state }) => state);
    expect(states).toEqual(['sending', 'unknown']);
    await ledger.close();
  });

  it.each([
    [
      ['shop', 'shop'],
      /2 charges are unknown: they may have been made\. Find out:\n {2}paycli ledger sync --profile shop\s/,
    ],
    [
      ['shop', 'stall'],
      /2 charges are unknown: they may have been made\. Find out:\n {2}paycli ledger sync --profile team$/m,
    ],
    [
      [undefined],
      /1 charge is unknown: it may have been made\. Find out:\n {2}paycli ledger sync --base-url http\S+$/m,
    ],
  ])('mentions unknown charges on a terminal, for profiles %j', async (profiles, reminder) => {
    const home = newFolder();
    const ledger = await openLedger(ledgerOptions(`${home}/ledger.sqlite`));
    for (const [number, profile] of profiles.entries()) {
      const begun = await ledger.begin(intent({ about: String(ugwo(number)['uid']), profile }), { again: false });
      if (begun.kind === 'begun') await ledger.record(begun.id, { state: 'unknown', exitCode: 6 });
    }
    await ledger.close();
    const screenOf = async (...args: string[]): Promise<string> =>
      (await onTerminal(args, { home, columns: 200, env: { NO_COLOR: '1' } })).raw;
    const status = ['ledger', 'status', '--profile', 'team'];
    expect(await screenOf('profile', 'list')).not.toMatch(reminder);
    expect(await screenOf(...status)).toMatch(reminder);
    // At most once an hour.
    expect(await screenOf(...status)).not.toMatch(reminder);
    const { ctimeMs } = statSync(`${home}/reminded`);
    const long = new Date(ctimeMs - 3_600_001);
    utimesSync(`${home}/reminded`, long, long);
    expect(await screenOf(...status)).toMatch(reminder);
    // The reminder also works if its file is a folder.
    rmSync(`${home}/reminded`);
    mkdirSync(`${home}/reminded`);
    utimesSync(`${home}/reminded`, long, long);
    expect(await screenOf(...status)).toMatch(reminder);
  });
});

describe('a profile', () => {
  const HERE = 'http://127.0.0.1:9';
  const OTHER = 'http://127.0.0.1:10';
  /** One payment request per target, with the profile that charged it. */
  const PLACES = [
    { service: HERE, workspace: 'AbCd', profile: 'shop' },
    { service: HERE, workspace: 'AbCd', profile: 'a colleague' },
    { service: HERE, workspace: undefined, profile: undefined },
    { service: HERE, workspace: 'EfGh', profile: 'stall' },
    { service: OTHER, workspace: 'AbCd', profile: 'sandbox' },
    { service: 'emulator 0123456789ab', workspace: 'Lcal', profile: 'local' },
  ];
  const key = (workspace: string): string => `sk.${workspace}.${'x'.repeat(80)}`;
  const jobOf = (number: number): string => `job-${String(number).padStart(16, '0')}`;

  /** A ledger with an unknown charge and a job per target, and profiles for some of them. */
  const withPlaces = async (): Promise<string> => {
    const [home, begun] = [newFolder(), Date.now() - 7 * 86_400_000];
    const ledger = await openLedger(ledgerOptions(`${home}/ledger.sqlite`, { now: () => begun }));
    for (const [number, { service, workspace, profile }] of PLACES.entries()) {
      const of = { service, origin: service, workspace, profile };
      const job = { id: jobOf(number), kind: 'charge', command: 'ugwo charge', name: 'a.csv', rows: 1 } as const;
      await ledger.jobs.open({ ...job, ...of }, 1);
      const about = String(ugwo(number)['uid']);
      const made = await ledger.begin(intent({ ...of, about, job: job.id, row: 1 }), { again: false });
      if (made.kind === 'begun') await ledger.record(made.id, { state: 'unknown', exitCode: 6 });
    }
    await ledger.close();
    for (const [name, origin, workspace] of [
      ['shop', HERE, 'AbCd'],
      ['stall', HERE, 'EfGh'],
      ['sandbox', OTHER, 'AbCd'],
    ] as const) {
      const login = ['login', '--profile', name, '--base-url', origin, '--key-stdin', '--no-verify'];
      expect(await inProcess(login, { home, stdin: key(workspace) })).toMatchObject({ code: 0 });
    }
    return home;
  };

  it.each<[string, readonly string[], Record<string, string>, readonly number[]]>([
    ['the default profile, whatever its name elsewhere', [], {}, [0, 1, 2]],
    ['another workspace of the same service', ['--profile', 'stall'], {}, [2, 3]],
    ['another service', [], { PAYCLI_PROFILE: 'sandbox' }, [4]],
    ['a key from the environment', [], { PAYCLI_SECRET_KEY: key('EfGh') }, [2, 3]],
    ['--local', ['--local'], {}, [5]],
    ['--all-profiles', ['--all-profiles'], {}, [0, 1, 2, 3, 4, 5]],
  ])('selects the entries that commands read: %s', async (_what, options, env, numbers) => {
    const home = await withPlaces();
    const run = async (...args: string[]) => (await inProcess([...args, ...options], { home, env })).stdout;
    const places = numbers.map((number) => `${PLACES[number]?.profile ?? ''}\n`);
    const columns = ['-o', 'tsv', '--columns', 'profile'];
    expect(await run('ledger', 'list', ...columns)).toBe([...places].reverse().join(''));
    expect(await run('ledger', 'jobs', ...columns)).toBe([...places].reverse().join(''));
    const counts = await run('ledger', 'report', '-o', 'tsv', '--columns', 'count');
    expect(counts.split('\n').reduce((sum, count) => sum + Number(count), 0)).toBe(numbers.length);
    const pruned = await run('ledger', 'prune', '--before', '2d', '-o', 'tsv', '--columns', 'pruned,open');
    expect(pruned).toBe(`pruned\t0\nopen\t${numbers.length}\n`);
  });

  it('is a column with --all-profiles, and the command for the next page shows the rest of all profiles', async () => {
    const home = await withPlaces();
    for (const [noun, rows] of [
      ['list', 6],
      ['jobs', 6],
    ] as const) {
      const argv = ['ledger', noun, '--all-profiles', '--max', '5'];
      const { raw } = await onTerminal(argv, { home, columns: 160, env: { NO_COLOR: '1' } });
      expect(raw).toMatch(/^(?:id|status) .*profile/m);
      expect(raw.match(/ (shop|a colleague|stall|sandbox|local) /g)).toHaveLength(rows - 2);
      expect(raw).toContain('--all-profiles');
      const next = [...argv, '--cursor', /--cursor (\S+)/.exec(raw)?.[1] ?? '', '-o', 'tsv', '--columns', 'profile'];
      expect((await inProcess(next, { home })).stdout).toBe('shop\n');
    }
  });

  it('needs no key with --all-profiles; without any profile, commands leave out --local entries', async () => {
    const home = await withPlaces();
    const gone = { home, env: { PAYCLI_PROFILE: 'gone' } };
    const refused = await inProcess(['ledger', 'list', '--json'], gone);
    expect(refused.code).toBe(4);
    expect(errorOf(refused)['hint']).toContain('--all-profiles');
    expect((await inProcess(['ledger', 'list', '--all-profiles'], gone)).code).toBe(0);
    rmSync(join(home, 'config.json'));
    const plain = await inProcess(['ledger', 'list', '-o', 'tsv', '--columns', 'profile'], { home });
    expect(plain.stdout).toBe('sandbox\nstall\n\na colleague\nshop\n');
  });
});

import { mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openLedger } from '../../src/ledger/sqlite/open.ts';
import { intent } from '../ledger/support/memory.ts';
import { uidOf } from '../support/ids.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { onTerminal } from '../support/on-terminal.ts';
import { errorOf, newFolder } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import type { Answer } from '../support/service.ts';
import { ACTIVITY, json, problem, reset, serve, UGWO_ID, ugwo } from '../support/service.ts';
import { openThrough } from '../support/terminal.ts';
import { command } from './schema-support.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb', '--no-preflight', '--json'];

const now = (offset = 0): string => `${new Date(Date.now() + offset).toISOString().slice(0, 19)}+00:00`;

/** The payment request with new activities. */
const shown =
  (...uids: readonly string[]): Answer =>
  (seen, response, socket) => {
    const activities = uids.map((uid) => ({ ...ACTIVITY, uid, created_at: now(), updated_at: now() }));
    json(200, { ...ugwo(1), uid: UGWO_ID, activities })(seen, response, socket);
  };

/** Loses the answer of a charge; the service then gives these answers. */
const lost = async (...answers: readonly Answer[]) => {
  const service = await serve([reset, ...answers], { looks: 'asked' });
  const ended = await scene({ service, argv: CHARGE, exit: 6, requests: ['POST'] });
  return { options: { service, home: ended.home }, id: String(errorOf(ended)['ledger_id']) };
};

describe('a charge whose answer is lost', () => {
  it('is unknown in the ledger until ledger sync finds its activity', async () => {
    const { options, id } = await lost(shown(ACTIVITY.uid));
    await scene({
      ...options,
      argv: ['ledger', 'list', '--state', 'unknown', '--json'],
      json: { data: [{ id, state: 'unknown', activity: null }] },
    });
    const look = { kind: 'look', found: 'one', candidates: [{ uid: ACTIVITY.uid, medium: 'ussd' }] };
    const evidence = [{ kind: 'answer' }, { ...look, skew_ms: expect.any(Number) }];
    const activity = { activity: ACTIVITY.uid, status: 'requires_action' };
    await scene({
      ...options,
      argv: ['ledger', 'sync', '--json'],
      stdout:
        '{"data":[\n{"payment":"open","currency":null,"count":1,"amount":null,"received":0,"paid_twice":0}\n],"next_cursor":null}\n',
      requests: [`GET /v1/ugwo/${UGWO_ID}`],
      entries: [{ id, state: 'accepted', ugwo: UGWO_ID, ...activity, exit_code: 6, evidence }],
    });
  });

  it('stays unknown if several activities match, until someone resolves it', async () => {
    const { options, id } = await lost(shown(uidOf(1), uidOf(2)));
    const fit = `${uidOf(1)}, ${uidOf(2)}`;
    const hint = `${id}: several activities fit: ${fit}; see \`paycli ledger show ${id}\`, then run \`paycli ledger resolve ${id} --as created --activity act.…\``;
    await scene({
      ...options,
      argv: ['ledger', 'sync', '--json'],
      exit: 6,
      json: { data: [{ payment: 'unknown', count: 1 }] },
      error: { kind: 'unknown', ledger_id: id, hint },
    });
    await scene({ ...options, argv: [...CHARGE, '--again'], exit: 9, requests: [] });
    const resolve = ['ledger', 'resolve', id, '--as', 'created', '--activity', uidOf(2), '--reason', 'the dashboard'];
    await scene({ ...options, argv: resolve, exit: 2, stderr: ['add --yes; nothing was changed'] });
    await scene({
      ...options,
      argv: [...resolve, '--yes', '--json'],
      json: {
        state: 'accepted',
        activity: uidOf(2),
        evidence: [{ kind: 'answer' }, { kind: 'look' }, { kind: 'resolved', reason: 'the dashboard' }],
      },
    });
  });

  it('stays unknown while no activity exists, and the hint says when to sync again', async () => {
    const { options, id } = await lost(shown());
    await scene({
      ...options,
      argv: ['ledger', 'sync', id, '--json'],
      exit: 6,
      json: { data: [{ payment: 'unknown', count: 1 }] },
      error: {
        hint: new RegExp(`^${id}: no activity found yet; run \`paycli ledger sync\` again at .*\\d\\d:\\d\\d$`),
      },
      entries: [{ state: 'unknown', evidence: [{ kind: 'answer' }, { found: 'none' }] }],
    });
  });

  it.each<[string, Answer, exit: number, hint: RegExp]>([
    [
      'has no such read',
      json(405, '<html></html>'),
      6,
      /ID: this proves nothing \(.* was 405, not .*\).* run `paycli ledger resolve ID --as /,
    ],
    [
      'does not know the payment request',
      problem(404, 'not_found'),
      6,
      /ID: this proves nothing \(.* 404: not_found\).* `paycli ledger resolve ID /,
    ],
    ['rejects the key, which ends the sync', problem(401, 'no'), 4, /the key in PAYCLI_SECRET_KEY /],
  ])('stays unknown if the service %s', async (_what, answer, exit, hint) => {
    const { options, id } = await lost(answer);
    await scene({
      ...options,
      argv: ['ledger', 'sync', '--json'],
      exit,
      json: { data: [{ payment: 'unknown', count: 1 }] },
      error: { hint: new RegExp(`^${hint.source.replaceAll('ID', id)}`) },
      entries: [{ state: 'unknown', evidence: [{ kind: 'answer' }] }],
    });
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

    const other = { home: options.home, service: await serve([]) };
    const where = `${id}: sent to ${options.service.origin}; run \`paycli ledger sync --base-url ${options.service.origin}\``;
    await scene({
      ...other,
      argv: ['ledger', 'sync'],
      stderr: `Not checked: ${where}.\nNo charge is open or unknown.\n`,
    });
    await scene({
      ...other,
      argv: ['ledger', 'sync', id, '--json'],
      exit: 6,
      json: { data: [{ count: 1 }] },
      error: { hint: where },
    });

    const resolved = await onTerminal(
      ['ledger', 'resolve', id, '--as', 'not-created'],
      { ...options, columns: 200 },
      { after: /How do you know\?/, line: 'not in the dashboard' },
      { after: /can then be charged again\. .* \[y\/N\]/, line: 'y' },
    );
    expect(resolved.code).toBe(0);
    await scene({ ...options, argv: ['ledger', 'show', id, '--json'], json: { state: 'not_created' } });
  });
});

describe('the ledger', () => {
  it('is exported with all fields as NDJSON, and with chosen ones as CSV', async () => {
    const { home, stdout } = await scene({
      service: [json(200, ACTIVITY)],
      before: [CHARGE],
      argv: ['ledger', 'list', '-o', 'ndjson'],
      json: { provider: 'gtb', evidence: [{ kind: 'odd' }] },
    });
    expect(Object.keys(JSON.parse(stdout)).sort()).toEqual(command('ledger list')?.output.columns.toSorted());
    const argv = ['ledger', 'list', '-o', 'csv', '--columns', 'ugwo,provider'];
    await scene({ home, argv, stdout: `ugwo,provider\r\n${UGWO_ID},gtb\r\n` });
  });

  it('is closed by every command: no journal remains, and entries have monotonic times', async () => {
    const { home } = await scene({ service: [json(200, ACTIVITY)], argv: CHARGE });
    // Older SQLite leaves an empty journal.
    const left = readdirSync(home).filter((name) => statSync(join(home, name)).size > 0);
    expect(left.filter((name) => name.startsWith('ledger'))).toEqual(['ledger.sqlite']);
    const db = new DatabaseSync(`${home}/ledger.sqlite`);
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
    const data = [{ state: 'sending' }, { state: 'unknown' }];
    await scene({ home, argv: ['ledger', 'list', '--json'], json: { data } });
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
    // Also while another program reads the output.
    const piped = openThrough(['sh', '-c', '"$@" | cat', 'sh'], status, { home, columns: 200, env: { NO_COLOR: '1' } });
    await piped.ended;
    expect(piped.raw().replaceAll('\r\n', '\n')).toMatch(reminder);
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
      await scene({ home, stdin: key(workspace), argv: login, stderr: /^/ });
    }
    return home;
  };

  it.each<[string, readonly string[], Record<string, string>, readonly number[], counts?: string]>([
    ['the default profile, whatever its name elsewhere', [], {}, [0, 1, 2]],
    ['another workspace of the same service', ['--profile', 'stall'], {}, [2, 3]],
    ['another service', [], { PAYCLI_PROFILE: 'sandbox' }, [4]],
    ['a key from the environment', [], { PAYCLI_SECRET_KEY: key('EfGh') }, [2, 3]],
    ['--local', ['--local'], {}, [5]],
    ['--all-profiles', ['--all-profiles'], {}, [0, 1, 2, 3, 4, 5], '1\n'.repeat(6)],
  ])(
    'selects the entries that commands read: %s',
    async (_what, options, env, numbers, counts = `${numbers.length}\n`) => {
      const home = await withPlaces();
      const profiles = numbers.map((number) => `${PLACES[number]?.profile ?? ''}\n`).reverse();
      for (const [verb, columns, stdout] of [
        [['list'], 'profile', profiles.join('')],
        [['jobs'], 'profile', profiles.join('')],
        [['report'], 'count', counts],
        [['prune', '--before', '2d'], 'pruned,open', `pruned\t0\nopen\t${numbers.length}\n`],
      ] as const) {
        const argv = ['ledger', ...verb, '-o', 'tsv', '--columns', columns, ...options];
        await scene({ home, env, argv, stdout, stderr: /^(Charges up to .*\n)?$/ });
      }
    },
  );

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
      await scene({ home, argv: next, stdout: 'shop\n' });
    }
  });

  it('needs no key with --all-profiles; without any profile, commands leave out --local entries', async () => {
    const home = await withPlaces();
    const gone = { home, env: { PAYCLI_PROFILE: 'gone' } };
    const argv = ['ledger', 'list', '-o', 'tsv', '--columns', 'profile'];
    await scene({ ...gone, argv, exit: 4, stderr: /no key is needed with --all-profiles\n$/ });
    const stdout = 'sandbox\nstall\n\na colleague\nshop\n';
    await scene({ ...gone, argv: [...argv, '--all-profiles'], stdout: `local\n${stdout}` });
    rmSync(join(home, 'config.json'));
    await scene({ home, argv, stdout });
  });
});

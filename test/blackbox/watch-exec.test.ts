import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { atom } from '../support/activity.ts';
import { CANARY } from '../support/canary.ts';
import { inProcess, startHere } from '../support/in-process.ts';
import {
  endIfRunning,
  errorOf,
  killingProgram,
  newFolder,
  quickClock,
  type Running,
  type RunOptions,
  start,
} from '../support/program.ts';
import { ACTIVITY, json, serveAllBy, ugwo } from '../support/service.ts';
import { serveTarget } from '../support/webhooks.ts';
import { activityOf, charged, ugwoOf } from './bulk-support.ts';
import { openDesk, USSD } from './desk-support.ts';
import { newTeam } from './team-support.ts';
import { requestWith } from './watch-support.ts';

beforeEach(() => void quickClock());

/** A desk whose environment has a secret, and what watches its charges. */
const open = async (env: RunOptions['env'] = {}) => {
  const desk = await openDesk({ OTHER: CANARY, ...env });
  const { options, paycli, shopRequest } = desk;
  return {
    ...desk,
    /** Charges a payment request, by default a new one of NGN 900. Resolves to it and to its activity. */
    sell: async (of?: string, ...more: string[]) => {
      const ugwo = of ?? String((await shopRequest({ amount: 90_000 })).uid);
      const ended = await paycli('ugwo', 'charge', ugwo, ...USSD, ...more, '--json');
      return { ugwo, ended, activity: ended.code === 0 ? String(JSON.parse(ended.stdout).uid) : '' };
    },
    watch: (...args: string[]): Running => startHere(['watch', ...args], options),
    elsewhere: (...args: string[]): Running => startHere(['watch', ...args], { ...options, home: newFolder() }),
    /** In a process of its own. */
    built: (...args: string[]): Running => start(['watch', ...args], options),
  };
};

type Printed = Readonly<Record<string, unknown>> & { readonly id: string; readonly kind: string };

/** Events that programs have printed. */
const eventsIn = (text: string): Printed[] =>
  text.split('\n').flatMap((line) => (line.startsWith('{"id"') ? [JSON.parse(line) as Printed] : []));

const kindsIn = (text: string): string[] => eventsIn(text).map(({ kind }) => kind);

/** A program with this text, which starts with the event on its output. */
const script = (text: string): string => {
  const file = join(newFolder('exec'), 'run.sh');
  writeFileSync(file, `#!/bin/sh\ncat\n${text}\n`, { mode: 0o700 });
  return file;
};

const queuesIn = (home: string): string[] => readdirSync(home).filter((name) => /^watch-\w+\.db$/.test(name));

/** Makes the events of all programs older. */
const ageEvents = (home: string): void => {
  for (const name of queuesIn(home)) {
    const db = new DatabaseSync(join(home, name));
    db.exec('UPDATE event SET received_at = received_at - 40 * 86400000');
    db.close();
  }
};

const ended = async (run: Running, signal: NodeJS.Signals = 'SIGINT') => {
  run.kill(signal);
  return run.ended;
};

describe('watch --exec', () => {
  it('runs the program once for each kind of change, with the record that it prints', async () => {
    const { sell, settle, watch, paycli, file, request } = await open();
    const sales = [await sell(), await sell(), await sell(), await sell(), await sell(), await sell()] as const;
    const [paid, part, over, late, bad, twice] = sales;
    const again = [await sell(twice.ugwo, '--again'), await sell(twice.ugwo, '--again')] as const;
    const run = watch('--exec', 'cat', '-o', 'ndjson');
    await run.saw(/(?:"now":"open"[\s\S]*){8}/);
    await settle(paid.activity, 'successful');
    await settle(part.activity, 'successful', 40_000);
    await settle(over.activity, 'successful', 95_000);
    await settle(late.activity, 'expired');
    await settle(bad.activity, 'failed');
    for (const { activity } of [twice, ...again]) await settle(activity, 'successful');
    const lost = await request('lost');
    await emulatorRoom.faults({ file, rules: { rules: [{ method: 'POST', times: 1, reset: true, when: 'after' }] } });
    expect((await sell(lost)).ended.code).toBe(6);
    for (const kind of ['unknown', 'failed', 'expired', 'overpaid', 'underpaid'])
      await run.saw(new RegExp(`"kind":"${kind}"`));
    const surplus = again.map(({ activity }) => `${twice.ugwo}.paid_twice.${activity}`);
    for (const id of surplus) await run.saw(new RegExp(`"id":"${id}"`));
    await run.saw(new RegExp(`"kind":"paid","at"[^\n]*${paid.ugwo}`));
    const rest = await sell(part.ugwo, '--remaining');
    await settle(rest.activity, 'successful');
    await run.saw(new RegExp(`"kind":"paid","at"[^\n]*${rest.activity}`));
    await run.saw(/"before":"underpaid","now":"paid"/);
    await settle(paid.activity, 'reversed');
    await paycli('ledger', 'sync', String(eventsIn(run.stderr()).find(({ ugwo }) => ugwo === paid.ugwo)?.['charge']));
    await run.saw(/"kind":"reversed"/);
    const { code, stderr, stdout } = await ended(run);
    expect(code).toBe(130);
    const kinds = [
      ...Array.from({ length: 5 }, () => 'paid'),
      'underpaid',
      'overpaid',
      'paid_twice',
      'paid_twice',
      'reversed',
      'expired',
      'failed',
      'unknown',
    ];
    expect(kindsIn(stderr).sort()).toEqual(kinds.sort());
    const printed = eventsIn(stderr);
    expect(new Set(printed.map(({ id }) => id)).size).toBe(printed.length);
    const { id, kind, ...record } = printed.find((one) => one.kind === 'underpaid') as Printed;
    expect(id).toMatch(/^chg-\w+\.underpaid\.\d+$/);
    expect(record).toMatchObject({ ugwo: part.ugwo, before: 'open', now: kind, amount: 90_000, received: 40_000 });
    expect(stdout).toContain(JSON.stringify(record));
  });

  it('runs it for the kinds of --on alone', async () => {
    const { sell, settle, watch } = await open();
    const [one, other] = [await sell(), await sell()];
    await settle(one.activity, 'failed');
    await settle(other.activity, 'successful');
    const run = watch(one.ugwo, other.ugwo, '--until-final', '--exec', 'cat', '--on', 'paid,reversed');
    const { code, stderr } = await run.ended;
    expect([code, kindsIn(stderr)]).toEqual([11, ['paid']]);
  });

  it('runs it again after a failure, with the same id', async () => {
    const { sell, settle, watch } = await open();
    const { ugwo, activity } = await sell();
    await settle(activity, 'successful');
    const file = join(newFolder('mark'), 'failed');
    const run = watch(ugwo, '--until-final', '--exec', `${script('[ -e "$1" ] && exit 0; : > "$1"; exit 3')} ${file}`);
    const { code, stderr } = await run.ended;
    expect(code, stderr).toBe(0);
    const ids = eventsIn(stderr).map(({ id }) => id);
    expect(ids).toEqual([ids[0], ids[0]]);
    expect(stderr).toContain(`${ids[0]} was refused (exit code 3)`);
    expect(stderr).toContain(`${ids[0]} is delivered now`);
  });

  it('ends with 14 if the program has not run without failure, and tells it at the next start', async () => {
    const { sell, settle, watch, built } = await open();
    const { ugwo, activity } = await sell();
    await settle(activity, 'successful');
    const file = join(newFolder('mark'), 'go');
    const exec = ['--until-final', '--exec', `${script('[ -e "$1" ]')} ${file}`];
    const run = built(ugwo, ...exec);
    await run.saw(/was refused \(exit code 1\)/);
    const failed = await ended(run);
    expect(failed).toMatchObject({
      code: 14,
      stderr: expect.stringContaining('events that wait for the next start of --exec: 1'),
    });
    writeFileSync(file, '');
    const { code, stderr } = await watch(ugwo, ...exec).ended;
    expect([code, eventsIn(stderr)]).toEqual([0, [eventsIn(failed.stderr)[0]]]);
    expect(eventsIn((await watch(ugwo, ...exec).ended).stderr)).toEqual([]);
  });

  it.each(['ledger', 'webhook'])(
    "loses the customer's data by `%s prune`, and runs no program for it",
    async (group) => {
      const { shopRequest, sell, settle, watch, paycli, options } = await open();
      const ref = 'INV-CANARY-7';
      const { ugwo, activity } = await sell(String((await shopRequest({ amount: 90_000, ref })).uid));
      await settle(activity, 'successful');
      const file = join(newFolder('mark'), 'go');
      const exec = ['--until-final', '--exec', `${script('[ -e "$1" ]')} ${file}`];
      const run = watch(ugwo, ...exec);
      await run.saw(/was refused \(exit code 1\)/);
      expect(await ended(run)).toMatchObject({ code: 14 });
      const queueFiles = () => readdirSync(options.home).filter((name) => name.startsWith('watch-'));
      const holdsRef = () => queueFiles().some((name) => readFileSync(join(options.home, name)).includes(ref));
      ageEvents(options.home);
      expect(holdsRef()).toBe(true);
      const asked = await paycli(group, 'prune', '--before', '30d');
      expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('are then never delivered: 1') });
      const pruned = JSON.parse((await paycli(group, 'prune', '--before', '30d', '--yes', '--json')).stdout);
      expect(pruned).toMatchObject(group === 'ledger' ? { pruned: 0, open: 0, events: 1 } : { pruned: 1, waiting: 1 });
      expect(holdsRef()).toBe(false);
      writeFileSync(file, '');
      const { code, stderr } = await watch(ugwo, ...exec).ended;
      expect([code, eventsIn(stderr)]).toEqual([0, []]);
    },
  );

  it('tells a change again after it was killed while the program ran, which holds up nothing', async () => {
    const { sell, settle, watch, built } = await open();
    const [one, other] = [await sell(), await sell()];
    const folder = newFolder('mark');
    const [go, pid] = [join(folder, 'go'), join(folder, 'pid')];
    const exec = `${script('[ -e "$1" ] && exit 0; echo $$ > "$2"; echo holding; exec tail -f /dev/null')} ${go} ${pid}`;
    const run = built('--exec', exec, '-o', 'ndjson');
    await run.saw(/(?:"now":"open"[\s\S]*){2}/);
    await settle(one.activity, 'successful');
    await run.saw(/holding/);
    await settle(other.activity, 'failed');
    await run.saw(/"now":"failed"/);
    const before = await ended(run, 'SIGKILL');
    endIfRunning(Number(readFileSync(pid, 'utf8')));
    writeFileSync(go, '');
    const after = await watch('--until-final', '--exec', exec).ended;
    expect(kindsIn(before.stderr)).toEqual(['paid']);
    expect(kindsIn(after.stderr).sort()).toEqual(['failed', 'paid']);
    expect(eventsIn(after.stderr)).toContainEqual(eventsIn(before.stderr)[0]);
  });

  it.skipIf(process.platform === 'win32')(
    'gives the program the whole record, also if paycli is killed as it starts',
    async () => {
      let status = 'requires_action';
      const service = await serveAllBy(({ method, url }) => {
        if (method === 'POST') return charged(1);
        if (url.includes('/activities/')) return json(200, { ...ACTIVITY, uid: activityOf(1), status });
        return json(200, requestWith(1, status, status === 'successful' ? Number(ugwo(1)['amount']) : 0));
      });
      const [program, options] = [killingProgram(), { service, home: newFolder() }];
      await inProcess(['ugwo', 'charge', ugwoOf(1), ...USSD], options);
      status = 'successful';
      const run = start(['watch', ugwoOf(1), '--exec', program.path], options);
      expect((await run.ended).signal).toBe('SIGKILL');
      expect(JSON.parse(await program.kept())).toMatchObject({ kind: 'paid', ugwo: ugwoOf(1) });
    },
  );

  it('tells at its next start what changed meanwhile, and not what stood at its first', async () => {
    const { sell, settle, watch, paycli } = await open();
    const [old, next] = [await sell(), await sell()];
    await settle(old.activity, 'successful');
    await paycli('ledger', 'sync');
    await settle(old.activity, 'reversed');
    const { stdout } = await paycli('ledger', 'list', '--payment', 'paid', '-o', 'ndjson');
    expect(await paycli('ledger', 'sync', String(JSON.parse(stdout).id))).toMatchObject({ code: 0 });
    const run = watch('--exec', 'cat');
    await run.saw(/\topen\t/);
    expect(kindsIn((await ended(run)).stderr)).toEqual([]);
    await settle(next.activity, 'successful');
    const { ugwo, activity } = await sell();
    await settle(activity, 'failed');
    await paycli('ledger', 'sync');
    const again = await watch('--exec', 'cat', '--until-final').ended;
    expect(eventsIn(again.stderr)).toMatchObject([
      { kind: 'paid', ugwo: next.ugwo },
      { kind: 'failed', ugwo },
    ]);
    expect(kindsIn((await watch('--exec', 'cat', '--until-final').ended).stderr)).toEqual([]);
  });

  it('tells what was reversed meanwhile, however much it is', async () => {
    const { shopRequest, settle, watch, paycli } = await open();
    const file = join(newFolder('rows'), 'rows.csv');
    const requests = await Promise.all(Array.from({ length: 101 }, () => shopRequest({})));
    writeFileSync(file, ['ugwo', ...requests.map(({ uid }) => String(uid)), ''].join('\n'));
    await paycli('ugwo', 'charge', '--from', file, ...USSD, '--yes');
    const list = async () => (await paycli('ledger', 'list', '--all', '-o', 'ndjson')).stdout.trim().split('\n');
    const charges = (await list()).map((line) => JSON.parse(line) as { id: string; activity: string });
    for (const { activity } of charges) await settle(activity, 'successful');
    await paycli('ledger', 'sync');
    expect(eventsIn((await watch('--until-final', '--exec', 'cat').ended).stderr)).toEqual([]);
    for (const { activity } of charges) await settle(activity, 'reversed');
    await paycli('ledger', 'sync', ...charges.map(({ id }) => id));
    const run = watch('--exec', 'cat');
    await run.saw(new RegExp(`"id":"${charges.at(-1)?.id}.reversed`));
    await ended(run);
  });

  /** A charge that stands otherwise after each turn, and a watch of it. `other`: what another activity has brought. */
  const turning = async (other = 0) => {
    const asked = Number(ugwo(1)['amount']);
    let [turns, status, came] = [0, 'requires_action', 0];
    const shown = () => {
      const updated_at = atom(Date.now() + 60_000 * turns);
      const error = status === 'failed' && turns > 1 ? { code: 'psp.error.reversed' } : null;
      const own = { uid: activityOf(1), activity_type: 'charge', status, charged_amount: came, updated_at, error };
      const more = { ...own, uid: activityOf(2), status: 'successful', charged_amount: other };
      const activities = [...(turns === 0 ? [] : [own]), ...(other === 0 ? [] : [more])];
      return { ...requestWith(1, status, other + came), activities };
    };
    const service = await serveAllBy(({ method, url }) => {
      if (method === 'POST') return charged(1);
      if (url.includes('/activities/')) return json(200, shown().activities[0]);
      return json(200, url.startsWith('/v1/ugwo?') ? { data: [shown()], next_cursor: null } : shown());
    });
    const options = { service, home: newFolder() };
    const watch = () => startHere(['watch', '--exec', 'cat'], options);
    await inProcess(['ugwo', 'charge', ugwoOf(1), ...USSD, ...(other === 0 ? [] : ['--remaining'])], options);
    const run = watch();
    await run.saw(/\topen\t/);
    const turn = async (to: string, total = to === 'successful' ? asked : 0): Promise<void> => {
      [turns, status, came] = [turns + 1, to, total];
      const charge = /chg-\w+/.exec(run.stderr())?.[0] ?? [];
      await inProcess(['ledger', 'sync', charge].flat(), options);
    };
    const prune = async (): Promise<void> => {
      ageEvents(options.home);
      await inProcess(['ledger', 'prune', '--before', '30d', '--yes'], options);
    };
    return { asked, run, turn, watch, prune };
  };

  const more = { underpaid: -1, paid: 0, overpaid: 1 };

  it.each<[keyof typeof more, keyof typeof more, string, number, boolean]>([
    ['underpaid', 'paid', 'at once', 0, false],
    ['underpaid', 'paid', 'at the next start', 0, true],
    ['underpaid', 'paid', 'at the next start, after the event was pruned', 0, true],
    ['underpaid', 'paid', 'at once, though another activity has brought a part, too', 100, false],
    ['paid', 'overpaid', 'at the next start', 0, true],
    ['paid', 'underpaid', 'at the next start', 0, true],
  ])('tells that a charge was %s, and then %s, %s', async (first, then, when, other, isLater) => {
    const { asked, run, turn, watch, prune } = await turning(other);
    await turn('successful', asked - other + more[first]);
    await run.saw(new RegExp(`"kind":"${first}"`));
    if (isLater) await ended(run);
    if (when.endsWith('pruned')) await prune();
    await turn('successful', asked - other + more[then]);
    const next = isLater ? watch() : run;
    await next.saw(new RegExp(`"kind":"${then}"`));
    await ended(next);
    expect(kindsIn(isLater ? run.stderr() + next.stderr() : run.stderr())).toEqual([first, then]);
  });

  it('tells nothing of a charge whose missing part came with another one, also after both were pruned', async () => {
    const { sell, settle, watch, paycli, options } = await open();
    const part = await sell();
    await settle(part.activity, 'successful', 40_000);
    const exec = ['--exec', 'cat'];
    const first = watch(part.ugwo, ...exec);
    await first.saw(/"kind":"underpaid"/);
    const rest = await sell(part.ugwo, '--remaining');
    await settle(rest.activity, 'successful');
    await first.saw(/"kind":"paid"/);
    expect(eventsIn((await ended(first)).stderr)).toMatchObject([
      { kind: 'underpaid', activity: part.activity },
      { kind: 'paid', activity: rest.activity },
    ]);
    ageEvents(options.home);
    expect(await paycli('ledger', 'prune', '--before', '30d', '--yes')).toMatchObject({ code: 0 });
    expect(kindsIn((await watch(part.ugwo, '--until-final', ...exec).ended).stderr)).toEqual([]);
  });

  it('tells that a charge was paid after all, and paid again after a reversal, now or at the next start', async () => {
    const { run, turn, watch } = await turning();
    await turn('failed');
    await run.saw(/"kind":"failed"/);
    await turn('successful');
    await run.saw(/"kind":"paid"/);
    await turn('failed');
    await run.saw(/"kind":"reversed"/);
    await ended(run);
    await turn('successful');
    const next = watch();
    await next.saw(/"kind":"paid"/);
    const told = [run, next].map(({ stderr }) => eventsIn(stderr()));
    await ended(next);
    expect(told.map((events) => events.map(({ kind }) => kind))).toEqual([['failed', 'paid', 'reversed'], ['paid']]);
    expect(new Set(told.flat().map(({ id }) => id)).size).toBe(4);
  });

  it('tells that a charge was paid of which a person names another activity than the one that failed', async () => {
    const { sell, settle, watch, paycli, done, options, file, request } = await open();
    const ugwo = await request('lost');
    await emulatorRoom.faults({ file, rules: { rules: [{ method: 'POST', times: 1, reset: true, when: 'after' }] } });
    expect((await sell(ugwo)).ended.code).toBe(6);
    const other = { ...options, home: newFolder() };
    await inProcess(['ugwo', 'charge', ugwo, ...USSD, '--again'], other);
    const { activities } = JSON.parse(await done('ugwo', 'get', ugwo, '--json'));
    const [first, second] = (activities as { uid: string }[]).map(({ uid }) => uid);
    const { id } = JSON.parse(await done('ledger', 'list', '-o', 'ndjson'));
    const name = (activity = '') =>
      done('ledger', 'resolve', id, '--as', 'created', '--activity', activity, '--reason', 'seen', '--yes');
    await name(first);
    const run = watch('--exec', 'cat');
    await run.saw(/\topen\t/);
    await settle(String(first), 'failed');
    await run.saw(/"kind":"failed"/);
    await ended(run);
    await name(second);
    await settle(String(second), 'successful');
    await paycli('ledger', 'sync');
    expect(kindsIn((await watch('--exec', 'cat', '--until-final').ended).stderr)).toEqual(['paid']);
  });

  it('keeps what --on leaves out for the start that wants it', async () => {
    const { sell, settle, watch } = await open();
    const [one, other] = [await sell(), await sell()];
    const of = (on: string, exec = 'cat'): Running =>
      watch('--until-final', '--wait-timeout', '20s', '--exec', exec, '--on', on);
    await of('reversed').ended;
    await settle(one.activity, 'successful');
    await settle(other.activity, 'failed');
    expect(kindsIn((await of('reversed').ended).stderr)).toEqual([]);
    expect(eventsIn((await of('paid').ended).stderr)).toMatchObject([{ kind: 'paid', ugwo: one.ugwo }]);
    expect(kindsIn((await of('failed,paid').ended).stderr)).toEqual(['failed']);
    expect(kindsIn((await of('failed,paid').ended).stderr)).toEqual([]);
  });

  it('leaves what waits for a start that wants its kind', async () => {
    const { sell, settle, watch } = await open();
    const { activity } = await sell();
    const go = join(newFolder('mark'), 'go');
    const exec = `${script('[ -e "$1" ]')} ${go}`;
    const run = watch('--exec', exec, '--on', 'paid');
    await run.saw(/\topen\t/);
    await settle(activity, 'successful');
    await run.saw(/was refused/);
    await ended(run);
    writeFileSync(go, '');
    const of = (on: string) => watch('--until-final', '--exec', exec, '--on', on).ended;
    expect(await of('reversed')).toMatchObject({ code: 0, stderr: expect.not.stringContaining('"kind"') });
    expect(kindsIn((await of('paid')).stderr)).toEqual(['paid']);
  });

  it('gives it a minimal environment, and prints its output on stderr', async () => {
    const { sell, settle, built, key } = await open();
    const { ugwo, activity } = await sell();
    await settle(activity, 'successful');
    const run = built(ugwo, '--until-final', '--exec', script('env; echo problem >&2'), '-o', 'ndjson');
    const { stdout, stderr } = await run.ended;
    expect(stderr).toMatch(/^PATH=/m);
    expect(stderr).toContain('problem');
    for (const text of [key, CANARY, 'PAYCLI_', 'OTHER']) expect(stderr).not.toContain(text);
    expect(stdout).not.toContain('PATH=');
  });

  it('goes on once an event that could not be stored can be', async () => {
    const { sell, settle, watch, options } = await open();
    const { activity } = await sell();
    const run = watch('--exec', 'cat');
    await run.saw(/\topen\t/);
    const home = String(options.home);
    const [name = ''] = queuesIn(home);
    const db = new DatabaseSync(join(home, name));
    db.exec('BEGIN IMMEDIATE');
    await settle(activity, 'successful');
    await run.saw(/the queue can't be written to/);
    db.exec('ROLLBACK');
    db.close();
    await run.saw(/"kind":"paid"/);
    expect(kindsIn((await ended(run)).stderr)).toEqual(['paid']);
  });

  it('tells at its next start what it could not store before its end', async () => {
    const { sell, settle, watch, options } = await open();
    const { activity } = await sell();
    const run = watch('--exec', 'cat');
    await run.saw(/\topen\t/);
    const home = String(options.home);
    const db = new DatabaseSync(join(home, queuesIn(home)[0] ?? ''));
    db.exec("CREATE TRIGGER full BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'full'); END");
    await settle(activity, 'successful');
    await run.saw(/the queue can't be written to/);
    await ended(run);
    db.exec('DROP TRIGGER full');
    db.close();
    expect(kindsIn((await watch('--exec', 'cat', '--until-final').ended).stderr)).toEqual(['paid']);
  });

  // The tests have no PostgreSQL on Windows.
  it.skipIf(process.platform === 'win32')('runs on each machine of a shared ledger, with the same id', async () => {
    const { url } = await newTeam();
    const { sell, settle, watch, elsewhere } = await open({ PAYCLI_LEDGER: url });
    const { activity } = await sell();
    const runs = [watch('--exec', 'cat'), elsewhere('--exec', 'cat')];
    for (const run of runs) await run.saw(/\topen\t/);
    await settle(activity, 'successful');
    for (const run of runs) await run.saw(/"kind":"paid"/);
    const [one = [], other] = await Promise.all(runs.map(async (run) => eventsIn((await ended(run)).stderr)));
    expect(one).toHaveLength(1);
    expect(other).toMatchObject([{ id: one[0]?.id, kind: 'paid' }]);
    expect(kindsIn((await watch('--exec', 'cat', '--until-final').ended).stderr)).toEqual([]);
  });

  it('runs once for each program', async () => {
    const { sell, watch, paycli } = await open();
    await sell();
    const run = watch('--exec', 'cat');
    await run.saw(/\topen\t/);
    const other = await paycli('watch', '--exec', 'cat', '-o', 'json');
    expect([other.code, errorOf(other)['message']]).toEqual([2, expect.stringContaining('runs the same program')]);
    expect(await paycli('watch', '--exec', 'cat -', '--until-final', '--wait-timeout', '1s')).toMatchObject({
      code: 12,
    });
    await ended(run);
  });

  const recipes = new Map(
    [...readFileSync('docs/watch.md', 'utf8').matchAll(/For (\S+):\n\n((?: {4}.*\n)+)/g)].map(([, name, text = '']) => [
      name,
      text.replaceAll(/^ {4}/gm, ''),
    ]),
  );
  const tools = (process.env['PATH'] ?? '').split(delimiter);
  const hasTools = ['jq', 'curl'].every((name) => tools.some((folder) => existsSync(join(folder, name))));

  it.runIf(hasTools).each([
    ['Slack', /^\/secret application\/json \{\s+"text": "paid: ugw\.\S+, NGN 900"\s+\}$/],
    ['ntfy', /^\/secret \S+ paid: ugw\.\S+$/],
    ['e-mail', /^To: shop@example\.com\nSubject: paid: ugw\.\S+\n\n\{"id":"chg-/],
  ])('runs the recipe for %s', async (name, expected) => {
    const { sell, settle, watch, options } = await open();
    const { ugwo, activity } = await sell();
    await settle(activity, 'successful');
    const home = String(options.home);
    const [target, mail, file] = [await serveTarget(), join(home, 'mail'), join(home, 'recipe')];
    for (const rc of ['.slack', '.ntfy']) writeFileSync(join(home, rc), `url = "${new URL('/secret', target.url)}"\n`);
    writeFileSync(join(home, 'sendmail'), `#!/bin/sh\ncat > ${mail}\n`, { mode: 0o700 });
    const text = recipes.get(name)?.replace('/usr/sbin/sendmail', join(home, 'sendmail')) ?? '';
    writeFileSync(file, text, { mode: 0o700 });
    const run = await watch(ugwo, '--until-final', '--exec', file).ended;
    expect(run.code, run.stderr).toBe(0);
    const [sent] = target.seen.map((one) => `${one.url} ${one.headers['content-type']} ${one.body}`);
    expect((sent ?? readFileSync(mail, 'utf8')).trim()).toMatch(expected);
  });

  it.runIf(hasTools).each(['Slack', 'ntfy'])('sends nothing by the recipe for %s without jq', async (name) => {
    const [target, home] = [await serveTarget(), newFolder()];
    const curl = tools.map((folder) => join(folder, 'curl')).find((path) => existsSync(path)) ?? '';
    symlinkSync(curl, join(home, 'curl'));
    for (const rc of ['.slack', '.ntfy']) writeFileSync(join(home, rc), `url = "${target.url}"\n`);
    writeFileSync(join(home, 'recipe'), recipes.get(name) ?? '', { mode: 0o700 });
    const program = [join(home, 'recipe')] as const;
    const { code } = await start([], { home, program, env: { PATH: home }, stdin: '{}' }).ended;
    expect([code, target.seen]).toEqual([127, []]);
  });

  it('names the file of its events if that is damaged', async () => {
    const { sell, watch, options, paycli } = await open();
    await sell();
    const run = watch('--exec', 'cat');
    await run.saw(/\topen\t/);
    await ended(run);
    const home = String(options.home);
    const [name = ''] = queuesIn(home);
    writeFileSync(join(home, name), 'no database');
    const { code, stderr } = await paycli('watch', '--exec', 'cat');
    expect([code, stderr]).toEqual([10, expect.stringContaining(`the queue of events ${join(home, name)} `)]);
  });

  it.each([
    [['--on', 'paid'], '--on needs --exec'],
    [['--exec-env', 'TZ'], '--exec-env needs --exec'],
    [
      ['--exec', 'cat', '--on', 'paid,fialed'],
      '"fialed" is not one of paid, underpaid, overpaid, paid_twice, reversed, expired, failed, unknown, refunded, refund_failed (did you mean failed?)',
    ],
    [['--exec', 'nowhere-at-all'], 'the program "nowhere-at-all" was not found'],
    [['--exec', './package.json'], 'the program "./package.json" was not found, or is not executable'],
    [['--exec', 'cat', '--exec-env', 'OTHER'], 'contains a secret of paycli'],
  ])('rejects %j', async (args, message) => {
    const env = { OTHER: CANARY };
    const service = { origin: 'http://127.0.0.1:9' };
    const run = await inProcess(['watch', ...args, '-o', 'json'], { env, service });
    expect([run.code, errorOf(run)['message']]).toEqual([2, expect.stringContaining(message)]);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { inProcess, startHere } from '../support/in-process.ts';
import type { Ended, Running } from '../support/program.ts';
import { errorOf, newFolder, quickClock } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import type { Seen, Service } from '../support/service.ts';
import { json, problem, serveAllBy } from '../support/service.ts';
import { activityOf, charged, chargeFrom, numberIn, summaryOf, ugwoOf, ussdFile } from './bulk-support.ts';
import { command, judged } from './schema-support.ts';
import type { Watching } from './watch-support.ts';
import { charge, requestWith } from './watch-support.ts';

beforeEach(() => void quickClock());

const changesIn = (stdout: string): Record<string, unknown>[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const shortly = ({ stdout }: Ended): string[] =>
  changesIn(stdout).map(({ ugwo: uid, before, now }) => `${Number(String(uid).slice(-24))} ${before} ${now}`);

const watch = ({ home, service }: Watching, ...args: readonly string[]): Running =>
  startHere(['watch', ...args, '-o', 'ndjson'], { home, service });

const isList = ({ url }: Seen): boolean => url.startsWith('/v1/ugwo?');

describe('watch', () => {
  it("prints each charge's state, then each change, and exits with the most severe code", async () => {
    const world = await charge(3);
    const run = watch(world, '--job', world.job, '--until-final');
    await run.saw(/"row":3,[^\n]*\n/);
    world.set(1, 'successful');
    await run.saw(/"now":"paid"/);
    world.set(2, 'failed');
    world.set(3, 'successful');
    const ended = await run.ended;
    expect(ended.code).toBe(11);
    expect(shortly(ended).slice(0, 4)).toEqual(['1 null open', '2 null open', '3 null open', '1 open paid']);
    expect(shortly(ended).slice(4).sort()).toEqual(['2 open failed', '3 open paid']);
    for (const line of ended.stdout.trim().split('\n'))
      judged(command('watch')?.output.ndjson_line ?? { not: {} }, line);
    expect(changesIn(ended.stdout)[3]).toEqual({
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
      charge: expect.stringMatching(/^chg-/),
      ugwo: ugwoOf(1),
      before: 'open',
      now: 'paid',
      status: 'successful',
      amount: 500_001,
      currency: 'NGN',
      received: 500_001,
      medium: 'ussd',
      activity: activityOf(1),
      ref: 'order-1',
      job: world.job,
      row: 1,
      customer: null,
      customer_email: null,
    });
    expect(errorOf(ended)).toMatchObject({
      kind: 'charge_failed',
      message: 'not every charge is paid: 2 paid (NGN 10,000.04), 1 failed (NGN 5,000.02)',
    });
  });

  it('exits with 13 if a part of the money is missing, and shows what came', async () => {
    const world = await charge(2);
    world.set(1, 'successful');
    world.set(2, 'successful', 200_000);
    const ended = await watch(world, '--job', world.job, '--until-final').ended;
    expect(ended.code).toBe(13);
    expect(changesIn(ended.stdout).findLast(({ row }) => row === 2)).toMatchObject({
      now: 'underpaid',
      received: 200_000,
    });
    expect(errorOf(ended)).toMatchObject({
      kind: 'underpaid',
      message: 'not every charge is paid: 1 paid (NGN 5,000.01), 1 part paid (NGN 2,000.00)',
    });
  });

  it('filters each change with --jq', async () => {
    const world = await charge(1);
    const run = startHere(['watch', '--jq', '.now', '--until-final'], { home: world.home, service: world.service });
    await run.saw(/^open\n$/);
    world.set(1, 'successful');
    expect(await run.ended).toMatchObject({ code: 0, stdout: 'open\npaid\n' });
    const refused = await inProcess(['watch', '--jq', '.now', '-o', 'json']);
    expect(errorOf(refused)).toMatchObject({ kind: 'usage', message: expect.stringContaining('--jq and -o json') });
  });

  it('exits with 0 if all are paid, and sends nothing if the ledger knows that', async () => {
    const world = await charge(2);
    for (const number of [1, 2]) world.set(number, 'successful');
    expect(await watch(world, '--job', world.job, '--until-final').ended).toMatchObject({ code: 0, stderr: '' });
    const before = world.reads().length;
    const again = await watch(world, '--job', world.job, '--until-final').ended;
    expect(shortly(again)).toEqual(['1 null paid', '2 null paid']);
    expect(world.reads()).toHaveLength(before);
  });

  it('watches the open charges by default and skips paid ones', async () => {
    const world = await charge(3);
    world.set(2, 'successful');
    expect(await watch(world, ugwoOf(2), '--until-final').ended).toMatchObject({ code: 0 });
    const ended = await watch(world, '--until-final', '--wait-timeout', '1s').ended;
    expect(ended.code).toBe(12);
    expect(shortly(ended)).toEqual(['1 null open', '3 null open']);
    expect(errorOf(ended)).toMatchObject({ kind: 'pending' });
  });

  it('includes charges that start meanwhile', async () => {
    const world = await charge(1);
    const run = watch(world, '--open');
    await run.saw(/"now":"open"/);
    await chargeFrom(ussdFile(2), world);
    await run.saw(/0002","before":(?:null|"sending"),"now":"open"/);
    run.kill('SIGINT');
    expect(await run.ended).toMatchObject({ code: 130 });
  });

  it('lists once for many charges and reads only the changed ones', async () => {
    const world = await charge(40);
    const run = watch(world, '--job', world.job);
    await run.saw(/"row":40,[^\n]*\n/);
    world.set(17, 'successful');
    await run.saw(/"now":"paid"/);
    run.kill('SIGINT');
    await run.ended;
    const [lists, ones] = [world.reads().filter(isList), world.reads().filter((seen) => !isList(seen))];
    expect(lists.length).toBeGreaterThan(0);
    expect(ones.some((seen) => numberIn(seen) === 17)).toBe(true);
    // Plus a few unchanged ones per round, which finds failures that no list shows.
    expect(ones.length).toBeLessThanOrEqual(1 + 4 * lists.length);
  });

  it('continues after a 429', async () => {
    let refused = 0;
    const world = await charge(1, () => {
      refused += 1;
      return refused <= 2;
    });
    world.set(1, 'successful');
    expect(await watch(world, '--job', world.job, '--until-final').ended).toMatchObject({ code: 0 });
    expect(refused).toBeGreaterThan(2);
  });

  it('exits with 4 once the key is rejected', async () => {
    const home = newFolder();
    let taken = true;
    const service = await serveAllBy((seen) => {
      if (!taken) return problem(401, 'Unauthorized');
      return seen.method === 'POST' ? charged(1) : json(200, { ...requestWith(1, 'open'), activities: [] });
    });
    await chargeFrom(ussdFile(1), { home, service });
    taken = false;
    await scene({ home, service, argv: ['watch', '-o', 'ndjson'], exit: 4, stdout: /^/ });
  });

  it("explains why it can't watch something, such as another service's file", async () => {
    const [world, other] = [await charge(1), await serveAllBy(() => undefined)];
    const refused: readonly [string[], RegExp, Service][] = [
      [[ugwoOf(2)], /no charge of ugw\.AbCd\.0+2 in the ledger/, world.service],
      [['--job', 'job-none'], /no job "job-none" in the ledger/, world.service],
      [['--open', '--job', 'job-none'], /can't be used together/, world.service],
      [['--wait-timeout', '2s'], /--wait-timeout needs --until-final/, world.service],
      [['--job', world.job], /job-\S+ was sent to another service/, other],
    ];
    for (const [args, stderr, service] of refused)
      await scene({ home: world.home, service, argv: ['watch', ...args], exit: 2, stderr, requests: [] });
  });

  it('exits with 0 and a message if nothing is open', () =>
    scene({
      built: true,
      service: () => undefined,
      argv: ['watch', '--until-final'],
      stdout: '',
      stderr: 'No charge is open.\n',
    }));
});

describe('ugwo charge --from --wait', () => {
  it('lists once for many charges and reads only the changed ones, as a watch does', async () => {
    const world = await charge(40);
    world.set(17, 'successful');
    const file = ussdFile(...Array.from({ length: 40 }, (_none, index) => index + 1));
    const ended = await chargeFrom(file, world, '--wait', '--wait-timeout', '1s');
    expect(ended.code, ended.stderr).toBe(12);
    expect(summaryOf(ended)).toMatchObject({
      skipped: 40,
      payments: [
        { payment: 'paid', count: 1 },
        { payment: 'open', count: 39 },
      ],
    });
    const [lists, ones] = [world.reads().filter(isList), world.reads().filter((seen) => !isList(seen))];
    expect(lists.length).toBeGreaterThan(0);
    expect(ones.length).toBeLessThanOrEqual(1 + 4 * lists.length);
  });
});

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { inProcess, startHere } from '../support/in-process.ts';
import { endIfRunning, errorOf, newFolder, quickClock } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import type { Answer, Seen, Service } from '../support/service.ts';
import { held, json, reset, serveAllBy, ugwo } from '../support/service.ts';
import { activityOf, charged, numberIn, ugwoOf, ussdFile } from './bulk-support.ts';
import { eventOf, listen, listenHere, paymentsIn } from './news-support.ts';

beforeEach(() => void quickClock());

const activity = (number: number, status: string, more: object = {}) => ({
  uid: activityOf(number),
  activity_type: 'charge',
  status,
  next_action: null,
  ...more,
});

const requestWith = (number: number, activities: readonly object[]): Answer =>
  json(200, { ...ugwo(number), uid: ugwoOf(number), checkout: { uid: 'chk.AbCd.1' }, activities });

interface World {
  readonly options: { readonly home: string; readonly service: Service };
  /** Sets the answer to reads of a payment request. */
  readonly show: (number: number, answer: Answer) => void;
  /** Reads since the charges were sent. */
  readonly reads: () => readonly Seen[];
}

/** Open charges, and a service whose answers the test sets. */
const charge = async (...numbers: readonly number[]): Promise<World> => {
  const [home, shown] = [newFolder(), new Map<number, Answer>()];
  const service = await serveAllBy((seen) => {
    if (seen.method === 'POST') return charged(numberIn(seen));
    return shown.get(numberIn(seen)) ?? requestWith(numberIn(seen), []);
  });
  await inProcess(['ugwo', 'charge', '--json', '--from', ussdFile(...numbers)], { home, service });
  const made = service.seen.length;
  return {
    options: { home, service },
    show: (number, answer) => void shown.set(number, answer),
    reads: () => service.seen.slice(made),
  };
};

const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
};

const stop = async (run: Awaited<ReturnType<typeof listenHere>>['run']) => {
  run.kill('SIGINT');
  return run.ended;
};

/** Charges the first request, and reports a double charge of one with these activities. */
const reported = async (number: number, activities: readonly object[], begin = listenHere) => {
  const world = await charge(1);
  world.show(number, requestWith(number, activities));
  const { run, deliver } = await begin(world.options, '-o', 'ndjson');
  const event = eventOf(number, 'ugwo.activity.double_charge_detected', activity(number, 'successful'));
  await deliver(event);
  await run.saw(/"double_charge"/);
  return { ...world, event, ended: await stop(run) };
};

describe('webhook listen with a ledger', () => {
  it('reads a payment request for many events at once, and trusts only that read', async () => {
    const world = await charge(1, 2);
    const answers = [
      held(requestWith(1, [activity(1, 'successful')])),
      held(requestWith(2, [activity(2, 'requires_action')])),
    ];
    for (const [index, { hold }] of answers.entries()) world.show(index + 1, hold);
    const { run, deliver } = await listenHere(world.options);
    const paid = (number: number) => eventOf(number, 'ugwo.activity.updated', activity(number, 'successful'));
    const all = Array.from({ length: 20 }, (_, index) => deliver(paid((index % 2) + 1)));
    expect(await Promise.all(all)).toEqual(all.map(() => 200));
    for (const { letGo } of answers) letGo();
    await until(() => new Set(world.reads().map(numberIn)).size === 2);
    await until(async () => (await paymentsIn(world.options)).includes('paid'));
    await stop(run);
    // For the other one, only the event says that it is paid.
    expect(await paymentsIn(world.options)).toEqual(['open', 'paid']);
    // One read each, and one more for events that came after it was sent.
    for (const number of [1, 2]) {
      expect(world.reads().filter((seen) => numberIn(seen) === number).length).toBeLessThanOrEqual(2);
    }
  });

  it('sends no read for events that are unsigned, about other charges, or without a payment request', async () => {
    const world = await charge(1);
    world.show(1, requestWith(1, [activity(1, 'successful')]));
    const { run, deliver } = await listenHere(world.options);
    expect(await deliver(eventOf(1, 'ugwo.successful', {}), 'wsk.other')).toBe(401);
    expect(await deliver(eventOf(7, 'ugwo.successful', {}))).toBe(200);
    expect(await deliver({ uid: 'evt.AbCd.1', event: 'nzube.onye.created', data: {} })).toBe(200);
    await run.saw(/nzube\.onye\.created/);
    const odd = { uid: 'evt.AbCd.odd', event: 'ugwo.activity.double_charge_detected', data: { ugwo_uid: 'ugw./../x' } };
    expect(await deliver(odd)).toBe(200);
    await run.saw(/evt\.AbCd\.odd/);
    expect(world.reads()).toEqual([]);
    await deliver(eventOf(1, 'ugwo.successful', {}));
    await until(() => world.reads().length > 0);
    await until(async () => (await paymentsIn(world.options)).includes('paid'));
    await stop(run);
    expect(world.reads().map(numberIn)).toEqual([1]);
  });

  it('resolves an unknown charge', async () => {
    const home = newFolder();
    let activities: object[] = [];
    const service = await serveAllBy((seen) => {
      if (seen.method === 'POST') {
        activities = [activity(1, 'requires_action', { created_at: new Date().toISOString() })];
        return reset;
      }
      return requestWith(1, activities);
    });
    const options = { home, service };
    const args = ['ugwo', 'charge', ugwoOf(1), '--medium', 'ussd', '--provider', 'gtb'];
    await scene({ ...options, argv: args, exit: 6 });
    const { run, deliver } = await listenHere(options);
    await deliver(eventOf(1, 'ugwo.activity.created', activities[0] ?? {}));
    await until(async () => (await paymentsIn(options)).includes('open'));
    await stop(run);
    const argv = ['ledger', 'list', '-o', 'tsv', '--columns', 'state,activity'];
    await scene({ ...options, argv, stdout: `accepted\t${activityOf(1)}\n` });
  });

  it('reads the activity where the payment request shows none', async () => {
    const home = newFolder();
    const service = await serveAllBy((seen) => {
      if (seen.method === 'POST') return charged(numberIn(seen));
      const paid = { ...activity(1, 'successful'), ugwo_uid: ugwoOf(1) };
      return json(200, seen.url.includes(activityOf(1)) ? paid : { ...ugwo(1), uid: ugwoOf(1) });
    });
    const options = { home, service };
    await inProcess(['ugwo', 'charge', '--json', '--no-preflight', '--from', ussdFile(1)], options);
    const { run, deliver } = await listenHere(options);
    await deliver(eventOf(1, 'ugwo.successful', {}));
    await until(async () => (await paymentsIn(options)).includes('paid'));
    await stop(run);
    expect(service.seen.filter(({ url }) => url.includes(activityOf(1)))).toHaveLength(1);
  });

  it('retries a failed read, also after kill -9', async () => {
    const world = await charge(1);
    world.show(1, json(200, '{"cut'));
    const first = await listen(world.options);
    expect(await first.deliver(eventOf(1, 'ugwo.successful', {}))).toBe(200);
    await first.run.saw(/couldn't check ugw\.AbCd\.0+1 yet, trying again/);
    first.run.kill('SIGKILL');
    await first.run.ended;
    world.show(1, requestWith(1, [activity(1, 'successful')]));
    const before = world.reads().length;
    const second = await listenHere(world.options);
    await until(async () => (await paymentsIn(world.options)).includes('paid'));
    await stop(second.run);
    expect(world.reads()).toHaveLength(before + 1);
  });

  it('names both activities of a double charge and exits with 3', async () => {
    const other = { ...activity(9, 'successful'), created_at: '2026-11-20T10:00:00+00:00' };
    const { event, ended, options } = await reported(1, [other, activity(1, 'successful')], listen);
    expect(ended.code).toBe(3);
    const { stdout } = await inProcess(['ledger', 'list', '--json'], options);
    const [{ id, job }] = (JSON.parse(stdout) as { data: [{ id: string; job: string }] }).data;
    const paid = { status: 'successful', profile: null };
    expect(JSON.parse(ended.stdout)).toMatchObject({
      ...{ uid: (event as { uid: string }).uid, event: 'ugwo.activity.double_charge_detected' },
      double_charge: {
        confirmed: true,
        paid: [
          { ...paid, activity: activityOf(1), charge: id, job, row: 1, sent_at: expect.stringMatching(/^20/) },
          { ...paid, activity: activityOf(9), charge: null, job: null, row: null, created_at: other.created_at },
        ],
      },
    });
    expect(errorOf(ended)).toMatchObject({ kind: 'rejected', hint: expect.stringContaining('paycli refund create') });
    expect(errorOf(ended)['message']).toMatch(/has paid ugw\.AbCd\.0+1 twice:.*chg-.*row 1.*not from this ledger/s);
  });

  it('names a double charge that this ledger sent no part of', async () => {
    const { ended } = await reported(7, [activity(7, 'successful'), activity(9, 'successful')]);
    expect(ended).toMatchObject({ code: 3, stdout: expect.stringContaining('"confirmed":true') });
  });

  it('calls two parts of one payment no double charge', async () => {
    const part = (number: number, sum: number) => ({ ...activity(number, 'successful'), charged_amount: sum });
    const { ended, options } = await reported(1, [part(9, 200_000), part(1, 300_001)]);
    expect(ended.code).toBe(130);
    expect(JSON.parse(ended.stdout)).toMatchObject({ double_charge: { confirmed: false } });
    expect(await paymentsIn(options)).toEqual(['paid']);
  });

  it('names both after a kill that came before the event was printed', async () => {
    const world = await charge(1);
    const other = activity(9, 'successful');
    world.show(1, requestWith(1, [other, activity(1, 'successful')]));
    const [begun, wait] = [join(newFolder(), 'begun'), join(newFolder(), 'wait.mjs')];
    writeFileSync(
      wait,
      `import { appendFileSync } from 'node:fs'; appendFileSync('${begun}', String(process.pid)); setInterval(() => {}, 1000);`,
    );
    const first = await listen(world.options, '--exec', `${process.execPath} ${wait}`);
    await first.deliver(eventOf(7, 'ugwo.updated', {}));
    const pid = (): number => (existsSync(begun) ? Number(readFileSync(begun, 'utf8')) : 0);
    await until(() => pid() > 0);
    // The kill of the listener leaves it running.
    onTestFinished(() => endIfRunning(pid()));
    await first.deliver(eventOf(1, 'ugwo.activity.double_charge_detected', activity(1, 'successful')));
    const queue = new DatabaseSync(join(world.options.home, 'webhooks.db'), { readOnly: true });
    const places = queue.prepare("SELECT seq FROM place WHERE name = 'news'");
    await until(() => places.get()?.['seq'] === 2);
    queue.close();
    first.run.kill('SIGKILL');
    await first.run.ended;
    const second = await listenHere(world.options, '-o', 'ndjson', '--until', '1');
    expect(await second.run.ended).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('"double_charge":{"confirmed":true'),
    });
  });

  it('prints a reported double charge that the service does not show, and does not trust it', async () => {
    const world = await charge(1);
    world.show(1, requestWith(1, [activity(1, 'successful')]));
    const { run, deliver } = await listenHere(world.options);
    await deliver(eventOf(1, 'ugwo.activity.double_charge_detected', activity(1, 'successful')));
    await run.saw(/reports a double charge of ugw\.AbCd\.0+1, but shows one paid activity/);
    expect(await stop(run)).toMatchObject({ code: 130 });
  });

  it("stores events without a profile, and says that they don't update the ledger", async () => {
    const { run, deliver } = await listenHere({});
    await run.saw(/Events don't update the ledger: /);
    expect(await deliver(eventOf(1, 'ugwo.successful', {}))).toBe(200);
    await run.saw(/ugwo\.successful/);
    expect(await stop(run)).toMatchObject({ code: 130 });
  });
});

describe('watch during webhook listen', () => {
  it('sends no reads, and polls again once the listener stops', async () => {
    const world = await charge(1, 2);
    const { run, deliver } = await listen(world.options);
    const watching = startHere(['watch', '-o', 'ndjson'], world.options);
    await watching.saw(/"row":2,[^\n]*\n/);
    expect(world.reads()).toEqual([]);
    world.show(1, requestWith(1, [activity(1, 'successful')]));
    await deliver(eventOf(1, 'ugwo.successful', {}));
    await watching.saw(/"now":"paid"/);
    expect(world.reads().map(numberIn)).toEqual([1]);
    world.show(2, requestWith(2, [activity(2, 'failed')]));
    await stop(run);
    await watching.saw(/"now":"failed"/);
    watching.kill('SIGINT');
    expect(await watching.ended).toMatchObject({ code: 130 });
  });
});

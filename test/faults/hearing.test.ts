import { writeFileSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ActivityEnding } from '../../src/core/data-files.ts';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { listen } from '../blackbox/news-support.ts';
import { newFolder, paycli, type RunOptions, start } from '../support/program.ts';
import { figure, full } from './torture.ts';

/*
 * End to end on one machine: a file of charges at a running emulator, payments by its clock, and what the ledger then
 * knows: by webhooks without polling, and without webhooks by `watch`.
 */

const CHARGES = full ? 1000 : 20;
const MINUTE_MS = 60_000;
/** Accounts live for 15 minutes. */
const LATEST_MS = 13 * MINUTE_MS;
const TIMEOUT_MS = full ? 600_000 : 120_000;

const CLOCK = { now: Date.now, ticks: () => performance.now(), sleep: async () => undefined };

/** Requests between the program and the emulator. */
interface Counted {
  readonly method: string;
  readonly url: string;
}

/** Forwards requests to a service, and records them. */
const openCounter = async (to: string): Promise<{ readonly origin: string; readonly seen: Counted[] }> => {
  const seen: Counted[] = [];
  const server = createServer((incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    seen.push({ method, url });
    const on = forward(`${to}${url}`, { method, headers: { ...headers, host: new URL(to).host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    on.on('error', () => response.destroy());
    incoming.pipe(on);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
};

interface Stage {
  readonly options: RunOptions;
  /** The emulator's data. */
  readonly file: string;
  readonly job: string;
  /** The requests since the charges were created. */
  readonly asked: () => readonly Counted[];
  /** How each activity ends, by the emulator's clock. */
  readonly plan: ReadonlyMap<string, ActivityEnding>;
}

const endingOf = (index: number): ActivityEnding => {
  if (index % 10 === 3) return 'failed';
  return index % 10 === 7 ? 'expired' : 'successful';
};

const ndjson = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** The accepted charges of a job. On a slow machine a row may have an earlier entry that was not sent. */
const acceptedIn = async (job: string, options: RunOptions): Promise<Record<string, unknown>[]> => {
  const list = ['ledger', 'list', '--job', job, '--state', 'accepted', '-o', 'ndjson'];
  return ndjson((await paycli(list, options)).stdout);
};

/** A file of charges sent to a running emulator; each ends within the next minutes. */
const openStage = async (): Promise<Stage> => {
  const [home, file] = [newFolder(), join(newFolder('emulator'), 'data.sqlite')];
  await emulatorRoom.seed({ file, clock: CLOCK, customers: 1, ugwo: 0 });
  const emulator = start(['emulator', 'start', '--data', file, '--json']);
  await emulator.saw(/"key":"[^"]+".*\n/);
  const { origin, key } = JSON.parse(emulator.stdout()) as { origin: string; key: string };
  const make = async (index: number): Promise<string> => {
    const answer = await fetch(`${origin}/v1/ugwo`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ amount: 500_000 + index, currency: 'NGN' }),
    });
    return ((await answer.json()) as { uid: string }).uid;
  };
  const ugwos: string[] = [];
  for (let index = 0; index < CHARGES; index += 1) ugwos.push(await make(index));
  const charges = join(newFolder('charges'), 'charges.csv');
  writeFileSync(charges, `ugwo\n${ugwos.join('\n')}\n`);
  const counter = await openCounter(origin);
  const options = { home, service: counter, env: { PAYCLI_SECRET_KEY: key } };
  const charged = await paycli(['ugwo', 'charge', '--from', charges, '--medium', 'bank_transfer', '--json'], options);
  expect(charged.code, charged.stderr).toBe(0);
  const { job } = JSON.parse(charged.stdout) as { job: string };
  const rows = await acceptedIn(job, options);
  const plan = new Map(rows.map(({ activity }, index) => [String(activity), endingOf(index)]));
  expect(plan.size).toBe(CHARGES);
  let index = 0;
  for (const [activity, as] of plan) {
    const after = MINUTE_MS + Math.floor((index / CHARGES) * (LATEST_MS - MINUTE_MS));
    await emulatorRoom.settle({ file, clock: CLOCK, activity, as, after });
    index += 1;
  }
  const before = counter.seen.length;
  return { options, file, job, plan, asked: () => counter.seen.slice(before) };
};

/** Advances the emulator's clock in steps, until every account has expired. */
const passTime = async ({ file }: Stage): Promise<void> => {
  for (let passed = 0; passed < LATEST_MS; passed += MINUTE_MS) {
    await emulatorRoom.clock({ file, clock: CLOCK, by: MINUTE_MS });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

const watchToEnd = ({ options, job }: Stage) =>
  start(['watch', '--job', job, '--until-final', '-o', 'ndjson'], options);

/** Checks that the ledger knows the end of every charge, and that each was reported once. */
const expectKnown = async ({ options, job, plan }: Stage, told: string): Promise<void> => {
  const wanted = [...plan].map(([activity, as]) => [activity, as === 'successful' ? 'paid' : as]).sort();
  const rows = await acceptedIn(job, options);
  expect(rows.map(({ activity, payment }) => [activity, payment]).sort()).toEqual(wanted);
  const ends = ndjson(told).filter(({ now }) => now === 'paid' || now === 'failed' || now === 'expired');
  expect(ends.map(({ activity, now }) => [activity, now]).sort()).toEqual(wanted);
};

const isRead = ({ method, url }: Counted): boolean => method === 'GET' && /^\/v1\/ugwo\/ugw\.[^/?]+$/.test(url);

describe('the end of every charge of a file', { timeout: TIMEOUT_MS }, () => {
  it('is known through webhooks, without polling', async () => {
    const stage = await openStage();
    const { run, url, secret } = await listen(stage.options, '-o', 'ndjson');
    const { file } = stage;
    await emulatorRoom.webhooks.add({ file, url, events: [], allowRemote: false, signing: { secret } });
    const began = performance.now();
    const watching = watchToEnd(stage);
    await watching.saw(new RegExp(`"row":${CHARGES},[^\n]*\n`));
    await passTime(stage);
    const { code, stdout } = await watching.ended;
    expect(code).toBe(11);
    await expectKnown(stage, stdout);
    run.kill('SIGINT');
    const events = ndjson((await run.ended).stdout);
    // Each read was caused by an event: there are no other requests, and for no payment request more than it had
    // events.
    expect(stage.asked().filter((one) => !isRead(one))).toEqual([]);
    const eventsOf = Map.groupBy(events, (event) => String(event['ugwo']));
    for (const [ugwo, reads] of Map.groupBy(stage.asked(), ({ url: path }) => path.split('/').at(-1) ?? '')) {
      expect(reads.length, ugwo).toBeLessThanOrEqual(eventsOf.get(ugwo)?.length ?? 0);
    }
    figure('hearing: charges', CHARGES);
    figure('hearing: events', events.length);
    figure('hearing: reads', stage.asked().length);
    figure('hearing: seconds', Math.round((performance.now() - began) / 1000), 's');
  });

  it('is found by watch without webhooks', async () => {
    const stage = await openStage();
    const watching = watchToEnd(stage);
    await watching.saw(new RegExp(`"row":${CHARGES},[^\n]*\n`));
    await passTime(stage);
    const { code, stdout } = await watching.ended;
    expect(code).toBe(11);
    await expectKnown(stage, stdout);
    const reads = stage.asked().filter(isRead).length;
    const lists = stage.asked().length - reads;
    expect(lists).toBeGreaterThan(0);
    figure('hearing: reads without webhooks', reads);
    figure('hearing: list pages without webhooks', lists);
  });
});

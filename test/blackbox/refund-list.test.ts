import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { type Ended, errorOf, newFolder, paycli, type RunOptions } from '../support/program.ts';
import { type Answer, json, problem, reset, type Seen, serveAllBy, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { activityOf, charged, numberIn, ugwoOf } from './bulk-support.ts';
import { newTeam } from './team-support.ts';

const RFD = (number: number): string => `rfd.AbCd.${String(number).padStart(24, '0')}`;

/** A payment request with a paid charge and, optionally, its refund. */
const requestOf = (number: number, more: object): Answer => {
  const activity = { uid: activityOf(number), status: 'partially_refunded', amount: 500_000, ...more };
  const activities = [{ uid: activityOf(90), status: 'failed' }, activity];
  return json(200, { ...ugwo(number), uid: ugwoOf(number), status: 'partially_refunded', activities });
};

/** A machine that has charged and refunded two payment requests. The service then answers as given. */
const refunded = async (more: object, options: RunOptions = { home: newFolder() }) => {
  let read: Answer | undefined;
  const made = new Set<number>();
  const service = await serveAllBy((seen: Seen) => {
    const number = numberIn(seen);
    if (seen.method !== 'POST') {
      const untouched = json(200, { ...ugwo(number), checkout: { uid: 'chk.AbCd.1' }, activities: [] });
      return read ?? (made.has(number) ? requestOf(number, more) : untouched);
    }
    if (seen.url !== '/v1/refunds') {
      made.add(number);
      return charged(number);
    }
    const body = JSON.parse(seen.body) as { ugwo_activity: string; ref: string };
    if (body.ref === 'lost') return reset;
    const other = body.ref === 'other' ? { amount: 900_000 } : {};
    return json(200, { ...body, ...other, uid: RFD(Number(body.ugwo_activity.slice(-2))), status: 'processing' });
  });
  const machine = { ...options, service };
  for (const number of [1, 2]) {
    const charge = ['ugwo', 'charge', ugwoOf(number), '--medium', 'ussd', '--provider', 'gtb'];
    expect(await inProcess(charge, machine)).toMatchObject({ code: 0 });
    const refund = ['refund', 'create', activityOf(number), '--amount-minor', `${number}000`, '--ref', `R-${number}`];
    expect(await inProcess([...refund, '--reason', 'broken', '--yes'], machine)).toMatchObject({ code: 0 });
  }
  const answer = (with_: Answer): void => {
    read = with_;
  };
  return { machine, service, answer, run: (...args: string[]) => inProcess(['refund', ...args], machine) };
};

type Row = Readonly<Record<string, unknown>>;
const rowsIn = ({ stdout }: Ended): Row[] => (JSON.parse(stdout) as { data: Row[] }).data;

const inTeam = async (): Promise<RunOptions> => (await newTeam()).machine();

const LEDGERS: readonly (readonly [where: string, open: () => Promise<RunOptions>])[] = [
  ['a file', async () => ({ home: newFolder() })],
  // The tests have no PostgreSQL on Windows.
  ...(process.platform === 'win32' ? [] : [['PostgreSQL', inTeam] as const]),
];

describe.each(LEDGERS)('refunds in a ledger (%s)', (_where, open) => {
  it('are listed page by page, newest first', async () => {
    const { run } = await refunded({}, await open());
    const all = rowsIn(await run('list', '--json'));
    expect(all.map(({ ref }) => ref)).toEqual(['R-2', 'R-1']);
    expect(all[1]).toMatchObject({
      ...{ state: 'accepted', uid: RFD(1), status: 'processing', activity: activityOf(1), ugwo: ugwoOf(1) },
      ...{ amount: 1000, currency: 'NGN', ref: 'R-1', reason: 'broken', exit_code: 0 },
    });
    const first = await run('list', '--max', '1', '--json');
    const { next_cursor: cursor } = JSON.parse(first.stdout) as { next_cursor: string };
    expect(rowsIn(await run('list', '--cursor', cursor, '--json')).map(({ ref }) => ref)).toEqual(['R-1']);
    expect(await run('list', '--cursor', 'abc')).toMatchObject({ code: 2 });
  });

  it('are shown by either id, with the current state from the payment request', async () => {
    const refund = { uid: RFD(1), status: ['successful', 'Successful'] };
    const { run, service } = await refunded({ refunds: [refund] }, await open());
    const { id } = rowsIn(await run('list', '--json'))[1] ?? {};
    const looks = service.seen.length;
    const shown = await run('get', String(id), '--json');
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(shown.stdout)).toMatchObject({
      ...{
        id,
        uid: RFD(1),
        status: 'processing',
        evidence: [{ kind: 'paid', status: 'partially_refunded' }, { kind: 'answer' }],
      },
      now: { refund: 'successful', activity: 'partially_refunded', ugwo: 'partially_refunded' },
    });
    expect(service.seen.slice(looks)).toMatchObject([{ method: 'GET', url: `/v1/ugwo/${ugwoOf(1)}` }]);
    expect((await run('get', RFD(1), '--json')).stdout).toBe(shown.stdout);
  });
});

it('refund list shows with a refund no charge of another service, and those of one service alone', async () => {
  const [{ run, machine }, { service }] = [await refunded({}), await refunded({})];
  const args = ['create', activityOf(1), '--ugwo', ugwoOf(1), '--amount-minor', '1000', '--yes'];
  const there = { ...machine, service };
  expect(await inProcess(['refund', ...args], there)).toMatchObject({ code: 0 });
  const ugwos = (ended: Ended) => rowsIn(ended).map((row) => row['ugwo']);
  expect(ugwos(await run('list', '--all-profiles', '--json'))).toEqual([null, ugwoOf(2), ugwoOf(1)]);
  expect(ugwos(await inProcess(['refund', 'list', '--json'], there))).toEqual([null]);
});

describe('refund get', () => {
  it('prints null for values that the payment request does not show', async () => {
    const { run, answer } = await refunded({});
    const { stdout } = await run('get', RFD(2), '--json');
    expect(JSON.parse(stdout)).toMatchObject({ now: { refund: null, activity: 'partially_refunded' } });
    const refund = { uid: RFD(2) };
    answer(json(200, { ...ugwo(2), status: '', activities: [{ uid: activityOf(2), status: '', refund }] }));
    const without = await run('get', RFD(2), '--json');
    expect(JSON.parse(without.stdout)).toMatchObject({ now: { refund: null, activity: null, ugwo: null } });
  });

  it("prints the ledger's record, then the error of the read", async () => {
    const { run, answer } = await refunded({});
    answer(problem(404, 'ugwo.error.not_found'));
    const ended = await run('get', RFD(2), '--json');
    expect(ended.code).toBe(3);
    expect(JSON.parse(ended.stdout)).toMatchObject({ ref: 'R-2', now: { refund: null, activity: null, ugwo: null } });
    expect(errorOf(ended)).toMatchObject({ status: 404 });
  });

  it('sends no read if the ledger does not know the payment request', async () => {
    const { machine, service, answer } = await refunded({});
    answer(requestOf(3, {}));
    const args = ['refund', 'create', activityOf(3), '--ugwo', ugwoOf(3), '--yes'];
    expect(await inProcess(args, machine)).toMatchObject({ code: 0 });
    const looks = service.seen.length;
    const ended = await inProcess(['refund', 'get', RFD(3), '--json'], machine);
    expect(ended.code).toBe(0);
    const told = await inProcess(['refund', 'get', RFD(3)], machine);
    expect(told.stderr).toContain(`This ledger has no charge of ${activityOf(3)} here`);
    // The whole payment was asked for: the answer says how much that is.
    const money = { amount: 500_000, currency: 'NGN' };
    expect(JSON.parse(ended.stdout)).toMatchObject({ ugwo: null, ...money, now: { activity: null } });
    const listed = await inProcess(['ledger', 'list', '--kind', 'refund', '--max', '1', '--json'], machine);
    expect(JSON.parse(listed.stdout)).toMatchObject({ data: [money] });
    expect(service.seen).toHaveLength(looks);
  });

  it('of another amount than was asked for is noted, and kept with it', async () => {
    const { machine, answer } = await refunded({});
    answer(requestOf(3, {}));
    const args = ['refund', 'create', activityOf(3), '--ugwo', ugwoOf(3), '--amount', '2,000.00', '--ref', 'other'];
    const note = 'the answer shows a refund of NGN 9,000.00, not of NGN 2,000.00';
    const { code, stderr } = await inProcess([...args, '--yes'], machine);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`note: ${note}\n`)]);
    const { stdout } = await inProcess(['refund', 'get', RFD(3), '--json'], machine);
    expect(JSON.parse(stdout)).toMatchObject({ amount: 900_000, evidence: [{}, {}, { kind: 'odd', message: note }] });
  });

  it('of another amount is noted of each row of a file', async () => {
    const { run } = await refunded({});
    const file = join(newFolder(), 'rows.csv');
    const rows = [3, 4].map((number) => `${activityOf(number)},${number}00000,NGN,other`);
    writeFileSync(file, ['activity,amount_minor,currency,ref', ...rows, ''].join('\n'));
    const { code, stderr } = await run('create', '--from', file, '--yes');
    expect([code, stderr.match(/(?<=note: )row \d: the answer shows a refund/g)?.toSorted()]).toEqual([
      0,
      [1, 2].map((row) => `row ${row}: the answer shows a refund`),
    ]);
  });

  it('rejects an id that is not a refund of this ledger', async () => {
    const { run } = await refunded({});
    const ended = await run('get', 'rfd.AbCd.9', '--json');
    expect(ended.code).toBe(2);
    expect(errorOf(ended)).toMatchObject({
      message: 'no refund "rfd.AbCd.9" in the ledger',
      hint: 'see them all: `paycli refund list --all-profiles`',
    });
  });
});

it('refund list and get show labels and money on a terminal', async () => {
  const { machine, run } = await refunded({ refunds: [{ uid: RFD(2), status: 'successful' }] });
  const [, first] = rowsIn(await run('list', '--json'));
  const word = ['ledger', 'resolve', String(first?.['id']), '--as', 'failed', '--reason', 'seen', '--yes'];
  expect(await inProcess(word, machine)).toMatchObject({ code: 0 });
  const lost = ['refund', 'create', activityOf(1), '--amount-minor', '3000', '--ref', 'lost', '--again', '--yes'];
  expect(await inProcess(lost, machine)).toMatchObject({ code: 6 });
  const list = openTerminal(['refund', 'list'], { ...machine, columns: 80 });
  await list.ended;
  expect(await list.screen()).toMatch(/^order-2 +NGN 20\.00 +refund open +[\d: -]+ refund-\w+$/m);
  expect(await list.screen()).toMatch(/^order-1 +NGN 30\.00 +unknown /m);
  const card = openTerminal(['refund', 'get', RFD(2)], { ...machine, columns: 80 });
  await card.ended;
  expect(await card.screen()).toMatch(/^refund now +refunded$/m);
  expect(await card.screen()).toMatch(/^activity now +part refunded$/m);
});

it.each(['list', 'get'])('refund %s --help says that the service has no read of refunds', async (verb) => {
  const { stdout } = await paycli(['refund', verb, '--help'], { home: newFolder() });
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('The service documents no read of refunds');
});

import { describe, expect, it } from 'vitest';
import { openLedger } from '../../src/ledger/sqlite/open.ts';
import { PLACE } from '../ledger/support/charges.ts';
import { inProcess } from '../support/in-process.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { newFolder, type RunOptions } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import { type Answer, json, problem, reset, type Seen, serveAllBy, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { activityOf, charged, csvOf, fileOf, numberIn, ugwoOf } from './bulk-support.ts';
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
  return { machine, answer };
};

const LIST = ['refund', 'list', '--json'];
const GET = ['refund', 'get', '--json'];

const inTeam = async (): Promise<RunOptions> => (await newTeam()).machine();

const LEDGERS: readonly (readonly [where: string, open: () => Promise<RunOptions>])[] = [
  ['a file', async () => ({ home: newFolder() })],
  // The tests have no PostgreSQL on Windows.
  ...(process.platform === 'win32' ? [] : [['PostgreSQL', inTeam] as const]),
];

describe.each(LEDGERS)('refunds in a ledger (%s)', (_where, open) => {
  it('are listed page by page, newest first', async () => {
    const { machine } = await refunded({}, await open());
    const first = {
      ...{ state: 'accepted', uid: RFD(1), status: 'processing', activity: activityOf(1), ugwo: ugwoOf(1) },
      ...{ amount: 1000, currency: 'NGN', ref: 'R-1', reason: 'broken', exit_code: 0 },
    };
    await scene({ ...machine, argv: LIST, json: { data: [{ ref: 'R-2' }, first] }, requests: [] });
    const argv = [...LIST, '--max', '1'];
    const { stdout } = await scene({ ...machine, argv, stderr: /^/, json: { data: [{ ref: 'R-2' }] } });
    const { next_cursor } = JSON.parse(stdout);
    await scene({ ...machine, argv: [...LIST, '--cursor', next_cursor], json: { data: [first], next_cursor: null } });
    await scene({ ...machine, argv: [...LIST, '--cursor', 'abc'], exit: 2 });
  });

  it('are shown by either id, with the current state from the payment request', async () => {
    const refund = { uid: RFD(1), status: ['successful', 'Successful'] };
    const { machine } = await refunded({ refunds: [refund] }, await open());
    const { stdout: listed } = await scene({ ...machine, argv: LIST });
    const { id } = JSON.parse(listed).data[1];
    const shown = {
      ...machine,
      json: {
        ...{ id, uid: RFD(1), status: 'processing' },
        evidence: [{ kind: 'paid', status: 'partially_refunded' }, { kind: 'answer' }],
        now: { refund: 'successful', activity: 'partially_refunded', ugwo: 'partially_refunded' },
      },
      requests: [`GET /v1/ugwo/${ugwoOf(1)}`],
    };
    const { stdout } = await scene({ ...shown, argv: [...GET, id] });
    await scene({ ...shown, argv: [...GET, RFD(1)], stdout });
  });
});

it('refund list shows with a refund no charge of another service, and those of one service alone', async () => {
  const [{ machine }, { machine: other }] = [await refunded({}), await refunded({})];
  const there = { ...machine, service: other.service };
  const before = [['refund', 'create', activityOf(1), '--ugwo', ugwoOf(1), '--amount-minor', '1000', '--yes']];
  await scene({ ...there, before, argv: LIST, json: { data: [{ ugwo: null }] } });
  const data = [{ ugwo: null }, { ugwo: ugwoOf(2) }, { ugwo: ugwoOf(1) }];
  await scene({ ...machine, argv: [...LIST, '--all-profiles'], json: { data } });
});

it('refund list without --max goes on after a full page', async () => {
  const home = newFolder();
  const ledger = await openLedger(ledgerOptions(`${home}/ledger.sqlite`));
  const activities = Array.from({ length: 101 }, (_, at) => activityOf(at + 1));
  const refund = { ...PLACE, kind: 'refund', path: '/v1/refunds', body: '{}', digest: '00', bound: 60_000 };
  for (const about of activities) await ledger.begin({ ...refund, about }, { again: false });
  await ledger.close();
  const data = activities.reverse().map((activity) => ({ activity }));
  await scene({ home, argv: [...LIST, '--all-profiles'], json: { data } });
});

describe('refund get', () => {
  /** A refund of a charge that this machine has not made. */
  const CREATE = ['refund', 'create', activityOf(3), '--ugwo', ugwoOf(3), '--yes'];

  it('prints null for values that the payment request does not show', async () => {
    const { machine, answer } = await refunded({});
    const argv = [...GET, RFD(2)];
    await scene({ ...machine, argv, json: { now: { refund: null, activity: 'partially_refunded' } } });
    const refund = { uid: RFD(2) };
    answer(json(200, { ...ugwo(2), status: '', activities: [{ uid: activityOf(2), status: '', refund }] }));
    await scene({ ...machine, argv, json: { now: { refund: null, activity: null, ugwo: null } } });
  });

  it("prints the ledger's record, then the error of the read", async () => {
    const { machine, answer } = await refunded({});
    answer(problem(404, 'ugwo.error.not_found'));
    const json = { ref: 'R-2', now: { refund: null, activity: null, ugwo: null } };
    await scene({ ...machine, argv: [...GET, RFD(2)], exit: 3, json, error: { status: 404 } });
  });

  it('sends no read if the ledger does not know the payment request', async () => {
    const { machine, answer } = await refunded({});
    answer(requestOf(3, {}));
    // The whole payment was asked for: the answer says how much that is.
    const money = { amount: 500_000, currency: 'NGN' };
    await scene({
      ...machine,
      before: [CREATE],
      argv: [...GET, RFD(3)],
      json: { ugwo: null, ...money, now: { activity: null } },
      requests: ['GET', 'POST /v1/refunds'],
    });
    const stderr = [`This ledger has no charge of ${activityOf(3)} here`];
    await scene({ ...machine, argv: ['refund', 'get', RFD(3)], stderr, requests: [] });
    const list = ['ledger', 'list', '--kind', 'refund', '--json'];
    await scene({ ...machine, argv: list, json: { data: [money, {}, {}] } });
  });

  it('of another amount than was asked for is noted, and kept with it', async () => {
    const { machine, answer } = await refunded({});
    answer(requestOf(3, {}));
    const message = 'the answer shows NGN 9,000.00, not NGN 2,000.00';
    const argv = [...CREATE, '--amount', '2,000.00', '--ref', 'other'];
    await scene({ ...machine, argv, stderr: [`note: ${message}\n`] });
    const evidence = [{}, {}, { kind: 'odd', message }];
    await scene({ ...machine, argv: [...GET, RFD(3)], json: { amount: 900_000, evidence } });
  });

  it('of another amount is noted of each row of a file', async () => {
    const { machine } = await refunded({});
    const rows = [3, 4].map((number) => `${activityOf(number)},${number}00000,NGN,other`);
    const file = fileOf(csvOf('activity,amount_minor,currency,ref', ...rows));
    const run = { ...machine, argv: ['refund', 'create', '--from', file, '--yes', '--concurrency', '1'] };
    const error = /^the answer shows +9,000\.00, not /;
    const report = { 1: { state: 'accepted', error }, 2: { state: 'accepted', error } };
    const stderr = /^note: row 1: the answer shows +9.+\nnote: row 2: the answer shows +9.+\n$/;
    await scene({ ...run, stderr, report });
    // A later run has them from the ledger.
    await scene({ ...run, report, requests: [] });
  });

  it('rejects an id that is not a refund of this ledger', async () => {
    const { machine } = await refunded({});
    const message = 'no refund "rfd.AbCd.9" in the ledger';
    const error = { message, hint: 'see them all: `paycli refund list --all-profiles`' };
    await scene({ ...machine, argv: [...GET, 'rfd.AbCd.9'], exit: 2, error, requests: [] });
  });
});

it('refund list and get show labels and money on a terminal', async () => {
  const { machine } = await refunded({ refunds: [{ uid: RFD(2), status: 'successful' }] });
  const { stdout } = await scene({ ...machine, argv: LIST });
  const word = ['ledger', 'resolve', JSON.parse(stdout).data[1].id, '--as', 'failed', '--reason', 'seen', '--yes'];
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
  const stdout = [/The\s+service\s+documents\s+no\s+read\s+of\s+refunds/];
  await scene({ argv: ['refund', verb, '--help'], stdout });
});

import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { initLedger } from '../../src/ledger/postgres/admin.ts';
import { parseAddress } from '../../src/ledger/postgres/url.ts';
import { newSharedPlace } from '../ledger/support/postgres.ts';
import { clock } from '../support/clock.ts';
import { sharedCluster } from '../support/postgres.ts';
import { errorOf, newFolder, paycli, type RunOptions } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import { json, problem, type Service, serveAllBy, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import {
  charged,
  chargeFrom,
  charging,
  numberIn,
  once,
  postsOf,
  serveCharges,
  summaryOf,
  ussdFile,
} from './bulk-support.ts';

/** A shared ledger with its owner and two operators, each on another machine. */
const team = async (serves?: Service) => {
  const [cluster, place, service] = [await sharedCluster(), newSharedPlace(), serves ?? (await serveCharges())];
  const url = await place.url();
  const roles = ['ada', 'obi'].map((name) => `${name}_${randomBytes(4).toString('hex')}`);
  for (const role of roles) await cluster.sql(`CREATE ROLE ${role} LOGIN`);
  await initLedger({ address: parseAddress(url), password: async () => undefined }, roles);
  const as = (role: string | undefined) => {
    const own = new URL(url);
    if (role !== undefined) own.username = role;
    return { service, home: newFolder(), env: { PAYCLI_LEDGER: own.href } };
  };
  const [ada, obi] = [as(roles[0]), as(roles[1])];
  return { service, roles, owner: as(undefined), ada, obi, sql: place.sql };
};

/** A team whose owner lets one person send files up to a sum. */
const teamBelow = async (sum: string, serves?: Service) => {
  const world = await team(serves);
  await scene({ ...world.owner, argv: ['policy', 'set', '--others', '--approve-above', sum] });
  return world;
};
type World = Awaited<ReturnType<typeof teamBelow>>;

/** A file with two charges of NGN 5,000.01 that Ada wants to send. */
const waiting = async (serves?: Service) => {
  const world = await teamBelow('NGN 10,000.00', serves);
  const file = ussdFile(1, 2);
  const need = "2 payment requests for NGN 10,000.02 need another person's approval";
  const error = { kind: 'refused', message: `${file}: nothing was sent: ${need}` };
  const ended = await scene({ ...world.ada, argv: charging(file), exit: 9, error });
  expect(postsOf(world.service)).toEqual({});
  return { ...world, file, ended, job: String(errorOf(ended)['ledger_id']) };
};

/** Stores Obi's approval of every file that waits. */
const approveAs = ({ sql, roles }: World): Promise<unknown> =>
  sql(`UPDATE paycli.approval SET approved_by = '${roles[1]}'`);

const typeAs = async (who: RunOptions, job: string, typed: string): Promise<{ code: number; screen: string }> => {
  const terminal = openTerminal(['approve', job], who);
  await terminal.saw(/to approve: /);
  terminal.type(`${typed}\r`);
  return { code: (await terminal.ended).code, screen: await terminal.screen() };
};

it('in a shared ledger, only the owner sets policies, which limit the charges of all together', async () => {
  const { service, owner, ada, obi, sql } = await team();
  const today = async () => (await sql("SELECT to_char(now() AT TIME ZONE 'UTC', 'DDD') AS day"))[0];
  const set = ['policy', 'set', '--others', '--max-charges', '3', '--json'];
  const error = {
    message: expect.stringContaining('permission denied for table policy'),
    hint: "ask the ledger's owner for an operator's rights (`ledger init --operator NAME`)",
  };
  await scene({ ...ada, argv: set, exit: 10, error });
  const wrong = vi.spyOn(clock, 'now').mockReturnValue(Date.UTC(2020, 0, 1));
  for (const sum of ['NGN 9,000,000.00', 'USD 9.00']) await scene({ ...owner, argv: [...set, '--approve-above', sum] });
  wrong.mockRestore();
  // The time is the database's, whatever the local clock.
  const amounts = [{ approve_above: 900_000_000 }, { approve_above: 900 }];
  const json = { set_at: /^(?!2020)/, amounts };
  await scene({ ...owner, argv: ['policy', 'show', '--others', '--json'], json });
  const day = await today();
  await scene({ ...ada, argv: charging(ussdFile(1, 2)) });
  await scene({ ...obi, argv: charging(ussdFile(3)) });
  const beyond = await chargeFrom(ussdFile(4), ada);
  // The day is the database's, whose clock no test moves: at midnight the limit begins anew.
  if (!isDeepStrictEqual(await today(), day)) return;
  expect(beyond.code).toBe(9);
  expect(errorOf(beyond)['message']).toContain('limits charges to 3 a day, and all of them are used today');
  expect(postsOf(service)).toEqual(once(1, 2, 3));
});

describe('a file above --approve-above', () => {
  it('is not sent; the error has the command for the approver', async () => {
    const { service, roles, ada, obi, ended, job } = await waiting();
    const hint = `ask somebody else to run \`paycli approve ${job}\`, then run the same command again`;
    expect(errorOf(ended)).toMatchObject({ hint });
    const command = `paycli approve ${job} --base-url ${service.origin}`;
    await scene({
      ...obi,
      argv: ['ledger', 'show', job, '--base-url', service.origin],
      stdout: [/^approval\twaiting$/m],
      stderr: [`it waits for approval: somebody else than ${roles[0]} has to run \`${command}\``],
    });
    const data = [{ id: job, approval: 'waiting', approved_by: null }];
    await scene({ ...ada, argv: ['ledger', 'jobs', '--json'], json: { data } });
    await scene({ ...ada, argv: ['policy', 'show', '--others'], stdout: ['approve_above_minor\t1000000'] });
  });

  it('needs another person than the one who asked, in `paycli status`, until it is approved', async () => {
    const world = await waiting();
    const status = { argv: ['status', '--json'] };
    const approval = { kind: 'approval', ugwo: null, amount: 1_000_002, currency: 'NGN' };
    const json = { cases: [{ ...approval, command: `paycli approve ${world.job}` }] };
    await scene({ ...world.ada, ...status, json });
    await scene({ ...world.obi, ...status, exit: 14, json, error: { message: 'cases that need you: 1' } });
    await approveAs(world);
    await scene({ ...world.obi, ...status, json: { cases: [] } });
  });

  it("can't be approved by the user who asked for it, nor by a script", async () => {
    const { roles, ada, obi, job } = await waiting();
    const argv = ['approve', job, '--json', '--yes'];
    const message = `${job} was not approved: it was asked for by you, ${roles[0]}`;
    const error = { kind: 'refused', message, hint: 'another person has to approve it', ledger_id: job };
    await scene({ ...ada, argv, exit: 9, error });
    await scene({ ...obi, argv, exit: 2, error: { message: 'an approval is typed by a person on a terminal' } });
  });

  it('is sent once another user has typed its total, by the one who asked', async () => {
    const { service, roles, ada, obi, file, job } = await waiting();
    const wrong = await typeAs(obi, job, 'NGN 10,000.20');
    expect(wrong).toMatchObject({ code: 130, screen: expect.stringMatching(/^Cancelled; nothing was changed$/m) });
    const { code, screen } = await typeAs(obi, job, 'ngn 10000.02');
    expect(code).toBe(0);
    for (const part of ['2 charges', 'for NGN 10,000.02', `asked for by ${roles[0]}`]) expect(screen).toContain(part);
    expect(screen).toMatch(/approval +approved/);
    await scene({
      ...obi,
      argv: charging(file),
      exit: 9,
      error: {
        message: new RegExp(`were approved by you, ${roles[1]}`),
        hint: `another person has to run it, such as ${roles[0]}`,
      },
      requests: [],
    });
    // Two runs have read both rows; the third reads them again before it sends them.
    expect(service.looks).toHaveLength(4);
    await scene({ ...ada, argv: charging(file) });
    expect(postsOf(service)).toEqual(once(1, 2));
    expect(service.looks).toHaveLength(8);
    const json = { approval: 'approved', approved_by: roles[1], accepted: 2 };
    await scene({ ...ada, argv: ['ledger', 'show', job, '--json'], json });
    await scene({ ...ada, argv: charging(file), requests: [] });
    expect(service.looks).toHaveLength(8);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['as texts with decimals', { amount: '500001.00' }],
    ['with their currency at the checkout alone', { currency: undefined, checkout: { currency: 'ngn' } }],
    ['with a currency in small letters', { currency: 'ngn' }],
  ])('is sent once it is approved, where the service shows the amounts %s', async (_what, shown) => {
    const service = await serveAllBy((seen) => {
      const number = numberIn(seen);
      if (seen.method === 'POST') return charged(number);
      return json(200, { ...ugwo(number), amount: 500_001, checkout: {}, activities: [], ...shown });
    });
    const world = await waiting(service);
    await approveAs(world);
    await scene({ ...world.ada, argv: charging(world.file) });
    expect(postsOf(service)).toEqual(once(1, 2));
  });

  it('is counted once by a run that checks it while another run sends it, and stays approved', async () => {
    const checked = Promise.withResolvers<void>();
    let reads = 0;
    const service = await serveAllBy((seen) => {
      const number = numberIn(seen);
      if (seen.method === 'POST') return charged(number);
      reads += 1;
      const shown = json(200, { ...ugwo(number), amount: 500_001, checkout: {}, activities: [] });
      // The first run reads rows 1 and 2 before it asks for the approval; the next two reads are those of the second.
      if (reads !== 3 && reads !== 4) return shown;
      return (...asked) => void checked.promise.then(() => shown(...asked));
    });
    const world = await waiting(service);
    await approveAs(world);
    const late = paycli(['ugwo', 'charge', '--from', world.file, '--json'], { ...world.ada, home: newFolder() });
    await service.came(4);
    await scene({ ...world.ada, argv: charging(world.file) });
    checked.resolve();
    expect(await late).toMatchObject({ code: 0 });
    expect(postsOf(service)).toEqual(once(1, 2));
    const approved = { approval: 'approved', approved_by: world.roles[1] };
    await scene({ ...world.ada, argv: ['ledger', 'show', world.job, '--json'], json: approved });
  });

  it('needs a new approval if its total exceeds the approved one', async () => {
    const world = await waiting();
    await approveAs(world);
    await world.sql(`UPDATE paycli.approval SET amounts = '{"NGN":"1000001"}'`);
    const error = { message: /for NGN 10,000\.02 are more than was approved/ };
    await scene({ ...world.ada, argv: charging(world.file), exit: 9, error, requests: [] });
  });

  it('no longer waits for an approval once it is sent without one', async () => {
    const { owner, ada, file, job } = await waiting();
    await scene({ ...owner, argv: ['policy', 'set', '--others', '--approve-above', 'NGN 10,000.02'] });
    await scene({ ...ada, argv: charging(file) });
    const data = [{ id: job, accepted: 2, approval: null }];
    await scene({ ...ada, argv: ['ledger', 'jobs', '--json'], json: { data } });
    await scene({ ...ada, argv: ['ledger', 'show', job] });
  });

  it('needs no approval if its total equals the limit, in a dry run too', async () => {
    const { ada } = await teamBelow('NGN 10,000.02');
    await scene({ ...ada, argv: charging(ussdFile(1, 2), '--dry-run'), requests: [] });
    await scene({ ...ada, argv: charging(ussdFile(1, 2)), requests: ['POST', 'POST'] });
  });

  it('asks for no approval in a dry run', async () => {
    const { ada } = await teamBelow('NGN 10,000.01');
    await scene({
      ...ada,
      argv: charging(ussdFile(1, 2), '--dry-run'),
      exit: 9,
      error: {
        message: /for NGN 10,000\.02 need another person's approval/,
        hint: 'run the same command without --dry-run to ask for the approval',
      },
      requests: [],
    });
    await scene({ ...ada, argv: ['ledger', 'jobs', '--json'], json: { data: [] } });
  });

  it('counts a rejected row once when it is retried', async () => {
    const rejection = problem(422, 'Validation Failed', [{ propertyPath: 'data.medium', title: 'is not configured' }]);
    const { service, ada } = await teamBelow('NGN 10,000.02', await serveCharges({ 1: rejection }));
    const file = ussdFile(1, 2);
    const json = { accepted: 1, rejected: 1 };
    for (const more of [[], ['--retry-failed']]) await scene({ ...ada, argv: charging(file, ...more), exit: 3, json });
    expect(postsOf(service)).toEqual({ 1: 2, 2: 1 });
  });

  it('must exist and need approval for `paycli approve`', async () => {
    const { ada, obi } = await teamBelow('NGN 10,000.00');
    await scene({
      ...obi,
      argv: ['approve', 'job-0000000000000000'],
      exit: 2,
      stderr: ['no job "job-0000000000000000"'],
    });
    const free = summaryOf(await scene({ ...ada, argv: charging(ussdFile(1)) }));
    await scene({ ...obi, argv: ['approve', String(free['job'])], exit: 2, stderr: ['needs no approval'] });
  });
});

describe('amounts that change after the check of a file', () => {
  /** Serves payment requests whose amounts change with each read; the last one stays. */
  const asking = async (
    amounts: Readonly<Record<number, readonly number[]>>,
    currencies: readonly string[] = ['NGN'],
    refusals = 0,
  ) => {
    const looks: Record<number, number> = {};
    let sent = 0;
    return serveAllBy((seen) => {
      const number = numberIn(seen);
      if (seen.method === 'POST' && ++sent <= refusals) return problem(429, 'Slow', undefined, { 'retry-after': '0' });
      if (seen.method === 'POST') return charged(number);
      const [look, asked] = [looks[number] ?? 0, amounts[number] ?? []];
      looks[number] = look + 1;
      const [amount, currency] = [asked[look] ?? asked.at(-1), currencies[look] ?? currencies.at(-1)];
      return json(200, { ...ugwo(number), amount, currency, checkout: {}, activities: [] });
    });
  };

  it.each<[string, readonly number[], readonly string[] | undefined, readonly string[]]>([
    ['rises', [5000, 500_000_000], undefined, []],
    ['rises, with --no-preflight', [5000, 500_000_000], undefined, ['--no-preflight']],
    ['changes its currency', [5000], ['NGN', 'USD'], []],
  ])('prevent sending a row below the limit if its amount %s', async (_what, amounts, currencies, more) => {
    const { ada, service } = await teamBelow('NGN 100.00', await asking({ 1: amounts }, currencies));
    await scene({
      ...ada,
      argv: charging(ussdFile(1), ...more),
      exit: 9,
      json: { accepted: 0, refused: 1 },
      error: {
        message:
          /was not charged: the policy for all other profiles wants another approval: with (NGN 5,000,000|USD 50)\.00, the file comes to more than may be charged/,
        hint: /run the same command again to have all of them checked/,
      },
    });
    expect(postsOf(service)).toEqual({});
  });

  it("don't prevent sending a row that stays below the limit", async () => {
    const { ada } = await teamBelow('NGN 100.00', await asking({ 1: [5000, 10_000] }));
    await scene({ ...ada, argv: charging(ussdFile(1)) });
  });

  it('count once if a row is sent anew after a 429, unless they have changed meanwhile', async () => {
    const same = await teamBelow('NGN 100.00', await asking({ 1: [8000] }, ['NGN'], 2));
    await scene({ ...same.ada, argv: charging(ussdFile(1)), stderr: /^/ });
    const service = await asking({ 1: [8000, 8000, 20_000] }, ['NGN'], 1);
    const { ada } = await teamBelow('NGN 100.00', service);
    const error = { message: /with NGN 200\.00, the file comes to more/ };
    await scene({ ...ada, argv: charging(ussdFile(1)), exit: 9, json: { accepted: 0 }, error });
    expect(postsOf(service)).toEqual(once(1));
  });

  it('stop an approved file at the first row that exceeds the approved total', async () => {
    const service = await asking({ 1: [5000], 2: [5000, 5000, 10_000_000_000], 3: [5000] });
    const world = await teamBelow('NGN 100.00', service);
    const file = ussdFile(1, 2, 3);
    await scene({ ...world.ada, argv: charging(file), exit: 9 });
    await approveAs(world);
    const json = { accepted: 1, refused: 1, not_started: 1 };
    await scene({ ...world.ada, argv: charging(file, '--concurrency', '1'), exit: 9, json });
    expect(postsOf(service)).toEqual(once(1));
  });

  it('are added up: two rows that grew exceed a limit that each alone would keep', async () => {
    const service = await asking({ 1: [4000, 8000], 2: [4000, 8000] });
    const { ada } = await teamBelow('NGN 100.00', service);
    const json = { accepted: 1, refused: 1 };
    await scene({ ...ada, argv: charging(ussdFile(1, 2), '--concurrency', '1'), exit: 9, json });
    expect(postsOf(service)).toEqual(once(1));
  });

  it('are added to earlier charges of the file', async () => {
    const service = await asking({ 1: [5000], 2: [5000, 10_000_000, 10_000] });
    const world = await teamBelow('NGN 100.00', service);
    const file = ussdFile(1, 2);
    const json = { accepted: 1, refused: 1 };
    await scene({ ...world.ada, argv: charging(file, '--concurrency', '1'), exit: 9, json });
    expect(postsOf(service)).toEqual(once(1));
    // Alone, it would be within the limit.
    const error = { message: /2 payment requests for NGN 150\.00 need another person's approval/ };
    await scene({ ...world.ada, argv: charging(file), exit: 9, error });
    expect(postsOf(service)).toEqual(once(1));
    await approveAs(world);
    await scene({ ...world.ada, argv: charging(file) });
    expect(postsOf(service)).toEqual(once(1, 2));
  });
});

import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { transferTo } from '../support/activity.ts';
import { inProcess } from '../support/in-process.ts';
import { rewrite } from '../support/ledger.ts';
import { type Ended, errorOf, fromNoon, newFolder, paycli, type RunOptions, start } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import type { Answer, Seen, Service } from '../support/service.ts';
import { ACTIVITY, hang, json, problem, raw, reset, serveAllBy, serveBy, ugwo } from '../support/service.ts';
import {
  activityOf,
  charged,
  chargeFrom,
  charging,
  csvOf,
  fileOf,
  numberIn,
  reportOf,
  reportPath,
  summaryOf,
  ugwoOf,
  ussdFile,
} from './bulk-support.ts';

const CHARGE = ['ugwo', 'charge', ugwoOf(1), '--medium', 'ussd', '--provider', 'gtb'];
const CHECKOUT = { uid: 'chk.AbCd.1', currency: 'NGN' };
const BANKS = [{ psp: 'psp.AbCd.1', banks: [{ code: 'gtb' }, { code: 'new_bank' }] }];

const request = (changes: object = {}, number = 1): Answer =>
  json(200, { ...ugwo(number), onye: { email: 'ada@example.com' }, checkout: CHECKOUT, activities: [], ...changes });

interface Answers {
  /** The answer to a read of the payment request. */
  readonly read?: Answer;
  readonly banks?: Answer;
  readonly charge?: Answer;
}

/** A service whose answers a test may change between runs. */
const serveAnswers = async (answers: Answers) => {
  const now: { answers: Answers } = { answers };
  const service = await serveAllBy(({ method, url }: Seen) => {
    const { read = request(), banks = json(200, BANKS), charge = charged(1) } = now.answers;
    return method === 'POST' ? charge : url.startsWith('/v1/checkouts/') ? banks : read;
  });
  return { service, now };
};

const postsTo = ({ seen }: Service): number => seen.filter(({ method }) => method !== 'GET').length;

/** The files of a folder with a digest of their bytes, but for the index of a log, which SQLite's readers lock and share. */
const filesIn = (home: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(home, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => [
        name,
        name.endsWith('-shm') ? '' : hash('sha256', readFileSync(join(parentPath, name))),
      ]),
  );

interface Case extends Answers {
  /** What comes before, and the answers to that. */
  readonly before?: readonly (readonly [args: readonly string[], answers?: Answers])[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly prepare?: (home: string) => void;
  readonly code: number;
}

const open = (uid: string, changes: object = {}): object => ({ ...ACTIVITY, uid, ...changes });
const paidUp = { status: 'ugwo_successful', total_amount_paid: 500_001 };
const POLICY = ['policy', 'set', '--others'];
const TRANSFER = ['ugwo', 'charge', ugwoOf(1), '--medium', 'bank_transfer'];

/** A dry run asks the same guard as the charge: look, guard and protocol have each of its reasons. */
const CASES: Readonly<Record<string, Case>> = {
  'an open payment request': { code: 0 },
  'one without a checkout': { read: request({ checkout: null }), code: 0 },
  'one that does not exist': { read: json(404, { message: 'ugwo.error.not_found' }), code: 3 },
  'a charge in the ledger that can still be paid': { before: [[CHARGE]], code: 9 },
  'the same with --again': { before: [[CHARGE]], args: [...CHARGE, '--again'], code: 0 },
  'the rest of one that is paid in part': {
    read: request({ total_amount_paid: 1 }),
    args: [...CHARGE, '--remaining'],
    code: 0,
  },
  'a charge in the ledger whose account has expired unseen': {
    // Made when the test runs: fifteen seconds after its expiry, the account would count as seen.
    get before(): NonNullable<Case['before']> {
      return [[TRANSFER, { charge: json(200, open(activityOf(1), { next_action: transferTo('0000000001', -2000) })) }]];
    },
    args: TRANSFER,
    code: 9,
  },
  'a rejected key': { read: problem(401, 'Unauthorized'), code: 4 },
  'no key': { env: { PAYCLI_SECRET_KEY: '' }, code: 4 },
  'a read that fails': { read: json(200, '{'), code: 8 },
  'a value that the service would refuse': { args: [...CHARGE.slice(0, -1), ''], code: 2 },
  'the same without a look': { args: [...CHARGE.slice(0, -1), '', '--no-preflight'], code: 2 },
  'a bank that only the service knows': { args: [...CHARGE.slice(0, -1), 'new_bank'], code: 0 },
  'an unknown bank': {
    args: [...CHARGE.slice(0, -1), 'gtbb'],
    charge: problem(422, 'Validation Failed', [
      { propertyPath: 'data.provider', title: 'is not a supported bank code' },
    ]),
    code: 3,
  },
  'a medium that the checkout does not offer': {
    read: request({ checkout: { ...CHECKOUT, mediums: [{ medium: 'bank_transfer' }, { medium: 'mobile_money' }] } }),
    charge: problem(422, 'Validation Failed', [{ propertyPath: 'data.medium', title: 'is not configured' }]),
    code: 3,
  },
  'a medium that the checkout offers': {
    read: request({ checkout: { ...CHECKOUT, mediums: [{ medium: 'ussd', position: 1 }] } }),
    code: 0,
  },
  'a paid payment request, before an unknown bank': {
    args: [...CHARGE.slice(0, -1), 'gtbb'],
    read: request(paidUp),
    code: 9,
  },
  'a medium that the policy forbids': { before: [[[...POLICY, '--medium', 'bank_transfer']]], code: 9 },
  'a policy with nothing left': {
    before: [[[...POLICY, '--max-charges', '1']], [['ugwo', 'charge', ugwoOf(2), '--medium', 'bank_transfer']]],
    code: 9,
  },
  'a policy with one charge left': { before: [[[...POLICY, '--max-charges', '1']]], code: 0 },
  'a damaged ledger': { prepare: (home) => writeFileSync(join(home, 'ledger.sqlite'), 'no database'), code: 10 },
  'a ledger that is gone': {
    before: [[CHARGE]],
    prepare: (home) => writeFileSync(join(home, 'highest-charge'), `another ${'1'.padStart(16, '0')}\n`),
    code: 10,
  },
};

const prepared = async ({ before = [], prepare, env = {}, ...answers }: Case) => {
  const { service, now } = await serveAnswers({});
  const options = { service, home: newFolder(), env: { ...fromNoon(), ...env } };
  for (const [args, own = {}] of before) {
    now.answers = own;
    await inProcess([...args, '--json'], options);
  }
  prepare?.(options.home);
  now.answers = answers;
  return options;
};

interface Place extends RunOptions {
  readonly service: Service;
  readonly home: string;
}

/** Runs a dry run that must end so, send nothing and change no file. */
const dryRun = async (args: readonly string[], options: Place, code: number): Promise<Ended> => {
  const [files, posts] = [filesIn(options.home), postsTo(options.service)];
  const ended = await inProcess([...args, '--dry-run', '--json'], options);
  expect(ended, ended.stderr).toMatchObject({ code });
  expect(postsTo(options.service)).toBe(posts);
  expect(filesIn(options.home)).toEqual(files);
  return ended;
};

/** Starts a charge, and kills it once its request has come. */
const killed = async (args: readonly string[], options: Place): Promise<void> => {
  const running = start(args, options);
  for (let count = 1; postsTo(options.service) === 0; count += 1) await options.service.came(count);
  running.kill('SIGKILL');
  await running.ended;
};

describe('--dry-run of a charge', () => {
  it.each(Object.entries(CASES))('ends as the charge would: %s', async (_what, one) => {
    const options = await prepared(one);
    const { args = CHARGE, code } = one;
    const dry = await dryRun(args, options, code);
    const real = await inProcess([...args, '--json'], options);
    expect(real, real.stderr).toMatchObject({ code });
    if (code === 0) expect(JSON.parse(dry.stdout)).toMatchObject({ method: 'POST' });
    // The service has sentences of its own about what it rejects.
    else if (code === 3) expect(errorOf(dry)['message']).toContain(`${ugwoOf(1)} was not charged: `);
    else expect(errorOf(dry)).toEqual(errorOf(real));
  });

  it('names the payment request in its JSON', async () => {
    const [uid, customer] = [ugwoOf(1), 'ada@example.com'];
    const shown = { uid, ref: 'order-1', amount: 500_001, currency: 'NGN', customer, description: 'Order 1' };
    const { service } = await serveAnswers({});
    await scene({
      service,
      argv: [...CHARGE, '--dry-run', '--json'],
      stdout: [`"payment_request":${JSON.stringify(shown)}`],
    });
  });

  it('shows the request, and who would pay how much', async () => {
    const { service } = await serveAnswers({});
    await scene({
      service,
      argv: [...CHARGE, '--dry-run', '-o', 'csv'],
      stderr: `Nothing was sent. Without --dry-run, this charges ${ugwoOf(1)}: NGN 5,000.01, order-1, Order 1, ada@example.com\n`,
      stdout: [`/v1/ugwo/${ugwoOf(1)}/activities`, /^(?!.*uthorization)/s],
    });
  });

  it('shows what is missing with --remaining', async () => {
    const { service } = await serveAnswers({ read: request({ total_amount_paid: 200_001 }) });
    await scene({
      service,
      argv: [...CHARGE, '--remaining', '--dry-run', '-o', 'csv'],
      stdout: /^/,
      stderr: [`this charges ${ugwoOf(1)}: NGN 3,000.00, order-1`],
    });
  });

  it.each([
    ['alone', CHARGE, 'note: '],
    ['in a file', ['ugwo', 'charge', '--from', ussdFile(1, 2), '--concurrency', '1'], 'note: row 1: '],
  ])('notes that no checkout is shown, %s', async (_what, args, beginning) => {
    await scene({
      service: serveAllBy((seen) => request({ checkout: null }, numberIn(seen))),
      argv: [...args, '--dry-run', '-o', 'csv'],
      stderr: new RegExp(
        `^${beginning}no checkout shown; the service may refuse\n(?!.*checkout).*Nothing was sent.*\n$`,
      ),
    });
  });

  it.each([
    [
      json(200, BANKS),
      'gtbb',
      3,
      /the service lists no bank "gtbb".*--provider.*did you mean gtb\?.*providers chk.AbCd.1 ussd`/s,
    ],
    [problem(404, 'Not found'), 'gtbb', 0, /"gtbb" is no bank code that paycli knows \(did you mean gtb\?\)/],
    [json(200, [{ psp: 'psp.AbCd.1' }]), 'gtbb', 0, /"gtbb" is no bank code that paycli knows \(did you mean gtb\?\)/],
    [raw(''), '058', 0, /"058" is no bank code that paycli knows \(did you mean gtb\?\)/],
  ])('names the unknown bank, and suggests a similar one: %#', async (banks, bank, exit, stderr) => {
    const { service } = await serveAnswers({ banks });
    await scene({ service, argv: [...CHARGE.slice(0, -1), bank, '--dry-run'], exit, stdout: /^/, stderr });
  });

  it('prints the same as the charge with --reuse', async () => {
    const options = await prepared({ before: [[CHARGE]], code: 0 });
    const reuse = [...CHARGE, '--reuse', '--json'];
    const dry = await inProcess([...reuse, '--dry-run'], options);
    expect(dry).toEqual(await inProcess(reuse, options));
    expect(JSON.parse(dry.stdout)).toMatchObject({ uid: activityOf(1) });
    expect(postsTo(options.service)).toBe(1);
  });

  it('counts the charge of a killed process as unknown', async () => {
    const { service } = await serveAnswers({ charge: hang });
    const options = { service, home: newFolder() };
    await killed([...CHARGE, '--json'], options);
    const dry = await dryRun(CHARGE, options, 9);
    expect(errorOf(dry)).toEqual(errorOf(await inProcess([...CHARGE, '--json'], options)));
    expect(postsTo(service)).toBe(1);
    const [state, exit_code] = ['unknown', null];
    await scene({ ...options, argv: ['ledger', 'list', '--json'], json: { data: [{ state, exit_code }] } });
  });

  it('leaves the ledger of a paycli that was never released unchanged', async () => {
    const options = await prepared({ before: [[CHARGE]], code: 10 });
    rewrite(join(options.home, 'ledger.sqlite'), 'PRAGMA user_version = 12');
    expect(errorOf(await dryRun(CHARGE, options, 10))).toMatchObject({
      exit_code: 10,
      message: expect.stringContaining('was made by a paycli that was never released (schema 12)'),
      hint: expect.stringContaining('first settle it with the last commit that reads it (2696dc9e, or 4181737e'),
    });
  });

  // Runs the built program, whose reads of the schemas nothing has prepared.
  it('creates no ledger', async () => {
    const { service } = await serveAnswers({});
    const home = join(newFolder(), 'new');
    expect(await paycli([...CHARGE, '--dry-run'], { service, home })).toMatchObject({ code: 0 });
    expect(existsSync(home)).toBe(false);
  });

  it.each([
    ['--as-curl', ['--as-curl']],
    ['--no-preflight', ['--dry-run', '--no-preflight']],
  ])('needs neither a key nor the network: %s', async (_what, more) => {
    const service = await serveBy(() => undefined);
    const options: RunOptions = { env: { PAYCLI_BASE_URL: service.origin } };
    expect(await inProcess([...CHARGE, ...more], options)).toMatchObject({ code: 0 });
    expect(service.connections()).toBe(0);
  });
});

describe('--dry-run of a file of charges', () => {
  const row = (number: number, provider = 'gtb'): string => `${ugwoOf(number)},ussd,${provider}`;
  const fileWith = (...rows: readonly string[]): string => fileOf(csvOf('ugwo,medium,provider', ...rows));
  const paid = { status: 'ugwo_successful' };
  /** What the service shows of some payment requests; the others are open. */
  const READS: Readonly<Record<number, Answer>> = {
    2: request(paid, 2),
    3: request({ status: 'cancelled' }, 3),
    5: json(404, { message: 'ugwo.error.not_found' }),
  };
  const serveRows = (reads: Readonly<Record<number, Answer>> = READS, charges: Readonly<Record<number, Answer>> = {}) =>
    serveAllBy((seen) => {
      const number = numberIn(seen);
      if (seen.url.startsWith('/v1/checkouts/')) return json(200, BANKS);
      if (seen.method === 'POST') return charges[number] ?? charged(number);
      return reads[number] ?? request({}, number);
    });

  it('reports the totals, and each row that would not be charged', async () => {
    const unsupported = [{ propertyPath: 'data.provider', title: 'is not a supported bank code' }];
    const charges = { 7: reset, 9: problem(422, 'Validation Failed', unsupported) };
    const options = { service: await serveRows(READS, charges), home: newFolder() };
    expect((await chargeFrom(ussdFile(6), options)).code).toBe(0);
    expect((await chargeFrom(ussdFile(7), options)).code).toBe(6);
    // The transfer to 8 can still be paid, and this file asks for another medium.
    const other = ['ugwo', 'charge', ugwoOf(8), '--medium', 'bank_transfer'];
    expect((await inProcess(other, options)).code).toBe(0);
    const file = fileWith(...[1, 2, 3, 4, 5, 6, 7, 8].map((number) => row(number)), row(9, 'gtbb'));
    const report = reportPath();
    const ended = await dryRun(charging(file, '--report', report), options, 3);
    expect(summaryOf(ended)).toMatchObject({
      job: null,
      rows: 9,
      accepted: 1,
      skipped: 1,
      refused: 4,
      rejected: 2,
      not_started: 2,
      planned: { rows: 2, amounts: [{ currency: 'NGN', amount: 1_000_005 }], unknown_amounts: 0 },
    });
    const { message, hint } = errorOf(ended);
    expect(message).toMatch(/^9 rows: 2 to charge, 1 charged, 2 rejected, 4 refused\nrow 5: /);
    expect(hint).toContain('find out about the unknown rows');
    expect(hint).not.toContain('run the same command again');
    expect(Object.fromEntries(Object.entries(reportOf(report)).map(([at, { state }]) => [at, state]))).toEqual({
      ...{ 2: 'refused', 3: 'refused', 5: 'rejected', 6: 'accepted', 7: 'refused', 8: 'refused', 9: 'rejected' },
    });
    expect(reportOf(report)[9]?.['error']).toContain('did you mean gtb?');
    const real = await chargeFrom(file, options);
    expect(real.code).toBe(3);
    expect(summaryOf(real)).toMatchObject({ accepted: 3, refused: 4, rejected: 2, not_started: 0 });
  });

  it('plans a repeated payment request as often as the run charges it', async () => {
    const file = fileWith(row(1), row(2), row(1), row(1, 'zenith'), row(9, 'gtbb'), row(9));
    const args = ['--allow-repeats', '--concurrency', '4'];
    for (const [more, planned] of [
      [[], [1, 2, 9]],
      [['--again'], [1, 1, 1, 2, 9]],
    ] as const) {
      const options = { service: await serveRows({}), home: newFolder() };
      const report = reportPath();
      const dry = await chargeFrom(file, options, ...args, ...more, '--dry-run', '--report', report);
      const rows = planned.length;
      expect(summaryOf(dry)).toMatchObject({ rejected: 1, refused: 5 - rows, planned: { rows }, not_started: rows });
      if (rows === 3) {
        expect(reportOf(report)).toMatchObject({
          3: { state: 'refused', error: expect.stringContaining('row 1 of this file) is still under way') },
          4: { state: 'refused' },
        });
      }
      const unsupported = [{ propertyPath: 'data.provider', title: 'is not a supported bank code' }];
      const rejecting = await serveAllBy((seen) => {
        if (seen.method !== 'POST') return request({}, numberIn(seen));
        return seen.body.includes('gtbb') ? problem(422, 'Validation Failed', unsupported) : charged(numberIn(seen));
      });
      const real = await chargeFrom(file, { ...options, service: rejecting }, ...args, ...more);
      expect(real.code).toBe(dry.code);
      expect(summaryOf(real)).toMatchObject({ accepted: rows, rejected: 1, refused: 5 - rows });
    }
  });

  it('prints the total to be charged if all rows are valid', async () => {
    const { home } = await scene({
      service: serveRows({}),
      argv: ['ugwo', 'charge', '--from', ussdFile(1, 2), '--dry-run', '-o', 'csv'],
      stderr: 'To charge: 2 payment requests for NGN 10,000.03. Nothing was sent.\n',
      requests: ['GET', 'GET'],
    });
    expect(readdirSync(home)).toEqual([]);
  });

  it.each<[string, readonly string[], Readonly<Record<number, Answer>>, number]>([
    ['a paid one', [], { 2: READS[2] as Answer }, 9],
    ['a rejected key', [], { 1: problem(401, 'Unauthorized') }, 4],
    ['a read that fails', ['--timeout', '1s'], { 2: json(200, '{') }, 8],
    ['--check and a paid one', ['--check'], { 2: READS[2] as Answer }, 2],
    ['--skip-invalid with --check', ['--check', '--skip-invalid'], { 2: READS[2] as Answer }, 0],
  ])('ends as the run would: %s', async (_what, more, reads, code) => {
    const options = { service: await serveRows(reads), home: newFolder() };
    const file = ussdFile(1, 2);
    await dryRun(charging(file, ...more), options, code);
    expect((await chargeFrom(file, options, ...more)).code).toBe(code);
  });

  it('says once that nothing was sent, also if a row would be refused', async () => {
    const { stderr } = await scene({
      service: serveRows(),
      argv: ['ugwo', 'charge', '--from', ussdFile(1, 2), '--dry-run', '-o', 'tsv'],
      exit: 9,
      stdout: /^/,
      stderr: ['error: 2 rows: 1 to charge, 1 refused\n'],
    });
    expect(stderr.match(/Nothing was sent/g)).toHaveLength(1);
  });

  it('says that nothing is left to charge', () => {
    const file = ussdFile(1, 2);
    return scene({
      service: serveRows({}),
      before: [charging(file)],
      argv: ['ugwo', 'charge', '--from', file, '--dry-run', '-o', 'tsv'],
      stderr: 'Nothing was sent.\n',
    });
  });

  it.each([
    [['--max-charges', '2'], 9],
    [['--max-charges', '3'], 0],
    [['--max-amount', 'NGN 10,000.03'], 9],
    [['--max-amount', 'NGN 15,000.06'], 0],
  ])('counts its rows against the policy %j, and not the attempt', async (limits, code) => {
    const options = { service: await serveRows({}), home: newFolder(), env: fromNoon() };
    expect((await inProcess([...POLICY, ...limits], options)).code).toBe(0);
    const file = ussdFile(1, 2, 3);
    for (const _again of [1, 2]) await dryRun(charging(file), options, code);
    expect((await chargeFrom(file, options)).code).toBe(code);
  });

  it('counts the row of a killed run as unknown', async () => {
    const options = { service: await serveRows({}, { 1: hang }), home: newFolder() };
    const file = ussdFile(1, 2);
    await killed(charging(file, '--concurrency', '1'), options);
    const dry = await dryRun(charging(file), options, 6);
    expect(summaryOf(dry)).toMatchObject({ unknown: 1, planned: { rows: 1 } });
    expect((await chargeFrom(file, options)).code).toBe(6);
  });

  it('plans rejected rows with --retry-failed', async () => {
    const rejection = problem(422, 'Validation Failed', [{ propertyPath: 'data.medium', title: 'is not configured' }]);
    const [service, argv] = [await serveRows({}, { 1: rejection }), charging(ussdFile(1, 2))];
    const { home } = await scene({ service, argv, exit: 3, stdout: /^/ });
    const json = { accepted: 1, refused: 0, planned: { rows: 1 } };
    await scene({ service, home, argv: [...argv, '--dry-run', '--retry-failed'], json });
  });

  it('respects the rate and the concurrency', async () => {
    let [open, most] = [0, 0];
    const service = await serveAllBy((seen) => (_seen, response, socket) => {
      open += 1;
      most = Math.max(most, open);
      setImmediate(() => {
        open -= 1;
        request({}, numberIn(seen))(seen, response, socket);
      });
    });
    const rows = ussdFile(...Array.from({ length: 12 }, (_, at) => at + 1));
    expect((await chargeFrom(rows, { service }, '--dry-run', '--concurrency', '2')).code).toBe(0);
    expect(most).toBeLessThanOrEqual(2);
    expect(service.seen).toHaveLength(12);
  });

  it('reads nothing with --no-preflight, and needs no key', async () => {
    const service = await serveBy(() => undefined);
    const options: RunOptions = { env: { PAYCLI_BASE_URL: service.origin }, home: newFolder() };
    const ended = await chargeFrom(ussdFile(1, 2), options, '--dry-run', '--no-preflight');
    expect(ended.code).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ job: null, rows: 2, not_started: 2 });
    expect(summaryOf(ended)).not.toHaveProperty('planned');
    expect(service.connections()).toBe(0);
    expect(readdirSync(options.home ?? '')).toEqual([]);
  });
});

describe('--dry-run of a refund', () => {
  const paid = { uid: activityOf(1), status: 'successful', amount: 500_001 };
  const refund = ['refund', 'create', activityOf(1), '--ugwo', ugwoOf(1)];
  const made = json(200, { uid: 'rfd.AbCd.1', status: 'successful', amount: 500_001, currency: 'NGN' });

  it.each<[string, Case]>([
    ['a paid activity', { code: 0 }],
    ['a refund before', { before: [[[...refund, '--yes'], { charge: made }]], code: 9 }],
    ['a refund before and --again', { before: [[[...refund, '--yes'], { charge: made }]], args: ['--again'], code: 0 }],
    ['an unknown refund', { before: [[[...refund, '--yes'], { charge: reset }]], args: ['--again'], code: 9 }],
    ['an activity of another payment request', { read: request(), code: 2 }],
    ['no key', { env: { PAYCLI_SECRET_KEY: '' }, code: 4 }],
  ])('ends as the refund would: %s', async (_what, { args = [], code, before = [], ...one }) => {
    const shown = { read: request({ ...paidUp, activities: [paid] }) };
    const earlier = before.map(([words, answers]) => [words, { ...shown, ...answers }] as const);
    const options = await prepared({ ...shown, charge: made, ...one, before: earlier, code });
    const dry = await dryRun([...refund, ...args], options, code);
    const real = await inProcess([...refund, ...args, '--yes', '--json'], options);
    expect(real, real.stderr).toMatchObject({ code });
    if (code === 0) expect(JSON.parse(dry.stdout)).toMatchObject({ body: { ugwo_activity: activityOf(1) } });
    else expect(errorOf(dry)).toEqual(errorOf(real));
  });

  it('prints who would get how much, and asks nothing', async () => {
    const { service } = await serveAnswers({ read: request({ ...paidUp, activities: [paid] }) });
    await scene({
      service,
      argv: [...refund, '--dry-run', '-o', 'csv'],
      stderr: `Nothing was sent. Without --dry-run, this pays back NGN 5,000.01 (500001 kobo) of ${activityOf(1)}, order-1, Order 1, ada@example.com\n`,
    });
  });
});

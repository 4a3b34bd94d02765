import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { transferTo } from '../support/activity.ts';
import { inProcess } from '../support/in-process.ts';
import { type Ended, errorOf, newFolder, paycli, type RunOptions } from '../support/program.ts';
import type { Answer, Seen, Service } from '../support/service.ts';
import { ACTIVITY, json, problem, raw, reset, serveAllBy, serveBy, ugwo } from '../support/service.ts';
import { activityOf, charged, ugwoOf } from './bulk-support.ts';

const CHARGE = ['ugwo', 'charge', ugwoOf(1), '--medium', 'ussd', '--provider', 'gtb'];
const CHECKOUT = { uid: 'chk.AbCd.1', currency: 'NGN' };
const BANKS = [{ psp: 'psp.AbCd.1', banks: [{ code: 'gtb' }, { code: 'new_bank' }] }];

const request = (changes: object = {}): Answer =>
  json(200, { ...ugwo(1), onye: { email: 'ada@example.com' }, checkout: CHECKOUT, activities: [], ...changes });

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

/** The files of a folder with their bytes, but for the index of SQLite's log, which readers share in memory. */
const filesIn = (home: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(home, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
      .map(({ name, parentPath }) => [name, readFileSync(join(parentPath, name)).toString('base64')] as const)
      .filter(([name, bytes]) => !(name.endsWith('-wal') && bytes === '')),
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

const CASES: Readonly<Record<string, Case>> = {
  'an open payment request': { code: 0 },
  'a paid payment request': { read: request(paidUp), code: 9 },
  'a cancelled one': { read: request({ status: 'cancelled' }), code: 9 },
  'a refunded one': { read: request({ status: 'refunded' }), code: 9 },
  'one without a checkout': { read: request({ checkout: null }), code: 9 },
  'one that does not exist': { read: json(404, { message: 'ugwo.error.not_found' }), code: 3 },
  'a charge of somebody else that can still be paid': {
    read: request({ activities: [open(activityOf(7))] }),
    code: 9,
  },
  'a charge in the ledger that can still be paid': { before: [[CHARGE]], code: 9 },
  'the same with --again': { before: [[CHARGE]], args: [...CHARGE, '--again'], code: 0 },
  'the same by another medium': { before: [[TRANSFER]], code: 0 },
  'a charge in the ledger whose account has expired unseen': {
    before: [[TRANSFER, { charge: json(200, open(activityOf(1), { next_action: transferTo('0000000001', -2000) })) }]],
    args: TRANSFER,
    code: 9,
  },
  'an unknown charge in the ledger': { before: [[CHARGE, { charge: reset }]], code: 9 },
  'an unknown charge with --again': { before: [[CHARGE, { charge: reset }]], args: [...CHARGE, '--again'], code: 9 },
  'a rejected key': { read: problem(401, 'Unauthorized'), code: 4 },
  'no key': { env: { PAYCLI_SECRET_KEY: '' }, code: 4 },
  'a read that fails': { read: json(200, '{'), code: 8 },
  'a value that the service would refuse': { args: [...CHARGE.slice(0, -1), ''], code: 2 },
  'a bank that only the service knows': { args: [...CHARGE.slice(0, -1), 'new_bank'], code: 0 },
  'an unknown bank': {
    args: [...CHARGE.slice(0, -1), 'gtbb'],
    charge: problem(422, 'Validation Failed', [
      { propertyPath: 'data.provider', title: 'is not a supported bank code' },
    ]),
    code: 3,
  },
  'a paid payment request and an unknown bank': {
    args: [...CHARGE.slice(0, -1), 'gtbb'],
    read: request(paidUp),
    code: 9,
  },
  'a medium that the policy forbids': { before: [[[...POLICY, '--medium', 'bank_transfer']]], code: 9 },
  'a policy with nothing left': {
    before: [[[...POLICY, '--max-charges', '1']], [TRANSFER]],
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
  const options = { service, home: newFolder(), env };
  for (const [args, own = {}] of before) {
    now.answers = own;
    await inProcess([...args, '--json'], options);
  }
  prepare?.(options.home);
  now.answers = answers;
  return options;
};

describe('--dry-run of a charge', () => {
  it.each(Object.entries(CASES))('ends as the charge would: %s', async (_what, one) => {
    const options = await prepared(one);
    const { args = CHARGE, code } = one;
    const [files, posts] = [filesIn(options.home), postsTo(options.service)];
    const dry = await inProcess([...args, '--dry-run', '--json'], options);
    expect(dry, dry.stderr).toMatchObject({ code });
    expect(postsTo(options.service)).toBe(posts);
    expect(filesIn(options.home)).toEqual(files);
    const real = await inProcess([...args, '--json'], options);
    expect(real, real.stderr).toMatchObject({ code });
    if (code === 0) expect(JSON.parse(dry.stdout)).toMatchObject({ method: 'POST' });
    // The service has sentences of its own about what it rejects.
    else if (code !== 3) expect(errorOf(dry)).toEqual(errorOf(real));
  });

  it('shows the request, and who would pay how much', async () => {
    const { service } = await serveAnswers({});
    const ended = await inProcess([...CHARGE, '--dry-run', '-o', 'csv'], { service });
    expect(ended.stderr).toBe(
      `Nothing was sent. Without --dry-run, this charges ${ugwoOf(1)}: NGN 5,000.01, order-1, Order 1, ada@example.com\n`,
    );
    expect(ended.stdout).toContain(`/v1/ugwo/${ugwoOf(1)}/activities`);
    expect(ended.stdout).not.toContain('uthorization');
  });

  it('names the unknown bank, and the one that was meant', async () => {
    const { service, now } = await serveAnswers({});
    const dry = (): Promise<Ended> => inProcess([...CHARGE.slice(0, -1), 'gtbb', '--dry-run'], { service });
    expect((await dry()).stderr).toMatch(/the service lists no bank "gtbb".*--provider.*did you mean gtb\?/s);
    expect((await dry()).stderr).toContain('`paycli checkout providers chk.AbCd.1 ussd`');
    for (const banks of [problem(404, 'Not found'), json(200, [{ psp: 'psp.AbCd.1' }]), raw('')]) {
      now.answers = { banks };
      expect(await dry()).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('"gtbb" is no bank code that paycli knows (did you mean gtb?)'),
      });
    }
  });

  it('prints with --reuse what the charge would print', async () => {
    const options = await prepared({ before: [[CHARGE]], code: 0 });
    const reuse = [...CHARGE, '--reuse', '--json'];
    const dry = await inProcess([...reuse, '--dry-run'], options);
    expect(dry).toEqual(await inProcess(reuse, options));
    expect(JSON.parse(dry.stdout)).toMatchObject({ uid: activityOf(1) });
    expect(postsTo(options.service)).toBe(1);
  });

  // Runs the built program, whose reads of the schemas nothing has prepared.
  it('makes no ledger', async () => {
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

import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CANARY } from '../support/canary.ts';
import { clock } from '../support/clock.ts';
import { rewrite } from '../support/ledger.ts';
import type { Ended, RunOptions } from '../support/program.ts';
import { fromNoon, newFolder, paycli } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import type { Service } from '../support/service.ts';
import { json, serveAllBy, serveBy, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import {
  activityOf,
  charged,
  charging,
  csvOf,
  fileOf,
  numberIn,
  once,
  postsOf,
  serveCharges,
  ugwoOf,
  ussdFile,
} from './bulk-support.ts';

type World = Required<Pick<RunOptions, 'home' | 'service' | 'env'>> & { readonly service: Service };

/** A ledger whose policy limits charges by keys without a profile, like the key of these tests. */
const under = async (limits: readonly string[], service?: Service): Promise<World> => {
  const world = { home: newFolder(), service: service ?? (await serveCharges()), env: fromNoon() };
  await scene({ ...world, argv: ['policy', 'set', '--others', ...limits] });
  return world;
};

const CHARGE = (number: number, ...more: readonly string[]): string[] => [
  ...['ugwo', 'charge', ugwoOf(number), '--medium', 'ussd', '--provider', 'gtb', '--json'],
  ...more,
];

describe('a charge that exceeds a policy', () => {
  it('is refused with 9, with the remaining limit and a hint, and not sent', async () => {
    const world = await under(['--max-charges', '1']);
    await scene({ ...world, argv: CHARGE(1), requests: ['POST'] });
    const used = 'the policy for all other profiles limits charges to 1 a day, and all of them are used today';
    const message = `${ugwoOf(2)} was not charged: ${used}`;
    const hint = `the next day begins at 00:00 UTC. See \`paycli policy show --others\`; --again doesn't override this`;
    const stderr = `${JSON.stringify({ error: { kind: 'refused', exit_code: 9, message, hint } })}\n`;
    for (const more of [[], ['--again'], ['--reuse']])
      await scene({ ...world, argv: CHARGE(2, ...more), exit: 9, stderr, requests: [] });
  });

  it('is refused if its amount exceeds the rest', async () => {
    const world = await under(['--max-amount', 'NGN 9,000.00']);
    await scene({ ...world, argv: CHARGE(1), requests: ['POST'] });
    const message = 'allows NGN 9,000.00 a day; NGN 3,999.99 is left today, and this charge is NGN 5,000.01';
    const error = { message: expect.stringContaining(message) };
    await scene({ ...world, argv: CHARGE(2), exit: 9, error, requests: [] });
  });

  it.each<[string, readonly string[], readonly string[], string, string]>([
    ['for a forbidden medium', ['--medium', 'bank_transfer'], [], "doesn't allow ussd", 'it allows: bank_transfer'],
    [
      'in a currency without a limit',
      ['--max-amount', 'USD 9,000.00'],
      [],
      "doesn't allow NGN",
      'it has amounts for: USD',
    ],
    [
      'with an unknown amount',
      ['--max-amount', 'NGN 9,000.00'],
      ['--no-preflight'],
      'limits amounts, and the amount of this charge is not known',
      'leave out --no-preflight',
    ],
    [
      'above the daily amount',
      ['--max-amount', 'NGN 1.00'],
      [],
      'NGN 1.00 is left today, and this charge is NGN 5,000.01',
      'it is more than a whole day allows',
    ],
  ])('is refused %s', async (_what, limits, more, message, hint) => {
    const world = await under(limits);
    const error = { message: expect.stringContaining(message), hint: expect.stringContaining(hint) };
    await scene({ ...world, argv: CHARGE(1, ...more), exit: 9, error, requests: [] });
  });

  it('that failed does not count', async () => {
    const world = await under(
      ['--max-charges', '1'],
      await serveBy((seen) => charged(numberIn(seen), numberIn(seen) === 1 ? { status: 'failed', error: 'no' } : {})),
    );
    await scene({ ...world, argv: CHARGE(1), exit: 11, json: { status: 'failed' } });
    await scene({ ...world, argv: CHARGE(2) });
    await scene({ ...world, argv: CHARGE(3), exit: 9, requests: [] });
  });

  it('is refused with the emulator, too', async () => {
    const local = (...args: string[]): string[] => [...args, '--local', '--json'];
    const { home, stdout } = await scene({
      before: [['policy', 'set', 'local', '--max-charges', '0']],
      argv: local('ugwo', 'list', '--max', '1'),
      stderr: ['more remain'],
    });
    const uid = (JSON.parse(stdout) as { data: { uid: string }[] }).data[0]?.uid ?? '';
    await scene({
      home,
      argv: local('ugwo', 'charge', uid, '--medium', 'bank_transfer'),
      exit: 9,
      error: { message: expect.stringContaining('the policy of profile local limits charges to 0 a day') },
    });
  });
});

describe('a file that exceeds a policy', () => {
  it('stops at the limit, and resumes once the limit is higher', async () => {
    const world = await under(['--max-charges', '2']);
    const file = ussdFile(1, 2, 3, 4, 5);
    await scene({
      ...world,
      argv: charging(file, '--concurrency', '1'),
      exit: 9,
      json: { accepted: 2, refused: 1, not_started: 2 },
      error: {
        message: /\nstopped early: .* limits charges to 2 a day, and all of them are used today\n/,
        hint: /^run the same command again to continue with the rows that were not sent\n(?!.*earlier charge)/,
      },
    });
    await scene({
      ...world,
      before: [['policy', 'set', '--others', '--max-charges', '9']],
      argv: charging(file),
      json: { accepted: 5, skipped: 2 },
    });
    expect(postsOf(world.service)).toEqual(once(1, 2, 3, 4, 5));
  });

  it('continues after a row that is forbidden by itself', async () => {
    const looks = (number: number) => json(200, { ...ugwo(number), amount: number === 1 ? 900 : 100, checkout: {} });
    const service = await serveBy((seen) => (seen.method === 'GET' ? looks(numberIn(seen)) : charged(numberIn(seen))), {
      looks: 'asked',
    });
    const world = await under(['--max-amount', 'NGN 8.00'], service);
    const counts = { accepted: 2, refused: 1, not_started: 0 };
    await scene({ ...world, argv: charging(ussdFile(1, 2, 3)), exit: 9, json: counts });
    expect(postsOf(service)).toEqual(once(2, 3));
  });
});

describe('a refund under a policy', () => {
  const service = (paid: object = {}, answer: object = {}): Promise<Service> =>
    serveAllBy((seen) => {
      if (seen.method === 'POST') return json(200, { uid: 'rfd.A.b', status: 'successful', ...answer });
      const latest = { uid: activityOf(numberIn(seen)), charged_amount: '500001.00', ...paid };
      return json(200, {
        ...ugwo(numberIn(seen)),
        currency: undefined,
        checkout: { currency: 'NGN' },
        latest_ugwo_activity: latest,
      });
    });
  const REFUND = (number: number, ...more: readonly string[]): string[] => [
    ...['refund', 'create', activityOf(number), '--ugwo', ugwoOf(number), '--yes', '--json'],
    ...more,
  ];

  it('is refused with 9 beyond the number of refunds, and not sent', async () => {
    const world = await under(['--max-refunds', '1'], await service());
    await scene({ ...world, argv: REFUND(1) });
    const used = 'the policy for all other profiles limits refunds to 1 a day, and all of them are used today';
    const error = { kind: 'refused', message: `no refund was sent for ${activityOf(2)}: ${used}` };
    for (const more of [[], ['--again'], ['--dry-run']])
      await scene({ ...world, argv: REFUND(2, ...more), exit: 9, error });
    const raw = ['api', '/v1/refunds', '-f', `ugwo_activity=${activityOf(2)}`, '--yes'];
    await scene({ ...world, argv: raw, exit: 9 });
    await scene({ ...world, service: serveCharges(), argv: CHARGE(3) });
    expect(world.service.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('counts with its amount, or in full with the amount of its payment', async () => {
    const world = await under(['--max-refund-amount', 'NGN 6,000.00'], await service());
    await scene({ ...world, argv: REFUND(1) });
    const left = /allows NGN 6,000\.00 of refunds a day; NGN 999\.99 is left today, and this refund is NGN 1,000\.00/;
    await scene({ ...world, argv: REFUND(2, '--amount', '1,000.00'), exit: 9, error: { message: left } });
    await scene({
      ...world,
      argv: REFUND(2, '--amount', '999.99'),
    });
    await scene({
      ...world,
      argv: ['refund', 'create', activityOf(3), '--yes', '--json'],
      exit: 9,
      error: {
        message: /the amount of this refund is not known/,
        hint: /give its payment request \(--ugwo,/,
      },
      requests: [],
    });
    await scene({
      ...world,
      argv: [...['policy', 'set', 'shop', '--max-refund-amount', 'NGN 1.00', '--max-refunds', '3', '-o', 'ndjson']],
      json: { max_refunds: 3, amounts: [{ max_refund_amount: 100, max_amount: null }] },
    });
    await scene({
      ...world,
      argv: ['policy', 'show', 'club', '--json'],
      json: {
        amounts: [{ currency: 'NGN', max_refund_amount: 600_000, refund_amount_today: 0, amount_today: null }],
        ...{ max_refunds: null, refunds_today: 0, unknown_refund_amounts_today: 0, set_by: expect.any(String) },
      },
    });
    const data = [{ amount: 99_999 }, { amount: 500_001 }];
    await scene({ ...world, argv: ['ledger', 'list', '--kind', 'all', '--json'], json: { data } });
  });

  it('stops a file at the limit', async () => {
    const world = await under(['--max-refund-amount', 'NGN 9,000.00'], await service());
    const rows = [1, 2, 3].map((number) => `${activityOf(number)},${ugwoOf(number)},all`);
    const file = fileOf(csvOf('activity,ugwo,amount', ...rows));
    await scene({
      ...world,
      argv: ['refund', 'create', '--from', file, '--concurrency', '1', '--yes', '--json'],
      exit: 9,
      json: { accepted: 1, refused: 1, not_started: 1 },
      error: { message: /NGN 3,999\.99 is left today, and this refund is NGN 5,000\.01/ },
    });
  });

  it.each<[where: string, paid: object, answer: object, amount: string[]]>([
    ['the answer', {}, { amount: 0 }, ['--amount', '4,000.00']],
    ['what the activity brought', { charged_amount: 0 }, {}, []],
  ])('counts in full if %s shows an amount of 0', async (_where, paid, answer, amount) => {
    const world = await under(['--max-refund-amount', 'NGN 6,000.00'], await service(paid, answer));
    await scene({ ...world, argv: REFUND(1, ...amount), stderr: /^/ });
    await scene({ ...world, argv: REFUND(2, ...amount), exit: 9 });
  });

  it("isn't sent where only the row of a file names its currency", async () => {
    const world = await under(['--max-refund-amount', 'NGN 9,000.00'], await service());
    const file = fileOf(csvOf('activity,amount,currency', `${activityOf(1)},5000.00,NGN`));
    await scene({
      ...world,
      argv: ['refund', 'create', '--from', file, '--yes', '--json'],
      exit: 9,
      json: { refused: 1 },
      error: { message: /the amount of this refund is not known/ },
      requests: [],
    });
  });
});

/** Stores a policy for all profiles with --approve-above in a ledger file, which only an editor can. */
const withApprovals = async (): Promise<World> => {
  const world = await under(['--max-charges', '9']);
  rewrite(`${world.home}/ledger.sqlite`, `UPDATE policy SET policy = '{"maxCharges":9,"approveAbove":{"NGN":99}}'`);
  return world;
};

const SHARE = 'only a shared ledger knows who approves: see `paycli help docs team`';

describe('a ledger file', () => {
  it("can't store --approve-above", async () => {
    const { home } = await scene({
      argv: ['policy', 'set', 'shop', '--approve-above', 'NGN 1.00', '--json'],
      exit: 2,
      error: { message: "--approve-above: a ledger file can't tell who approves", hint: SHARE },
    });
    await scene({ home, argv: ['policy', 'list', '--json'], json: { data: [] } });
  });

  it.each([[], ['--dry-run'], ['--no-preflight']])(
    'with a stored --approve-above refuses every file of charges %s',
    async (...more) => {
      const world = await withApprovals();
      const file = ussdFile(1);
      const message = `${file}: nothing was sent: the policy wants approvals, and a ledger file can't tell who approves`;
      const error = { kind: 'refused', message, hint: SHARE };
      await scene({ ...world, argv: charging(file, ...more), exit: 9, error, requests: [] });
      await scene({ ...world, argv: CHARGE(1) });
    },
  );
});

describe('policies', () => {
  let home = { home: '' };
  beforeEach(() => {
    home = { home: newFolder() };
  });
  const policy = (words: readonly string[], json: object = {}): Promise<Ended> =>
    scene({ ...home, argv: ['policy', ...words, '--json'], json });

  it('are set limit by limit, shown, listed and removed', async () => {
    await policy(['set', 'shop', '--max-charges=3', '--max-amount=NGN 5.00', '--max-amount=JPY 7']);
    await policy(['set', 'shop', '--max-amount=ngn 6.00', '--medium=ussd']);
    const limits = {
      profile: 'shop',
      max_charges: 3,
      set_by: expect.stringMatching(/.@./),
      set_at: expect.stringMatching(/\+00:00$/),
    };
    const none = { approve_above: null, max_refund_amount: null, refund_amount_today: null };
    const { stdout } = await policy(['show', '--profile', 'shop']);
    expect(JSON.parse(stdout)).toEqual({
      ...limits,
      mediums: ['ussd'],
      charges_today: 0,
      amounts: [
        { currency: 'JPY', max_amount: 7, amount_today: 0, ...none },
        { currency: 'NGN', max_amount: 600, amount_today: 0, ...none },
      ],
      unknown_amounts_today: 0,
      max_refunds: null,
      refunds_today: null,
      unknown_refund_amounts_today: null,
    });
    await policy(['set', 'shop', '--max-refunds=2', '--max-refund-amount=NGN 1.00', '--max-refund-amount=JPY 3']);
    await policy(['set', 'shop', '--max-refunds=0', '--max-refund-amount=NGN 2.00', '--max-charges=0']);
    const changed = {
      ...{ profile: 'shop', max_charges: 0, mediums: ['ussd'], max_refunds: 0, refunds_today: 0 },
      amounts: [
        { max_amount: 7, max_refund_amount: 3 },
        { max_amount: 600, max_refund_amount: 200 },
      ],
    };
    await policy(['show', 'shop', '--profile', 'club'], changed);
    await policy(['show', 'shop', '--local'], changed);
    await policy(['set', 'shop', '--max-charges=3', '--medium=mobile_money']);
    await policy(['set', '--others', '--max-charges=1']);
    await policy(['show', 'club'], { profile: '*', max_charges: 1, charges_today: 0 });
    await policy(['show', '--others'], { profile: '*', charges_today: null });
    const shop = { ...limits, mediums: ['mobile_money'] };
    await policy(['list'], { data: [{ profile: '*', charges_today: null }, shop], next_cursor: null });
    await policy(['remove', 'shop', '--yes'], { profile: 'shop', max_charges: 3, max_refunds: 0 });
    await policy(['list'], { data: [{ profile: '*' }] });
  });

  it('count a charge until the day ends in UTC', async () => {
    const [{ origin }, env] = [await serveCharges(), fromNoon()];
    const login = ['login', '--profile', 'shop', '--base-url', origin, '--key-stdin', '--no-verify'];
    await scene({ ...home, stdin: CANARY, argv: login, stderr: /^/ });
    for (const name of ['club', 'shop']) await policy(['set', name, '--max-charges', '1']);
    await scene({ ...home, env, argv: CHARGE(1, '--profile', 'shop') });
    await policy(['list'], { data: [{ charges_today: 0 }, { charges_today: 1 }] });
    await policy(['show', 'shop'], { charges_today: 1 });
    vi.spyOn(clock, 'now').mockReturnValue(Date.UTC(2026, 10, 21));
    await policy(['show', 'shop'], { charges_today: 0 });
    await scene({ ...home, env, argv: CHARGE(2, '--profile', 'shop') });
  });

  it('keep every limit that is set at once', async () => {
    const limits = [
      ['--max-charges', '3'],
      ['--medium', 'ussd'],
      ['--max-amount', 'NGN 5.00'],
      ['--max-amount', 'USD 6.00'],
    ];
    const ended = await Promise.all(limits.map((limit) => paycli(['policy', 'set', 'many', ...limit], home)));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const amounts = [{ max_amount: 500 }, { max_amount: 600 }];
    await policy(['show', 'many'], { max_charges: 3, mediums: ['ussd'], amounts });
  });

  it('are confirmed as removed', async () => {
    for (const [whose, name] of [
      ['gone', 'of profile gone'],
      ['--others', 'for all other profiles'],
    ] as const) {
      await scene({
        ...home,
        before: [['policy', 'set', whose, '--max-charges', '3']],
        argv: ['policy', 'remove', whose, '--yes'],
        stderr: `The policy ${name} was removed.\n`,
      });
    }
  });

  it('show amounts as money on a terminal', async () => {
    await policy(['set', 'club', '--max-amount', 'NGN 5,000.00']);
    const terminal = openTerminal(['policy', 'show', 'club'], home);
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(await terminal.screen()).toMatch(/NGN +NGN 5,000\.00 +NGN 0\.00/);
  });

  it.each<[what: string, args: string[], message: string, exit?: number]>([
    ['set without a limit', ['set', 'shop'], 'no limit given'],
    ...['--max-amount', '--max-refund-amount', '--approve-above'].map<[string, string[], string]>((flag) => [
      `set twice for a currency by ${flag}`,
      ['set', 'shop', ...['NGN 1.00', 'USD 1.00', 'NGN 2.00'].flatMap((sum) => [flag, sum])],
      `${flag}: NGN is given twice`,
    ]),
    ['set with an ambiguous amount', ['set', 'shop', '--max-amount', 'NGN 500'], 'could mean NGN 500.00 or NGN 5.00'],
    ['set without a currency', ['set', 'shop', '--max-amount', '5.00'], 'is not an amount with its currency'],
    ['shown for a profile and --others at once', ['show', 'shop', '--others'], "can't be used together"],
    ['set for both', ['set', 'shop', '--others', '--max-charges', '1'], "can't be used together"],
    ['removed for both', ['remove', 'shop', '--others'], "can't be used together"],
    ['set for an invalid profile name', ['set', '../x', '--max-charges', '1'], 'not a profile name'],
    ['set for no profile', ['set', '--max-charges', '1'], 'no profiles yet', 4],
    ['shown if there is none', ['show', 'none'], 'no policy holds for profile none'],
    ['removed if there is none', ['remove', 'none'], 'there is no policy of profile none'],
  ])("can't be %s", async (_what, args, message, exit = 2) => {
    await scene({ argv: ['policy', ...args], exit, stderr: [message] });
  });

  it("that this version can't read stop every charge", async () => {
    const world = await under(['--max-charges', '5']);
    rewrite(`${world.home}/ledger.sqlite`, `UPDATE policy SET policy = '{"maxCustomers":1}'`);
    await scene({
      ...world,
      argv: CHARGE(1),
      exit: 10,
      error: {
        message: /a policy that this paycli can't read/,
        hint: 'use the newer paycli that has written it',
      },
      requests: [],
    });
  });
});

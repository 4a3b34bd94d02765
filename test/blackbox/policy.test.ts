import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../support/built.ts';
import { inProcess } from '../support/in-process.ts';
import { rewrite } from '../support/ledger.ts';
import type { Ended, RunOptions } from '../support/program.ts';
import { errorOf, newFolder, paycli } from '../support/program.ts';
import type { Service } from '../support/service.ts';
import { json, serveAllBy, serveBy, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { charged, numberIn, once, postsOf, serveCharges, summaryOf, ugwoOf, ussdFile } from './bulk-support.ts';

const chargeFrom = (file: string, options: RunOptions, ...more: readonly string[]): Promise<Ended> =>
  inProcess(['ugwo', 'charge', '--from', file, '--json', ...more], options);

type World = Required<Pick<RunOptions, 'home' | 'service'>> & { readonly service: Service };

/** A ledger whose policy limits charges by keys without a profile, like the key of these tests. */
const under = async (limits: readonly string[], service?: Service): Promise<World> => {
  const world = { home: newFolder(), service: service ?? (await serveCharges()) };
  const set = await inProcess(['policy', 'set', '--others', ...limits], world);
  expect(set).toMatchObject({ code: 0, stderr: '' });
  return world;
};

const charge = (number: number, world: RunOptions, ...more: readonly string[]): Promise<Ended> =>
  inProcess(['ugwo', 'charge', ugwoOf(number), '--medium', 'ussd', '--provider', 'gtb', '--json', ...more], world);

describe('a charge that exceeds a policy', () => {
  it('is refused with 9, with the remaining limit and a hint, and not sent', async () => {
    const world = await under(['--max-charges', '1']);
    expect(await charge(1, world)).toMatchObject({ code: 0 });
    for (const more of [[], ['--again'], ['--reuse']]) {
      const ended = await charge(2, world, ...more);
      expect(ended).toMatchObject({ code: 9, stdout: '' });
      expect(errorOf(ended)).toEqual({
        kind: 'refused',
        exit_code: 9,
        message: `${ugwoOf(2)} was not charged: the policy for all other profiles allows 1 a day, and all of them are used today`,
        hint: expect.stringMatching(
          /^the next day begins at 00:00 UTC\. See `paycli policy show --others.*`; --again doesn't override this$/,
        ),
      });
    }
    expect(postsOf(world.service)).toEqual(once(1));
  });

  it('is refused if its amount exceeds the rest', async () => {
    const world = await under(['--max-amount', 'NGN 9,000.00']);
    expect(await charge(1, world)).toMatchObject({ code: 0 });
    const ended = await charge(2, world);
    expect(errorOf(ended)['message']).toContain(
      'allows NGN 9,000.00 a day; NGN 3,999.99 is left today, and this charge is NGN 5,000.01',
    );
    expect(postsOf(world.service)).toEqual(once(1));
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
    const ended = await charge(1, world, ...more);
    expect(ended.code).toBe(9);
    expect(errorOf(ended)['message']).toContain(message);
    expect(errorOf(ended)['hint']).toContain(hint);
    expect(postsOf(world.service)).toEqual({});
  });

  it('that failed does not count', async () => {
    const world = await under(
      ['--max-charges', '1'],
      await serveBy((seen) => charged(numberIn(seen), numberIn(seen) === 1 ? { status: 'failed', error: 'no' } : {})),
    );
    expect(await charge(1, world)).toMatchObject({ code: 11 });
    expect(await charge(2, world)).toMatchObject({ code: 0 });
    expect(await charge(3, world)).toMatchObject({ code: 9 });
  });

  it('is refused with the emulator, too', async () => {
    const home = newFolder();
    const local = (...args: readonly string[]): Promise<Ended> => inProcess([...args, '--local', '--json'], { home });
    await local('policy', 'set', '--max-charges', '0');
    const listed = await local('ugwo', 'list', '--max', '1');
    const uid = (JSON.parse(listed.stdout) as { data: { uid: string }[] }).data[0]?.uid ?? '';
    const ended = await local('ugwo', 'charge', uid, '--medium', 'bank_transfer');
    expect(ended.code).toBe(9);
    expect(errorOf(ended)['message']).toContain('the policy of profile local allows 0 a day');
  });
});

describe('a file that exceeds a policy', () => {
  it('stops at the limit, and resumes once the limit is higher', async () => {
    const world = await under(['--max-charges', '2']);
    const file = ussdFile(1, 2, 3, 4, 5);
    const ended = await chargeFrom(file, world, '--concurrency', '1');
    expect(ended.code).toBe(9);
    expect(summaryOf(ended)).toMatchObject({ accepted: 2, refused: 1, not_started: 2 });
    const { message, hint } = errorOf(ended);
    expect(message).toContain('stopped early: ');
    expect(message).toContain('allows 2 a day, and all of them are used today');
    expect(hint).toContain('run the same command again to continue with the rows that were not sent');
    expect(hint).not.toContain('earlier charge');
    await paycli(['policy', 'set', '--others', '--max-charges', '9'], world);
    const again = await chargeFrom(file, world);
    expect(again).toMatchObject({ code: 0 });
    expect(summaryOf(again)).toMatchObject({ accepted: 5, skipped: 2 });
    expect(postsOf(world.service)).toEqual(once(1, 2, 3, 4, 5));
  });

  it('continues after a row that is forbidden by itself', async () => {
    const looks = (number: number) => json(200, { ...ugwo(number), amount: number === 1 ? 900 : 100, checkout: {} });
    const service = await serveBy((seen) => (seen.method === 'GET' ? looks(numberIn(seen)) : charged(numberIn(seen))), {
      looks: 'asked',
    });
    const world = await under(['--max-amount', 'NGN 8.00'], service);
    const ended = await chargeFrom(ussdFile(1, 2, 3), world);
    expect(ended.code).toBe(9);
    expect(summaryOf(ended)).toMatchObject({ accepted: 2, refused: 1, not_started: 0 });
    expect(postsOf(service)).toEqual(once(2, 3));
  });
});

/** Makes one user appear as another account. */
const NAMESPACE = ['--user', '--map-user=4711'] as const;

/** A file with two charges of NGN 5,000.01 that needs approval. */
const waiting = async () => {
  const world = await under(['--approve-above', 'NGN 10,000.00']);
  const file = ussdFile(1, 2);
  const ended = await chargeFrom(file, world);
  const job = String(errorOf(ended)['ledger_id']);
  return { world, file, ended, job };
};

/** Sets another user as the one who asked or approved. */
const byAnother = ({ home }: World, what: 'asked_by' | 'approved_by'): void =>
  rewrite(`${home}/ledger.sqlite`, `UPDATE approval SET ${what} = 'obi@desk'`);

const approve = async ({ home }: World, job: string, typed: string): Promise<{ code: number; screen: string }> => {
  const terminal = openTerminal(['approve', job], { home });
  await terminal.saw(/to approve: /);
  terminal.type(`${typed}\r`);
  return { code: (await terminal.ended).code, screen: await terminal.screen() };
};

describe('a file above --approve-above', () => {
  it('is not sent; the error has the command for the approver', async () => {
    const { world, file, ended, job } = await waiting();
    expect(ended).toMatchObject({ code: 9, stdout: '' });
    expect(errorOf(ended)).toMatchObject({
      kind: 'refused',
      message: `${file}: nothing was sent: 2 payment requests for NGN 10,000.02 need another person's approval`,
      hint: `ask somebody else to run \`paycli approve ${job}\`, then run the same command again`,
    });
    expect(postsOf(world.service)).toEqual({});
    const shown = await paycli(['ledger', 'show', job], world);
    expect(shown.stdout).toMatch(/^approval\twaiting$/m);
    expect(shown.stderr).toMatch(/^it waits for approval: somebody else than .*@.* has to run `paycli approve job-/);
    const { stdout } = await paycli(['ledger', 'jobs', '--json'], world);
    expect(JSON.parse(stdout)).toMatchObject({ data: [{ id: job, approval: 'waiting', approved_by: null }] });
  });

  it("can't be approved by the user who asked for it, nor by a script", async () => {
    const { world, job } = await waiting();
    const own = await inProcess(['approve', job, '--json', '--yes'], world);
    expect(own).toMatchObject({ code: 9, stdout: '' });
    expect(errorOf(own)['message']).toMatch(/was not approved: it was asked for by you, .*@/);
    const renamed = await paycli(['approve', job, '--json', '--yes'], {
      ...world,
      env: { USER: 'obi', LOGNAME: 'obi' },
    });
    expect(errorOf(renamed)['message']).toMatch(/was not approved: it was asked for by you, .*@/);
    byAnother(world, 'asked_by');
    const script = await inProcess(['approve', job, '--json', '--yes'], world);
    expect(script).toMatchObject({ code: 2, stdout: '' });
    expect(errorOf(script)['message']).toBe('an approval is typed by a person on a terminal');
  });

  it('is sent once another user has typed its total', async () => {
    const { world, file, job } = await waiting();
    byAnother(world, 'asked_by');
    const wrong = await approve(world, job, 'NGN 10,000.20');
    expect(wrong).toMatchObject({ code: 130, screen: expect.stringMatching(/^Cancelled; nothing was changed$/m) });
    const { code, screen } = await approve(world, job, 'ngn 10000.02');
    expect(code).toBe(0);
    for (const part of [/2 charges/, /for NGN 10,000\.02/, /asked for by obi@desk/, /approval +approved/])
      expect(screen).toMatch(part);
    const own = await chargeFrom(file, world);
    expect(own.code).toBe(9);
    expect(errorOf(own)).toMatchObject({
      message: expect.stringMatching(/were approved by you, .*@/),
      hint: 'another person has to run it, such as obi@desk',
    });
    expect(postsOf(world.service)).toEqual({});
    byAnother(world, 'approved_by');
    expect(await chargeFrom(file, world)).toMatchObject({ code: 0 });
    expect(postsOf(world.service)).toEqual(once(1, 2));
    const { stdout } = await inProcess(['ledger', 'show', job, '--json'], world);
    expect(JSON.parse(stdout)).toMatchObject({ approval: 'approved', approved_by: 'obi@desk', accepted: 2 });
    expect(await chargeFrom(file, world)).toMatchObject({ code: 0 });
  });

  it.runIf(spawnSync('unshare', [...NAMESPACE, 'true']).status === 0)(
    "can't be approved or sent inside a user namespace, where one user can appear as two",
    async () => {
      const { world, file, job } = await waiting();
      const inside: World & RunOptions = { ...world, program: ['unshare', ...NAMESPACE, ...PROGRAM] };
      byAnother(world, 'asked_by');
      const approved = await paycli(['approve', job, '--json', '--yes'], inside);
      expect([approved.code, errorOf(approved)['message']]).toEqual([
        9,
        expect.stringMatching(/asked for by obi@desk, who may be you, uid 4711@.* in a user namespace$/),
      ]);
      byAnother(world, 'approved_by');
      const sent = await paycli(['ugwo', 'charge', '--from', file, '--json'], inside);
      expect([sent.code, errorOf(sent)['message']]).toEqual([9, expect.stringContaining('approved by obi@desk, who')]);
      expect(errorOf(sent)['hint']).toContain('outside of user namespaces');
      expect(postsOf(world.service)).toEqual({});
    },
  );

  it('needs a new approval if its total exceeds the approved one', async () => {
    const { world, file } = await waiting();
    byAnother(world, 'approved_by');
    rewrite(`${world.home}/ledger.sqlite`, `UPDATE approval SET amounts = '{"NGN":"1000001"}'`);
    const ended = await chargeFrom(file, world);
    expect(ended.code).toBe(9);
    expect(errorOf(ended)['message']).toContain('for NGN 10,000.02 are more than was approved');
    expect(postsOf(world.service)).toEqual({});
  });

  it('needs no approval if its total equals the limit', async () => {
    const world = await under(['--approve-above', 'NGN 10,000.02']);
    expect(await chargeFrom(ussdFile(1, 2), world)).toMatchObject({ code: 0 });
  });

  it('must exist and need approval for `paycli approve`', async () => {
    const { world } = await waiting();
    expect(await inProcess(['approve', 'job-0000000000000000'], world)).toMatchObject({ code: 2 });
    const unasked = await inProcess(['policy', 'remove', '--others'], world);
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('needs confirmation') });
    await inProcess(['policy', 'remove', '--others', '--yes'], world);
    const free = summaryOf(await chargeFrom(ussdFile(3), world));
    const ended = await inProcess(['approve', String(free['job'])], world);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('needs no approval');
  });
});

describe('amounts that change after the check of a file', () => {
  /** Serves payment requests whose amounts change with each read; the last one stays. */
  const asking = async (amounts: Readonly<Record<number, readonly number[]>>, currencies = ['NGN']) => {
    const looks: Record<number, number> = {};
    return serveAllBy((seen) => {
      const number = numberIn(seen);
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
    const world = await under(
      ['--approve-above', 'NGN 100.00'],
      await asking({ 1: amounts }, [...(currencies ?? ['NGN'])]),
    );
    const ended = await chargeFrom(ussdFile(1), world, ...more);
    expect(ended.code).toBe(9);
    expect(summaryOf(ended)).toMatchObject({ accepted: 0, refused: 1 });
    expect(errorOf(ended)).toMatchObject({
      message: expect.stringMatching(
        /was not charged: with (NGN 5,000,000|USD 50)\.00, the file comes to more than may be charged/,
      ),
      hint: expect.stringContaining('run the same command again to have all of them checked'),
    });
    expect(postsOf(world.service)).toEqual({});
  });

  it("don't prevent sending a row that stays below the limit", async () => {
    const world = await under(['--approve-above', 'NGN 100.00'], await asking({ 1: [5000, 10_000] }));
    expect(await chargeFrom(ussdFile(1), world)).toMatchObject({ code: 0 });
  });

  it('stop an approved file at the first row that exceeds the approved total', async () => {
    const service = await asking({ 1: [5000], 2: [5000, 5000, 10_000_000_000], 3: [5000] });
    const world = await under(['--approve-above', 'NGN 100.00'], service);
    const file = ussdFile(1, 2, 3);
    expect(await chargeFrom(file, world)).toMatchObject({ code: 9 });
    byAnother(world, 'approved_by');
    const ended = await chargeFrom(file, world, '--concurrency', '1');
    expect(summaryOf(ended)).toMatchObject({ accepted: 1, refused: 1, not_started: 1 });
    expect(postsOf(service)).toEqual(once(1));
  });

  it('are added to earlier charges of the file', async () => {
    const service = await asking({ 1: [5000], 2: [5000, 10_000_000, 10_000] });
    const world = await under(['--approve-above', 'NGN 100.00'], service);
    const file = ussdFile(1, 2);
    expect(await chargeFrom(file, world, '--concurrency', '1')).toMatchObject({ code: 9 });
    expect(postsOf(service)).toEqual(once(1));
    // Alone, it would be within the limit.
    const again = await chargeFrom(file, world);
    expect(errorOf(again)['message']).toContain("2 payment requests for NGN 150.00 need another person's approval");
    expect(postsOf(service)).toEqual(once(1));
  });
});

describe('policies', () => {
  const home = { home: newFolder() };
  const policy = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
    const ended = await inProcess(['policy', ...args, '--json'], home);
    expect(ended.code, ended.stderr).toBe(0);
    return JSON.parse(ended.stdout) as Record<string, unknown>;
  };

  it('are set limit by limit, shown, listed and removed', async () => {
    await policy('set', 'shop', '--max-charges', '3', '--max-amount', 'NGN 5.00', '--max-amount', 'JPY 7');
    await policy('set', 'shop', '--approve-above', 'USD 1.00', '--max-amount', 'ngn 6.00', '--medium', 'ussd');
    const limits = {
      profile: 'shop',
      max_charges: 3,
      mediums: ['ussd'],
      set_by: expect.stringMatching(/.@./),
      set_at: expect.stringMatching(/\+00:00$/),
    };
    const amounts = [
      { currency: 'JPY', max_amount: 7, amount_today: 0, approve_above: null },
      { currency: 'NGN', max_amount: 600, amount_today: 0, approve_above: null },
      { currency: 'USD', max_amount: null, amount_today: null, approve_above: 100 },
    ];
    expect(await policy('show', '--profile', 'shop')).toEqual({
      ...limits,
      charges_today: 0,
      amounts,
      unknown_amounts_today: 0,
    });
    await policy('set', '--others', '--max-charges', '1');
    expect(await policy('show', 'club')).toMatchObject({ profile: '*', max_charges: 1, charges_today: 0 });
    expect(await policy('show', '--others')).toMatchObject({ profile: '*', charges_today: null });
    expect(await policy('list')).toMatchObject({ data: [{ profile: '*' }, limits], next_cursor: null });
    expect(await policy('remove', 'shop', '--yes')).toMatchObject({ profile: 'shop', max_charges: 3 });
    expect(await policy('list')).toMatchObject({ data: [{ profile: '*' }] });
  });

  it('are confirmed as removed', async () => {
    await policy('set', 'gone', '--max-charges', '3');
    const others = await inProcess(['policy', 'set', '--others', '--max-charges', '3'], home);
    expect(others).toMatchObject({ code: 0, stderr: '' });
    const removed = async (whose: string) => (await inProcess(['policy', 'remove', whose, '--yes'], home)).stderr;
    expect(await removed('gone')).toBe('The policy of profile gone was removed.\n');
    expect(await removed('--others')).toBe('The policy for all other profiles was removed.\n');
  });

  it('show amounts as money on a terminal', async () => {
    await policy('set', 'club', '--max-amount', 'NGN 5,000.00');
    const terminal = openTerminal(['policy', 'show', 'club'], home);
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(await terminal.screen()).toMatch(/NGN +NGN 5,000\.00 +NGN 0\.00/);
  });

  it.each([
    ['set without a limit', ['set', 'shop'], 'no limit given'],
    [
      'set twice for a currency',
      ['set', 'shop', '--max-amount', 'NGN 1.00', '--max-amount', 'NGN 2.00'],
      'NGN is given twice',
    ],
    ['set with an ambiguous amount', ['set', 'shop', '--max-amount', 'NGN 500'], 'could mean NGN 500.00 or NGN 5.00'],
    ['set without a currency', ['set', 'shop', '--max-amount', '5.00'], 'is not an amount with its currency'],
    ['set for a profile and --others at once', ['show', 'shop', '--others'], "can't be used together"],
    ['set for an invalid profile name', ['set', '../x', '--max-charges', '1'], 'not a profile name'],
    ['shown if there is none', ['show', 'none'], 'no policy holds for profile none'],
    ['removed if there is none', ['remove', 'none'], 'there is no policy of profile none'],
  ])("can't be %s", async (_what, args, message) => {
    const ended = await inProcess(['policy', ...args], { home: newFolder() });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(message);
  });

  it("that this version can't read stop every charge", async () => {
    const world = await under(['--max-charges', '5']);
    rewrite(`${world.home}/ledger.sqlite`, `UPDATE policy SET policy = '{"maxCustomers":1}'`);
    const ended = await charge(1, world);
    expect(ended.code).toBe(10);
    expect(errorOf(ended)).toMatchObject({
      message: expect.stringContaining("a policy that this paycli can't read"),
      hint: 'use the newer paycli that has written it',
    });
    expect(postsOf(world.service)).toEqual({});
  });
});

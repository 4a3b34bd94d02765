import { beforeEach, describe, expect, it } from 'vitest';
import { atom } from '../support/activity.ts';
import { clock } from '../support/clock.ts';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder, quickClock, type RunOptions } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import { ACTIVITY, type Answer, json, later, reset, serveAllBy, ugwo } from '../support/service.ts';
import { activityOf, chargeFrom, csvOf, fileOf, postsOf, ugwoOf, ussdFile } from './bulk-support.ts';

beforeEach(() => void quickClock());

const UGWO = ugwoOf(1);
const USSD = ['--medium', 'ussd', '--provider', 'gtb'];
const ASKED = 500_001;

/** What the service shows of a payment: its activity, and the total of the payment request. */
interface Shown {
  readonly activity: object;
  readonly total: number | undefined;
}

const shown = (status: string, total: number, more: object = {}): Shown => ({
  activity: { status, amount: ASKED, charged_amount: total, updated_at: undefined, ...more },
  total,
});
const at = (second: number) => ({ updated_at: atom(Date.parse('2026-11-20T11:00:00Z') + 1000 * second) });
const PAID = shown('successful', ASKED);
/** Paid, by a service that shows no sum. */
const SUMLESS: Shown = { ...PAID, activity: { ...PAID.activity, charged_amount: undefined }, total: undefined };
const paidAt = (second: number): Shown => shown('successful', ASKED, at(second));
const UNPAID = shown('requires_action', 0);

/** A service that shows what the test says, of a payment request and of its one activity. */
const openShop = async (answer = 200) => {
  let [inList, byItself]: Shown[] = [UNPAID, UNPAID];
  const made = new Set<string>();
  const others: object[] = [];
  const activity = ({ activity }: Shown) => ({ ...ACTIVITY, uid: activityOf(1), ...activity });
  const service = await serveAllBy(({ method, url }) => {
    if (method === 'POST') {
      const uid = activityOf(made.size + 1);
      made.add(uid);
      return json(answer, { ...ACTIVITY, uid });
    }
    if (url.includes('/activities/')) return json(200, activity(byItself ?? UNPAID));
    const request = {
      ...{ ...ugwo(1), checkout: { uid: 'chk.AbCd.1' }, status: 'requires_ugwo' },
      total_amount_paid: inList?.total,
      activities: made.size === 0 ? [] : [activity(inList ?? UNPAID), ...others],
    };
    return json(200, url.includes('?') ? { data: [request], next_cursor: null } : request);
  });
  const options = { service, home: newFolder() };
  const run = (...args: readonly string[]) => inProcess(args, options);
  const listed = async () => JSON.parse((await run('ledger', 'list', '--json')).stdout).data;
  const cases = async () => {
    const ended = await run('status', '--json');
    return { code: ended.code, cases: JSON.parse(ended.stdout).cases };
  };
  const show = (now: Shown, itself = now): void => {
    [inList, byItself] = [now, itself];
  };
  const writes = () => service.seen.filter(({ method }) => method !== 'GET').length;
  return { service, options, run, listed, cases, show, others, writes, posts: () => postsOf(service)[1] ?? 0 };
};

/** A shop whose one payment request is paid, as the ledger knows. */
const openPaid = async (paid = PAID) => {
  const shop = await openShop();
  expect(await shop.run('ugwo', 'charge', UGWO, ...USSD)).toMatchObject({ code: 0 });
  shop.show(paid);
  expect(await shop.run('ledger', 'sync')).toMatchObject({ code: 0 });
  expect(await shop.listed()).toMatchObject([{ payment: 'paid', received: ASKED }]);
  return shop;
};

/** Readings that show less than `paid`, and don't prove that they are newer; test/charge/payment has each of them. */
const LESS: readonly (readonly [string, paid: Shown, less: Shown])[] = [
  ['nothing came, undated', PAID, UNPAID],
  ['under way, dated later', paidAt(0), shown('processing', 0, at(60))],
  ['failed, of the same second', paidAt(0), shown('failed', 0, at(0))],
  ['a part came, undated, and no sum was shown before', SUMLESS, shown('successful', 40_000)],
];

describe('a reading that shows less money than before', () => {
  it.each(LESS)('changes nothing and sends nothing: %s', async (_what, paid, less) => {
    const { run, options, show, cases, listed, posts } = await openPaid(paid);
    show(less);
    for (const option of [[], ['--again'], ['--remaining'], ['--reuse'], ['--dry-run'], ['--wait', '--again']])
      expect(await run('ugwo', 'charge', UGWO, ...USSD, ...option), option.join()).toMatchObject({ code: 9 });
    const file = ussdFile(1);
    for (const option of [[], ['--again'], ['--remaining'], ['--retry-failed'], ['--check']])
      expect(await chargeFrom(file, options, ...option), option.join()).toMatchObject({ code: 9 });
    expect(await listed()).toMatchObject([{ payment: 'paid', received: ASKED, disputed: true }]);
    await scene({
      ...options,
      argv: ['ledger', 'sync', '--json'],
      exit: 14,
      stdout: /^/,
      error: {
        ...{ kind: 'attention', message: '1 charge is disputed' },
        hint: /was paid, and is now shown as (?!paid)/,
      },
    });
    const found = await cases();
    expect(found).toMatchObject({ code: 14, cases: [{ kind: 'disputed', ugwo: UGWO }] });
    expect(found.cases[0].command).toMatch(/^paycli ledger sync chg-\w+$/);
    expect(await run('status', '--sync', '-q')).toMatchObject({ code: 14 });
    show(paid);
    const counted = await run('ledger', 'sync', '-o', 'tsv', '--columns', 'payment,count');
    expect(counted).toMatchObject({ code: 0, stdout: 'paid\t1\n' });
    expect(await cases()).toMatchObject({ code: 0, cases: [] });
    expect(await listed()).toMatchObject([{ payment: 'paid', received: ASKED, disputed: false }]);
    expect(posts()).toBe(1);
  });

  it('reverses the payment if it is dated later', async () => {
    const { run, show, listed, posts } = await openPaid(paidAt(0));
    show(shown('failed', 0, at(1)));
    expect(await run('ugwo', 'charge', UGWO, ...USSD)).toMatchObject({ code: 0 });
    expect(await listed()).toMatchObject([{ payment: 'open' }, { payment: 'reversed' }]);
    expect(posts()).toBe(2);
  });

  it('counts for nothing if it is dated earlier', async () => {
    const { run, show, cases, posts } = await openPaid(paidAt(5));
    show(shown('failed', 0, { ...at(4), error: { code: 'psp.error.reversed' } }));
    expect(await run('ugwo', 'charge', UGWO, ...USSD, '--again')).toMatchObject({ code: 9 });
    expect(await run('ledger', 'sync', '-q')).toMatchObject({ code: 0 });
    expect(await cases()).toMatchObject({ code: 0, cases: [] });
    expect(posts()).toBe(1);
  });
});

describe('a reading that shows no sum', () => {
  it('leaves what came too much, and the dispute about it', async () => {
    const { run, show, listed } = await openShop();
    await run('ugwo', 'charge', UGWO, ...USSD);
    const much = shown('successful', ASKED + 50_000);
    for (const now of [much, SUMLESS]) {
      show(now);
      expect(await run('ledger', 'sync', '-q')).toMatchObject({ code: 0 });
      expect(await listed()).toMatchObject([
        { payment: 'overpaid', received: ASKED + 50_000, excess: 50_000, received_assumed: false },
      ]);
    }
    for (const now of [PAID, SUMLESS]) {
      show(now);
      expect(await run('ledger', 'sync', '-q')).toMatchObject({ code: 14 });
      expect(await listed()).toMatchObject([{ payment: 'overpaid', disputed: true }]);
    }
    show(much);
    expect(await run('ledger', 'sync', '-q')).toMatchObject({ code: 0 });
    expect(await listed()).toMatchObject([{ payment: 'overpaid', disputed: false }]);
  });
});

describe("an activity's own answer", () => {
  it('beats the list in its payment request, in ledger sync', async () => {
    const { run, show, cases } = await openPaid();
    show(UNPAID, PAID);
    const [id] = JSON.parse((await run('ledger', 'list', '--json')).stdout).data;
    expect(await run('ledger', 'sync', id.id)).toMatchObject({ code: 0 });
    expect(await cases()).toMatchObject({ code: 0, cases: [] });
  });

  it.each([
    ['nothing came', UNPAID],
    ['it failed', shown('failed', 0)],
    ['a part came', shown('successful', 40_000)],
  ])('beats it in a wait, which ends with 0 and a notice: %s', async (_what, less) => {
    const { run, show, posts } = await openShop();
    await run('ugwo', 'charge', UGWO, ...USSD);
    show(less, PAID);
    const ended = await run('activity', 'wait', UGWO, activityOf(1));
    expect(ended.code).toBe(0);
    expect(ended.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'the payment request shows less money than the payment itself',
    );
    expect(ended.stderr).not.toContain('paycli ugwo charge');
    expect(await run('ugwo', 'charge', UGWO, ...USSD, '--again')).toMatchObject({ code: 9 });
    expect(posts()).toBe(1);
  });
});

describe('a payment that one read of its payment request shows', () => {
  /** Commands that read the payment request once, and the answer to each POST. */
  const READS: readonly (readonly [string, answers: readonly Answer[], command: readonly string[], code: number])[] = [
    ['the read that finds an unknown charge', [reset], ['ledger', 'sync'], 0],
    ['a read of its latest activity', [], ['activity', 'get', UGWO], 0],
    [
      'the read behind a 429 of a proxy',
      [json(429, { message: 'Too Many Attempts.' })],
      ['ugwo', 'charge', UGWO, ...USSD, '--again'],
      5,
    ],
  ];
  it.each(READS)('holds, though later reads show less: %s', async (_what, answers, command, code) => {
    const [made, left]: [object[], Answer[]] = [[], [...answers]];
    let [isShown, posts] = [false, 0];
    const service = await serveAllBy(({ method, url }) => {
      if (method === 'POST') {
        posts += 1;
        const answer = made.length === 0 ? undefined : left.shift();
        if (answer === undefined || answer === reset)
          made.push({ ...ACTIVITY, uid: activityOf(made.length + 1), created_at: atom(clock.now()) });
        else isShown = true;
        return answer ?? json(200, made.at(-1));
      }
      if (url.includes('/activities/'))
        return json(
          200,
          made.find(({ uid }: { uid?: string }) => url.includes(uid ?? '')),
        );
      if (url.includes('?')) return json(200, { data: [], next_cursor: null });
      const first = {
        ...made[0],
        status: isShown ? 'successful' : 'requires_action',
        charged_amount: isShown ? ASKED : 0,
      };
      const total = isShown ? ASKED : 0;
      isShown = false;
      const activities = made.length === 0 ? [] : [first, ...made.slice(1)];
      const shown = json(200, { ...ugwo(1), checkout: { uid: 'chk.AbCd.1' }, total_amount_paid: total, activities });
      return posts > made.length ? later(shown) : shown;
    });
    const options: RunOptions = { service, home: newFolder() };
    const again = ['ugwo', 'charge', UGWO, ...USSD, '--again'];
    expect(await inProcess(again, options)).toMatchObject({ code: 0 });
    if (answers[0] === reset) expect(await inProcess(again, options)).toMatchObject({ code: 6 });
    isShown = command[0] !== 'ugwo';
    expect(await inProcess(command, options)).toMatchObject({ code });
    const before = posts;
    expect(await inProcess(again, options)).toMatchObject({ code: 9, stderr: expect.stringContaining('paid') });
    expect(posts).toBe(before);
  });
});

describe('money that is disputed', () => {
  const refund = ['refund', 'create', activityOf(1), '--amount', '1000.00', '--yes'];
  const rows = fileOf(csvOf('activity,amount,currency', `${activityOf(1)},1000.00,NGN`), 'refunds.csv');
  const ATTEMPTS: readonly (readonly string[])[] = [
    refund,
    [...refund, '--again'],
    [...refund, '--ugwo', UGWO],
    [...refund, '--dry-run'],
    ['refund', 'create', '--from', rows, '--yes', '--json'],
    ['refund', 'create', '--from', rows, '--yes', '--again', '--json'],
    ['ugwo', 'cancel', UGWO, '--yes'],
  ];
  const isRefused = async ({ run, listed }: Awaited<ReturnType<typeof openShop>>, args: readonly string[]) => {
    const ended = await run(...args);
    const [{ id }] = await listed();
    expect(ended.code, args.join(' ')).toBe(9);
    if (args.includes('--from')) return;
    expect(errorOf(ended), args.join(' ')).toMatchObject({ kind: 'refused', ledger_id: id });
    expect(errorOf(ended)['hint'], args.join(' ')).toMatch(
      new RegExp(`ledger sync ${id}.*ledger resolve ${id} --as paid.*--as reversed`),
    );
  };

  it('is neither paid back, nor is its payment request cancelled', async () => {
    const shop = await openPaid();
    shop.show(UNPAID);
    await shop.run('ledger', 'sync', '-q');
    for (const args of ATTEMPTS) await isRefused(shop, args.includes('--json') ? args : [...args, '--json']);
    expect(shop.writes()).toBe(1);
    const elsewhere = { ...shop.options, service: (await openShop()).service };
    expect(await inProcess(['ugwo', 'cancel', UGWO, '--yes'], elsewhere)).toMatchObject({ code: 0 });
    shop.show(PAID);
    // Their own reads would show the money again. A person looks first.
    await isRefused(shop, [...refund, '--json']);
    await isRefused(shop, ['ugwo', 'cancel', UGWO, '--yes', '--json']);
    expect(await shop.run('ledger', 'sync', '-q')).toMatchObject({ code: 0 });
    expect(await shop.run(...refund)).toMatchObject({ code: 0 });
    expect(shop.writes()).toBe(2);
  });

  it.each(ATTEMPTS)('is refused as well if only the read before it shows less: %s %s %s %s', async (...args) => {
    const shop = await openPaid();
    shop.show(UNPAID);
    await isRefused(shop, args.includes('--json') ? args : [...args, '--json']);
    expect(shop.writes()).toBe(1);
  });
});

describe('money that is disputed, beside another payment of its payment request', () => {
  it('leaves that one to be paid back', async () => {
    const { run, show, others, listed, writes } = await openPaid();
    others.push({ ...ACTIVITY, ...PAID.activity, uid: activityOf(2) });
    show({ ...UNPAID, total: ASKED });
    const refund = ['refund', 'create', activityOf(2), '--ugwo', UGWO, '--amount', '1000.00', '--yes'];
    expect(await run(...refund)).toMatchObject({ code: 0 });
    expect(await listed()).toMatchObject([{ disputed: true }]);
    expect(writes()).toBe(2);
  });
});

describe('ledger sync with --base-url', () => {
  it('names the service in the command that ends a dispute', async () => {
    const { options, show, service } = await openPaid();
    show(UNPAID);
    await scene({
      ...options,
      argv: ['ledger', 'sync', '--base-url', service.origin],
      exit: 14,
      stdout: /^/,
      stderr: [`--as paid --base-url ${service.origin}\``],
    });
  });
});

describe('ledger resolve of a disputed charge', () => {
  const resolved = async (as: string) => {
    const shop = await openPaid();
    shop.show(UNPAID);
    await shop.run('ledger', 'sync', '-q');
    await shop.run('ugwo', 'charge', UGWO, ...USSD);
    const [{ id }] = await shop.listed();
    const words = ['ledger', 'resolve', id, '--as', as, '--reason', 'seen in the dashboard', '--yes', '--json'];
    return { ...shop, id, ended: await shop.run(...words) };
  };

  it('ends it as paid, and the same reading disputes it no more', async () => {
    const { ended, run, cases, listed, posts } = await resolved('paid');
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout).evidence.at(-1)).toMatchObject({
      ...{ kind: 'settled', as: 'paid', reason: 'seen in the dashboard' },
    });
    for (const _run of [1, 2]) expect(await run('ugwo', 'charge', UGWO, ...USSD, '--again')).toMatchObject({ code: 9 });
    expect(await cases()).toMatchObject({ code: 0, cases: [] });
    expect(await listed()).toMatchObject([{ payment: 'paid', received: ASKED, disputed: false }]);
    expect(posts()).toBe(1);
  });

  it('ends it as reversed, and the payment request can be charged again', async () => {
    const { ended, run, show, listed, posts } = await resolved('reversed');
    expect(ended.code).toBe(0);
    expect(await listed()).toMatchObject([{ payment: 'reversed', received: 0, disputed: false }]);
    show(shown('failed', 0));
    expect(await run('ugwo', 'charge', UGWO, ...USSD)).toMatchObject({ code: 0 });
    expect(posts()).toBe(2);
  });
});

describe('ledger resolve, after a person found a charge created', () => {
  it.each([
    ['paid', PAID, 'ledger sync'],
    ['disputed', UNPAID, '--as reversed'],
    ['reversed', shown('failed', 0, { error: { code: 'psp.error.reversed' } }), 'ledger sync'],
  ])('keeps the money that was seen since then: %s', async (_what, later, hint) => {
    const { run, show, listed } = await openShop(502);
    expect((await run('ugwo', 'charge', UGWO, ...USSD)).code).toBe(6);
    const [{ id }] = await listed();
    const resolve = (...said: readonly string[]) =>
      run('ledger', 'resolve', id, '--reason', 'x', '--yes', '--json', '--as', ...said);
    expect(await resolve('created', '--activity', activityOf(1))).toMatchObject({ code: 0 });
    for (const now of [PAID, later]) {
      show(now);
      await run('ledger', 'sync', id, '-q');
    }
    const before = await listed();
    for (const said of [['not-created'], ['created', '--activity', activityOf(2)]]) {
      const refused = await resolve(...said);
      expect([refused.code, errorOf(refused)['hint']], said.join()).toEqual([2, expect.stringContaining(hint)]);
    }
    expect(await listed()).toEqual(before);
  });
});

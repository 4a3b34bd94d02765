import { beforeEach, describe, expect, it } from 'vitest';
import { newFolder, paycli, quickClock } from '../support/program.ts';
import { type Scene, scene } from '../support/scene.ts';
import type { Answer } from '../support/service.ts';
import { ACTIVITY, json, problem, raw, serveAllBy, UGWO_ID, ugwo } from '../support/service.ts';
import { activityOf, charged, charging, numberIn, postsOf, reportPath, ugwoOf, ussdFile } from './bulk-support.ts';

beforeEach(() => void quickClock());

const WAIT = ['activity', 'wait', UGWO_ID, ACTIVITY.uid];
const FIRST = 'act.AbCd.0000000000000000000first';

const standing = (status: string, more: object = {}) => ({ ...ACTIVITY, status, amount: 90_000, ...more });
const PAID = standing('successful');
const LATER = { updated_at: '2026-11-20T10:00:01+00:00' };
const requestOf = (more: object = {}): Answer =>
  json(200, { ...ugwo(1), uid: UGWO_ID, status: 'ugwo_successful', amount: 90_000, activities: [PAID], ...more });

/** Waits for an activity at a service that shows these answers. */
const waiting = (activity: object, request: Answer, ...more: readonly string[]): Scene => ({
  service: ({ url }) => (url.includes('/activities/') ? json(200, activity) : request),
  looks: 'asked',
  argv: [...WAIT, ...more],
});
const ACTIVITY_READ = `GET /v1/ugwo/${UGWO_ID}/activities/${ACTIVITY.uid}`;

/** Messages of a run in one line. */
const said = ({ stderr }: { readonly stderr: string }): string => stderr.replaceAll(/\s+/g, ' ');

describe('activity wait, after a payment', () => {
  it('reads the payment request once', () =>
    scene({
      ...waiting(PAID, requestOf({ total_amount_paid: 90_000 })),
      stderr: '',
      requests: [ACTIVITY_READ, `GET /v1/ugwo/${UGWO_ID}`],
    }));

  it('ends a part payment with 13, and names what came and the command for the rest', () =>
    scene({
      ...waiting(PAID, requestOf({ status: 'requires_ugwo', total_amount_paid: '40000' }), '--json'),
      exit: 13,
      json: { uid: ACTIVITY.uid, status: 'successful' },
      error: {
        kind: 'underpaid',
        message: 'part paid: NGN 400.00 of 900.00',
        hint: `charge the rest: paycli ugwo charge ${UGWO_ID} --remaining`,
      },
    }));

  it.each([
    [50_000, 0, ''],
    [10_000, 13, /part paid: NGN 500\.00 of\s+900\.00/],
  ])('sums up several part payments: %i', async (charged, exit, stderr) => {
    const first = standing('successful', { uid: FIRST, charged_amount: 40_000 });
    const second = { ...PAID, charged_amount: charged };
    const request = requestOf({ activities: [first, second], total_amount_paid: 40_000 + charged });
    await scene({ ...waiting(second, request), exit, stdout: /^/, stderr });
  });

  it('says what came too much', async () => {
    const much = requestOf({ total_amount_paid: 100_000 });
    await scene({ ...waiting(PAID, much), stderr: /overpaid:\s+NGN\s+100\.00\s+too\s+much\s+came/ });
    await scene({ ...waiting(PAID, much, '--json'), stderr: '' });
  });

  it.each([
    ['partially_refunded', 90_000, 0],
    ['partially_refunded', 40_000, 13],
    ['refunded', 90_000, 11],
  ])('ends with a payment that is %s, of which %i came, with %i', async (status, total, exit) => {
    const activity = standing(status, { charged_amount: total });
    const request = requestOf({ status, activities: [activity], total_amount_paid: total });
    await scene({ ...waiting(activity, request), exit, stdout: /^/, stderr: /^/ });
  });

  it('needs no amount to know that all of it was refunded', async () => {
    const refunded = waiting(standing('refunded'), problem(401, 'No'));
    await scene({ ...refunded, exit: 11, stdout: /^/, requests: [ACTIVITY_READ] });
  });

  it('ends with 11 if the request shows that the provider took the money back', async () => {
    const activities = [standing('failed', { ...LATER, charged_amount: 0, error: { code: 'psp.error' } })];
    await scene({
      ...waiting(PAID, requestOf({ status: 'requires_ugwo', activities, total_amount_paid: 0 })),
      exit: 11,
      stdout: /^/,
      stderr: /the\s+payment\s+was\s+reversed:\s+the\s+provider\s+took\s+the\s+money\s+back/,
    });
  });

  it('tells nobody to transfer once it is paid, though the service keeps the account', async () => {
    const kept = waiting(
      { ...ACTIVITY, status: 'successful', amount: 90_000 },
      requestOf({ total_amount_paid: 90_000 }),
    );
    const { stdout } = await scene({ ...kept, argv: [...kept.argv, '-o', 'table'], stdout: /^status +paid$/m });
    expect(stdout).not.toContain('Next:');
    const open = { ...kept, service: () => json(200, ACTIVITY), argv: ['activity', 'get', UGWO_ID, ACTIVITY.uid] };
    await scene({ ...open, argv: [...open.argv, '-o', 'table'], stdout: ['Next:'] });
  });

  it('believes the activity if the request shows an older one', async () => {
    const old = standing('processing', { updated_at: '2026-11-20T10:00:00Z' });
    const now = { ...PAID, updated_at: '2026-11-20T10:00:09Z' };
    await scene({ ...waiting(now, requestOf({ activities: [old] })), stderr: '' });
  });

  it.each<[string, Answer]>([
    ['a request that shows no total', requestOf()],
    ['a request that shows no total, and no list of activities', requestOf({ activities: undefined })],
    [
      'a request that shows no total, and no activities',
      requestOf({ activities: [], total_amount_paid: 0, status: 'requires_ugwo' }),
    ],
    [
      'a request that shows no status of the activity',
      requestOf({ activities: [{ ...PAID, ...LATER, status: undefined }], total_amount_paid: 90_000 }),
    ],
    ['a service without reads of payment requests (404)', problem(404, 'No')],
    ['a service without reads of payment requests (405)', problem(405, 'No')],
    ['a service without reads of payment requests (501)', problem(501, 'No')],
  ])('believes %s', async (_what, request) => {
    await scene({ ...waiting(PAID, request), stderr: '' });
  });

  it.each<[string, Answer]>([
    ['401', problem(401, 'No')],
    ['a cut answer', json(200, '{"uid": ')],
    ['garbage', raw('no HTTP\r\n\r\n')],
  ])('ends with 12 if the request could not be read: %s', async (_, request) => {
    await scene({
      ...waiting(PAID, request, '--json'),
      exit: 12,
      json: { status: 'successful' },
      error: {
        kind: 'pending',
        message: expect.stringMatching(/^the customer has paid, but how much couldn't be read: ./),
        hint: `read it again with: paycli activity wait ${UGWO_ID} ${ACTIVITY.uid} --wait-timeout 15m`,
      },
    });
  });
});

describe('activity wait, paid twice', () => {
  const first = standing('successful', { uid: FIRST, created_at: '2026-11-20T10:00:00Z' });
  const second = { ...PAID, created_at: '2026-11-20T11:00:00Z', is_double_charge: true };
  const twice = (asked: number, more: object = {}): Answer =>
    requestOf({ amount: asked, activities: [first, second], total_amount_paid: 2 * asked, ...more });

  it.each<[string, number, object, string]>([
    [
      'the excess and the command that pays it back',
      90_000,
      {},
      `paid twice: NGN 900.00 too much came; pay it back with: paycli refund create ${ACTIVITY.uid} --ugwo ${UGWO_ID} --amount 900.00`,
    ],
    [
      'a command without groups of digits',
      190_000,
      { activities: [first, second].map((one) => ({ ...one, charged_amount: 190_000 })) },
      ' --amount 1900.00',
    ],
    [
      'that less than NGN 200.00 is not refunded',
      19_999,
      {},
      "paid twice: NGN 199.99 too much came; it can't be refunded, since a refund is at least NGN 200.00",
    ],
    ['that NGN 200.00 is refunded', 20_000, {}, '--amount 200.00'],
    [
      'that two parts are not the whole twice',
      90_000,
      { activities: [first, second].map((one) => ({ ...one, charged_amount: 60_000 })), total_amount_paid: 120_000 },
      'overpaid: NGN 300.00 too much came; pay it back with: ',
    ],
  ])('says %s', async (_what, asked, more, text) => {
    expect(said(await scene({ ...waiting(second, twice(asked, more)), stderr: /./ }))).toContain(text);
  });
});

describe('activity wait, without a payment', () => {
  it.each<[string, object, number, string]>([
    ['reversed', { charged_amount: 90_000 }, 11, 'the payment was reversed: the provider took the money back'],
    ['reversed', { error: { code: 'psp.error.reversed' } }, 11, 'brought no money; charge the payment request again'],
    ['expired', { error: { code: 'psp.error.expired' } }, 12, 'the time to pay is over, and nothing came'],
    ['expired', { error: 'expired' }, 12, `charge again: paycli ugwo charge ${UGWO_ID}`],
    ['failed', { error: { message: 'no funds' } }, 11, 'the charge failed: no funds'],
  ])('%s %j ends with %i', async (_, more, exit, text) => {
    const failed = waiting(standing('failed', more), requestOf());
    const ended = await scene({ ...failed, exit, stdout: /^/, requests: [ACTIVITY_READ] });
    expect(said(ended)).toContain(text);
  });
});

describe('ugwo charge --from --wait', () => {
  const failed = (more: object) => standing('failed', more);

  const AGAIN = 'add --retry-failed to the same command to charge the expired rows again';

  /** A run that charges a payment request for each of these later states of its activity, and waits. */
  const paying = async (...after: readonly (readonly [activity: object, total: number])[]) => {
    const service = await serveAllBy((seen) => {
      const number = numberIn(seen);
      if (seen.method === 'POST') return charged(number);
      const isMade = service.seen.some((one) => one.method === 'POST' && numberIn(one) === number);
      const [activity, total] = after[number - 1] as (typeof after)[number];
      const shown = isMade ? { activities: [{ ...activity, uid: activityOf(number) }], total_amount_paid: total } : {};
      return json(200, { ...ugwo(number), amount: 90_000, checkout: { uid: 'chk.AbCd.1' }, activities: [], ...shown });
    });
    const file = ussdFile(...after.map((_, index) => index + 1));
    return { service, home: newFolder(), argv: charging(file, '--wait', '--wait-timeout', '1s') };
  };

  const MISSING = 'charge what is missing: --remaining with the report (--report) as the file';

  it.each([
    ['13 if a payment lacks money', 13, 40_000, [AGAIN, MISSING]],
    ['12 if one has expired', 12, 100_000, [AGAIN]],
  ])('ends with %s', async (_what, exit, total, hints) => {
    const run = await paying([PAID, 90_000], [PAID, total], [failed({ error: 'expired' }), 0]);
    await scene({ ...run, exit, json: { accepted: 3 }, error: { hint: hints.join('\n') } });
  });

  it('ends with a report whose rows can be charged for what is missing', async () => {
    const run = await paying([PAID, 90_000], [PAID, 40_000]);
    const report = reportPath();
    await scene({ ...run, argv: [...run.argv, '--report', report], exit: 13, json: {} });
    const rest = charging(report, '--remaining', '--report', reportPath());
    await scene({ ...run, argv: rest, json: { accepted: 2, skipped: 1 } });
    expect(postsOf(run.service)).toEqual({ 1: 1, 2: 2 });
  });

  it('shows what was asked and what came', async () => {
    const { argv, ...run } = await paying([PAID, 40_000]);
    const table = argv.filter((word) => word !== '--json');
    await scene({
      ...run,
      argv: [...table, '-o', 'table'],
      exit: 13,
      stdout: [/^part paid +1 +NGN 900\.00 +NGN 400\.00$/m],
    });
  });

  it.each<[string, string[]]>([
    ['another file', ['--from', ussdFile(1)]],
    ['a command of its own', [ugwoOf(1), '--medium', 'ussd', '--provider', 'gtb']],
  ])('waits for a row, too, that %s has charged', async (_what, words) => {
    await scene({
      ...(await paying([standing('requires_action'), 0], [PAID, 90_000])),
      before: [['ugwo', 'charge', ...words]],
      exit: 12,
      json: {
        ...{ skipped: 1, accepted: 2 },
        payments: [
          { payment: 'paid', count: 1 },
          { payment: 'open', count: 1 },
        ],
      },
      error: { hint: 'check again later: `paycli ledger sync`' },
    });
  });

  it.each([
    ['shows it as open', false],
    ['fails', true],
  ])('ends once another process has found the last payment, though its own check %s', async (_what, fails) => {
    const home = newFolder();
    let other: Promise<unknown> | undefined;
    const service = await serveAllBy((seen) => {
      if (seen.method === 'POST') return charged(1);
      const [isMade, isPaid] = [service.seen.some(({ method }) => method === 'POST'), other !== undefined];
      if (isMade) other ??= paycli(['ugwo', 'get', ugwoOf(1), '--json'], { service, home });
      if (isMade && !isPaid && fails) return (...to) => void other?.then(() => problem(400, 'no')(...to));
      const activity = { ...standing(isPaid ? 'successful' : 'requires_action'), uid: activityOf(1) };
      const shown = { activities: isMade ? [activity] : [], total_amount_paid: isPaid ? 90_000 : 0 };
      return json(200, { ...ugwo(1), amount: 90_000, checkout: { uid: 'chk.AbCd.1' }, ...shown });
    });
    const argv = charging(ussdFile(1), '--wait', '--wait-timeout', '80s');
    const payments = [{ payment: 'paid', count: 1 }];
    await scene({ service, home, argv, stderr: /^/, json: { accepted: 1, payments } });
    expect(await other).toMatchObject({ code: 0 });
  });

  it.each([
    [40_000, 13],
    [90_000, 0],
  ])('ends a part refund of %i with %i', async (total, exit) => {
    await scene({ ...(await paying([standing('partially_refunded'), total])), exit, json: { accepted: 1 } });
  });

  it('counts an expired row as expired, and proposes to charge it again', async () => {
    const run = await paying([failed({ error: 'expired' }), 0], [PAID, 90_000]);
    await scene({ ...run, exit: 12, json: {} });
    const counts = { expired: 1, failed: 0, accepted: 1 };
    const { stdout } = await scene({ ...run, exit: 12, json: counts, error: { hint: AGAIN } });
    await scene({ ...run, argv: ['ledger', 'jobs', '--json'], json: { data: [counts] } });
    const argv = ['ledger', 'show', JSON.parse(stdout).job];
    const stderr = [/1\s+row\s+is\s+expired:\s+run\s+the\s+same\s+command\s+again\s+with\s+--retry-failed/];
    await scene({ ...run, argv, stderr });
  });

  it('charges only failed and expired rows again with --retry-failed', async () => {
    const run = await paying(
      [PAID, 90_000],
      [PAID, 40_000],
      [failed({ error: 'declined' }), 0],
      [failed({ error: 'expired' }), 0],
      [failed({ charged_amount: 90_000 }), 0],
    );
    await scene({ ...run, exit: 11, json: {} });
    expect(postsOf(run.service)).toEqual({ 1: 1, 2: 1, 3: 1, 4: 1, 5: 1 });
    const argv = [...run.argv, '--retry-failed'];
    await scene({ ...run, argv, exit: 11, json: { skipped: 3, refused: 0 } });
    expect(postsOf(run.service)).toEqual({ 1: 1, 2: 1, 3: 2, 4: 2, 5: 1 });
  });

  /** A request of two charges, of which the second is paid; and the run of a file that charges it first. */
  const chargedTwice = async (first: object, { later = first, total = 90_000 } = {}) => {
    let posts = 0;
    const service = await serveAllBy(({ method }) => {
      if (method === 'POST') posts += 1;
      if (method === 'POST') return charged(posts);
      const made = posts === 1 ? [first] : [later, PAID].slice(0, posts);
      const activities = made.map((one, at) => ({ ...one, uid: activityOf(at + 1) }));
      const request = { ...ugwo(1), amount: 90_000, checkout: { uid: 'chk.AbCd.1' }, activities };
      return json(200, { ...request, total_amount_paid: posts === 2 ? total : 0 });
    });
    return { service, home: newFolder(), argv: charging(ussdFile(1), '--wait', '--wait-timeout', '80s') };
  };
  const ALONE = ['ugwo', 'charge', ugwoOf(1), '--medium', 'ussd', '--provider', 'gtb'];
  const BOTH_PAID = { payments: [{ payment: 'paid', count: 1, received: 90_000 }] };

  it.each<[string, object, number]>([
    ['expired', failed({ error: 'expired' }), 12],
    ['failed', failed({ error: 'declined' }), 11],
  ])('ends with 0 once a row that had %s is paid, as a watch of the file does', async (_what, ended, exit) => {
    const run = await chargedTwice(ended);
    await scene({ ...run, exit, json: {} });
    const { stdout } = await scene({ ...run, argv: [...run.argv, '--retry-failed'], json: BOTH_PAID });
    const argv = ['watch', '--job', JSON.parse(stdout).job, '--until-final'];
    await scene({ ...run, argv, stderr: /^/ });
  });

  it('ends with 0 once an expired row is paid that a command of its own has charged again', async () => {
    const run = await chargedTwice(failed({ error: 'expired' }));
    await scene({ ...run, exit: 12, json: {} });
    await scene({ ...run, before: [ALONE], argv: [...run.argv, '--retry-failed'], json: BOTH_PAID });
  });

  it('says which rows were paid twice, and how to pay it back', async () => {
    const run = await chargedTwice(standing('requires_action'), { later: PAID, total: 180_000 });
    await scene({ ...run, argv: [...run.argv, '--wait-timeout', '1s'], exit: 12, json: {} });
    const excess = `${ugwoOf(1)} was paid twice: NGN 900.00 too much came`;
    await scene({
      ...run,
      before: [[...ALONE, '--again']],
      argv: run.argv.filter((word) => word !== '--json'),
      stderr: [
        `${excess}; pay it back with: paycli refund create ${activityOf(1)} --ugwo ${ugwoOf(1)} --amount 900.00`,
      ],
    });
    const sum = { payment: 'paid', count: 1, amount: 90_000, received: 90_000, paid_twice: 1 };
    const { stdout } = await scene({ ...run, stderr: '', json: { payments: [sum] } });
    const argv = ['ledger', 'sync', JSON.parse(stdout).job, '--json'];
    await scene({ ...run, argv, stderr: '', json: { data: [sum] } });
  });
});

describe('ugwo charge --wait with the emulator', () => {
  it.each([
    [
      'a part payment with 13',
      40_000,
      13,
      'part paid: NGN 400.00 of 900.00 → charge the rest: paycli ugwo charge UGWO --remaining --local',
    ],
    ['an overpayment with 0', 100_000, 0, 'overpaid: NGN 100.00 too much came'],
  ])('ends %s', async (_what, total, exit, text) => {
    const asked = ['--amount', '900.00', '--currency', 'NGN', '--metadata', `emulate=successful:1s:${total}`];
    const made = await scene({
      argv: ['ugwo', 'create', ...asked, '--local', '-o', 'tsv', '--columns', 'uid'],
      stderr: /^/,
    });
    const uid = made.stdout.trim();
    const argv = ['ugwo', 'charge', uid, '--medium', 'bank_transfer', '--wait', '--local'];
    const ended = await scene({ home: made.home, argv, exit, stdout: /^/, stderr: /./ });
    expect(said(ended)).toContain(text.replace('UGWO', uid));
  });
});

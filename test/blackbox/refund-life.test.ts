import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { newFolder } from '../support/program.ts';
import { reportOf } from '../support/report.ts';
import { csvOf, fileOf } from './bulk-support.ts';
import { openDesk, REFUND_SECONDS, type Shown } from './desk-support.ts';
import { listen } from './news-support.ts';

const paidRequest = async (desk: Awaited<ReturnType<typeof openDesk>>, ref: string, received?: number) => {
  const ugwo = await desk.request(ref);
  const activity = await desk.charge(ugwo);
  await desk.settle(activity, 'successful', received);
  await desk.sync();
  return { ugwo, activity };
};

const refundsOf = async ({ done }: Awaited<ReturnType<typeof openDesk>>) =>
  (JSON.parse(await done('refund', 'list', '--json')) as { data: { id: string; uid: string; refund: string }[] }).data;

const statesOf = async (desk: Awaited<ReturnType<typeof openDesk>>) =>
  (await refundsOf(desk)).map(({ refund }) => refund);

describe('a refund', () => {
  it('is open until its activity shows the money back', async () => {
    const desk = await openDesk();
    const { activity } = await paidRequest(desk, 'INV-1');
    await desk.done('refund', 'create', activity, '--amount', '300.00', '--yes');
    expect(await statesOf(desk)).toEqual(['refund_open']);
    expect((await desk.status()).sums).toMatchObject({ refunded: [], refund_open: [{ amount: 30_000, count: 1 }] });
    for (const option of [[], ['--again'], ['--dry-run', '--again']]) {
      const second = await desk.paycli('refund', 'create', activity, '--amount', '300.00', '--yes', ...option);
      expect([second.code, second.stderr]).toEqual([
        9,
        expect.stringMatching(
          /an earlier refund \(.+\) is not settled yet\n.*ledger resolve refund-\w+ --as paid-back/,
        ),
      ]);
    }
    await desk.pass(REFUND_SECONDS);
    await desk.done('ledger', 'sync', '-q');
    expect(await statesOf(desk)).toEqual(['paid_back']);
    expect((await desk.status()).sums).toMatchObject({ refunded: [{ amount: 30_000, count: 1 }], refund_open: [] });
    const report = ['ledger', 'report', '-o'];
    expect(await desk.done(...report, 'table')).toMatch(/^paid back +1 +NGN 300\.00 +1$/m);
    expect(await desk.done(...report, 'csv', '--columns', 'reported,without_received')).toContain('paid_back,1\r\n');
  });

  it('stays open if a part went back before it was sent, until a person says how it ended', async () => {
    const desk = await openDesk();
    const { ugwo, activity } = await paidRequest(desk, 'INV-7');
    const create = ['refund', 'create', activity, '--ugwo', ugwo, '--amount', '300.00', '--yes'];
    expect((await inProcess(create, { ...desk.options, home: newFolder() })).code).toBe(0);
    await desk.pass(REFUND_SECONDS);
    await desk.done(...create);
    await desk.pass(REFUND_SECONDS);
    await desk.done('ledger', 'sync', '-q');
    expect(await statesOf(desk)).toEqual(['refund_open']);
    const [{ id } = { id: '' }] = await refundsOf(desk);
    await desk.done('ledger', 'resolve', id, '--as', 'paid-back', '--reason', 'seen in the dashboard', '--yes');
    expect(await statesOf(desk)).toEqual(['paid_back']);
  });

  it('that fails later is told by a signed event, is a case, and can be sent again', async () => {
    const desk = await openDesk();
    const ugwo = await desk.request('INV-2');
    const activity = await desk.charge(ugwo);
    await desk.settle(activity, 'successful');
    await desk.sync();
    await desk.done('refund', 'create', activity, '--amount', '300.00', '--yes');
    const [{ uid } = { uid: '' }] = await refundsOf(desk);
    const listener = await listen(desk.options);
    const event = (name: string, of: string) => ({
      uid: `evt.AbCd.${name.length}${of.length}`.padEnd(33, '0'),
      event: name,
      data: { uid: of, status: 'failed', ugwo: { uid: ugwo } },
    });
    expect(await listener.deliver(event('refund.failed', 'rfd.other'))).toBe(200);
    expect(await listener.deliver(event('refund.failed', uid))).toBe(200);
    await expect.poll(() => statesOf(desk)).toEqual(['refund_failed']);
    listener.run.kill('SIGINT');
    await listener.run.ended;
    const { code, cases, sums } = await desk.status();
    expect([code, sums]).toMatchObject([14, { refunded: [], refund_open: [] }]);
    expect(cases).toMatchObject([{ kind: 'refund_failed', ugwo, ref: 'INV-2', amount: 30_000 }]);
    await desk.run(cases[0] as Shown, '--yes');
    expect(await statesOf(desk)).toEqual(['refund_open', 'refund_failed']);
    expect((await desk.status()).kinds).toEqual([]);
  });

  it('that failed at once blocks no other one', async () => {
    const desk = await openDesk();
    const { uid: ugwo } = await desk.shopRequest({
      ref: 'INV-3',
      amount: 90_000,
      metadata: { emulate: 'refund:failed' },
    });
    const activity = await desk.charge(ugwo);
    await desk.settle(activity, 'successful');
    const create = ['refund', 'create', activity, '--amount', '300.00', '--yes'];
    expect((await desk.paycli(...create)).code).toBe(11);
    expect((await desk.paycli(...create)).code).toBe(11);
    expect(await statesOf(desk)).toEqual(['refund_failed', 'refund_failed']);
    expect((await desk.status()).kinds).toEqual(['refund_failed']);
  });

  it.each([
    ['paid-back', 'paid_back', 9],
    ['failed', 'refund_failed', 0],
  ])('is recorded as %s by a person', async (word, state, code) => {
    const desk = await openDesk();
    const { activity } = await paidRequest(desk, 'INV-4');
    const create = ['refund', 'create', activity, '--amount', '300.00', '--yes'];
    await desk.done(...create);
    const [{ id } = { id: '' }] = await refundsOf(desk);
    const resolve = ['ledger', 'resolve', id, '--as', word, '--reason', 'seen at the bank', '--yes'];
    expect(JSON.parse(await desk.done(...resolve, '--json'))).toMatchObject({ payment: state });
    expect(await statesOf(desk)).toEqual([state]);
    expect((await desk.paycli(...resolve)).code).toBe(2);
    expect((await desk.paycli(...create)).code).toBe(code);
  });

  it.each([
    ['paid-back', 'accepted', 0, /^(?!.*failed)/s],
    ['failed', 'failed', 11, /row 1: it was made, but it failed/],
  ])('of a row keeps its id in the report of a later run, once it is %s', async (word, state, code, said) => {
    const desk = await openDesk();
    const { activity } = await paidRequest(desk, 'INV-9');
    const report = join(newFolder('report'), 'report.csv');
    const file = fileOf(csvOf('activity,amount,currency', `${activity},300.00,NGN`));
    const create = ['refund', 'create', '--from', file, '--report', report, '--yes'];
    await desk.done(...create);
    const first = reportOf(report)[1];
    const [{ id, uid } = { id: '', uid: '' }] = await refundsOf(desk);
    await desk.done('ledger', 'resolve', id, '--as', word, '--reason', 'seen at the bank', '--yes');
    expect(await desk.paycli(...create)).toMatchObject({ code, stderr: expect.stringMatching(said) });
    expect(first).toMatchObject({ state: 'accepted', refund: uid, status: 'processing' });
    expect(reportOf(report)[1]).toMatchObject({ state, refund: uid, status: 'processing' });
  });

  it('of a bank transfer names the missing account, and sends nothing', async () => {
    const desk = await openDesk();
    const ugwo = await desk.request('INV-5');
    const charged = await desk.done('ugwo', 'charge', ugwo, '--medium', 'bank_transfer', '--json');
    const activity = (JSON.parse(charged) as { uid: string }).uid;
    await desk.settle(activity, 'successful');
    const create = ['refund', 'create', activity, '--amount', '300.00', '--yes'];
    for (const more of [[], ['--dry-run']]) {
      const { code, stderr } = await desk.paycli(...create, ...more);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/--provider and --account-number/)]);
    }
    expect(await refundsOf(desk)).toEqual([]);
    expect((await desk.paycli(...create, '--no-validate')).code).toBe(3);
    await desk.done(...create, '--provider', 'gtb', '--account-number', '0123456789');
    expect(await statesOf(desk)).toEqual(['refund_open', null]);
  });
});

it('too much money is a case, until it went back', async () => {
  const desk = await openDesk();
  const { ugwo, activity } = await paidRequest(desk, 'INV-6', 150_000);
  const { code, cases } = await desk.status();
  expect([code, cases]).toMatchObject([14, [{ kind: 'overpaid', ugwo, amount: 60_000, currency: 'NGN' }]]);
  const command = `paycli refund create ${activity} --ugwo ${ugwo} --amount 600.00`;
  expect(cases[0]?.command).toBe(command);
  const get = async () => (await desk.paycli('ugwo', 'get', ugwo)).stderr.replaceAll(/\s+/g, ' ');
  expect(await get()).toContain(`It was overpaid: NGN 600.00 too much came; pay it back with: ${command}`);
  expect(await desk.done('ugwo', 'list', '-o', 'table')).toMatch(/ overpaid /);
  expect(await desk.done('ugwo', 'list', '-o', 'tsv', '--columns', 'status')).toBe('ugwo_successful\n');
  await desk.run(cases[0] as Shown, '--yes');
  expect(await desk.status()).toMatchObject({ code: 0, kinds: [] });
  await desk.pass(REFUND_SECONDS);
  await desk.done('ledger', 'sync', '-q');
  expect(await get()).not.toContain('overpaid');
  expect(await desk.done('ugwo', 'list', '-o', 'table')).not.toContain('overpaid');
});

it('too much money is a case with what is left of it after a part went back', async () => {
  const desk = await openDesk();
  const { ugwo, activity } = await paidRequest(desk, 'INV-8', 150_000);
  await desk.done('refund', 'create', activity, '--amount', '250.00', '--yes');
  await desk.pass(REFUND_SECONDS);
  await desk.done('ledger', 'sync', '-q');
  const { code, cases } = await desk.status();
  expect([code, cases]).toMatchObject([14, [{ kind: 'overpaid', ugwo, amount: 35_000 }]]);
  const report = await desk.done('ledger', 'report', '-o', 'csv', '--columns', 'reported,count,amount_minor');
  expect(report.match(/too_much.*/g)).toEqual(['too_much,1,35000']);
  await desk.run(cases[0] as Shown, '--yes');
  expect(await desk.status()).toMatchObject({ code: 0, kinds: [] });
});

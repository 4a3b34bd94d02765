import { describe, expect, it } from 'vitest';
import { ugwoOf } from '../support/ids.ts';
import { begin, openDesk, REFUND, REFUND_SECONDS, writing } from './desk-support.ts';

/** A desk with a payment request of Ada that has a failed charge and one more, which was paid. */
const withTwo = async (isTwice = false) => {
  const desk = await openDesk();
  const { json: ada } = await desk.post('/v1/onye', { email: 'ada@example.com', first_name: 'Ada' });
  const { uid } = await desk.shopRequest({ ref: 'INV-7', amount: 90_000, onye: ada.uid });
  const failed = await desk.charge(uid);
  await desk.settle(failed, 'failed');
  const paid = await desk.charge(uid);
  const second = isTwice ? await desk.charge(uid, '--again') : '';
  await desk.settle(paid, 'successful');
  const { data } = JSON.parse(await desk.done('ledger', 'list', '--json'));
  const idOf = (activity: string): string => data.find((one: { activity: string }) => one.activity === activity).id;
  return { ...desk, uid, failed, paid, second, ids: { failed: idOf(failed), paid: idOf(paid) } };
};

describe('a ref or an e-mail address in place of a charge', () => {
  it.each(['INV-8', 'bo@example.com'])('means its only one: %s', async (name) => {
    const desk = await openDesk();
    const { json: bo } = await desk.post('/v1/onye', { email: 'bo@example.com' });
    const { uid } = await desk.shopRequest({ ref: 'INV-8', amount: 90_000, onye: bo.uid });
    const activity = await desk.charge(uid);
    // A charge at another service is none that is meant.
    const other = {
      service: 'https://other.example',
      about: ugwoOf(3),
      asked: { ref: 'INV-8', email: 'bo@example.com' },
    };
    await writing(desk.home, (ledger) => begin(ledger, other, { state: 'not_sent', exitCode: 7 }));
    const ended = await desk.paycli('ledger', 'show', name, '--json');
    expect(ended.code, ended.stderr).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ activity, ref: 'INV-8' });
    const { id } = JSON.parse(ended.stdout);
    const said = await desk.paycli('ledger', 'show', name);
    expect(said.stderr).toBe(`${name} is ${id}: NGN 900.00, bo@example.com, ussd, open\n`);
    await desk.settle(activity, 'successful');
    const synced = await desk.paycli('ledger', 'sync', name, id, '--json');
    expect([synced.code, JSON.parse(synced.stdout)], synced.stderr).toMatchObject([
      0,
      { data: [{ payment: 'paid', count: 1 }] },
    ]);
  });

  it.each(['inv-7', 'ADA@example.com'])('may be in another case: %s', async (name) => {
    const { paycli, ids, paid, file } = await withTwo();
    const shown = await paycli('ledger', 'show', name);
    expect([shown.code, shown.stderr], shown.stderr).toEqual([2, expect.stringContaining(ids.paid)]);
    const settled = await paycli('emulator', 'settle', name, '--as', 'reversed', '--data', file);
    expect([settled.code, settled.stdout], settled.stderr).toEqual([0, expect.stringContaining(paid)]);
  });

  it('is listed, and none is taken, if the command could act on several', async () => {
    const { paycli, ids } = await withTwo();
    for (const verb of ['show', 'sync']) {
      const { code, stdout, stderr } = await paycli('ledger', verb, 'INV-7');
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('"INV-7" means 2 charges');
      expect(stderr).toContain(`${ids.failed}: NGN 900.00, ada@example.com, ussd, `);
      expect(stderr).toContain(`${ids.paid}: NGN 900.00, ada@example.com, ussd, `);
    }
  });

  it('means the one that is unknown, disputed or unsettled, as --as says', async () => {
    const desk = await withTwo();
    const resolve = (as: string, name = 'INV-7') =>
      desk.paycli('ledger', 'resolve', name, '--as', as, '--reason', 'seen', '--yes');
    for (const [one, ...words] of [
      ['unknown charge', 'created', 'not-created'],
      ['disputed charge', 'paid', 'reversed'],
      ['unsettled refund', 'paid-back', 'failed'],
    ]) {
      for (const as of words) {
        const none = await resolve(as);
        expect([none.code, none.stdout]).toEqual([2, '']);
        expect(none.stderr).toContain(`"INV-7" means no ${one}`);
        expect(none.stderr).toContain('see: paycli find INV-7');
      }
    }
    await writing(desk.home, async (ledger) => {
      const [{ service, workspace, profile } = {}] = await ledger.list({ limit: 1 });
      const own = { service, workspace, profile } as object;
      const asked = { ref: 'INV-7', email: 'ada@example.com', amount: 90_000, currency: 'NGN' };
      await begin(ledger, { ...own, about: ugwoOf(9), asked }, { state: 'unknown', exitCode: 6 });
      await begin(ledger, { ...own, ...REFUND, about: desk.paid }, { state: 'unknown', exitCode: 6 });
    });
    const several = await resolve('not-created');
    expect([several.code, several.stderr.match(/unknown$/gm)?.length]).toEqual([2, 2]);
    const one = await desk.paycli('ledger', 'list', '--state', 'unknown', '--json');
    const [{ id }] = JSON.parse(one.stdout).data;
    expect(await resolve('not-created', id)).toMatchObject({ code: 0 });
    const left = await resolve('not-created');
    expect(left.code, left.stderr).toBe(0);
    expect(left.stderr).toContain('INV-7 is refund-');
  });

  it('means none of another profile, and the command that shows it works', async () => {
    const { paycli, home } = await openDesk();
    const other = { service: 'https://other.example', about: ugwoOf(3), asked: { ref: 'INV-5' } };
    await writing(home, (ledger) => begin(ledger, other, { state: 'not_sent', exitCode: 7 }));
    for (const flags of [[], ['--local']]) {
      const see = ['find', 'INV-5', '--all-profiles', ...flags];
      expect(await paycli('ledger', 'show', 'INV-5', ...flags)).toMatchObject({
        code: 2,
        stderr: `error: "INV-5" means no charge\n→ see: paycli ${see.join(' ')}\n`,
      });
      expect((await paycli(...see, '--json')).stdout).toContain('INV-5');
    }
  });

  it('is left to the error about an id if the ledger has no such name', async () => {
    const { paycli } = await openDesk();
    expect(await paycli('ledger', 'show', 'chg-zzz')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no charge "chg-zzz" in the ledger'),
    });
  });
});

describe('a refund by name', () => {
  it('pays back the one activity that was paid', async () => {
    const { paycli, paid } = await withTwo();
    const ended = await paycli('refund', 'create', 'INV-7', '--yes');
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toContain(paid);
    expect(ended.stderr).toContain(`INV-7 is ${paid}: NGN 900.00, ada@example.com, paid\n`);
  });

  it('pays back the one activity whose money did not go back', async () => {
    const { second, settle, paid, done, pass } = await withTwo(true);
    await settle(second, 'successful');
    await done('refund', 'create', second, '--yes');
    await pass(REFUND_SECONDS);
    expect(await done('refund', 'create', 'INV-7', '--yes')).toContain(paid);
  });

  it('pays nothing back for an e-mail address, which may have payments elsewhere', async () => {
    const { paycli } = await withTwo();
    for (const more of [['--yes'], ['--dry-run']]) {
      const ended = await paycli('refund', 'create', 'ada@example.com', ...more);
      expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('is an e-mail address')]);
    }
    expect(JSON.parse((await paycli('refund', 'list', '--json')).stdout).data).toEqual([]);
  });

  it('sends nothing if two were paid, or none', async () => {
    const { paycli, second, settle, failed, paid, charge, request } = await withTwo(true);
    const twice = second;
    await settle(twice, 'successful');
    const ended = await paycli('refund', 'create', 'INV-7', '--yes');
    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toContain('"INV-7" means 2 payments');
    for (const one of [paid, twice]) expect(ended.stderr).toContain(one);
    expect(ended.stderr).not.toContain(failed);
    await charge(await request('INV-9'));
    const none = await paycli('refund', 'create', 'INV-9', '--yes');
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining('"INV-9" means no payment that fits this command\n'),
    ]);
    expect(await paycli('refund', 'create', 'INV-7', '--ugwo', 'INV-7')).toMatchObject({ code: 2 });
    expect(JSON.parse((await paycli('refund', 'list', '--json')).stdout).data).toEqual([]);
  });
});

describe('an activity by name', () => {
  it('is the only one, and for a wait the only open one', async () => {
    const { paycli, second, settle, paid, charge, request } = await withTwo(true);
    const several = await paycli('activity', 'get', 'INV-7');
    expect([several.code, several.stdout]).toEqual([2, '']);
    expect(several.stderr).toContain('"INV-7" means 3 charges');
    const two = await paycli('activity', 'wait', 'INV-7');
    expect([two.code, two.stderr]).toEqual([2, expect.stringContaining('"INV-7" means 2 charges')]);
    await settle(second, 'failed');
    const waited = await paycli('activity', 'wait', 'INV-7', '--json');
    expect([waited.code, JSON.parse(waited.stdout).uid]).toEqual([0, paid]);
    const only = await charge(await request('INV-9'));
    const shown = await paycli('activity', 'get', 'INV-9');
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(only)]);
    expect(shown.stderr).toBe(`INV-9 is ${only}: NGN 900.00, not paid\n`);
    await settle(only, 'failed');
    expect(await paycli('activity', 'wait', 'INV-9')).toMatchObject({ code: 11 });
    const newest = await charge('INV-9');
    await settle(newest, 'failed');
    const failed = await paycli('activity', 'wait', 'INV-9');
    expect([failed.code, failed.stdout], failed.stderr).toEqual([11, expect.stringContaining(newest)]);
  });
});

describe('emulator settle by name', () => {
  it.each(['INV-7', 'ada@example.com'])('ends the one activity that can end so: %s', async (name) => {
    const { paycli, file, second, paid } = await withTwo(true);
    const end = (as: string) => paycli('emulator', 'settle', name, '--as', as, '--data', file);
    const reversed = await end('reversed');
    expect([reversed.code, reversed.stdout], reversed.stderr).toEqual([0, expect.stringContaining(paid)]);
    expect(reversed.stderr).toContain(`${name} is ${paid}: NGN 900.00, `);
    expect(await end('successful')).toMatchObject({ code: 0, stdout: expect.stringContaining(second) });
    const none = await end('failed');
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining(`${JSON.stringify(name)} means no charge`)]);
  });

  it('ends none of several', async () => {
    const { paycli, file, second, settle, paid } = await withTwo(true);
    await settle(second, 'successful');
    const ended = await paycli('emulator', 'settle', 'INV-7', '--as', 'reversed', '--data', file);
    expect([ended.code, ended.stdout]).toEqual([2, '']);
    for (const one of [second, paid]) expect(ended.stderr).toContain(one);
  });
});

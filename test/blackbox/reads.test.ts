import { readdirSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { transferTo } from '../support/activity.ts';
import { inProcess } from '../support/in-process.ts';
import { rewrite } from '../support/ledger.ts';
import { errorOf, newFolder, paycli } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import { ACTIVITY, json, problem, serve, UGWO_ID, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { MINUTE } from '../support/units.ts';

const GET_ACTIVITY = ['activity', 'get', UGWO_ID, ACTIVITY.uid];
const GET_UGWO = ['ugwo', 'get', UGWO_ID];
const ASKED = { looks: 'asked' } as const;
const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb', '--json', '--no-preflight'];
const FAILED = { ...ACTIVITY, status: 'failed', next_action: null, error: { message: 'no funds' } };
const WHOLE = {
  ...ugwo(1),
  uid: UGWO_ID,
  activities: [FAILED, { ...ACTIVITY, uid: 'act.AbCd.1' }],
};

describe('activity get', () => {
  it('shows the failure message', async () => {
    const service = await serve(
      [json(200, { ...FAILED, error: { code: 'psp.declined', message: 'No funds.' } })],
      ASKED,
    );
    const terminal = openTerminal(GET_ACTIVITY, { service });
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(await terminal.screen()).toMatch(/^error +No funds\.$/m);
  });

  it('prints the activity as received', async () => {
    const text = JSON.stringify(ACTIVITY).replace('{', '{"later":9007199254740993,');
    const service = await serve([json(200, text)], ASKED);
    const ended = await paycli([...GET_ACTIVITY, '--json'], { service });
    expect(ended).toMatchObject({ code: 0, stdout: `${text}\n`, stderr: '' });
    expect(service.seen).toMatchObject([
      { method: 'GET', url: `/v1/ugwo/${UGWO_ID}/activities/${ACTIVITY.uid}`, body: '' },
    ]);
  });

  it('exits with 0 for a failed charge', async () => {
    const service = await serve([json(200, FAILED)], ASKED);
    expect(await inProcess([...GET_ACTIVITY, '--columns', 'status,error.message'], { service })).toMatchObject({
      code: 0,
      stdout: 'status\tfailed\nerror.message\tno funds\n',
    });
  });

  it('shows the next action on a terminal', async () => {
    const service = await serve([json(200, ACTIVITY)], ASKED);
    const terminal = openTerminal(GET_ACTIVITY, { service });
    expect((await terminal.ended).code).toBe(0);
    expect(await terminal.screen()).toContain('*737*000*5000#');
  });
});

describe('ugwo get', () => {
  it("prints the full record as JSON, and the list's columns as csv", async () => {
    const service = await serve([json(200, WHOLE), json(200, WHOLE)], ASKED);
    expect((await paycli([...GET_UGWO, '--json'], { service })).stdout).toBe(`${JSON.stringify(WHOLE)}\n`);
    expect((await inProcess([...GET_UGWO, '-o', 'csv'], { service })).stdout.split('\r\n')[0]).toBe(
      'uid,status,amount_minor,currency,ref,description,onye.uid,onye.email,created_at',
    );
    expect(service.seen[0]).toMatchObject({ method: 'GET', url: `/v1/ugwo/${UGWO_ID}` });
  });

  it.each([
    [100, /^failed +[\d: -]+ {2}act\.AbCd\.0a1b2c3d4e5f6g7h8i9j0k1l$/m],
    [50, /^status +failed\ncreated .*\nuid +act\.AbCd\.0a1b2c3d4e5f6g7h8i9j0k1l$/m],
  ])('shows its activities on a terminal of %i columns', async (columns, text) => {
    const service = await serve([json(200, WHOLE)], ASKED);
    const terminal = openTerminal(GET_UGWO, { service, columns });
    expect((await terminal.ended).code).toBe(0);
    const screen = await terminal.screen();
    expect(screen).toMatch(/^amount +NGN 5,000\.01$/m);
    expect(screen).toMatch(text);
  });

  it.each([
    [
      { uid: 'chk.AbCd.1', mediums: [{ medium: 'bank_transfer' }, { medium: 'ussd' }] },
      /^mediums +bank_transfer, ussd$/m,
    ],
    [null, /^It shows no checkout, so the service may refuse a charge\.$/m],
  ])('shows how it can be charged: %j', async (checkout, text) => {
    const service = await serve([json(200, { ...WHOLE, checkout })], ASKED);
    const terminal = openTerminal(GET_UGWO, { service });
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(await terminal.screen()).toMatch(text);
  });

  it.each([60, 120])('shows medium and account of an ended charge of the ledger on %i columns', async (columns) => {
    const open = { ...ACTIVITY, next_action: transferTo('0123456789', 10 * MINUTE) };
    const paid = { ...ACTIVITY, status: 'successful', next_action: null, charged_amount: 500_001 };
    const other = { ...FAILED, uid: 'act.AbCd.1' };
    const service = await serve([json(200, open), json(200, { ...WHOLE, activities: [paid, other] })], ASKED);
    const home = newFolder();
    const charge = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer', '--json', '--no-preflight'];
    expect(await inProcess(charge, { service, home })).toMatchObject({ code: 0 });
    const terminal = openTerminal(GET_UGWO, { service, home, columns });
    expect((await terminal.ended).code).toBe(0);
    const screen = await terminal.screen();
    expect(screen).toMatch(
      columns === 60
        ? /^status +paid\nmedium +bank_transfer\naccount or code +ends in 6789\nreceived +NGN 5,000\.01$/m
        : /^paid +bank_transfer +ends in 6789 +NGN 5,000\.01 /m,
    );
    expect(screen.match(/bank_transfer/g)).toHaveLength(1);
  });

  it('accepts columns of the list and of the record', async () => {
    const record = { ...WHOLE, total_amount_paid: 500_001, later: { on: 1 } };
    const service = await serve([json(200, record), json(200, record)], ASKED);
    const columns = async (names: string) => inProcess([...GET_UGWO, '--columns', names, '-o', 'csv'], { service });
    expect((await columns('status,total_amount_paid,activities.0.uid,later.on')).stdout).toMatch(
      /^status,total_amount_paid_minor,activities\.0\.uid,later\.on\r\n\w+,500001,act\.[\w.]+,1\r\n$/,
    );
    const refused = await columns('total_amount_piad');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/did you mean total_amount_paid\?[\s\S]*known columns: uid, .*\bactivities\b/);
  });

  it('rejects an answer with another payment request', async () => {
    const service = await serve([json(200, ugwo(1))], ASKED);
    const ended = await inProcess([...GET_UGWO, '--json'], { service });
    expect(ended).toMatchObject({ code: 8, stdout: '' });
    expect(errorOf(ended)).toMatchObject({ message: expect.stringContaining(`another payment request`) });
  });

  it('accepts a request without activities', async () => {
    const service = await serve([json(200, { ...ugwo(1), uid: UGWO_ID })], ASKED);
    expect(await inProcess(GET_UGWO, { service })).toMatchObject({ code: 0 });
  });
});

describe('checkout', () => {
  const uid = 'chk.AbCd.1';
  const shop = { uid, name: 'Shop', currency: ['NGN', 'enum.a'], status: ['active', 'enum.b'], mediums: [] };

  it.each([
    ['list', [], [shop], 'uid\tname\tcurrency\tstatus\tmediums\nchk.AbCd.1\tShop\tNGN\tactive\t[]\n'],
    ['providers', [uid, 'ussd'], [{ code: 'gtb', name: 'GTB', psp: 'x' }], 'code\tname\tpsp\ngtb\tGTB\tx\n'],
  ])('%s prints its columns', async (verb, words, answer, stdout) => {
    await scene({ argv: ['checkout', verb, ...words, '-o', 'tsv'], service: [json(200, answer)], stdout });
  });
});

describe('a read', () => {
  it('creates no ledger and ignores an unusable one', async () => {
    const options = { service: await serve([json(200, ACTIVITY), json(200, ACTIVITY)], ASKED), home: newFolder() };
    expect((await inProcess(GET_ACTIVITY, options)).code).toBe(0);
    expect(readdirSync(options.home)).not.toContain('ledger.sqlite');
    writeFileSync(`${options.home}/ledger.sqlite`, 'no ledger', { mode: 0o600 });
    expect(await inProcess(GET_ACTIVITY, options)).toMatchObject({ code: 0, stderr: '' });
  });

  it("updates the service's time in the ledger", async () => {
    const options = { service: await serve([json(200, ACTIVITY), json(200, ACTIVITY)], ASKED), home: newFolder() };
    expect((await inProcess(CHARGE, options)).code).toBe(0);
    const db = new DatabaseSync(`${options.home}/ledger.sqlite`);
    onTestFinished(() => db.close());
    rewrite(`${options.home}/ledger.sqlite`, 'UPDATE charge SET told = NULL');
    expect((await inProcess(GET_ACTIVITY, options)).code).toBe(0);
    expect(db.prepare('SELECT told FROM charge').get()?.['told']).toMatch(/^\{"service":\d+/);
  });

  it.each([GET_ACTIVITY, GET_UGWO])('of a missing record exits with 3: %s %s', async (...args) => {
    const service = await serve([problem(404, 'Not found')], ASKED);
    const ended = await inProcess([...args, '--json'], { service });
    expect(ended.code).toBe(3);
    expect(errorOf(ended)).toMatchObject({ kind: 'rejected', status: 404 });
  });

  it.each([GET_ACTIVITY, GET_UGWO])('can be printed with --as-curl: %s %s', async (...args) => {
    const service = await serve([], ASKED);
    const ended = await inProcess([...args, '--as-curl'], { service });
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain(`${service.origin}/v1/ugwo/${UGWO_ID}`);
  });

  it.each([
    [['activity', 'get', ACTIVITY.uid, UGWO_ID], /is the identifier of an activity, not of a payment request/],
    [['activity', 'wait', UGWO_ID, UGWO_ID], /is the identifier of a payment request \(ugwo\), not of an activity/],
    [['ugwo', 'get', 'ugw'], /is not the identifier of a payment request/],
    [
      ['activity', 'wait', UGWO_ID, ACTIVITY.uid, '--wait-timeout', '25h'],
      /--wait-timeout.*must be between 1s and 24h/,
    ],
    [['activity', 'wait', UGWO_ID, ACTIVITY.uid, '--wait-timeout', '0s'], /must be between 1s and 24h/],
    [['activity', 'wait', UGWO_ID, ACTIVITY.uid, '--as-curl'], /this command doesn't support/],
  ])('with a wrong id is rejected: %j', async (args, message) => {
    const service = await serve([], ASKED);
    const ended = await inProcess(args, { service });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(message);
  });

  it.each<[string, readonly string[], unknown]>([
    ['activity get', GET_ACTIVITY, FAILED],
    ['activity wait', ['activity', 'wait', UGWO_ID, ACTIVITY.uid], FAILED],
    ['ugwo get', GET_UGWO, WHOLE],
  ])('updates the ledger: after %s shows a failure, the next charge is sent', async (_which, args, answer) => {
    const home = newFolder();
    const next = { ...ACTIVITY, uid: 'act.AbCd.9' };
    const service = await serve([json(200, ACTIVITY), json(200, answer), json(200, next)], ASKED);
    expect((await inProcess(CHARGE, { service, home })).code).toBe(0);
    expect((await inProcess(CHARGE, { service, home })).code).toBe(9);
    await inProcess(args, { service, home });
    expect((await inProcess(CHARGE, { service, home })).code).toBe(0);
  });
});

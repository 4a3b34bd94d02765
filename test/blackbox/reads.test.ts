import { readdirSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { transferTo } from '../support/activity.ts';
import { inProcess } from '../support/in-process.ts';
import { rewrite } from '../support/ledger.ts';
import { newFolder } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import { ACTIVITY, json, problem, serve, UGWO_ID, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { MINUTE } from '../support/units.ts';

const GET_ACTIVITY = ['activity', 'get', UGWO_ID, ACTIVITY.uid];
const GET_UGWO = ['ugwo', 'get', UGWO_ID];
const READ = `GET /v1/ugwo/${UGWO_ID}`;
const ASKED = { looks: 'asked' } as const;
const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb', '--json', '--no-preflight'];
const FAILED = { ...ACTIVITY, status: 'failed', next_action: null, error: { message: 'no funds' } };
const NO_CHECKOUT = 'It shows no checkout, so the service may refuse a charge.\n';
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

  it('shows the sum that came', async () => {
    const part = { ...ACTIVITY, status: 'successful', amount: 500_000, charged_amount: 250_000, currency: 'NGN' };
    const terminal = openTerminal(GET_ACTIVITY, { service: await serve([json(200, part)], ASKED) });
    await terminal.ended;
    expect(await terminal.screen()).toMatch(/^amount +NGN 5,000\.00\nreceived +NGN 2,500\.00$/m);
  });

  it('prints the activity as received', () => {
    const text = JSON.stringify(ACTIVITY).replace('{', '{"later":9007199254740993,');
    return scene({
      ...ASKED,
      built: true,
      service: [json(200, text)],
      argv: [...GET_ACTIVITY, '--json'],
      stdout: `${text}\n`,
      requests: [`GET /v1/ugwo/${UGWO_ID}/activities/${ACTIVITY.uid}`],
    });
  });

  it('exits with 0 for a failed charge', () =>
    scene({
      ...ASKED,
      service: [json(200, FAILED)],
      argv: [...GET_ACTIVITY, '--columns', 'status,error.message'],
      stdout: 'status\tfailed\nerror.message\tno funds\n',
    }));

  it('shows the next action on a terminal', async () => {
    const service = await serve([json(200, ACTIVITY)], ASKED);
    const terminal = openTerminal(GET_ACTIVITY, { service });
    expect((await terminal.ended).code).toBe(0);
    expect(await terminal.screen()).toContain('*737*000*5000#');
  });
});

describe('ugwo get', () => {
  it('prints the full record as JSON', () =>
    scene({
      ...ASKED,
      built: true,
      service: [json(200, WHOLE)],
      argv: [...GET_UGWO, '--json'],
      stdout: `${JSON.stringify(WHOLE)}\n`,
      requests: [READ],
    }));

  it("prints the list's columns as csv", () =>
    scene({
      ...ASKED,
      service: [json(200, WHOLE)],
      argv: [...GET_UGWO, '-o', 'csv'],
      stdout: /^uid,status,amount_minor,currency,ref,description,onye\.uid,onye\.email,created_at\r\n/,
      stderr: NO_CHECKOUT,
    }));

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

  const RECORD = { ...WHOLE, total_amount_paid: 500_001, later: { on: 1 } };

  it('accepts columns of the list and of the record', () =>
    scene({
      ...ASKED,
      service: [json(200, RECORD)],
      argv: [...GET_UGWO, '--columns', 'status,total_amount_paid,activities.0.uid,later.on', '-o', 'csv'],
      stdout: /^status,total_amount_paid_minor,activities\.0\.uid,later\.on\r\n\w+,500001,act\.[\w.]+,1\r\n$/,
      stderr: NO_CHECKOUT,
    }));

  it('rejects other columns, with the known ones', () =>
    scene({
      ...ASKED,
      service: [json(200, RECORD)],
      argv: [...GET_UGWO, '--columns', 'total_amount_piad', '-o', 'csv'],
      exit: 2,
      stderr: /did you mean total_amount_paid\?[\s\S]*known columns: uid, .*\bactivities\b/,
    }));

  it('rejects an answer with another payment request', () =>
    scene({
      ...ASKED,
      service: [json(200, ugwo(1))],
      argv: [...GET_UGWO, '--json'],
      exit: 8,
      error: { message: expect.stringContaining('another payment request') },
    }));

  it('accepts a request without activities', () =>
    scene({ ...ASKED, service: [json(200, { ...ugwo(1), uid: UGWO_ID })], argv: GET_UGWO, stderr: NO_CHECKOUT }));
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
    const { home } = await scene({ ...ASKED, service: [json(200, ACTIVITY)], argv: GET_ACTIVITY });
    expect(readdirSync(home)).not.toContain('ledger.sqlite');
    writeFileSync(`${home}/ledger.sqlite`, 'no ledger', { mode: 0o600 });
    await scene({ ...ASKED, service: [json(200, ACTIVITY)], home, argv: GET_ACTIVITY });
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
    const service = [problem(404, 'Not found')];
    const error = { kind: 'rejected', status: 404 };
    await scene({ ...ASKED, service, argv: [...args, '--json'], exit: 3, error });
  });

  it.each([GET_ACTIVITY, GET_UGWO])('can be printed with --as-curl: %s %s', async (...args) => {
    const service = await serve([], ASKED);
    await scene({ service, argv: [...args, '--as-curl'], stdout: [`${service.origin}/v1/ugwo/${UGWO_ID}`] });
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
    await scene({ ...ASKED, service: [], argv: args, exit: 2, stderr: message });
  });

  it.each<[string, readonly string[], unknown]>([
    ['activity get', GET_ACTIVITY, FAILED],
    ['activity wait', ['activity', 'wait', UGWO_ID, ACTIVITY.uid], FAILED],
    ['ugwo get', GET_UGWO, WHOLE],
  ])('updates the ledger: after %s shows a failure, the next charge is sent', async (_which, args, answer) => {
    const next = { ...ACTIVITY, uid: 'act.AbCd.9' };
    const service = await serve([json(200, ACTIVITY), json(200, answer), json(200, next)], ASKED);
    const { home } = await scene({ service, argv: CHARGE });
    await scene({ service, home, argv: CHARGE, exit: 9, requests: [] });
    await inProcess(args, { service, home });
    await scene({ service, home, argv: CHARGE, requests: ['POST'] });
  });
});

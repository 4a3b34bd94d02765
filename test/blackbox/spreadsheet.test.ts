import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { scene } from '../support/scene.ts';
import { ACTIVITY, json } from '../support/service.ts';
import { charged, charging, csvOf, fileOf, serveCharges, ugwoOf } from './bulk-support.ts';

const NUMBER = '0736251840';
const TO_ACCOUNT = {
  next_action: {
    type: 'display_bank',
    instruction: 'Transfer to this account.',
    headers: {
      bank_name: 'Wema',
      account_name: 'Shop',
      account_number: NUMBER,
      expires_at: '2099-01-01T00:00:00+00:00',
    },
  },
};
const KEPT = `"=""${NUMBER}"""`;

const CHARGES = `POST /v1/ugwo/${ugwoOf(1)}/activities`;

describe('an account number with a leading zero', () => {
  it.each([
    [[], KEPT],
    [['--raw-csv'], NUMBER],
  ])("is escaped in an activity's csv with %j", async (more, cell) => {
    const column = 'next_action.headers.account_number';
    await scene({
      service: [json(200, { ...ACTIVITY, ...TO_ACCOUNT })],
      argv: ['activity', 'get', ugwoOf(1), ACTIVITY.uid, '-o', 'csv', '--columns', column, ...more],
      stdout: `${column}\r\n${cell}\r\n`,
    });
  });

  it.each([
    [[], `="${NUMBER}"`],
    [['--raw-csv'], NUMBER],
  ])('is escaped in a report with %j', async (more, cell) => {
    await scene({
      service: serveCharges({ 1: charged(1, TO_ACCOUNT) }),
      argv: charging(fileOf(csvOf('ugwo,medium,note', `${ugwoOf(1)},bank_transfer,007`)), ...more),
      report: { 1: { account_number: cell, note: '007' } },
    });
  });

  it('is unescaped when such a cell is read', () =>
    scene({
      service: serveCharges(),
      argv: charging(fileOf(csvOf('ugwo,medium,provider,param.account', `${ugwoOf(1)},ussd,gtb,${KEPT}`))),
      requests: [`${CHARGES} {"type":"charge","data":{"account":"${NUMBER}","medium":"ussd","provider":"gtb"}}`],
      report: { 1: { provider: 'gtb', 'param.account': `="${NUMBER}"` } },
    }));
});

describe('csv written by paycli', () => {
  const CUSTOMER = {
    uid: 'ony.AbCd.000000000000000000000001',
    email: 'ada@example.com',
    ref: '+REF-1',
    first_name: '-Ngozi',
    last_name: "'t Hooft",
    meta: { phone: '+2348031234567', id: '0736251840', sum: '=1+1', at: '@ada', guarded: "'=1", lines: 'a\r\nb' },
  };

  it('is read back unchanged', async () => {
    const keys = Object.keys(CUSTOMER.meta).map((name) => `meta.${name}`);
    const columns = ['uid', 'email', 'first_name', 'last_name', 'ref', ...keys];
    const { stdout } = await scene({
      service: [json(200, { data: [CUSTOMER], next_cursor: null })],
      argv: ['onye', 'list', '-o', 'csv', '--columns', columns.join()],
    });
    const { uid, ...fields } = CUSTOMER;
    await scene({
      service: () => json(200, { ...CUSTOMER, meta: {} }),
      argv: ['onye', 'update', '--from', fileOf(stdout, 'customers.csv'), '--json'],
      requests: [`GET /v1/onye/${uid}`, `PATCH /v1/onye/${uid} ${JSON.stringify(fields)}`],
    });
  });
});

describe('a file saved by a spreadsheet', () => {
  it.each([
    ['a line that names the delimiter', `sep=;\r\nugwo;medium\r\n${ugwoOf(1)};bank_transfer\r\n`],
    ['delimiters after the last column', `ugwo,medium,,\r\n${ugwoOf(1)},bank_transfer,,\r\n`],
    ['rows with only delimiters', `ugwo,medium\r\n,\r\n${ugwoOf(1)},bank_transfer\r\n,\r\n,\r\n`],
    ['spaces around cells', `ugwo\u00a0, medium\r\n${ugwoOf(1)}\u00a0, bank_transfer \r\n`],
  ])('is accepted with %s', async (_, text) => {
    const requests = [`${CHARGES} {"type":"charge","data":{"medium":"bank_transfer"}}`];
    await scene({ service: serveCharges(), argv: charging(fileOf(text)), requests, report: { 1: {} } });
  });
});

describe('a byte order mark', () => {
  const MARK = '\ufeff';
  const LIST = ['onye', 'list'];

  it.each([
    ['a record', ACTIVITY, ['activity', 'get', ugwoOf(1), ACTIVITY.uid], `uid\r\n${ACTIVITY.uid}\r\n`, ''],
    ['an empty list', { data: [], next_cursor: null }, LIST, 'uid\r\n', 'Nothing found.\n'],
    [
      'a page, and that of the next one',
      { data: [{ uid: 'ony.AbCd.1' }], next_cursor: 'a' },
      LIST,
      'uid\r\nony.AbCd.1\r\n',
      [' --bom '],
    ],
  ])('starts the CSV of %s with --bom', async (_what, answer, words, text, stderr) => {
    const argv = [...words, '-o', 'csv', '--columns', 'uid', '--bom'];
    await scene({ service: [json(200, answer)], argv, stdout: `${MARK}${text}`, stderr });
  });

  it.each([
    ['charges.csv', csvOf('ugwo,medium', `${ugwoOf(1)},bank_transfer`)],
    ['charges.ndjson', `${JSON.stringify({ ugwo: ugwoOf(1), medium: 'bank_transfer' })}\n`],
  ])('starts the report of %s only with --bom', async (name, text) => {
    for (const [start = '', ...more] of [[`${MARK}ugwo,`, '--bom'], ['ugwo,']]) {
      const argv = charging(fileOf(text, name), ...more);
      const { stdout } = await scene({ service: serveCharges(), argv, report: { 1: {} } });
      expect(readFileSync(JSON.parse(stdout).report, 'utf8').startsWith(start)).toBe(true);
    }
  });
});

describe('a value damaged by a spreadsheet', () => {
  const ROUNDED = '"2.02611E+16" was rounded by a spreadsheet';
  const BLANK = '"Ada\u00a0" has a blank at its beginning or end, as copying leaves it: write "Ada"';
  const TRUNK = '"+2340803123456" has a 0 after the country code, which is dialled only at home: write "+234803123456"';
  const DROPPED = '"736251840" has 9 digits of 10: a spreadsheet has probably dropped a leading 0: write "0736251840"';
  const customer = 'ony.AbCd.000000000000000000000001';
  const asked = ['--amount', '5,000.00', '--currency', 'NGN'];
  const momo = ['--medium', 'mobile_money', '--provider', 'mtn'];
  const back = ['refund', 'create', ACTIVITY.uid, '--provider', 'gtb'];

  it.each([
    [['ugwo', 'create', ...asked, '--ref', '2.02611E+16'], '--ref (ref)', ROUNDED],
    [['ugwo', 'create', ...asked, '--metadata', 'order=2.02611E+16'], '--metadata (metadata.order)', ROUNDED],
    [['ugwo', 'create', '--amount', '2.02611E+16', '--currency', 'NGN'], '--amount', ROUNDED],
    [['onye', 'create', '--email', 'a@b.c', '--first-name', 'Ada\u00a0'], '--first-name (first_name)', BLANK],
    [['onye', 'create', '--email', 'a@b.c', '--data', '{"last_name":"Ada\u00a0"}'], '--data (last_name)', BLANK],
    [['onye', 'create', '--email', ' ada@example.com'], '--email (email)', '" ada@example.com" has a blank'],
    [['onye', 'update', customer, '--merge-meta', 'a=2.02611E+16'], '--merge-meta (meta.a)', ROUNDED],
    [['ugwo', 'charge', ugwoOf(1), ...momo, '--phone', '+2340803123456'], '--phone (data.phone)', TRUNK],
    [[...back, '--account-number', '736251840'], '--account-number (destination.account_number)', DROPPED],
    [
      [...back, '--account-number', '12'],
      '--account-number (destination.account_number)',
      '"12" is not an account number of 10 digits',
    ],
  ])('is rejected in an option, with the cause: %j', async (args, place, cause) => {
    await scene({ service: [], argv: [...args, '--dry-run'], exit: 2, stderr: [`${place}: ${cause}`] });
  });

  it.each([
    ['ugwo create', 'ref,amount,currency', '2.02611E+16,1000.00,NGN', 'ref', ROUNDED],
    ['ugwo create', 'ref,amount,currency,metadata.order', 'r,1000.00,NGN,2.02611E+16', 'metadata.order', ROUNDED],
    ['onye create', 'email,ref', 'ada@example.com,2.02611E+16', 'ref', ROUNDED],
    ['onye update', 'uid,merge_meta.a', `${customer},2.02611E+16`, 'merge_meta.a', ROUNDED],
    ['ugwo charge', 'ugwo,medium,provider,phone', `${ugwoOf(1)},mobile_money,mtn,+2340803123456`, 'phone', TRUNK],
    ['ugwo charge', 'ugwo,medium,param.order', `${ugwoOf(1)},bank_transfer,2.02611E+16`, 'param.order', ROUNDED],
    [
      'refund create',
      'activity,amount,provider,account_number',
      `${ACTIVITY.uid},all,gtb,736251840`,
      'account_number',
      DROPPED,
    ],
  ])('is rejected in a column, with the cause: %s, %s', async (command, header, row, column, cause) => {
    const argv = [...command.split(' '), '--from', fileOf(csvOf(header, row)), '--dry-run'];
    await scene({ service: [], argv, exit: 2, stderr: [`  row 1, column ${column}: ${cause}`] });
  });

  it('gets a notice and is sent if it may be meant: what a program leaves in an empty cell', async () => {
    const file = fileOf(csvOf('Email,First Name,ref,note', 'mailto:a@b.c,nan,7,NULL', 'b@b.c,,NULL,'));
    await scene({
      service: ({ body }) => json(200, { uid: customer, ...JSON.parse(body) }),
      argv: ['onye', 'create', '--from', file, '--concurrency', '1'],
      stderr: [
        '2 cells look like leftovers of another program and are sent as they are: row 1, column first_name: "nan"; row 2, column ref: "NULL"\n',
      ],
      requests: [
        'POST /v1/onye {"email":"a@b.c","ref":"7","first_name":"nan"}',
        'POST /v1/onye {"email":"b@b.c","ref":"NULL"}',
      ],
    });
  });

  it('gets a notice that shows ten of many cells', async () => {
    const rows = Array.from({ length: 12 }, (_none, at) => `${at}@b.c,NULL`);
    await scene({
      service: [],
      argv: ['onye', 'create', '--from', fileOf(csvOf('email,ref', ...rows)), '--dry-run'],
      stderr: [/^12 cells look like .*: row 1, .*; row 10, column ref: "NULL" and 2 more$/m],
    });
  });

  it('is sent with --no-validate', async () => {
    const argv = ['ugwo', 'create', ...asked, '--ref', '2.02611E+16', '--dry-run', '--no-validate'];
    await scene({ service: [], argv });
  });

  it('is kept in existing metadata', async () => {
    const meta = { order: '2.02611E+16' };
    await scene({
      service: () => json(200, { uid: customer, email: 'ada@example.com', meta }),
      argv: ['onye', 'update', customer, '--merge-meta', 'tier=vip', '--yes'],
      stderr: ['All metadata was read, changed and written back'],
      requests: ['GET', `PATCH /v1/onye/${customer} ${JSON.stringify({ meta: { ...meta, tier: 'vip' } })}`],
    });
  });
});

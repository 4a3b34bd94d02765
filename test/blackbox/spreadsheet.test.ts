import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import type { Ended, RunOptions } from '../support/program.ts';
import { newFolder } from '../support/program.ts';
import { ACTIVITY, json, serve, serveBy } from '../support/service.ts';
import { charged, csvOf, fileOf, reportOf, reportPath, serveCharges, ugwoOf } from './bulk-support.ts';

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

/** Runs `ugwo charge --from` in this process. */
const charging = (file: string, options: RunOptions, ...more: readonly string[]): Promise<Ended> =>
  inProcess(['ugwo', 'charge', '--from', file, '--json', ...more], options);

describe('an account number with a leading zero', () => {
  it.each([
    [[], KEPT],
    [['--raw-csv'], NUMBER],
  ])("is escaped in an activity's csv with %j", async (more, cell) => {
    const service = await serve([json(200, { ...ACTIVITY, ...TO_ACCOUNT })]);
    const columns = ['--columns', 'next_action.headers.account_number'];
    const args = ['activity', 'get', ugwoOf(1), ACTIVITY.uid, '-o', 'csv', ...columns, ...more];
    expect(await inProcess(args, { service })).toMatchObject({
      code: 0,
      stdout: `next_action.headers.account_number\r\n${cell}\r\n`,
    });
  });

  it.each([
    [[], `="${NUMBER}"`],
    [['--raw-csv'], NUMBER],
  ])('is escaped in a report with %j', async (more, cell) => {
    const service = await serveCharges({ 1: charged(1, TO_ACCOUNT) });
    const file = fileOf(csvOf('ugwo,medium,note', `${ugwoOf(1)},bank_transfer,007`));
    const report = reportPath();
    expect(await charging(file, { service, home: newFolder() }, '--report', report, ...more)).toMatchObject({
      code: 0,
    });
    expect(reportOf(report)['1']).toMatchObject({ account_number: cell, note: '007' });
  });

  it('is unescaped when such a cell is read', async () => {
    const service = await serveCharges();
    const file = fileOf(csvOf('ugwo,medium,provider,param.account', `${ugwoOf(1)},ussd,gtb,${KEPT}`));
    const report = reportPath();
    await charging(file, { service, home: newFolder() }, '--report', report);
    const posts = service.seen.filter(({ method }) => method === 'POST');
    expect(posts.map(({ body }) => JSON.parse(body).data.account)).toEqual([NUMBER]);
    expect(readFileSync(report, 'utf8')).toContain(`,gtb,${KEPT},`);
  });
});

describe('csv written by paycli', () => {
  const CUSTOMER = {
    uid: 'ony.AbCd.000000000000000000000001',
    email: 'ada@example.com',
    first_name: '-Ngozi',
    last_name: "'t Hooft",
    ref: '+REF-1',
    meta: { phone: '+2348031234567', id: '0736251840', sum: '=1+1', at: '@ada', guarded: "'=1", lines: 'a\r\nb' },
  };

  it('is read back unchanged', async () => {
    const service = await serveBy(({ url }) =>
      json(200, url.includes(CUSTOMER.uid) ? { ...CUSTOMER, meta: {} } : { data: [CUSTOMER], next_cursor: null }),
    );
    const keys = Object.keys(CUSTOMER.meta).map((name) => `meta.${name}`);
    const columns = ['uid', 'email', 'first_name', 'last_name', 'ref', ...keys];
    const listed = await inProcess(['onye', 'list', '-o', 'csv', '--columns', columns.join()], { service });
    const file = fileOf(listed.stdout, 'customers.csv');
    const updated = await inProcess(['onye', 'update', '--from', file, '--json'], { service, home: newFolder() });
    expect(updated.code).toBe(0);
    const { uid: _, ...fields } = CUSTOMER;
    expect(service.seen.filter(({ method }) => method === 'PATCH').map(({ body }) => JSON.parse(body))).toEqual([
      fields,
    ]);
  });
});

describe('a file saved by a spreadsheet', () => {
  it.each([
    ['a line that names the delimiter', `sep=;\r\nugwo;medium\r\n${ugwoOf(1)};bank_transfer\r\n`],
    ['delimiters after the last column', `ugwo,medium,,\r\n${ugwoOf(1)},bank_transfer,,\r\n`],
    ['rows with only delimiters', `ugwo,medium\r\n,\r\n${ugwoOf(1)},bank_transfer\r\n,\r\n,\r\n`],
    ['spaces around cells', `ugwo\u00a0, medium\r\n${ugwoOf(1)}\u00a0, bank_transfer \r\n`],
  ])('is accepted with %s', async (_, text) => {
    const service = await serveCharges();
    const report = reportPath();
    const ended = await charging(fileOf(text), { service, home: newFolder() }, '--report', report);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const posts = service.seen.filter(({ method }) => method === 'POST');
    expect(posts.map(({ url, body }) => [url, JSON.parse(body).data])).toEqual([
      [`/v1/ugwo/${ugwoOf(1)}/activities`, { medium: 'bank_transfer' }],
    ]);
    expect(Object.keys(reportOf(report))).toEqual(['1']);
  });
});

describe('a byte order mark', () => {
  const MARK = '\ufeff';

  it('starts CSV with --bom and is accepted in input', async () => {
    const service = await serve([json(200, ACTIVITY), json(200, { data: [], next_cursor: null })]);
    const record = ['activity', 'get', ugwoOf(1), ACTIVITY.uid, '-o', 'csv', '--columns', 'uid', '--bom'];
    expect((await inProcess(record, { service })).stdout).toBe(`${MARK}uid\r\n${ACTIVITY.uid}\r\n`);
    const list = ['onye', 'list', '-o', 'csv', '--columns', 'uid', '--bom'];
    expect((await inProcess(list, { service })).stdout).toBe(`${MARK}uid\r\n`);
  });

  it.each([
    ['charges.csv', csvOf('ugwo,medium', `${ugwoOf(1)},bank_transfer`)],
    ['charges.ndjson', `${JSON.stringify({ ugwo: ugwoOf(1), medium: 'bank_transfer' })}\n`],
  ])('starts the report of %s only with --bom', async (name, text) => {
    const [service, home] = [await serveCharges(), newFolder()];
    for (const bom of [true, false]) {
      const report = reportPath();
      await charging(fileOf(text, name), { service, home }, '--report', report, ...(bom ? ['--bom'] : []));
      expect(readFileSync(report, 'utf8').startsWith(`${bom ? MARK : ''}ugwo,`)).toBe(true);
    }
  });

  it('is kept in the command for the next page', async () => {
    const service = await serve([json(200, { data: [{ uid: 'ony.AbCd.1' }], next_cursor: 'a' })]);
    const ended = await inProcess(['onye', 'list', '-o', 'csv', '--columns', 'uid', '--bom'], { service });
    expect(ended.stderr).toContain(' --bom ');
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
    [[...back, '--account-number', '12'], '--account-number (', '"12" is not an account number of 10 digits'],
  ])('is rejected in an option, with the cause: %j', async (args, place, cause) => {
    const ended = await inProcess([...args, '--dry-run'], { service: await serve([]) });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr.replaceAll(/\s+/g, ' ')).toContain(place);
    expect(ended.stderr.replaceAll(/[ \n]+/g, ' ')).toContain(cause);
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
    const file = fileOf(csvOf(header, row));
    const ended = await inProcess([...command.split(' '), '--from', file, '--dry-run'], { service: await serve([]) });
    expect(ended.code).toBe(2);
    expect(ended.stderr.replaceAll(/[ \n]+/g, ' ')).toContain(`row 1, column ${column}: ${cause}`);
  });

  it('gets a notice and is sent if it may be meant: what a program leaves in an empty cell', async () => {
    const service = await serveBy(({ body }) => json(200, { uid: customer, ...JSON.parse(body) }));
    const file = fileOf(csvOf('Email,First Name,ref,note', 'mailto:a@b.c,nan,7,NULL', 'b@b.c,,NULL,'));
    const ended = await inProcess(['onye', 'create', '--from', file, '--concurrency', '1'], {
      service,
      home: newFolder(),
    });
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain(
      '2 cells look like leftovers of another program and are sent as they are: row 1, column first_name: "nan"; row 2, column ref: "NULL"\n',
    );
    expect(service.seen.map(({ body }) => JSON.parse(body))).toEqual([
      { email: 'a@b.c', first_name: 'nan', ref: '7' },
      { email: 'b@b.c', ref: 'NULL' },
    ]);
  });

  it('gets a notice that shows ten of many cells', async () => {
    const rows = Array.from({ length: 12 }, (_none, at) => `${at}@b.c,NULL`);
    const args = ['onye', 'create', '--from', fileOf(csvOf('email,ref', ...rows)), '--dry-run'];
    const { stderr } = await inProcess(args, { service: await serve([]) });
    expect(stderr).toMatch(/^12 cells look like .*: row 1, .*; row 10, column ref: "NULL" and 2 more$/m);
  });

  it('is sent with --no-validate', async () => {
    const args = ['ugwo', 'create', ...asked, '--ref', '2.02611E+16', '--dry-run', '--no-validate'];
    expect(await inProcess(args, { service: await serve([]) })).toMatchObject({ code: 0 });
  });

  it('is kept in existing metadata', async () => {
    const kept = { uid: customer, email: 'ada@example.com', meta: { order: '2.02611E+16' } };
    const service = await serveBy(() => json(200, kept));
    const args = ['onye', 'update', customer, '--merge-meta', 'tier=vip', '--yes'];
    expect(await inProcess(args, { service })).toMatchObject({ code: 0 });
    expect(JSON.parse(service.seen.at(-1)?.body ?? '')).toEqual({ meta: { ...kept.meta, tier: 'vip' } });
  });
});

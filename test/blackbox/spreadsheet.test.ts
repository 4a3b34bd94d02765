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

/** In this process. */
const charging = (file: string, options: RunOptions, ...more: readonly string[]): Promise<Ended> =>
  inProcess(['ugwo', 'charge', '--from', file, '--json', ...more], options);

describe('an account number with a leading zero', () => {
  it.each([
    [[], KEPT],
    [['--raw-csv'], NUMBER],
  ])('of an activity in csv, with %j', async (more, cell) => {
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
  ])('in the report of a file, with %j', async (more, cell) => {
    const service = await serveCharges({ 1: charged(1, TO_ACCOUNT) });
    const file = fileOf(csvOf('ugwo,medium,note', `${ugwoOf(1)},bank_transfer,007`));
    const report = reportPath();
    expect(await charging(file, { service, home: newFolder() }, '--report', report, ...more)).toMatchObject({
      code: 0,
    });
    expect(reportOf(report)['1']).toMatchObject({ account_number: cell, note: '007' });
  });

  it('is itself again where such a cell is charged with', async () => {
    const service = await serveCharges();
    const file = fileOf(csvOf('ugwo,medium,provider,param.account', `${ugwoOf(1)},ussd,gtb,${KEPT}`));
    const report = reportPath();
    await charging(file, { service, home: newFolder() }, '--report', report);
    const posts = service.seen.filter(({ method }) => method === 'POST');
    expect(posts.map(({ body }) => JSON.parse(body).data.account)).toEqual([NUMBER]);
    expect(readFileSync(report, 'utf8')).toContain(`,gtb,${KEPT},`);
  });
});

describe('a file that this program wrote', () => {
  const CUSTOMER = {
    uid: 'ony.AbCd.000000000000000000000001',
    email: 'ada@example.com',
    first_name: '-Ngozi',
    last_name: "'t Hooft",
    ref: '+REF-1',
    meta: { phone: '+2348031234567', id: '0736251840', sum: '=1+1', at: '@ada', guarded: "'=1", lines: 'a\r\nb' },
  };

  it('changes nothing when it is read back', async () => {
    const service = await serveBy(({ method }) =>
      method === 'PATCH' ? json(200, CUSTOMER) : json(200, { data: [CUSTOMER], next_cursor: null }),
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

describe('a file as a spreadsheet saves it', () => {
  it.each([
    ['a line that names the separator', `sep=;\r\nugwo;medium\r\n${ugwoOf(1)};bank_transfer\r\n`],
    ['separators behind the last column', `ugwo,medium,,\r\n${ugwoOf(1)},bank_transfer,,\r\n`],
    ['rows of separators alone', `ugwo,medium\r\n,\r\n${ugwoOf(1)},bank_transfer\r\n,\r\n,\r\n`],
    ['blanks around cells', `ugwo\u00a0, medium\r\n${ugwoOf(1)}\u00a0, bank_transfer \r\n`],
  ])('is charged, with %s', async (_, text) => {
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

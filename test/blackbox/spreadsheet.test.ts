import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import type { Ended, RunOptions } from '../support/program.ts';
import { newFolder } from '../support/program.ts';
import { ACTIVITY, json, serve } from '../support/service.ts';
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

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import {
  charged,
  chargeFrom,
  csvOf,
  fileOf,
  numberIn,
  once,
  postsOf,
  reportOf,
  reportPath,
  serveCharges,
  summaryOf,
  ugwoOf,
} from '../blackbox/bulk-support.ts';
import { newFolder, paycli, start } from '../support/program.ts';
import { hang, problem, serveBy } from '../support/service.ts';
import { onDrive } from './support.ts';

const crlf = (...rows: readonly string[]): string => csvOf(...(rows as [string])).replaceAll('\n', '\r\n');
const row = (number: number): string => `${ugwoOf(number)},ussd,gtb,Ádá ${number}`;
const HEADER = 'ugwo,medium,provider,who';

it('a file with CRLF and a byte order mark is charged, with its report on a drive', async () => {
  const service = await serveCharges({ 2: problem(422, 'No') });
  const [file, report] = [
    fileOf(`\ufeff${crlf(HEADER, row(1), row(2), row(3))}`, 'of a day.csv'),
    reportPath('Ádá.csv'),
  ];
  const home = onDrive(newFolder('home with blanks'));
  const args = ['--report', onDrive(report), '--no-preflight'];
  const ended = await chargeFrom(onDrive(file), { service, home }, ...args);
  expect(ended.code, ended.stderr).toBe(3);
  expect(summaryOf(ended)).toMatchObject({ rows: 3, accepted: 2, rejected: 1, report: onDrive(report) });
  expect(reportOf(report)).toMatchObject({
    1: { state: 'accepted', who: 'Ádá 1' },
    2: { state: 'rejected' },
    3: { state: 'accepted', who: 'Ádá 3' },
  });
  // The same job by another way to write its path, and the report in place of an older one.
  const again = await chargeFrom(onDrive(file).replaceAll('\\', '/'), { service, home }, ...args, '--retry-failed');
  expect(summaryOf(again)).toMatchObject({ job: summaryOf(ended)['job'], accepted: 2, skipped: 2, rejected: 1 });
  expect(Object.keys(reportOf(report))).toEqual(['1', '2', '3']);
  expect(postsOf(service)).toEqual({ ...once(1, 3), 2: 2 });
});

it('a run holds its report; one that is killed goes on with the next one, and charges nothing twice', async () => {
  const sent = Promise.withResolvers<void>();
  let isKilled = false;
  const service = await serveBy((seen) => {
    const number = numberIn(seen);
    if (number !== 3 || isKilled) return charged(number);
    sent.resolve();
    return hang;
  });
  const [file, report, home] = [fileOf(crlf(HEADER, ...[1, 2, 3, 4].map(row))), reportPath(), newFolder()];
  const args = ['--report', onDrive(report), '--no-preflight', '--concurrency', '1'];
  const running = start(['ugwo', 'charge', '--from', onDrive(file), ...args], { service, home });
  await sent.promise;
  const beside = await chargeFrom(onDrive(file), { service, home }, ...args);
  expect(beside).toMatchObject({ code: 2, stderr: expect.stringContaining('close the program that has it open') });
  running.kill('SIGKILL');
  await running.ended;
  isKilled = true;
  const resumed = await chargeFrom(onDrive(file), { service, home }, ...args);
  expect(resumed.code, resumed.stderr).toBe(6);
  expect(summaryOf(resumed)).toMatchObject({ rows: 4, accepted: 3, skipped: 3, unknown: 1 });
  expect(postsOf(service)).toEqual(once(1, 2, 3, 4));
  expect(reportOf(report)).toMatchObject({
    2: { state: 'accepted' },
    3: { state: 'unknown' },
    4: { state: 'accepted' },
  });
  const jobs = await paycli(['ledger', 'jobs', '--json'], { home });
  expect(JSON.parse(jobs.stdout)).toMatchObject({ data: [{ rows: 4 }] });
});

it('a report is not opened in a folder that is missing, and nothing is sent', async () => {
  const service = await serveCharges();
  const missing = join(newFolder(), 'none', 'result.csv');
  const ended = await chargeFrom(onDrive(fileOf(crlf(HEADER, row(1)))), { service }, '--report', onDrive(missing));
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining("can't write the report") });
  expect([existsSync(dirname(missing)), service.seen.length]).toEqual([false, 0]);
});

it('rows of NDJSON come through a pipe', async () => {
  const service = await serveCharges();
  const stdin = [1, 2]
    .map((number) => `${JSON.stringify({ ugwo: ugwoOf(number), medium: 'bank_transfer' })}\r\n`)
    .join('');
  const report = reportPath('result.ndjson');
  const args = ['ugwo', 'charge', '--from', '-', '--no-preflight', '--json', '--report', onDrive(report)];
  expect(summaryOf(await paycli(args, { service, stdin }))).toMatchObject({ accepted: 2 });
  expect(readFileSync(report, 'utf8').trim().split('\n')).toHaveLength(2);
});

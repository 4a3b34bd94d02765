import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { onyeOf } from '../support/ids.ts';
import { inProcess } from '../support/in-process.ts';
import { newFolder, type paycli } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import type { Answer, Seen, Service } from '../support/service.ts';
import { json, problem, reset, serveBy } from '../support/service.ts';
import { csvOf, fileOf, reportOf, reportPath, summaryOf } from './bulk-support.ts';

const numberIn = ({ url }: Seen): number => Number(/ony\.AbCd\.(\d+)/.exec(url)?.[1]);

const customer = (number: number, more: Readonly<Record<string, unknown>> = {}): Answer =>
  json(200, { uid: onyeOf(number), email: 'old@example.com', first_name: 'Old', meta: {}, ...more });

/** Accepts every update, except those with an answer in `others`. */
const serveCustomers = (others: Readonly<Record<number, (seen: Seen) => Answer>> = {}): Promise<Service> =>
  serveBy((seen) => {
    const number = numberIn(seen);
    return others[number]?.(seen) ?? customer(number, seen.method === 'PATCH' ? JSON.parse(seen.body) : {});
  });

const sentTo = ({ seen }: Service): Record<number, unknown[]> => {
  const sent: Record<number, unknown[]> = {};
  for (const one of seen.filter(({ method }) => method === 'PATCH')) {
    sent[numberIn(one)] = [...(sent[numberIn(one)] ?? []), JSON.parse(one.body)];
  }
  return sent;
};

/** The arguments of a run that makes the updates of this file. */
const updating = (file: string, ...more: readonly string[]): string[] => [
  ...['onye', 'update', '--from', file, '--json'],
  ...more,
];

const updateFrom = (file: string, options: Parameters<typeof paycli>[1], ...more: readonly string[]) =>
  inProcess(updating(file, ...more), options);

const emails = (...numbers: readonly number[]): string =>
  fileOf(csvOf('uid,email', ...numbers.map((number) => `${onyeOf(number)},n${number}@example.com`)), 'customers.csv');

const mail = (number: number) => ({ email: `n${number}@example.com` });

describe('onye update --from', () => {
  it('sends only the fields that each row gives', async () => {
    const service = await serveCustomers();
    const rows = [`${onyeOf(1)},ada@example.com,,,,,,hello`, `${onyeOf(2)},,Obi,r-1,Lagos,vip,3,`];
    await scene({
      service,
      argv: updating(
        fileOf(csvOf('uid,email,first_name,ref,billing_address.city,meta.tier,meta.visits:,comment', ...rows)),
      ),
      json: { command: 'onye update', rows: 2, accepted: 2, not_started: 0 },
      report: { 1: { comment: 'hello', state: 'accepted' }, 2: { state: 'accepted' } },
    });
    expect(sentTo(service)).toEqual({
      1: [{ email: 'ada@example.com' }],
      2: [{ first_name: 'Obi', ref: 'r-1', billing_address: { city: 'Lagos' }, meta: { tier: 'vip', visits: 3 } }],
    });
  });

  it('fills missing columns from options, and rejects an option that repeats a column', async () => {
    const service = await serveCustomers();
    const argv = updating(fileOf(csvOf('uid,first_name', `${onyeOf(1)},Ada`)));
    await scene({ service, argv: [...argv, '--meta', 'tier=vip'], json: { accepted: 1 }, stderr: /^/ });
    expect(sentTo(service)).toEqual({ 1: [{ first_name: 'Ada', meta: { tier: 'vip' } }] });
    const error = { message: expect.stringContaining('--first-name') };
    await scene({ service: [], argv: [...argv, '--first-name', 'Obi'], exit: 2, error });
  });

  it('checks every row before sending', async () => {
    const rows = [`${onyeOf(1)},ada@example.com,1`, 'ugw.x.y,a@b,', `${onyeOf(3)},nonsense,{`, `${onyeOf(4)},,`];
    await scene({
      service: [],
      argv: updating(fileOf(csvOf('uid,email,meta.a:', ...rows))),
      exit: 2,
      error: {
        violations: [
          { row: 2, column: 'uid' },
          { row: 3, column: 'meta.a:' },
          { row: 4, title: expect.stringContaining('changes nothing') },
        ],
      },
    });
  });

  it('resumes after an interruption and sends no update twice', async () => {
    let isTaken = false;
    const service = await serveCustomers({
      2: () =>
        isTaken
          ? customer(2, mail(2))
          : problem(422, 'Validation Failed', [{ propertyPath: 'email', title: 'is taken' }]),
    });
    const [file, options, report] = [emails(1, 2, 3), { service, home: newFolder() }, reportPath()];
    const first = await updateFrom(file, options, '--report', report);
    expect(first.code).toBe(3);
    expect(reportOf(report)['2']).toMatchObject({
      state: 'rejected',
      error: expect.stringContaining('email: is taken'),
    });
    isTaken = true;
    const again = await updateFrom(file, options, '--report', report);
    expect(summaryOf(again)).toMatchObject({ accepted: 2, rejected: 1, skipped: 3 });
    expect(readFileSync(report, 'utf8')).toContain('email: is taken');
    const retried = await updateFrom(file, options, '--retry-failed');
    expect(retried).toMatchObject({ code: 0, stderr: '' });
    expect(Object.values(sentTo(service)).map(({ length }) => length)).toEqual([1, 2, 1]);
  });

  it('checks the customer before resending an update that may have been applied', async () => {
    const shown: Record<number, object> = { 1: mail(1), 2: {} };
    const lost = new Set([1, 2]);
    const losing = (seen: Seen): Answer => {
      const number = numberIn(seen);
      if (seen.method === 'GET') return customer(number, { ...shown[number] });
      return lost.delete(number) ? reset : customer(number, mail(number));
    };
    const service = await serveCustomers({ 1: losing, 2: losing });
    const [file, options] = [emails(1, 2), { service, home: newFolder() }];
    const first = await updateFrom(file, options, '--continue-on-unknown');
    expect(first.code).toBe(6);
    expect(summaryOf(first)).toMatchObject({ accepted: 1, unknown: 1 });
    const second = await updateFrom(file, options);
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(summaryOf(second)).toMatchObject({ accepted: 2 });
    expect(sentTo(service)).toEqual({ 1: [mail(1)], 2: [mail(2), mail(2)] });
  });

  it.each([403, 404])('keeps an update unknown if that check is answered with %i', async (status) => {
    const service = await serveCustomers({ 1: ({ method }) => (method === 'PATCH' ? reset : problem(status, 'No')) });
    const [file, options] = [emails(1), { service, home: newFolder() }];
    await updateFrom(file, options);
    const second = await updateFrom(file, options);
    expect(second.code).toBe(6);
    expect(summaryOf(second)).toMatchObject({ unknown: 1, rejected: 0 });
    expect(sentTo(service)).toEqual({ 1: [mail(1)] });
  });

  it.each<[string, earlier: boolean, code: number, GET: string, PATCH: string]>([
    ['--dry-run', false, 0, '', ''],
    ['--dry-run --check', false, 0, '1 2 3', ''],
    ['', false, 3, '', '1 2 3'],
    ['--check', false, 3, '1 2 3', '1 2 3'],
    ['', true, 3, '3', '3'],
    ['--check', true, 3, '3 3', '3'],
    ['--retry-failed', true, 3, '3', '2 3'],
  ])('makes these requests with "%s", after an earlier run: %s', async (args, earlier, code, GET, PATCH) => {
    let first = earlier;
    const service = await serveCustomers({
      2: ({ method }) =>
        method === 'GET'
          ? customer(2)
          : problem(422, 'Validation Failed', [{ propertyPath: 'email', title: 'is taken' }]),
      3: ({ method }) => (first && method === 'PATCH' ? reset : customer(3)),
    });
    const [file, options] = [emails(1, 2, 3), { service, home: newFolder() }];
    if (earlier) expect(await updateFrom(file, options)).toMatchObject({ code: 6 });
    first = false;
    const before = service.seen.length;
    const ended = await updateFrom(file, options, ...args.split(' ').filter((arg) => arg !== ''));
    expect(ended, ended.stderr).toMatchObject({ code });
    const of = (one: string) => service.seen.slice(before).filter(({ method }) => method === one);
    expect([of('GET'), of('PATCH')].map((all) => all.map(numberIn).sort().join(' '))).toEqual([GET, PATCH]);
  });

  it('stores no phone number and no key in the ledger, even if the service repeats them', async () => {
    const [phone, key, home] = ['+233201234567', 'sk.Othr.k3yOfAnotherOne', newFolder()];
    const said = [{ propertyPath: 'meta.phone', title: `${phone} of ${key} is no phone` }];
    const service = await serveBy(() => problem(422, 'Validation Failed', said));
    const file = fileOf(csvOf('uid,ref', `${onyeOf(1)},${phone}`, `${phone},x`, `${key},y`), `${key}.csv`);
    expect(await updateFrom(file, { service, home }, '--no-validate')).toMatchObject({ code: 3 });
    const kept = readdirSync(home).map((name) => readFileSync(join(home, name), 'latin1'));
    expect(kept.join()).toContain('is no phone');
    expect(kept.join()).toContain(onyeOf(1));
    for (const text of kept) {
      expect(text).not.toContain(phone.slice(-7));
      expect(text).not.toContain(key);
    }
  });

  it('reads each customer first with --check', () =>
    scene({
      service: serveCustomers({ 2: () => problem(404, 'Not Found') }),
      argv: updating(emails(1, 2), '--check'),
      exit: 2,
      error: { violations: [{ row: 2, column: 'uid', title: expect.stringContaining('404') }] },
      requests: ['GET', 'GET'],
    }));

  it('stops after three unknown updates in a row and explains how to resolve them', () => {
    const lost = ({ method }: Seen): Answer => (method === 'GET' ? customer(1) : reset);
    return scene({
      service: serveCustomers({ 1: lost, 2: lost, 3: lost }),
      argv: updating(emails(1, 2, 3, 4), '--concurrency', '1'),
      exit: 6,
      json: { unknown: 3, not_started: 1 },
      error: { hint: expect.stringContaining('checks customers whose update is unknown') },
    });
  });

  it('lists the job in the ledger, without its rows', async () => {
    const service = await serveCustomers();
    const options = { service, home: newFolder() };
    const { job } = summaryOf(await updateFrom(emails(1, 2), options));
    const jobs = JSON.parse((await inProcess(['ledger', 'jobs', '--json'], options)).stdout) as { data: object[] };
    expect(jobs.data).toMatchObject([{ id: job, command: 'onye update', rows: 2, accepted: 2, not_started: 0 }]);
    const listed = await inProcess(['ledger', 'list', '--job', String(job)], options);
    expect(listed).toMatchObject({ code: 2, stderr: expect.stringContaining('the ledger lists no updates') });
  });

  it('sends the updates of one customer in row order', async () => {
    const service = await serveCustomers({
      1:
        (seen) =>
        (...answered) => {
          const isFirst = seen.body.includes('first');
          // Without ordering, the second row would finish first.
          setTimeout(() => customer(1)(...answered), isFirst ? 200 : 0);
        },
    });
    const file = fileOf(csvOf('uid,ref', `${onyeOf(1)},first`, `${onyeOf(1)},second`, `${onyeOf(1)},third`));
    expect(await updateFrom(file, { service, home: newFolder() }, '--allow-repeats')).toMatchObject({ code: 0 });
    expect(sentTo(service)).toEqual({ 1: [{ ref: 'first' }, { ref: 'second' }, { ref: 'third' }] });
  });
});

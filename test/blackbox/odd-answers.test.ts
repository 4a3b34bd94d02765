import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import type { Ended, RunOptions } from '../support/program.ts';
import { errorOf, newFolder, paycli } from '../support/program.ts';
import type { Answer, Service } from '../support/service.ts';
import { ACTIVITY, json, ONYE_ID, problem, serve, serveAll, serveBy, UGWO_ID, ugwo } from '../support/service.ts';
import { charged, fileOf, numberIn, reportOf, reportPath, summaryOf, ugwoOf, ussdFile } from './bulk-support.ts';

const chargeFrom = (file: string, options: RunOptions, ...more: readonly string[]): Promise<Ended> =>
  inProcess(['ugwo', 'charge', '--from', file, '--json', ...more], options);

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'];
/** Has a next action without readable instructions. */
const MUTE = { ...ACTIVITY, next_action: { type: 'user_action', headers: { bank_name: 'Wema Bank' } } };

/** A service without reads that answers every charge alike. */
const charges = (answer: Answer): Promise<Service> =>
  serveBy(({ method }) => (method === 'POST' ? answer : problem(404, 'Not Found')));

const ledgerRow = async (home: string): Promise<Record<string, unknown>> => {
  const { stdout } = await inProcess(['ledger', 'list', '--json'], { home });
  return (JSON.parse(stdout) as { data: Record<string, unknown>[] }).data[0] ?? {};
};

describe('half a surrogate pair in an answer', () => {
  const of = (number: number): string => JSON.stringify(ugwo(number)).replace('Order', String.raw`\ud83d`);
  /** A service with a list of two pages. */
  const pages = (): Promise<Service> =>
    serveAll([
      json(200, `{"data":[${of(1)}],"next_cursor":"more"}`),
      json(200, `{"data":[${of(2)}],"next_cursor":null}`),
    ]);
  const LIST = ['ugwo', 'list', '--all'];

  it('is printed as U+FFFD, with one notice', async () => {
    const { stdout } = await inProcess([...LIST, '--json'], { service: await pages() });
    const { data } = JSON.parse(stdout) as { data: { description: string }[] };
    expect(data.map(({ description }) => description)).toEqual(['\ufffd 1', '\ufffd 2']);
    const ended = await inProcess([...LIST, '-o', 'tsv', '--columns', 'description'], { service: await pages() });
    expect(ended).toMatchObject({
      code: 0,
      stdout: '\ufffd 1\n\ufffd 2\n',
      stderr: 'note: the service sent half a surrogate pair, which is no character: it is shown as U+FFFD\n',
    });
  });

  it('is printed as U+FFFD in a single record', async () => {
    const service = await serveAll([json(200, of(1))]);
    const ended = await inProcess(['ugwo', 'get', ugwoOf(1), '-o', 'tsv'], { service });
    expect(ended.stdout).toMatch(/^description\t\ufffd 1$/m);
    expect(ended.stderr).toContain('note: the service sent half a surrogate pair');
  });
});

describe('a charge with an unusual answer', () => {
  it('is accepted and printed as received', async () => {
    const odd = {
      ...ACTIVITY,
      status: null,
      psp: ['psp.A', 'enum.psp.a'],
      checkout: { uid: 5, mediums: 'ussd' },
      error: 7,
    };
    const [service, home] = [await charges(json(200, odd)), newFolder()];
    const ended = await paycli([...CHARGE, '-o', 'table'], { service, home });
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain('Next: dial this code');
    expect(ended.stdout).toMatch(/^psp +psp\.A$/m);
    expect(ended.stderr).not.toContain('could not be read');
    expect(await ledgerRow(home)).toMatchObject({ state: 'accepted', activity: ACTIVITY.uid, exit_code: 0 });
  });

  it.each(['gzip', 'deflate', 'br'] as const)(
    'is read if the answer is compressed by %s, which paycli did not request',
    async (encoding) => {
      const encode = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }[encoding];
      const text = JSON.stringify({ ...ACTIVITY, activity_type: 1 });
      const service = await charges((_seen, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(encode(text));
      });
      const ended = await paycli([...CHARGE, '--json'], { service });
      expect(ended).toMatchObject({ code: 0, stdout: `${text}\n` });
    },
  );

  it('is printed as JSON byte for byte, with nothing else', async () => {
    const text = `{"uid":"${ACTIVITY.uid}","status":[],"amount":1.50,"next_action":[]}`;
    const service = await charges(json(200, text));
    expect(await inProcess([...CHARGE, '--json'], { service })).toEqual({
      code: 0,
      signal: null,
      stdout: `${text}\n`,
      stderr: '',
    });
  });

  it('preserves the digits of a numeric account number, and warns about incomplete accounts', async () => {
    const text = JSON.stringify({ ...ACTIVITY, next_action: { headers: { account_number: 'N' } } });
    const [service, home] = [await charges(json(200, text.replace('"N"', '73645128901234567890'))), newFolder()];
    const ended = await inProcess([...CHARGE, '-o', 'table'], { service, home });
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain('73645128901234567890\n');
    expect(ended.stdout).toContain('incomplete: the service sent no bank and no account name');
    const { next_action } = await ledgerRow(home);
    expect(next_action).toEqual({ headers: { account_number: '73645128901234567890' } });
  });

  it('keeps the earlier status if a later read has none', async () => {
    const home = newFolder();
    const service = await serveBy(({ method, url }) => {
      if (method === 'POST') return json(200, ACTIVITY);
      return url.endsWith(ACTIVITY.uid) ? json(200, { ...ACTIVITY, status: [] }) : problem(404, 'Not Found');
    });
    await inProcess(CHARGE, { service, home });
    expect(await inProcess(['activity', 'get', UGWO_ID, ACTIVITY.uid], { service, home })).toMatchObject({ code: 0 });
    expect(await ledgerRow(home)).toMatchObject({ status: 'requires_action' });
  });

  it('without a readable next action is accepted, recorded and printed, and exits with 7', async () => {
    const [service, home] = [await charges(json(200, MUTE)), newFolder()];
    const ended = await inProcess([...CHARGE, '--json'], { service, home });
    expect(ended).toMatchObject({ code: 7, stdout: `${JSON.stringify(MUTE)}\n` });
    expect(errorOf(ended)).toMatchObject({
      kind: 'unrecorded',
      message: "the charge was made, but its next action couldn't be read",
      answer: MUTE,
      activity: { uid: ACTIVITY.uid, status: 'requires_action' },
      ledger_id: expect.stringMatching(/^chg-/),
    });
    expect(await ledgerRow(home)).toMatchObject({ state: 'accepted', activity: ACTIVITY.uid, exit_code: 7 });
  });

  it('without a readable next action is not awaited', async () => {
    const service = await charges(json(200, MUTE));
    expect(await inProcess([...CHARGE, '--wait', '--json'], { service })).toMatchObject({ code: 7 });
    expect(service.seen.filter(({ url }) => url.includes('/activities/'))).toEqual([]);
  });

  it.each([
    ['another request', { ugwo_uid: 'ugw.AbCd.other' }],
    ['a refund', { activity_type: ['refund', 'enum.activity_type.refund'] }],
  ])('that names %s is unknown, with the answer as evidence', async (_what, more) => {
    const answer = { ...ACTIVITY, ...more };
    const [service, home] = [await charges(json(200, answer)), newFolder()];
    const ended = await inProcess([...CHARGE, '--json'], { service, home });
    expect(ended).toMatchObject({ code: 6, stdout: '' });
    expect(errorOf(ended)).toMatchObject({ kind: 'unknown', answer });
    const row = await ledgerRow(home);
    expect(row).toMatchObject({ state: 'unknown', evidence: [{ kind: 'answer', answer: JSON.stringify(answer) }] });
  });
});

describe('ugwo charge --from with unusual answers', () => {
  it('continues past a row without a readable next action and exits with 7, also on a repeated run', async () => {
    const service = await serveBy((seen) =>
      seen.method !== 'POST'
        ? problem(404, 'Not Found')
        : numberIn(seen) === 2
          ? charged(2, { next_action: MUTE.next_action })
          : charged(numberIn(seen)),
    );
    const [home, file, report] = [newFolder(), ussdFile(1, 2, 3), reportPath()];
    const check = (ended: Ended): void => {
      expect(ended.code).toBe(7);
      expect(summaryOf(ended)).toMatchObject({ rows: 3, accepted: 3 });
      expect(reportOf(report)[2]).toMatchObject({
        state: 'accepted',
        activity: 'act.AbCd.000000000000000000000002',
        error: "the charge was made, but its next action couldn't be read",
      });
      expect(reportOf(report)[3]).toMatchObject({ state: 'accepted', error: '' });
    };
    check(await chargeFrom(file, { service, home }, '--report', report));
    check(await chargeFrom(file, { service, home }, '--report', report));
    expect(service.seen.filter(({ method }) => method === 'POST')).toHaveLength(3);
  });

  it('treats an answer about another payment request as unknown, not as a ledger error', async () => {
    const service = await serveBy((seen) =>
      seen.method === 'POST' ? charged(numberIn(seen), { ugwo_uid: ugwoOf(9) }) : problem(404, 'Not Found'),
    );
    const ended = await chargeFrom(ussdFile(1, 2), { service, home: newFolder() }, '--concurrency', '1');
    expect(ended.code).toBe(6);
    expect(summaryOf(ended)).toMatchObject({ unknown: 2, not_started: 0 });
  });

  it('names the column of a violation in any notation', async () => {
    const violations = { 'data[provider]': ['Unknown bank.'] };
    const service = await serveBy(({ method }) =>
      method === 'POST' ? json(422, { message: 'Invalid', violations }) : problem(404, 'Not Found'),
    );
    const report = reportPath();
    const file = fileOf(`ugwo,medium,provider\n${ugwoOf(1)},ussd,gtbank\n`);
    expect((await chargeFrom(file, { service, home: newFolder() }, '--report', report)).code).toBe(3);
    expect(reportOf(report)[1]?.['error']).toContain('provider: Unknown bank. (did you mean gtb?)');
  });
});

describe('a rejection in an unusual format', () => {
  it.each<[string, Answer, number, object]>([
    ['401 without a body', (_seen, response) => response.writeHead(401).end(), 4, { status: 401 }],
    ['403 of a gateway', json(403, { error: 'forbidden' }), 4, { title: 'forbidden' }],
    ['404 by message', json(404, { message: 'No such request' }), 3, { title: 'No such request' }],
    ['405 with an empty list', json(405, []), 3, { status: 405 }],
    ['409 by code', json(409, { code: 'ugwo_processed', message: 'Paid already' }), 3, { title: 'Paid already' }],
  ])('%s: no charge was created', async (_what, answer, code, said) => {
    const [service, home] = [await charges(answer), newFolder()];
    const ended = await inProcess([...CHARGE, '--json'], { service, home });
    expect(ended.code).toBe(code);
    expect(errorOf(ended)).toMatchObject(said);
    expect(await ledgerRow(home)).toMatchObject({ state: 'rejected', exit_code: code });
  });

  /** The option named for each property path of the violations. */
  const flags = (ended: Ended): Record<string, string | undefined> => {
    const violations = errorOf(ended)['violations'] as { property_path: string; title: string; option?: string }[];
    expect(violations.map(({ title }) => title)).toEqual(violations.map(() => 'No.'));
    return Object.fromEntries(violations.map(({ property_path, option }) => [property_path, option]));
  };

  it('names the option for each path', async () => {
    const expected = {
      'data.provider': '--provider',
      'data[provider]': '--provider',
      '[data][provider]': '--provider',
      provider: '--provider',
      'data.orderId': '--param orderId',
      orderId: '--param orderId',
      phone: '--phone',
      'checkout.provider': undefined,
    };
    const violations = Object.keys(expected).map((propertyPath) => ({ propertyPath, title: 'No.' }));
    const service = await charges(json(422, { violations }));
    const args = ['ugwo', 'charge', UGWO_ID, '--medium', 'ussd', '--provider', 'gtb', '--param', 'orderId=7', '--json'];
    expect(flags(await inProcess(args, { service }))).toEqual(expected);
    const unchecked = ['ugwo', 'charge', UGWO_ID, '--param', 'medium=x', '--no-validate', '--json'];
    const refusing = await charges(json(422, { violations: [{ propertyPath: 'data.medium', title: 'No.' }] }));
    expect(flags(await inProcess(unchecked, { service: refusing }))).toEqual({ 'data.medium': '--param medium' });
  });

  it('names the option of an update for each path', async () => {
    const expected = {
      firstName: '--first-name',
      first_name: '--first-name',
      '[firstName]': '--first-name',
      'billingAddress.city': '--billing-address',
      'billing_address[city]': '--billing-address',
      provider: undefined,
    };
    const errors = Object.fromEntries(Object.keys(expected).map((path) => [path, 'No.']));
    const service = await serve([json(422, { errors })]);
    const args = ['onye', 'update', ONYE_ID, '--first-name', 'Ada', '--billing-address', '{"city":"L"}', '--json'];
    expect(flags(await inProcess(args, { service }))).toEqual(expected);
  });
});

describe('a read with an unusual answer', () => {
  it('does not end a list', async () => {
    const odd = (number: number): object => ({ ...ugwo(number), uid: number, status: {}, amount: 'much' });
    const pages = [
      json(200, { data: [odd(1), odd(2)], next_cursor: 'a' }),
      json(200, { data: [odd(3)], next_cursor: null }),
    ];
    const service = await serve(pages);
    const ended = await paycli(['ugwo', 'list', '--all', '-o', 'tsv'], { service });
    expect(ended.code).toBe(0);
    expect(ended.stdout.trimEnd().split('\n')).toHaveLength(4);
    expect(ended.stderr).toBe('');
  });

  it('does not fail a login', async () => {
    const service = await serve([json(200, { data: [{ uid: null, status: 5 }], next_cursor: null })]);
    const ended = await inProcess(['login', '--base-url', service.origin, '--key-stdin'], {
      stdin: `sk.AbCd.${'k'.repeat(80)}`,
    });
    expect(ended.code).toBe(0);
  });

  it('shows a label of its own for a pair whose label is a translation key', async () => {
    const status = ['ugwo_successful', 'enum.ugwo_status.ugwo_successful'];
    const service = await serveAll([json(200, { ...ugwo(1), uid: UGWO_ID, status, currency: ['NGN', 'Naira (NGN)'] })]);
    const { stdout } = await inProcess(['ugwo', 'get', UGWO_ID, '-o', 'table'], { service });
    expect(stdout).toMatch(/^status +paid$/m);
    expect(stdout).toContain('NGN 5,000.01');
  });

  it('causes a note if it shows another customer than the updated one', async () => {
    const service = await serve([json(200, { uid: 'ony.AbCd.other' })]);
    const ended = await inProcess(['onye', 'update', ONYE_ID, '--first-name', 'Ada'], { service });
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain('note: the service answered with another customer (onye), ony.AbCd.other\n');
  });
});

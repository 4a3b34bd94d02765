import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder, paycli } from '../support/program.ts';
import type { Answer, Seen } from '../support/service.ts';
import { json, ONYE_ID, problem, reset, serve, serveAllBy, serveBy, ugwo } from '../support/service.ts';
import { csvOf, fileOf, reportOf, reportPath } from './bulk-support.ts';

const ADA = {
  uid: ONYE_ID,
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Obi',
  ref: null,
  meta: { tier: 'vip' },
};
const OTHER = { uid: 'ony.AbCd.000000000000000000000009', email: 'obi@example.com' };
const CREATE = ['onye', 'create', '--email', 'ADA@example.com', '--first-name', 'ada'];
const FULL = [...CREATE, '--last-name', 'Obi', '--meta', 'tier=vip'];

const pageOf = (records: readonly unknown[], next: string | null = null): Answer =>
  json(200, { data: records, next_cursor: next });

/** Rejects a create with `refusal`, and lists these customers on two pages. */
const taken = (refusal: Answer, ...listed: readonly unknown[]) =>
  serveBy(({ method, url }: Seen) => {
    if (method === 'POST') return refusal;
    const one = listed.find((record) => url.endsWith(String((record as { uid?: string }).uid)));
    if (one !== undefined) return json(200, one);
    return url.endsWith('cursor=b') ? pageOf(listed) : pageOf([OTHER], 'b');
  });

const TAKEN = problem(409, 'nzube.onye.error.email_already_exists');

describe('an amount that the service rejects', () => {
  const REFUSED = problem(422, 'Validation failed', [{ propertyPath: 'amount', title: 'should be at least 20000' }]);
  const create = ['ugwo', 'create', '--currency', 'NGN', '--ref', 'INV-1'];
  const activity = 'act.AbCd.000000000000000000000001';
  const paid = { ...ugwo(1), activities: [{ uid: activity, status: 'successful', amount: 500_000 }] };
  const refund = ['refund', 'create', activity, '--ugwo', String(ugwo(1)['uid']), '--yes'];

  it.each([
    [[...create, '--amount', '5.00'], '--amount (amount): should be at least NGN 200.00 (20000 kobo)'],
    [[...create, '--amount-minor', '500'], '--amount-minor (amount): should be at least 20000\n'],
    [[...refund, '--amount', '5.00'], '--amount (amount): should be at least NGN 200.00 (20000 kobo)'],
    [[...refund, '--amount-minor', '500'], '--amount-minor (amount): should be at least 20000\n'],
  ])('is reported in the unit of the option: %j', async (args, words) => {
    const service = await serveAllBy(({ method }) => (method === 'POST' ? REFUSED : json(200, paid)));
    const ended = await inProcess(args, { service, home: newFolder() });
    expect(ended.code, ended.stderr).toBe(3);
    expect(ended.stderr).toContain(words);
    const again = await inProcess([...args, '--json'], { service, home: newFolder() });
    expect(errorOf(again)['violations']).toMatchObject([{ title: 'should be at least 20000' }]);
  });

  it.each([
    ['amount', '5.00', 'amount: should be at least NGN 200.00 (20000 kobo)'],
    ['amount_minor', '500', 'amount_minor: should be at least 20000'],
  ])('is reported in the unit of the column: %s', async (column, text, words) => {
    const service = await serveBy(() => REFUSED);
    const file = fileOf(csvOf(`ref,${column},currency`, `a,${text},NGN`));
    const report = reportPath();
    const ended = await inProcess(['ugwo', 'create', '--from', file, '--report', report], {
      service,
      home: newFolder(),
    });
    expect(ended.code, ended.stderr).toBe(3);
    expect(reportOf(report)['1']?.['error']).toMatch(new RegExp(`${words.replaceAll(/[()]/g, '.')}$`));
  });
});

describe('a refund', () => {
  const refund = ['refund', 'create', 'act.AbCd.000000000000000000000001', '--yes'];
  const made = { uid: 'rfd.A.b', status: 'successful', amount: 500_000, currency: 'NGN' };

  it.each([
    ['table', /^status +refunded$/m],
    ['json', /"status":"successful"/],
    ['tsv', /^status\tsuccessful$/m],
  ])('that succeeded shows its status in %s', async (format, status) => {
    const service = await serveBy(() => json(200, made));
    const ended = await inProcess([...refund, '-o', format], { service, home: newFolder() });
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toMatch(status);
  });

  it.each([
    ['the latest activity alone', { latest_ugwo_activity: { uid: 'act.AbCd.000000000000000000000001' } }],
    ['another latest activity', { lastest_ugwo_activity: { uid: 'act.AbCd.000000000000000000000002' } }],
    ['no activity', {}],
  ])('is sent for a payment request that shows %s', async (_what, more) => {
    const service = await serveAllBy(({ method }) => json(200, method === 'POST' ? made : { ...ugwo(1), ...more }));
    const args = [...refund, '--ugwo', String(ugwo(1)['uid']), '--amount', '500.00'];
    const ended = await inProcess(args, { service, home: newFolder() });
    expect(ended.code, ended.stderr).toBe(0);
    expect(JSON.parse(service.seen.at(-1)?.body ?? '')).toMatchObject({ amount: 50_000 });
  });

  it.each([
    ['--provider', 'gtb'],
    ['--account-number', '0123456789'],
  ])('with half a destination (%s) is not sent', async (option, value) => {
    const service = await serveBy(() => json(200, made));
    const ended = await inProcess([...refund, option, value, '--json'], { service, home: newFolder() });
    expect(errorOf(ended)).toMatchObject({
      exit_code: 2,
      message: '--provider and --account-number belong together',
    });
    expect(service.seen).toEqual([]);
  });
});

describe('onye create', () => {
  it('sends the given fields and prints the customer', async () => {
    const service = await serve([json(200, ADA)]);
    const args = [...FULL, '--ref', 'c-1', '--address', '12 Marina Road', '--city', 'Lagos', '--country', 'NG'];
    const ended = await paycli([...args, '--data', '{"locale": "en_NG", "ref": "other"}', '--json'], { service });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toEqual(ADA);
    expect(service.seen[0]).toMatchObject({ method: 'POST', url: '/v1/onye' });
    expect(JSON.parse(service.seen[0]?.body ?? '')).toEqual({
      locale: 'en_NG',
      ref: 'c-1',
      email: 'ADA@example.com',
      first_name: 'ada',
      last_name: 'Obi',
      billing_address: { address: '12 Marina Road', city: 'Lagos', country: 'NG' },
      meta: { tier: 'vip' },
    });
  });

  it('prints the customer in another format', async () => {
    const service = await serve([json(200, ADA)]);
    expect((await inProcess([...CREATE, '-o', 'csv'], { service })).stdout).toMatch(/^uid,email,.*\r\nony/);
  });

  it('is printed and not sent with --dry-run and --as-curl', async () => {
    const service = await serve([]);
    const shown = await inProcess([...CREATE, '--dry-run', '--json'], { service });
    expect(JSON.parse(shown.stdout)).toEqual({
      method: 'POST',
      url: `${service.origin}/v1/onye`,
      body: { email: 'ADA@example.com', first_name: 'ada' },
    });
    expect((await inProcess([...CREATE, '--as-curl'], { service })).stdout).toContain('--request POST');
  });

  it.each([
    [['onye', 'create'], /no e-mail address given/],
    [[...CREATE, '--country', 'Nigeria'], /--country \(billing_address.country\): is not a two-letter/],
    [[...CREATE, '--city', 'Lagos', '--billing-address', '{}'], /--billing-address and --city can't be used together/],
    [[...CREATE, '--meta', 'a=b', '--meta-json', '{}'], /--meta and --meta-json can't be used together/],
    [[...CREATE, '--meta-json', '-', '--data', '-'], /only one option can read standard input/],
  ])('rejects %j before sending', async (args, why) => {
    const ended = await inProcess(args, { service: await serve([]) });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(why);
  });

  it.each([
    ['by its code', TAKEN],
    [
      'by a violation in other words',
      problem(422, 'Validation Failed', [{ propertyPath: 'email', title: 'This e-mail is already in use.' }]),
    ],
  ])('exits with 0 if the address belongs to an identical customer, recognised %s', async (_how, refusal) => {
    const service = await taken(refusal, ADA);
    const ended = await inProcess([...FULL, '-o', 'tsv', '--columns', 'uid'], { service });
    expect(ended).toMatchObject({ code: 0, stdout: `${ONYE_ID}\n` });
    expect(ended.stderr).toContain('It exists already, with the same fields; nothing was created.');
    expect(service.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('reports a conflict and names the flags if the customer has other fields', async () => {
    const service = await taken(TAKEN, { ...ADA, last_name: 'Eze', meta: {} });
    const ended = await inProcess([...FULL, '--json'], { service });
    expect(ended.code, ended.stderr).toBe(3);
    expect(errorOf(ended)).toMatchObject({
      message: 'the e-mail address ADA@example.com belongs to a customer with other fields',
      violations: [
        { option: '--last-name', title: 'is Eze there' },
        { option: '--meta', title: 'is another there' },
      ],
    });
    expect(String(errorOf(ended)['hint'])).toContain(`paycli onye update ${ONYE_ID}`);
  });

  it("keeps the service's refusal if no customer with the address is listed, or another field is at fault", async () => {
    const gone = await inProcess([...CREATE, '--json'], { service: await taken(TAKEN) });
    expect(gone.code).toBe(3);
    expect(errorOf(gone)['hint']).toBe('no customer with this e-mail address is listed; use another');
    const service = await serve([
      problem(422, 'Validation Failed', [{ propertyPath: 'first_name', title: 'is too odd' }]),
    ]);
    expect((await inProcess(CREATE, { service })).stderr).toContain('--first-name (first_name): is too odd');
  });

  it('sends once, and after a lost answer suggests running the same command again', async () => {
    const service = await serve([reset]);
    const ended = await inProcess([...CREATE, '--json'], { service, home: newFolder() });
    expect(ended.code).toBe(6);
    expect(errorOf(ended)).toMatchObject({
      message: expect.stringMatching(/^the customer may have been created/),
      hint: 'run the same command again: the e-mail address keeps it from being made twice',
    });
  });
});

describe('ugwo create with a reference', () => {
  const ASKED = [
    'ugwo',
    'create',
    '--amount',
    '5,000.02',
    '--currency',
    'ngn',
    '--ref',
    'order-2',
    '--description',
    'Order 2',
  ];
  const REF = problem(409, 'nzube.ugwo.error.ref_already_exists');

  const refTaken = (...listed: readonly unknown[]) =>
    serveAllBy(({ method, url }: Seen) => {
      if (method === 'POST') return REF;
      const found = listed.find((one) => url.includes(String((one as { uid: string }).uid)));
      return found === undefined ? pageOf(listed) : json(200, found);
    });

  it('exits with 0 if the reference belongs to an identical request', async () => {
    const ended = await inProcess([...ASKED, '-o', 'tsv', '--columns', 'ref'], {
      service: await refTaken(ugwo(1), ugwo(2)),
    });
    expect(ended).toMatchObject({ code: 0, stdout: 'order-2\n' });
    expect(ended.stderr).toContain('The reference order-2 exists already; looking for its payment request.');
  });

  it.each(['constructor', '__proto__.toString'])('names no flag for a rejected property %s', async (propertyPath) => {
    const [title, refusal] = ['is bad', (): Answer => problem(422, 'No', [{ propertyPath, title }])];
    const one = await inProcess([...ASKED, '--json'], { service: await serveBy(refusal), home: newFolder() });
    expect(one.code, one.stderr).toBe(3);
    expect(errorOf(one)['violations']).toEqual([{ property_path: propertyPath, title }]);
    const file = ['ugwo', 'create', '--currency', 'NGN', '--from', fileOf('ref,amount\nINV-1,5000.00\n'), '--yes'];
    const rows = await inProcess(file, { service: await serveBy(refusal), home: newFolder() });
    expect(rows).toMatchObject({ code: 3, stderr: expect.stringContaining(` ${propertyPath}: ${title}`) });
    const refund = [
      'refund',
      'create',
      'act.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l',
      '--amount-minor',
      '5000',
      '--yes',
      '--json',
    ];
    const back = await inProcess(refund, { service: await serveBy(refusal), home: newFolder() });
    expect(errorOf(back)['violations']).toEqual([{ property_path: propertyPath, title }]);
  });

  it('reports a conflict on a --data field named constructor', async () => {
    const ended = await inProcess([...ASKED, '--data', '{"constructor":"x"}', '--json'], {
      service: await refTaken(ugwo(2)),
    });
    expect(ended.code, ended.stderr).toBe(3);
    expect(errorOf(ended)['violations']).toMatchObject([{ title: 'is not there' }]);
  });

  it('reports a conflict if the reference belongs to a different request', async () => {
    const ended = await inProcess([...ASKED, '--json'], { service: await refTaken({ ...ugwo(2), amount: 900_000 }) });
    expect(ended.code, ended.stderr).toBe(3);
    expect(errorOf(ended)['violations']).toMatchObject([{ option: '--amount', title: 'is NGN 9,000.00 there' }]);
  });

  it('suggests running the same command again after a lost answer', async () => {
    const ended = await inProcess([...ASKED, '--json'], { service: await serve([reset]), home: newFolder() });
    expect(ended.code).toBe(6);
    expect(errorOf(ended)['hint']).toContain('run the same command again: the reference');
  });
});

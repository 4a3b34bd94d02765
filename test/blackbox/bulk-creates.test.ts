import { describe, expect, it, vi } from 'vitest';
import { clock } from '../support/clock.ts';
import { newFolder } from '../support/program.ts';
import { type Scene, scene } from '../support/scene.ts';
import type { Answer, Seen, Service } from '../support/service.ts';
import { json, problem, reset, serveAllBy, serveBy, ugwo } from '../support/service.ts';
import { activityOf, csvOf, fileOf, reportOf } from './bulk-support.ts';

const uidOf = (prefix: string, number: number): string => `${prefix}.AbCd.${String(number).padStart(24, '0')}`;
const ACT = (number: number): string => uidOf('act', number);

const postsIn = ({ seen }: Service): unknown[] =>
  seen.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));

/** Creates whatever is requested, numbered in order, unless `others` answers. */
const serveMaking = (
  prefix: string,
  others: (body: Record<string, unknown>, seen: Seen) => Answer | undefined = () => undefined,
) => {
  let made = 0;
  return serveBy((seen) => {
    const body = seen.body === '' ? {} : (JSON.parse(seen.body) as Record<string, unknown>);
    const other = others(body, seen);
    if (other !== undefined || seen.method !== 'POST') return other;
    made += 1;
    const status = prefix === 'rfd' ? 'successful' : 'requires_ugwo';
    return json(200, { uid: uidOf(prefix, made), status, ...body });
  });
};

/** A run that creates the rows of this file one after the other. */
const from = (words: readonly string[], file: string, ...more: readonly string[]): string[] => [
  ...[...words, '--from', file, '--concurrency', '1', '--json'],
  ...more,
];

const CREATE = ['ugwo', 'create'];
const REFUND = ['refund', 'create'];

it("refund create --from pays nothing back to the account of a charge's report", async () => {
  const report = fileOf(
    csvOf(
      'ugwo,row,state,activity,account_number,amount_minor,currency,error,job',
      `${uidOf('ugw', 1)},1,accepted,${activityOf(1)},9274597867,800000,NGN,,job-0123456789abcdef`,
    ),
  );
  await scene({
    service: [],
    argv: from(REFUND, report, '--provider', 'zenith', '--yes'),
    exit: 2,
    error: { hint: expect.stringContaining('call the column amount') },
  });
});

it('a row of NDJSON has the currency of its own amount, whatever the first row has', async () => {
  const service = await serveMaking('ugw');
  const rows = [
    { amount: '300.00', row: 1, state: 'rejected', job: 'job-1' },
    { 'Amount (GHS)': '300.00', row: 2, state: 'rejected', job: 'job-1' },
    { 'Amount (NGN)': '300.00', row: 3, state: 'rejected', job: 'job-1' },
  ];
  for (const some of [rows, rows.toReversed()]) {
    const lines = some.map((row) => `${JSON.stringify({ ref: `H-${row.row}`, ...row })}\n`);
    const file = fileOf(lines.join(''), 'a.ndjson');
    const violations = [{ row: some.findIndex((row) => 'amount' in row) + 1, column: 'currency' }];
    await scene({ service: [], argv: from(CREATE, file, '--yes'), exit: 2, error: { violations } });
    await scene({ service, argv: from(CREATE, file, '--skip-invalid', '--yes'), stderr: /^/, json: { accepted: 2 } });
  }
  const [ghs, ngn] = [
    { ref: 'H-2', amount: 30_000, currency: 'GHS' },
    { ref: 'H-3', amount: 30_000, currency: 'NGN' },
  ];
  expect(postsIn(service)).toEqual([ghs, ngn, ngn, ghs]);
});

it.each([1, 2])('refund create --from names row %i of NDJSON, which has no amount', async (without) => {
  const lines = [1, 2].map((row) => {
    const amount = row === without ? {} : { amount_minor: 30_000, currency: 'NGN' };
    return JSON.stringify({ activity: activityOf(row), ...amount });
  });
  await scene({
    service: [],
    argv: from(REFUND, fileOf(`${lines.join('\n')}\n`, 'a.ndjson'), '--yes'),
    exit: 2,
    error: { violations: [{ row: without, column: 'amount' }] },
  });
});

describe('ugwo create --from', () => {
  it('creates one payment request per row, however often it runs', async () => {
    const file = fileOf(
      csvOf('Ref,amount,customer,metadata.order,comment', 'INV-1,"5,000.00",ada@example.com,7,hello', ',750.50,,,'),
    );
    const first: Scene = {
      service: await serveMaking('ugw'),
      argv: from(CREATE, file, '--currency', 'ngn'),
      json: { command: 'ugwo create', rows: 2, accepted: 2, skipped: 0 },
      requests: [
        'POST /v1/ugwo {"amount":500000,"currency":"NGN","onye_email":"ada@example.com","ref":"INV-1","metadata":{"order":"7"}}',
        'POST /v1/ugwo {"amount":75050,"currency":"NGN"}',
      ],
      report: {
        1: { state: 'accepted', uid: uidOf('ugw', 1), status: 'requires_ugwo', comment: 'hello' },
        2: { state: 'accepted', uid: uidOf('ugw', 2) },
      },
    };
    const { home, stdout } = await scene(first);
    const { job, report } = JSON.parse(stdout);
    const again = await scene({ ...first, home, json: { accepted: 2, skipped: 2 }, requests: [] });
    expect(reportOf(JSON.parse(again.stdout).report)).toEqual(reportOf(report));
    const rows = [2, 1].map((row) => ({ row, kind: 'payment_request', state: 'accepted' }));
    await scene({ home, argv: ['ledger', 'list', '--job', job, '--json'], json: { data: rows } });
  });

  it('checks every row before sending', () =>
    scene({
      service: [],
      argv: from(
        CREATE,
        fileOf(
          csvOf(
            'ref,amount,amount_minor,currency',
            'a,"7,00",,NGN',
            'b,,5000,',
            'c,,,NGN',
            'd,1.00,100,NGN',
            'e,1.00,,naira',
            'f,1.00,,NGN',
            'f,2.00,,NGN',
            ',3.00,,NGN',
            ',3.00,,NGN',
          ),
        ),
      ),
      exit: 2,
      error: {
        violations: [
          { row: 1, column: 'amount', title: '"7,00" is not an amount; write it like 5,000.00' },
          { row: 2, column: 'currency', title: expect.stringContaining('is missing') },
          { row: 3, column: 'amount', title: 'is missing: give amount or amount_minor' },
          { row: 4, column: 'amount', title: "can't be used together with amount_minor" },
          { row: 5, column: 'currency', title: expect.stringContaining('three letters') },
          { row: 7, column: 'ref', title: expect.stringContaining('duplicate of row 6') },
          { row: 9, column: 'ref', title: expect.stringContaining('duplicate of row 8') },
        ],
      },
    }));

  it.each([
    ['ugwo create', CREATE, 'ugw', ''],
    ['refund create', REFUND, 'rfd', 'activity,'],
  ])('reads whole amounts of CSV in major units, and names their total: %s', async (_command, words, prefix, key) => {
    const rows = ['7000,NGN', '"8,000",ngn', '"9,000.5",NGN', '7000,JPY'];
    const lines = rows.map((row, index) => (key === '' ? row : `${ACT(index + 1)},${row}`));
    const [service, file] = [await serveMaking(prefix), fileOf(csvOf(`${key}amount,currency`, ...lines))];
    await scene({
      service,
      argv: [...words, '--from', file, '--dry-run'],
      stderr: [/In the file: 4 payment.* for NGN 24,000\.50 and JPY 7,000 /],
      requests: [],
    });
    await scene({ service, argv: from(words, file, '--yes'), stderr: /^/, json: { accepted: 4 } });
    expect(postsIn(service)).toMatchObject([700_000, 800_000, 900_050, 7000].map((amount) => ({ amount })));
  });

  it('notes each row that is answered with another amount or currency', () => {
    const odds = [{ currency: ['ngn', 'Naira'] }, { amount: 5000 }, { currency: 'GHS' }];
    const answers = odds.map((odd, index) => json(201, { ...ugwo(index), amount: 500_000, ...odd }));
    const rows = [1, 2, 3].map((number) => `5000,NGN,G-${number}`);
    return scene({
      service: answers,
      argv: [...CREATE, '--from', fileOf(csvOf('amount,currency,ref', ...rows)), '--yes', '--concurrency', '1'],
      stderr: ['row 2: the answer shows NGN 50.00, not NGN 5,000.00', 'row 3: the answer shows GHS 5,000.00, not NGN'],
      report: { 1: { error: '' }, 2: { error: /^the answer shows NGN 50/ }, 3: { error: /^the answer shows GHS/ } },
    });
  });

  it.each([
    ['Amount (NGN)', 'NGN', 700_000],
    ['AMOUNT(USD) ', 'USD', 700_000],
    ['amount (\u20a6)', 'NGN', 700_000],
    ['Amount (JPY)', 'JPY', 7000],
    ['Amount NGN', 'NGN', 700_000],
    ['amount_minor (NGN)', 'NGN', 7000],
    ['Amount Minor GHS', 'GHS', 7000],
  ])('reads the heading %j as the amount and its currency', async (heading, currency, amount) => {
    const service = await serveMaking('ugw');
    await scene({ service, argv: from(CREATE, fileOf(csvOf(`ref,${heading}`, 'a,7000'))), json: { accepted: 1 } });
    expect(postsIn(service)).toEqual([{ ref: 'a', amount, currency }]);
  });

  it.each(['Amount (NGN)', 'amount_minor (NGN)'])(
    'refuses a row whose currency is not the one of the heading: %s',
    async (heading) => {
      const title = 'USD is not NGN, as the heading of the amount says';
      const service = await serveMaking('ugw');
      const argv = from(CREATE, fileOf(csvOf(`ref,${heading},Currency`, 'a,1,ngn', 'b,1,', 'c,1,USD')));
      await scene({ service: [], argv, exit: 2, error: { violations: [{ row: 3, column: 'currency', title }] } });
      await scene({ service, argv: [...argv, '--skip-invalid'], stderr: /^/, json: { accepted: 2, invalid: 1 } });
      expect(postsIn(service)).toMatchObject([{ currency: 'NGN' }, { currency: 'NGN' }]);
    },
  );

  it.each([
    ['Amount (NGN)', ['--currency', 'USD'], '--currency and the column Amount (NGN) set the same value'],
    ['Amount (NGN),Amount (USD)', [], 'the columns "Amount (NGN)" and "Amount (USD)" are both amount'],
    ['Amount (NGN),amount', [], 'the columns "Amount (NGN)" and "amount" are both amount'],
    ['amount,currency', ['--currency', 'NGN'], '--currency and the column currency set the same value'],
    ['amount,currency', ['--check'], '--check: ugwo create has nothing to look at beforehand'],
  ])('rejects the headings %j with %j', async (headings, args, why) => {
    const file = fileOf(csvOf(`ref,${headings}`, headings.includes(',') ? 'a,1,1' : 'a,1'));
    const error = { message: expect.stringContaining(why) };
    await scene({ service: [], argv: from(CREATE, file, ...args), exit: 2, error });
  });

  it.each([
    ['a number', 7000, 'should be text, such as "7000.00"; a number belongs in amount_minor'],
    ['a text', '7000', '"7000" could mean NGN 7,000.00 or NGN 70.00; write amount 7,000.00 or amount_minor 7000'],
  ])('refuses a whole amount of NDJSON that is %s, and names amount_minor', async (_form, amount, title) => {
    const file = fileOf(`${JSON.stringify({ ref: 'a', amount, currency: 'NGN' })}\n`, 'a.ndjson');
    const error = { violations: [{ row: 1, column: 'amount', title }] };
    await scene({ service: [], argv: from(CREATE, file), exit: 2, error });
  });

  it('reads NDJSON with numeric minor amounts and fills rows from --data', async () => {
    const service = await serveMaking('ugw');
    const row = '{"ref":"a","amount_minor":500000,"currency":"NGN","metadata":{"k":"v"}}\n';
    const argv = from(CREATE, fileOf(row, 'rows.ndjson'), '--data', '{"locale":"en"}');
    await scene({ service, argv, json: { accepted: 1 } });
    expect(postsIn(service)).toEqual([
      { locale: 'en', amount: 500_000, currency: 'NGN', ref: 'a', metadata: { k: 'v' } },
    ]);
  });

  it('names the option that set what the service refuses', async () => {
    const violations = ['currency', 'locale', 'amount'].map((propertyPath) => ({ propertyPath, title: 'is wrong' }));
    await scene({
      service: [json(422, { title: 'Refused', status: 422, violations })],
      argv: from(CREATE, fileOf(csvOf('ref,amount', 'a,7000.00')), '--currency', 'NGN', '--data', '{"locale":"en"}'),
      exit: 3,
      stdout: /^/,
      stderr: ['Refused; --currency: is wrong; --data: is wrong; amount: is wrong'],
    });
  });

  // Sets the clock of this process, which a program that is started doesn't have.
  const hasClock = process.env['PAYCLI_PROGRAM'] === undefined;
  it.runIf(hasClock)('keeps for a week what an equal row of another file created, unless --allow-repeats', async () => {
    const rows = ['7000.00,ada@example.com,Rent', '8000.00,obi@example.com,Rent', '9000.00,eze@example.com,Rent'];
    const fileWith = (count: number) => fileOf(csvOf('amount,customer,description', ...rows.slice(0, count)));
    const [shorter, longer] = [fileWith(2), fileWith(3)];
    const [service, home] = [await serveMaking('ugw'), newFolder()];
    const create = (file: string, seen: Partial<Scene>, ...more: readonly string[]) => {
      const argv = [...CREATE, '--from', file, '--currency', 'NGN', '--concurrency', '1', ...more];
      return scene({ ...{ service, home, argv }, ...seen });
    };
    await create(shorter, { stderr: '', requests: ['POST', 'POST'] });
    const DAY = 24 * 3_600_000;
    const at = vi.spyOn(clock, 'now');
    try {
      at.mockReturnValue(Date.now() + 6 * DAY);
      await create(longer, {
        stderr:
          /^Row 1 equals a row of an earlier file, so nothing is created for it \(payment_request-\w+\).* --allow-repeats /,
        requests: ['POST'],
        report: {
          1: { state: 'accepted', uid: uidOf('ugw', 1), status: 'requires_ugwo' },
          2: { state: 'accepted', uid: uidOf('ugw', 2) },
          3: { state: 'accepted', uid: uidOf('ugw', 3) },
        },
      });
      // A later run of the same file creates nothing either.
      at.mockReturnValue(Date.now() + 30 * DAY);
      await create(longer, { stderr: /^/, requests: [] });
      await create(longer, { stderr: /^/, requests: ['POST', 'POST'] }, '--allow-repeats');
      // Another file in another week means new ones.
      const other = fileOf(csvOf('amount,customer,description,n', `${rows[2]},1`));
      await create(other, { stderr: /^/, requests: ['POST'] });
    } finally {
      at.mockRestore();
    }
  });

  it('finds the payment request that already has the reference and compares it', async () => {
    const listed = json(200, { data: [ugwo(1), ugwo(2), ugwo(3)], next_cursor: null });
    const service = await serveAllBy(({ method, url }) => {
      if (method === 'POST') return problem(409, 'nzube.ugwo.error.ref_already_exists');
      return url.includes('/ugw.') ? json(200, ugwo(Number(/0*(\d+)$/.exec(url)?.[1]))) : listed;
    });
    const rows = ['order-2,500002,NGN', 'order-1,500001,NGN', 'order-3,1,NGN', 'order-9,1,NGN'];
    const first: Scene = {
      service,
      argv: from(CREATE, fileOf(csvOf('ref,amount_minor,currency', ...rows))),
      exit: 3,
      json: { accepted: 2, rejected: 2 },
      report: {
        1: { state: 'accepted', uid: uidOf('ugw', 2) },
        2: { state: 'accepted', uid: uidOf('ugw', 1) },
        3: {
          state: 'rejected',
          error: expect.stringContaining('belongs to another payment request; amount_minor: is NGN'),
        },
        4: { state: 'rejected', error: expect.stringContaining('409') },
      },
    };
    const { home, seen } = await scene(first);
    expect(seen.filter(({ url }) => url.startsWith('/v1/ugwo?'))).toHaveLength(1);
    await scene({ ...first, home, requests: [] });
  });

  it('never resends a row whose answer was lost, until someone resolves it', async () => {
    const service = await serveMaking('ugw', ({ ref }) => (ref === 'b' ? reset : undefined));
    const file = fileOf(csvOf('ref,amount,currency', 'a,5.00,NGN', 'b,6.00,NGN', 'c,7.00,NGN'));
    const { home, stdout } = await scene({
      service,
      argv: from(CREATE, file),
      exit: 6,
      json: { accepted: 2, unknown: 1, not_started: 0 },
      error: { hint: /paycli ledger resolve/ },
      report: { 1: {}, 2: { entry: /^payment_request-/ }, 3: {} },
    });
    expect(postsIn(service)).toMatchObject([{ ref: 'a' }, { ref: 'b' }, { ref: 'c' }]);
    const later = { service, home, requests: [] };
    const { job, report } = JSON.parse(stdout);
    await scene({ ...later, argv: from(CREATE, file, '--retry-failed'), exit: 6, json: { accepted: 2, unknown: 1 } });
    await scene({ ...later, argv: ['ledger', 'show', job], stderr: ['paycli ledger resolve'] });
    const entry = String(reportOf(report)[2]?.['entry']);
    await scene({
      ...later,
      before: [['ledger', 'resolve', entry, '--as', 'not-created', '--yes', '--reason', 'looked']],
      argv: from(CREATE, file),
      exit: 5,
      json: { accepted: 2, not_created: 1 },
      error: { message: '3 rows: 2 created, 1 not made\nrow 2: not created' },
    });
  });
});

describe('onye create --from', () => {
  const OBI = { uid: uidOf('ony', 9), email: 'obi@example.com', first_name: 'Obi', meta: { tier: 'vip' } };
  /** Makes customers, of whom Obi exists. */
  const withObi = () =>
    serveMaking('ony', ({ email }, { method, url }) => {
      if (method === 'GET') return json(200, url.endsWith(OBI.uid) ? OBI : { data: [OBI], next_cursor: null });
      const isTaken = String(email).toLowerCase() === OBI.email;
      return isTaken ? problem(409, 'nzube.onye.error.email_already_exists') : undefined;
    });

  it('creates customers, fills rows from options, and finds existing customers', async () => {
    const rows = ['ada@example.com,Ada,Lagos', 'Obi@example.com,obi,'];
    const service = await withObi();
    await scene({
      service,
      argv: from(
        ['onye', 'create'],
        fileOf(csvOf('Email,first_name,billing_address.city', ...rows)),
        ...['--meta', 'tier=vip'],
      ),
      stderr: /^/,
      report: { 1: { uid: uidOf('ony', 1) }, 2: { state: 'accepted', uid: OBI.uid } },
    });
    expect(postsIn(service)[0]).toEqual({
      meta: { tier: 'vip' },
      email: 'ada@example.com',
      first_name: 'Ada',
      billing_address: { city: 'Lagos' },
    });
  });

  it('sends no other row while it reads an existing customer, with --concurrency 1', () =>
    scene({
      service: withObi(),
      argv: from(['onye', 'create'], fileOf(csvOf('email', OBI.email, 'ada@example.com'))),
      json: { accepted: 2 },
      stderr: /^/,
      requests: ['POST', 'GET', 'GET', 'POST'],
    }));

  it.each([
    [csvOf('first_name', 'Ada'), [], /no column email/],
    [csvOf('email', 'a@b.c'), ['--email', 'd@e.f'], /--from and --email/],
    [csvOf('email', 'a@b.c', 'A@B.c'), [], /1 of 2 rows can't be sent/],
  ])('rejects %j with %j', async (text, args, why) => {
    const argv = from(['onye', 'create'], fileOf(text), ...args);
    await scene({ service: [], argv, exit: 2, error: { message: expect.stringMatching(why) } });
  });

  it('sends nothing while a column resembles one that is read, unless it is to be ignored', async () => {
    const file = fileOf(csvOf('Email,First Name,last-name,merge_meta.tier,Ref', 'a@b.c,Ada,Obi,vip,R-1'));
    const [service, argv] = [await serveMaking('ony'), from(['onye', 'create'], file)];
    const { home } = await scene({
      service,
      argv,
      exit: 2,
      error: {
        message: `the column "merge_meta.tier" isn't read: did you mean meta.tier?`,
        hint: 'rename it to meta.tier, or leave it out with `--ignore-columns merge_meta.tier`; nothing was sent',
      },
      requests: [],
    });
    const { stdout } = await scene({
      ...{ service, home },
      argv: [...argv, '--ignore-columns', 'Merge-Meta.tier,ref'],
      stderr: /^/,
      requests: ['POST /v1/onye {"email":"a@b.c","first_name":"Ada","last_name":"Obi"}'],
      report: { 1: { 'merge_meta.tier': 'vip', Ref: 'R-1', state: 'accepted' } },
    });
    const other = [...argv, '--ignore-columns', 'merge_meta.tier'];
    const json = { job: expect.not.stringContaining(JSON.parse(stdout).job) };
    await scene({ ...{ service, home }, argv: other, stderr: /^/, json });
  });

  it('rejects a later line of NDJSON with such a key', async () => {
    const lines = ['{"email":"a@b.c","first_name":"Ada"}', '{"email":"b@b.c","firstName":"Obi","Note, old":"x"}'];
    const argv = from(['onye', 'create'], fileOf(`${lines.join('\n')}\n`, 'a.ndjson'));
    await scene({ service: [], argv, exit: 2, error: { violations: [{ row: 2, column: 'firstName' }] } });
    const service = await serveMaking('ony');
    await scene({ service, argv: [...argv, '--ignore-columns', 'firstName,Note, old'], stderr: /^/ });
    expect(postsIn(service)).toEqual([{ email: 'a@b.c', first_name: 'Ada' }, { email: 'b@b.c' }]);
  });
});

/** The columns of our reports and some of our lists. */
const OURS =
  'row,state,error,job,job_2,charge,entry,refund,activity,status,next_action,bank_name,account_name,account_number,' +
  'payable_until,ussd,payment,missing_minor,created_at,description,onye.email';

it.each([
  ['ugwo charge', 'ugwo,medium', `${uidOf('ugw', 1)},bank_transfer`],
  ['ugwo create', 'amount_minor,currency', '500000,NGN'],
  ['onye create', 'email,ref', 'a@b.c,r'],
  ['onye update', 'uid,email', `${uidOf('ony', 1)},a@b.c`],
  ['refund create', 'amount,activity', `all,${ACT(1)}`],
])('%s --from reads a file with the columns of our reports', async (command, header, row) => {
  const others = OURS.split(',').filter((name) => !header.includes(name));
  const file = fileOf(csvOf(`${header},${others}`, `${row},${others.map(() => '')}`));
  await scene({
    service: () => json(200, ugwo(1)),
    looks: 'asked',
    argv: [...command.split(' '), '--from', file, '--dry-run'],
    stderr: /^(?!.*Ignored columns[^\n]*\b(?:row|state|job_2)\b).*Ignored columns/s,
  });
});

describe('refund create --from', () => {
  const HEADER = 'activity,ugwo,amount,currency,provider,account_number';
  const row = (number: number, amount = 'all', currency = ''): string =>
    `${ACT(number)},,${amount},${currency},gtb,0123456789`;

  it('asks for confirmation with the number of refunds and their total', async () => {
    const file = fileOf(
      csvOf(HEADER, row(1, '5000.00', 'NGN'), row(2, '"1,000.50"', 'NGN'), row(3, '20.00', 'USD'), row(4)),
    );
    const total =
      '4 payments for NGN 6,000.50 and USD 20.00, 1 of them without a known amount (in NGN 2, to a given account 4, in USD 1, in full 1)';
    const error = { message: expect.stringContaining(`Pay back ${total}?`) };
    await scene({ service: serveMaking('rfd'), argv: from(REFUND, file), exit: 2, stdout: '', error, requests: [] });
    const argv = [...REFUND, '--from', file, '--dry-run'];
    const stderr = `In the file: ${total}. Nothing was sent.\n`;
    await scene({ service: serveMaking('rfd'), argv, stderr, requests: [] });
  });

  it('refunds each row once, and no activity twice without --again', async () => {
    const [service, file] = [await serveMaking('rfd'), fileOf(csvOf(HEADER, row(1, '5000.00', 'NGN'), row(2)))];
    const [late, other] = [from(REFUND, file, '--reason', 'late', '--yes'), from(REFUND, file, '--yes')];
    const destination = '"destination":{"provider":"gtb","account_number":"0123456789"}';
    const { home } = await scene({
      service,
      argv: late,
      json: { accepted: 2 },
      requests: [
        `POST /v1/refunds {"ugwo_activity":"${ACT(1)}","amount":500000,"reason":"late",${destination}}`,
        `POST /v1/refunds {"ugwo_activity":"${ACT(2)}","reason":"late",${destination}}`,
      ],
    });
    const later = { service, home };
    await scene({ ...later, argv: late, json: { skipped: 2 }, requests: [] });
    await scene({ ...later, argv: other, exit: 9, json: { refused: 2 }, requests: [] });
    await scene({ ...later, argv: [...other, '--again'], json: { accepted: 2 }, requests: ['POST', 'POST'] });
  });

  it('pays back a whole payment only if the row or --all-of-it says so', async () => {
    const faulty = fileOf(csvOf(HEADER, row(1, '', 'NGN'), row(2, ' '), row(3, '-', 'NGN'), row(4, 'All')));
    const lines = [
      { activity: ACT(1), amount: null },
      { activity: ACT(2) },
      { activity: ACT(3), amount: 'all', amount_minor: 500 },
    ];
    const missing = 'is missing: write "all" to pay back the whole payment';
    const faults = (...titles: readonly (string | RegExp)[]) => ({
      violations: titles.map((title, at) => ({ row: at + 1, column: 'amount', title })),
    });
    const headed = (name: string) => fileOf(csvOf(`activity,${name}`, `${ACT(1)},1000.00`));
    const hint = /--all-of-it/;
    for (const [argv, error] of [
      [from(REFUND, faulty), faults(missing, missing, /"-" is not an amount/)],
      [
        from(REFUND, fileOf(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), 'a.ndjson')),
        faults(missing, missing, '"all" can\'t be used together with amount_minor'),
      ],
      [from(REFUND, headed('amt')), { message: 'no column amount (found: activity, amt)', hint }],
      [from(REFUND, headed('value')), { message: 'no column amount (found: activity, value)', hint }],
      [from(REFUND, faulty, '--all-of-it'), { message: /--all-of-it and the column amount set the same value/ }],
      [[...REFUND, ACT(1), '--all-of-it', '--json'], { message: '--all-of-it needs --from' }],
    ] as const) {
      await scene({ service: [], argv: [...argv, '--yes'], exit: 2, error });
    }
    await scene({
      service: serveMaking('rfd'),
      argv: from(REFUND, fileOf(csvOf('activity', ACT(1))), '--yes', '--all-of-it'),
      requests: [`POST /v1/refunds {"ugwo_activity":"${ACT(1)}"}`],
    });
  });

  it.each([
    ['destination', 'provider'],
    ['destination.provider', 'provider'],
    ['destination[accountNumber]', 'account_number'],
    ['ugwo_activity', 'activity'],
    ['amount', 'amount'],
    ['reason', '--reason'],
    ['other', 'other'],
  ])('names the source of the rejected field: %s (%s)', async (propertyPath, source) => {
    const refused: Scene = {
      service: await serveMaking('rfd', () => problem(422, 'Invalid', [{ propertyPath, title: 'is wrong' }])),
      argv: from(REFUND, fileOf(csvOf(HEADER, row(1, '5000.00', 'NGN'))), '--reason', 'late', '--yes'),
      exit: 3,
      json: { rejected: 1 },
      report: { 1: { error: `the service answered 422: Invalid; ${source}: is wrong` } },
      requests: ['POST'],
    };
    const { home } = await scene(refused);
    // The next run sends nothing, and names it as well.
    await scene({ ...refused, home, json: { rejected: 1, skipped: 1 }, requests: [] });
  });

  it('skips a row whose activity belongs to another payment request or was paid in another currency', async () => {
    const activities = [1, 3].map((number) => ({ uid: ACT(number), status: 'successful', amount: 500_001 }));
    const rows = [`${ACT(1)},UGWO,1.00,USD,,`, `${ACT(2)},UGWO,1.00,NGN,,`, `${ACT(3)},UGWO,all,USD,,`];
    const text = csvOf(HEADER, ...rows).replaceAll('UGWO', uidOf('ugw', 1));
    await scene({
      service: ({ method }) => (method === 'GET' ? json(200, { ...ugwo(1), activities }) : undefined),
      looks: 'asked',
      argv: from(REFUND, fileOf(text), '--yes'),
      exit: 5,
      json: { invalid: 3 },
      report: {
        1: { state: 'invalid', error: /was paid in NGN, not in USD/ },
        2: { state: 'invalid', error: /is no activity of/ },
        3: { state: 'invalid', error: /was paid in NGN, not in USD/ },
      },
    });
  });

  it('distinguishes a refund that failed at once from an accepted one, also in later runs', async () => {
    const failed = json(200, { uid: 'rfd.1', status: 'failed', error: { message: 'closed account' } });
    const service = await serveMaking('rfd', ({ ugwo_activity }) => (ugwo_activity === ACT(1) ? failed : undefined));
    const counts = { failed: 1, accepted: 1 };
    const first: Scene = {
      service,
      argv: from(REFUND, fileOf(csvOf(HEADER, row(1), row(2))), '--yes'),
      exit: 11,
      json: { ...counts, skipped: 0 },
    };
    const report = { 1: { state: 'failed', error: 'the refund failed: closed account', refund: 'rfd.1' }, 2: {} };
    const { home, stdout } = await scene({ ...first, report });
    const later = { ...first, home };
    await scene({
      ...later,
      json: { ...counts, skipped: 2 },
      report,
      requests: [],
    });
    await scene({ home, argv: ['ledger', 'show', JSON.parse(stdout).job, '--json'], json: counts });
    await scene({
      ...first,
      home,
      argv: [...first.argv, '--retry-failed', '--again'],
      json: counts,
      requests: ['POST'],
    });
  });
});

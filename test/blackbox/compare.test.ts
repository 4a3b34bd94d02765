import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder } from '../support/program.ts';
import { type Scene, scene } from '../support/scene.ts';
import { type Answer, json, problem, type Seen, serveAllBy, ugwo } from '../support/service.ts';
import {
  charged,
  chargeFrom,
  charging,
  csvOf,
  fileOf,
  numberIn,
  once,
  postsOf,
  reportOf,
  reportPath,
  summaryOf,
  ugwoOf,
} from './bulk-support.ts';

const ONYE = { uid: 'ony.AbCd.000000000000000000000001', email: 'Ada@Example.com' };

/** A payment request of NGN 7,000.00 that can be charged. */
const request = (number: number, more: object = {}): object => ({
  ...ugwo(number),
  amount: 700_000,
  onye: ONYE,
  checkout: { uid: 'chk.AbCd.1' },
  activities: [],
  ...more,
});

const isRead = ({ method }: Seen): boolean => method === 'GET';

/** Charges any payment request, and shows it. `more` gives other fields of the n-th read of one, from 1. */
const serveRequests = (more: (number: number, read: number) => object | Answer = () => ({})) => {
  const reads = new Map<number, number>();
  return serveAllBy((seen) => {
    const number = numberIn(seen);
    if (!isRead(seen)) return charged(number);
    const read = (reads.get(number) ?? 0) + 1;
    reads.set(number, read);
    const other = more(number, read);
    return typeof other === 'function' ? (other as Answer) : json(200, request(number, other));
  });
};

const row = (number: number, cell: string): string => `${ugwoOf(number)},ussd,gtb,${cell}`;
const fileWith = (column: string, ...cells: readonly string[]): string =>
  fileOf(csvOf(`ugwo,medium,provider,${column}`, ...cells.map((cell, index) => row(index + 1, cell))));

const violationsOf = (ended: Parameters<typeof errorOf>[0]): unknown => errorOf(ended)['violations'];

const DIFFERENT = [
  ['amount', '700.00', 'NGN 700.00', 'NGN 7,000.00'],
  ['amount', '700', 'NGN 700.00', 'NGN 7,000.00'],
  ['amount', '700000', 'NGN 700,000.00', 'NGN 7,000.00'],
  ['amount', 'USD 7000', 'USD 7,000.00', 'NGN 7,000.00'],
  ['amount', '7.000', '"7.000"', 'NGN 7,000.00'],
  ['amount', '7k', '"7k"', 'NGN 7,000.00'],
  ['amount_minor', '7000', 'NGN 70.00', 'NGN 7,000.00'],
  ['amount_minor', '7000.00', '"7000.00"', 'NGN 7,000.00'],
  ['currency', 'usd', 'USD', 'NGN'],
  ['ref', 'order-2', '"order-2"', '"order-1"'],
  ['customer', 'bola@example.com', 'bola@example.com', 'ada@example.com'],
  ['customer', 'ony.AbCd.000000000000000000000002', 'ony.AbCd.000000000000000000000002', ONYE.uid],
] as const;

const SAME = [
  ['amount', '7000'],
  ['amount', '7000.5', { amount: 700_050 }],
  ['amount', '"7,000.00"'],
  ['amount', '"ngn 7,000"'],
  ['amount', '7000', { amount: '700000' }],
  ['amount', '7000', { currency: 'XOF', amount: 7000 }],
  ['amount_minor', '700000'],
  ['currency', 'ngn', { currency: ['NGN', 'Naira (NGN)'] }],
  ['ref', 'order-1'],
  ['ref', '"=""0012"""', { ref: '0012' }],
  ['customer', 'ada@example.COM'],
  ['customer', ONYE.uid],
  ['customer', ONYE.uid, { onye: ONYE.uid }],
  ['customer', 'Bola Ade'],
  ['Amount', '7000'],
  ['Amount (NGN)', '7000'],
  ['Amount (USD)', ''],
] as const;

describe('a column of a file of charges that is compared with the payment request', () => {
  it.each(DIFFERENT)('sends nothing if %s is %s: exits with 2', async (column, cell, given, shown) => {
    await scene({
      service: serveRequests(),
      argv: charging(fileWith(column, cell)),
      exit: 2,
      error: { violations: [{ row: 1, column, title: `${given}, but the payment request shows ${shown}` }] },
      requests: ['GET'],
    });
  });

  it.each(SAME)('passes if %s is %s', async (column, cell, more: object = {}) => {
    const service = await serveRequests(() => more);
    await scene({ service, argv: charging(fileWith(column, cell)), stderr: /^/, json: { accepted: 1 } });
    expect(postsOf(service)).toEqual(once(1));
  });

  it.each([
    ['amount', '7000'],
    ['amount_minor', '700000'],
    ['currency', 'NGN'],
    ['ref', 'order-3'],
    ['customer', ONYE.uid],
  ])('is read before the others are charged only where %s is not blank', async (column, cell) => {
    await scene({
      service: serveRequests(),
      argv: charging(fileWith(column, ' ', '', cell), '--dry-run'),
      stderr: /^/,
      requests: [`GET /v1/ugwo/${ugwoOf(3)}`, 'GET', 'GET', 'GET'],
    });
  });

  it.each([
    ['the currency in the heading of the amount', 'Amount (USD)', '7000', 'USD', 'NGN'],
    ['different from a value that the payment request does not show', 'customer', ONYE.uid, ONYE.uid, 'none'],
  ])('is %s', async (_what, heading, cell, given, shown) => {
    const column = heading === 'customer' ? 'customer' : 'currency';
    await scene({
      service: serveRequests(() => (heading === 'customer' ? { onye: null } : {})),
      argv: charging(fileWith(heading, cell)),
      exit: 2,
      error: { violations: [{ row: 1, column, title: `${given}, but the payment request shows ${shown}` }] },
    });
  });

  it.each([
    ['a reading without one', null],
    ['the same letters, composed otherwise, with other blanks and case', 'ORDER\u00a0e\u0301'],
  ])('is no difference of a ref from %s', async (_what, ref) => {
    const service = serveRequests(() => ({ ref }));
    await scene({
      service,
      argv: charging(fileWith('ref', 'order \u00e9')),
      stderr: /^/,
      requests: ['GET', 'GET', 'POST'],
    });
  });

  it('is read before the first charge, for all rows', () =>
    scene({
      service: serveRequests(),
      argv: charging(fileWith('amount', '7000', '7000', '700')),
      exit: 2,
      error: { violations: [{ row: 3, column: 'amount' }] },
      requests: ['GET', 'GET', 'GET'],
    }));

  it('leaves the row out with --skip-invalid', async () => {
    const service = await serveRequests();
    await scene({
      service,
      argv: charging(fileWith('amount', '7000', '700'), '--skip-invalid'),
      stderr: /^/,
      report: {
        1: { state: 'accepted' },
        2: { state: 'invalid', error: 'amount: NGN 700.00, but the payment request shows NGN 7,000.00' },
      },
    });
    expect(postsOf(service)).toEqual(once(1));
  });

  it.each([[[]], [['--dry-run']]])('exits with 2 with --no-preflight, and nothing is read: %j', async (more) => {
    await scene({
      service: [],
      argv: charging(fileWith('amount', '', '7000'), '--no-preflight', ...more),
      exit: 2,
      error: { violations: [{ row: 2, column: 'amount' }] },
    });
  });

  it.each([
    ['7000', 0, ['GET', 'GET']],
    ['700', 2, ['GET']],
  ])('is compared with --dry-run, too: %s', async (cell, exit, requests) => {
    const argv = charging(fileWith('amount', cell), '--dry-run');
    await scene({ service: serveRequests(), argv, exit, stderr: /^/, stdout: /^/, requests });
  });

  it('is compared in a later row of NDJSON, where an amount may be a number', async () => {
    const rows = [{ amount: '' }, { amount: 7000 }, { amount: { value: 7000 } }];
    const lines = rows.map((more, index) =>
      JSON.stringify({ ugwo: ugwoOf(index + 1), medium: 'ussd', provider: 'gtb', customer: { name: 'Ada' }, ...more }),
    );
    const service = await serveRequests();
    await scene({
      service,
      argv: charging(fileOf(lines.join('\n'), 'a.ndjson')),
      exit: 2,
      error: { violations: [{ row: 3, column: 'amount', title: expect.stringContaining('7000') }] },
    });
    expect(postsOf(service)).toEqual({});
  });

  it('does not bring the other checks of --check: a paid request is refused in its turn', () =>
    scene({
      service: serveRequests((number) => (number === 1 ? { status: 'ugwo_successful' } : {})),
      argv: charging(fileWith('amount', '7000', '7000')),
      exit: 9,
      json: { accepted: 1, refused: 1 },
    }));
});

describe('a payment request that changes after the check', () => {
  it.each<[string, string, object | Answer, string]>([
    ['amount', '7000', { amount: 700_001 }, 'amount: NGN 7,000.00, but the payment request shows NGN 7,000.01'],
    ['amount_minor', '700000', { amount: 1 }, 'amount_minor: NGN 7,000.00, but the payment request shows NGN 0.01'],
    ['currency', 'NGN', { currency: 'USD' }, 'currency: NGN, but the payment request shows USD'],
    ['ref', 'order-1', { ref: 'order-9' }, 'ref: "order-1", but the payment request shows "order-9"'],
    ['customer', ONYE.uid, { onye: null }, `customer: ${ONYE.uid}, but the payment request shows none`],
    ['amount', '7000', json(404, {}), 'amount: 7,000.00, but the payment request shows none'],
  ])('is not charged if %s differs then: exits with 9', async (column, cell, changed, error) => {
    const service = await serveRequests((number, read) => (number === 1 && read > 1 ? changed : {}));
    await scene({
      service,
      argv: charging(fileWith(column, cell, cell.replace('order-1', 'order-2')), '--concurrency', '1'),
      exit: 9,
      json: { accepted: 1, refused: 1 },
      report: { 1: { state: 'refused', error: expect.stringContaining(error) }, 2: { state: 'accepted' } },
    });
    expect(postsOf(service)).toEqual(once(2));
  });

  it('is refused by --dry-run, as by the run', () =>
    scene({
      service: serveRequests((_number, read) => (read > 1 ? { amount: 1 } : {})),
      argv: charging(fileWith('amount', '7000'), '--dry-run'),
      exit: 9,
      json: { refused: 1 },
    }));

  it('is not compared again once its row is done', async () => {
    let [first, second]: [object, object] = [{}, { amount: 1 }];
    const service = await serveRequests((number, read) => (number === 1 ? first : read > 1 ? second : {}));
    const [file, options] = [fileWith('amount', '7000', '7000'), { service, home: newFolder() }];
    expect(summaryOf(await chargeFrom(file, options))).toMatchObject({ accepted: 1, refused: 1 });
    first = { amount: 1 };
    const ended = await chargeFrom(file, options);
    expect(ended.code).toBe(2);
    expect(violationsOf(ended)).toMatchObject([{ row: 2 }]);
    second = {};
    expect(await chargeFrom(file, options)).toMatchObject({ code: 0 });
    expect(postsOf(service)).toEqual(once(1, 2));
  });
});

describe('a report as the next input', () => {
  const ROWS = ['7000', '7000'];
  const ndjson = ROWS.map((amount, index) =>
    JSON.stringify({ ugwo: ugwoOf(index + 1), medium: 'ussd', provider: 'gtb', amount }),
  ).join('\n');

  it.each([
    ['CSV', fileWith('amount', ...ROWS), 'one.csv', 'two.csv'],
    ['CSV with columns in capitals', fileWith('Ref', 'order-1', 'order-2'), 'one.csv', 'two.csv'],
    ['CSV from NDJSON', fileOf(ndjson, 'a.ndjson'), 'one.csv', 'two.ndjson'],
    ['NDJSON', fileOf(ndjson, 'a.ndjson'), 'one.ndjson', 'two.csv'],
    ['NDJSON from CSV', fileWith('amount', ...ROWS), 'one.ndjson', 'two.ndjson'],
  ])('passes: %s', async (_format, file, first, second) => {
    let other = {};
    const service = await serveRequests((number) => (number === 2 ? other : {}));
    const [home, one, two] = [newFolder(), reportPath(first), reportPath(second)];
    expect((await chargeFrom(file, { service, home }, '--report', one)).code).toBe(0);
    const again = await chargeFrom(one, { service, home }, '--report', two);
    expect(again.code, again.stderr).toBe(0);
    expect((await chargeFrom(two, { service, home })).code).toBe(0);
    expect(postsOf(service)).toEqual(once(1, 2));
    other = { amount: 1, ref: 'order-9' };
    const changed = await chargeFrom(two, { service, home: newFolder() });
    expect(changed.code).toBe(2);
    expect(violationsOf(changed)).toContainEqual(expect.objectContaining({ column: 'amount_minor' }));
  });

  /** The first row is invalid, the third is rejected. The file has columns of its own with names of the report's. */
  const CREATED = fileOf(
    csvOf(
      'ref,Amount (NGN),customer,note,row,status',
      'order-0,7000,nobody,a,x,y',
      'order-1,7000,ada@example.com,b,x,y',
      'order-9,"7,000",ada@example.com,c,x,y',
      'order-2,"7,000.00",ada@example.com,d,x,y',
    ),
    'requests.csv',
  );
  const createdReport = async (name: string): Promise<string> => {
    const service = await serveAllBy(({ body }) => {
      const { ref } = JSON.parse(body || '{}');
      if (ref === 'order-9') return problem(422, 'Invalid', [{ propertyPath: 'ref', title: 'is wrong' }]);
      return json(200, { uid: ugwoOf(Number(ref.slice(-1))), status: 'requires_ugwo' });
    });
    const report = reportPath(name);
    const args = ['ugwo', 'create', '--from', CREATED, '--skip-invalid', '--report', report];
    expect((await inProcess(args, { service, home: newFolder() })).code).toBe(3);
    return report;
  };
  const MEDIUM = ['--medium', 'ussd', '--provider', 'gtb'];

  it.each(['csv', 'ndjson'])(
    'is charged as ugwo create has written it, without rows that have no uid: %s',
    async (form) => {
      const [service, home, report] = [await serveRequests(), newFolder(), reportPath(`two.${form}`)];
      const created = await createdReport(`one.${form}`);
      const ended = await chargeFrom(created, { service, home }, ...MEDIUM, '--report', report);
      expect(ended.code, ended.stderr).toBe(0);
      expect(summaryOf(ended)).toMatchObject({ rows: 4, accepted: 2, invalid: 2 });
      expect(postsOf(service)).toEqual(once(1, 2));
      const text = readFileSync(report, 'utf8');
      expect(text).not.toMatch(/entry|payment_request-|status_3/);
      expect(text.match(/"?note"?/g)).toHaveLength(form === 'csv' ? 1 : 4);
      // What charged it is a report, too, and charges nothing anew.
      const again = await chargeFrom(report, { service, home }, ...MEDIUM, '--skip-invalid');
      expect(again.code, again.stderr).toBe(0);
      expect(postsOf(service)).toEqual(once(1, 2));
    },
  );

  it('is charged by its own column of payment requests beside a uid', async () => {
    const service = await serveRequests();
    const file = fileOf(csvOf('ugwo,row,state,uid,error,job', `${ugwoOf(1)},1,accepted,${ugwoOf(2)},,job-1`));
    expect(await chargeFrom(file, { service, home: newFolder() }, ...MEDIUM)).toMatchObject({ code: 0 });
    expect(postsOf(service)).toEqual(once(1));
  });

  it('is said to have rows without a uid', async () =>
    scene({
      service: serveRequests(),
      argv: ['ugwo', 'charge', '--from', await createdReport('one.csv'), ...MEDIUM],
      stderr: [
        'Skipped 2 rows without a value for ugwo: the column state says how each ended.\n',
        'Ignored columns (copied to the report): note\n',
      ],
    }));

  it('is compared with what ugwo create has asked for', async () =>
    scene({
      service: serveRequests((number) => (number === 2 ? { amount: 70_000_000 } : {})),
      argv: charging(await createdReport('one.csv'), ...MEDIUM),
      exit: 2,
      error: {
        message: expect.stringContaining('1 of 4 rows'),
        violations: [{ column: 'amount', title: 'NGN 7,000.00, but the payment request shows NGN 700,000.00' }],
      },
    }));

  it('sends nothing if it has no row with a uid', async () => {
    const report = readFileSync(await createdReport('one.csv'), 'utf8');
    await scene({
      service: [],
      argv: charging(fileOf(report.replaceAll(/ugw\.[\w.]+/g, '')), ...MEDIUM),
      exit: 2,
      error: { message: expect.stringMatching(/has only rows without a value for ugwo; nothing was sent/) },
    });
  });

  it('names wrong cells beside rows without a uid', async () => {
    const report = readFileSync(await createdReport('one.csv'), 'utf8');
    await scene({
      service: [],
      argv: charging(fileOf(report.replace(ugwoOf(2), 'act.AbCd.1')), ...MEDIUM),
      exit: 2,
      error: {
        message: expect.stringContaining('1 of 4 rows'),
        violations: [{ column: 'ugwo', title: expect.stringContaining('act.AbCd.1') }],
      },
    });
  });

  it('has no amount for a row that was refused, so that it is not compared', async () => {
    const [service, report] = [await serveRequests(() => ({ status: 'cancelled' })), reportPath()];
    const refused: Scene = { service, argv: charging(report), exit: 9, json: { refused: 1 }, requests: ['GET', 'GET'] };
    const { home } = await scene({ ...refused, argv: charging(fileWith('amount', '7000'), '--report', report) });
    expect(reportOf(report)[1]).toMatchObject({ amount_minor: '', currency: '', ref: '' });
    await scene({ ...refused, home });
  });
});

it('ugwo charge --from names the row, the column and both values for people', () =>
  scene({
    service: serveRequests(),
    argv: ['ugwo', 'charge', '--from', fileWith('amount', '700.00')],
    exit: 2,
    stderr: /row 1.*amount.*NGN 700\.00, but the payment request shows NGN 7,000\.00/,
  }));

it('columns that are compared are not called ignored', () =>
  scene({
    service: serveRequests(),
    argv: ['ugwo', 'charge', '--from', fileOf(csvOf('ugwo,medium,provider,amount,note', row(1, '7000,x')))],
    stderr: ['Ignored columns (copied to the report): note\n'],
  }));

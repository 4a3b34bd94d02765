import { describe, expect, it } from 'vitest';
import { uidOf } from '../support/ids.ts';
import { errorOf } from '../support/program.ts';
import { type Scene, scene } from '../support/scene.ts';
import type { Answer, Seen } from '../support/service.ts';
import { json, ONYE_ID, problem, reset, ugwo } from '../support/service.ts';
import { csvOf, fileOf } from './bulk-support.ts';

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
const REFUND = ['refund', 'create', uidOf(1), '--yes'];
const OF_REQUEST = ['--ugwo', String(ugwo(1)['uid'])];

const pageOf = (records: readonly unknown[], next: string | null = null): Answer =>
  json(200, { data: records, next_cursor: next });
const refusing = (propertyPath: string, title: string): Answer =>
  problem(422, 'Validation Failed', [{ propertyPath, title }]);

/** Rejects a create with `refusal`, and lists these customers on two pages. */
const taken =
  (refusal: Answer, ...listed: readonly Readonly<Record<string, unknown>>[]) =>
  ({ method, url }: Seen): Answer => {
    if (method === 'POST') return refusal;
    const one = listed.find(({ uid }) => url.endsWith(String(uid)));
    if (one !== undefined) return json(200, one);
    return url.endsWith('cursor=b') ? pageOf(listed) : pageOf([OTHER], 'b');
  };

const TAKEN = problem(409, 'nzube.onye.error.email_already_exists');

describe('an amount that the service rejects', () => {
  const REFUSED = refusing('amount', 'should be at least 20000');
  const create = ['ugwo', 'create', '--currency', 'NGN', '--ref', 'INV-1'];
  const paid = { ...ugwo(1), activities: [{ uid: uidOf(1), status: 'successful', amount: 500_000 }] };
  const refund = [...REFUND, ...OF_REQUEST];

  it.each([
    [[...create, '--amount', '5.00'], '--amount (amount): should be at least NGN 200.00 (20000 kobo)'],
    [[...create, '--amount-minor', '500'], '--amount-minor (amount): should be at least 20000\n'],
    [[...refund, '--amount', '5.00'], '--amount (amount): should be at least NGN 200.00 (20000 kobo)'],
    [[...refund, '--amount-minor', '500'], '--amount-minor (amount): should be at least 20000\n'],
  ])('is reported in the unit of the option: %j', async (argv, words) => {
    const refused: Partial<Scene> = {
      service: ({ method }) => (method === 'POST' ? REFUSED : json(200, paid)),
      looks: 'asked',
      exit: 3,
    };
    await scene({ ...refused, argv, stderr: [words] });
    await scene({
      ...refused,
      argv: [...argv, '--json'],
      error: { violations: [{ title: 'should be at least 20000' }] },
    });
  });

  it.each([
    ['amount', '5.00', /amount: should be at least NGN 200\.00 \(20000 kobo\)$/],
    ['amount_minor', '500', /amount_minor: should be at least 20000$/],
  ])('is reported in the unit of the column: %s', async (column, text, words) => {
    await scene({
      service: [REFUSED],
      argv: ['ugwo', 'create', '--from', fileOf(csvOf(`ref,${column},currency`, `a,${text},NGN`))],
      exit: 3,
      stdout: /rejected\t1/,
      report: { 1: { error: expect.stringMatching(words) } },
    });
  });
});

describe('a refund', () => {
  const made = { uid: 'rfd.A.b', status: 'successful', amount: 500_000, currency: 'NGN' };

  it.each([
    ['table', /^status +refunded$/m],
    ['json', /"status":"successful"/],
    ['tsv', /^status\tsuccessful$/m],
  ])('that succeeded shows its status in %s', async (format, stdout) => {
    await scene({ service: () => json(200, made), argv: [...REFUND, '-o', format], stdout, stderr: /^/ });
  });

  it.each([
    ['the latest activity alone', { latest_ugwo_activity: { uid: uidOf(1) } }],
    ['another latest activity', { lastest_ugwo_activity: { uid: uidOf(2) } }],
    ['no activity', {}],
  ])('is sent for a payment request that shows %s', async (_what, more) => {
    await scene({
      service: [json(200, { ...ugwo(1), ...more }), json(200, made)],
      looks: 'asked',
      argv: [...REFUND, ...OF_REQUEST, '--amount', '500.00'],
      stderr: /^/,
      requests: ['GET', /^POST \/v1\/refunds .*"amount":50000\b/],
    });
  });

  it.each([
    ['shows it', { latest_ugwo_activity: { uid: uidOf(1) } }, 'NGN 5,000.01 '],
    ['shows none', {}, 'the whole payment '],
  ])('of a whole payment names its sum if its payment request %s', async (_what, more, sum) => {
    await scene({
      service: [json(200, { ...ugwo(1), ...more })],
      looks: 'asked',
      argv: [...REFUND, ...OF_REQUEST, '--dry-run'],
      stderr: [`this pays back ${sum}`],
    });
  });

  it.each([
    ['--provider', 'gtb'],
    ['--account-number', '0123456789'],
  ])('with half a destination (%s) is not sent', async (option, value) => {
    const message = '--provider and --account-number belong together';
    await scene({ service: [], argv: [...REFUND, option, value, '--json'], exit: 2, error: { message } });
  });
});

describe('onye create', () => {
  it('sends the given fields and prints the customer', async () => {
    const address = ['--address', '12 Marina Road', '--city', 'Lagos', '--country', 'NG'];
    const { service } = await scene({
      built: true,
      service: [json(200, ADA)],
      argv: [...FULL, '--ref', 'c-1', ...address, '--data', '{"locale": "en_NG", "ref": "other"}', '--json'],
      stdout: `${JSON.stringify(ADA)}\n`,
      requests: ['POST /v1/onye'],
    });
    expect(JSON.parse(service?.seen[0]?.body ?? '')).toEqual({
      locale: 'en_NG',
      ref: 'c-1',
      email: 'ADA@example.com',
      first_name: 'ada',
      last_name: 'Obi',
      billing_address: { address: '12 Marina Road', city: 'Lagos', country: 'NG' },
      meta: { tier: 'vip' },
    });
  });

  it('prints the customer in another format', () =>
    scene({ service: [json(200, ADA)], argv: [...CREATE, '-o', 'csv'], stdout: /^uid,email,.*\r\nony/ }));

  it('is printed and not sent with --dry-run and --as-curl', async () => {
    const body = { email: 'ADA@example.com', first_name: 'ada' };
    const url = expect.stringMatching(/^http:.*\/v1\/onye$/);
    await scene({ service: [], argv: [...CREATE, '--dry-run', '--json'], json: { method: 'POST', url, body } });
    await scene({ service: [], argv: [...CREATE, '--as-curl'], stdout: /--request POST/ });
  });

  it.each([
    [['onye', 'create'], /no e-mail address given/],
    [[...CREATE, '--country', 'Nigeria'], /--country \(billing_address.country\): is not a two-letter/],
    [[...CREATE, '--city', 'Lagos', '--billing-address', '{}'], /--billing-address and --city can't be used together/],
    [[...CREATE, '--meta', 'a=b', '--meta-json', '{}'], /--meta and --meta-json can't be used together/],
    [[...CREATE, '--meta-json', '-', '--data', '-'], /only one option can read standard input/],
  ])('rejects %j before sending', async (argv, stderr) => {
    await scene({ service: [], argv, exit: 2, stderr });
  });

  it.each([
    ['by its code', TAKEN],
    ['by a violation in other words', refusing('email', 'This e-mail is already in use.')],
  ])('exits with 0 if the address belongs to an identical customer, recognised %s', async (_how, refusal) => {
    const { service } = await scene({
      service: taken(refusal, ADA),
      argv: [...FULL, '-o', 'tsv', '--columns', 'uid'],
      stdout: `${ONYE_ID}\n`,
      stderr: ['It exists already, with the same fields; nothing was created.'],
    });
    expect(service?.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('reports a conflict and names the flags if the customer has other fields', () =>
    scene({
      service: taken(TAKEN, { ...ADA, last_name: 'Eze', meta: {} }),
      argv: [...FULL, '--json'],
      exit: 3,
      error: {
        message: 'the e-mail address ADA@example.com belongs to a customer with other fields',
        violations: [
          { option: '--last-name', title: 'is Eze there' },
          { option: '--meta', title: 'is another there' },
        ],
        hint: expect.stringContaining(`paycli onye update ${ONYE_ID}`),
      },
    }));

  it("keeps the service's refusal if no customer with the address is listed, or another field is at fault", async () => {
    await scene({
      service: taken(TAKEN),
      argv: [...CREATE, '--json'],
      exit: 3,
      error: { hint: 'no customer with this e-mail address is listed; use another' },
    });
    const other = refusing('first_name', 'is too odd');
    await scene({ service: [other], argv: CREATE, exit: 3, stderr: ['--first-name (first_name): is too odd'] });
  });

  it('sends once, and after a lost answer suggests running the same command again', () =>
    scene({
      service: [reset],
      argv: [...CREATE, '--json'],
      exit: 6,
      error: {
        message: expect.stringMatching(/^the customer may have been created/),
        hint: 'run the same command again: the e-mail address keeps it from being made twice',
      },
    }));
});

describe('ugwo create with a reference', () => {
  const ASKED = [
    ...['ugwo', 'create', '--amount', '5,000.02', '--currency', 'ngn'],
    ...['--ref', 'order-2', '--description', 'Order 2'],
  ];

  const refTaken = (...listed: readonly Readonly<Record<string, unknown>>[]): Pick<Scene, 'service' | 'looks'> => ({
    service: ({ method, url }) => {
      if (method === 'POST') return problem(409, 'nzube.ugwo.error.ref_already_exists');
      const found = listed.find(({ uid }) => url.includes(String(uid)));
      return found === undefined ? pageOf(listed) : json(200, found);
    },
    looks: 'asked',
  });

  it.each([
    ['an identical request', {}, []],
    ['one that shows its metadata as `meta`', { metadata: undefined, meta: { k: 'v' } }, ['--metadata', 'k=v']],
  ])('exits with 0 if the reference belongs to %s', async (_what, shown, more) => {
    await scene({
      ...refTaken(ugwo(1), { ...ugwo(2), ...shown }),
      argv: [...ASKED, ...more, '-o', 'tsv', '--columns', 'ref'],
      stdout: 'order-2\n',
      stderr: ['The reference order-2 exists already; looking for its payment request.'],
    });
  });

  it.each([
    ['is not there', ugwo(2), ['--data', '{"constructor":"x"}'], { title: 'is not there' }],
    ['is different', { ...ugwo(2), amount: 900_000 }, [], { option: '--amount', title: 'is NGN 9,000.00 there' }],
    [
      'has other capitals',
      { ...ugwo(2), description: 'ORDER 2' },
      [],
      { option: '--description', title: 'is ORDER 2 there' },
    ],
  ])('reports a conflict if a field %s', async (_what, listed, more, violation) => {
    const argv = [...ASKED, ...more, '--json'];
    await scene({ ...refTaken(listed), argv, exit: 3, error: { violations: [violation] } });
  });

  it.each(['constructor', '__proto__.toString'])('names no flag for a rejected property %s', async (path) => {
    const rejected: Partial<Scene> = { service: () => refusing(path, 'is bad'), exit: 3 };
    const file = fileOf('ref,amount\nINV-1,5000.00\n');
    for (const argv of [ASKED, [...REFUND, '--amount-minor', '5000']]) {
      const ended = await scene({ ...rejected, argv: [...argv, '--json'] });
      expect(errorOf(ended)['violations']).toEqual([{ property_path: path, title: 'is bad' }]);
    }
    const argv = [...ASKED, '--data', `{"${path.split('.')[0]}":{}}`, '--json'];
    await scene({ ...rejected, argv, error: { violations: [{ property_path: path, option: '--data' }] } });
    await scene({
      ...rejected,
      argv: ['ugwo', 'create', '--currency', 'NGN', '--from', file, '--yes'],
      stdout: /rejected\t1/,
      stderr: [` ${path}: is bad`],
    });
  });

  it('suggests running the same command again after a lost answer', () =>
    scene({
      service: [reset],
      argv: [...ASKED, '--json'],
      exit: 6,
      error: { hint: expect.stringContaining('run the same command again: the reference') },
    }));
});

import { describe, expect, it } from 'vitest';
import { onyeOf, ugwoOf, uidOf } from '../support/ids.ts';
import { scene } from '../support/scene.ts';
import { json, problem, ugwo } from '../support/service.ts';
import { csvOf, fileOf } from './bulk-support.ts';

const [UGWO, ONYE, ACT] = [ugwoOf(1), onyeOf(1), uidOf(1)];

describe('a violation in a row', () => {
  it.each<[string, string, string, Record<string, string>]>([
    [
      'onye update --last-name Obi --city Lagos',
      'uid,email,meta.tier,meta.n:,other',
      `${ONYE},ada@example.com,vip,1,x`,
      { email: 'email', lastName: '--last-name', 'meta.tier': 'meta.tier', 'meta[n]': 'meta.n:', meta: 'meta.tier' },
    ],
    ['onye update --city Lagos', 'uid,ref', `${ONYE},r`, { 'billing_address.city': '--city', locale: 'locale' }],
    ['onye create --first-name Ada', 'email', 'ada@example.com', { email: 'email', first_name: '--first-name' }],
    [
      'ugwo create --currency NGN',
      'amount,customer,metadata.k',
      '5.00,ada@example.com,v',
      {
        amount: 'amount',
        currency: '--currency',
        onye_email: 'customer',
        'metadata.k': 'metadata.k',
        checkout: 'checkout',
        other: 'other',
      },
    ],
    ['ugwo create', 'amount_minor,currency', '500,NGN', { amount: 'amount_minor', onye: 'customer' }],
    [
      'ugwo create --data {"note":"n","description":"d"}',
      'amount,currency',
      '5.00,NGN',
      { note: '--data', description: '--data', ref: 'ref' },
    ],
    [
      'refund create --reason damaged --provider gtb',
      'activity,amount,account_number',
      `${ACT},all,0123456789`,
      {
        ugwo_activity: 'activity',
        reason: '--reason',
        'destination.provider': '--provider',
        'destination.account_number': 'account_number',
        ref: 'ref',
      },
    ],
    [
      'ugwo charge --no-preflight --medium ussd --param a=b',
      'ugwo,provider,param.c',
      `${UGWO},gtb,d`,
      { 'data.medium': '--medium', 'data.provider': 'provider', 'data.a': '--param a', 'data.c': 'param.c' },
    ],
    [
      'ugwo charge --no-preflight --medium bank_transfer --expires-in 10m',
      'ugwo',
      UGWO,
      { 'data.expires_at': '--expires-in', 'data.other': 'param.other' },
    ],
    [
      'ugwo charge --no-preflight --medium bank_transfer',
      'ugwo,expires_in',
      `${UGWO},10m`,
      { 'data.expires_at': 'expires_in' },
    ],
  ])('of %s names the column or option of the value, in a file of %s', async (line, columns, row, places) => {
    const violations = Object.keys(places).map((propertyPath) => ({ propertyPath, title: 'wrong' }));
    const said = Object.values(places).map((place) => `; ${place}: wrong`);
    const error = `the service answered 422: Validation failed${said.join('')}`;
    await scene({
      looks: 'asked',
      service: ({ method, url }) => {
        const read = url.includes(ONYE) ? { uid: ONYE, meta: {} } : ugwo(1);
        return method === 'GET' ? json(200, read) : problem(422, 'Validation failed', violations);
      },
      argv: [...line.split(' '), '--from', fileOf(csvOf(columns, row)), '--yes'],
      exit: 3,
      stdout: /^/,
      report: { 1: { state: 'rejected', error } },
    });
  });
});

describe('an option and a column for the same value', () => {
  const COMMANDS: readonly [string, string, string, string, string][] = [
    ['onye update --last-name Obi', 'uid', ONYE, 'last_name', '--last-name'],
    ['onye update --clear ref', 'uid', ONYE, 'ref', '--clear ref'],
    ['onye update --city Lagos', 'uid', ONYE, 'billing_address.zip', '--city'],
    ['onye update --unset-meta a', 'uid', ONYE, 'meta', '--unset-meta'],
    ['onye update --unset-meta a --replace-meta', 'uid', ONYE, 'meta.b', '--unset-meta'],
    ['onye update --data {"email":"a@b"}', 'uid', ONYE, 'email', '--data'],
    ['onye create --meta a=1', 'email', 'ada@example.com', 'meta.b:', '--meta'],
    ['ugwo create --currency NGN', 'amount', '5.00', 'currency', '--currency'],
    ['ugwo create --currency NGN --checkout chk.1', 'amount', '5.00', 'checkout', '--checkout'],
    ['refund create --reason damaged', 'activity', ACT, 'reason', '--reason'],
    ['ugwo charge --medium bank_transfer --expires-in 10m', 'ugwo', UGWO, 'expires_in', '--expires-in'],
    ['ugwo charge --medium ussd --provider gtb --param a=b', 'ugwo', UGWO, 'param.a:', '--param a'],
  ];
  it.each(COMMANDS)('are rejected: %s', async (line, key, value, column, flag) => {
    const from = (...more: readonly string[]) => [...line.split(' '), '--from', ...more, '--yes', '--json'];
    const refused = { service: [], looks: 'asked', exit: 2 } as const;
    const message = `${flag} and the column ${column} set the same value; leave one out`;
    await scene({ ...refused, argv: from(fileOf(csvOf(`${key},${column}`, `${value},1`))), error: { message } });
    // NDJSON rows can have different properties.
    const rows = [{ [key]: value }, { [key]: value, [column]: '1' }].map((row) => JSON.stringify(row));
    const fault = expect.objectContaining({ row: 2, column, title: `is also set by ${flag}` });
    const argv = from(fileOf(rows.join('\n'), 'rows.ndjson'), '--allow-repeats');
    await scene({ ...refused, argv, error: { violations: expect.arrayContaining([fault]) } });
  });

  it('are accepted if the command does not read that column', async () => {
    const file = fileOf(csvOf('email,merge_data.a,note', 'ada@example.com,1,2'));
    await scene({
      service: [json(200, { uid: ONYE })],
      argv: ['onye', 'create', '--meta', 'a=1', '--data', '{"note":"n"}', '--from', file, '--yes', '--json'],
      json: { accepted: 1 },
      requests: ['POST /v1/onye'],
    });
  });
});

it('ugwo charge --from names an option, not a column, if the option causes the violation', async () => {
  const argv = ['ugwo', 'charge', '--provider', 'gtb', '--from', fileOf(csvOf('ugwo,medium', `${UGWO},bank_transfer`))];
  const stderr = ["row 1, --provider: --provider can't be used with medium bank_transfer"];
  await scene({ service: [], looks: 'asked', argv, exit: 2, stderr });
});

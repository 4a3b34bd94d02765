import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder } from '../support/program.ts';
import { json, problem, serveAllBy, ugwo } from '../support/service.ts';
import { csvOf, fileOf, reportOf, reportPath, ugwoOf } from './bulk-support.ts';

const UGWO = ugwoOf(1);
const [ONYE, ACT] = ['ony.AbCd.000000000000000000000001', 'act.AbCd.000000000000000000000001'];

/** Splits a command line at spaces. */
const wordsOf = (line: string): string[] => line.split(' ');

describe('a violation in a row', () => {
  /** Sends one row, whose properties the service rejects, and returns the report's sentence for each. */
  const saidOf = async (line: string, columns: string, row: string, properties: readonly string[]) => {
    const violations = properties.map((propertyPath) => ({ propertyPath, title: 'wrong' }));
    const service = await serveAllBy(({ method, url }) => {
      const read = url.includes(ONYE) ? { uid: ONYE, meta: {} } : ugwo(1);
      return method === 'GET' ? json(200, read) : problem(422, 'Validation failed', violations);
    });
    const report = reportPath();
    const args = [...wordsOf(line), '--from', fileOf(csvOf(columns, row)), '--report', report, '--yes'];
    const ended = await inProcess(args, { service, home: newFolder() });
    expect(ended.code, ended.stderr).toBe(3);
    const said = String(reportOf(report)['1']?.['error']).split('; ');
    return said.flatMap((text) => /^(.+): wrong$/.exec(text)?.[1] ?? []);
  };

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
    expect(await saidOf(line, columns, row, Object.keys(places))).toEqual(Object.values(places));
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
  const refused = async (line: string, file: string) => {
    const args = [...wordsOf(line), '--from', file, '--yes', '--json'];
    const ended = await inProcess(args, { service: { origin: 'http://127.0.0.1:1' }, home: newFolder() });
    expect(ended.code, ended.stderr).toBe(2);
    return errorOf(ended);
  };

  it.each(COMMANDS)('are rejected: %s with the column %s', async (line, key, value, column, flag) => {
    const { message } = await refused(line, fileOf(csvOf(`${key},${column}`, `${value},1`)));
    expect(message).toBe(`${flag} and the column ${column} set the same value; leave one out`);
  });

  // NDJSON rows can have different properties.
  it.each(COMMANDS)('are rejected in a later row, too: %s', async (line, key, value, column, flag) => {
    const rows = [{ [key]: value }, { [key]: value, [column]: '1' }].map((row) => JSON.stringify(row));
    const { violations } = await refused(`${line} --allow-repeats`, fileOf(rows.join('\n'), 'rows.ndjson'));
    expect(violations).toContainEqual(expect.objectContaining({ row: 2, column, title: `is also set by ${flag}` }));
  });

  it('are accepted if the command does not read that column', async () => {
    const service = await serveAllBy(({ method }) => json(200, method === 'GET' ? ugwo(1) : { uid: ONYE }));
    const file = fileOf(csvOf('email,merge_data.a,note', 'ada@example.com,1,2'));
    const args = wordsOf(`onye create --meta a=1 --data {"note":"n"} --from ${file} --yes`);
    expect(await inProcess(args, { service, home: newFolder() })).toMatchObject({ code: 0 });
  });
});

it('ugwo charge --from names an option, not a column, if the option causes the violation', async () => {
  const args = ['ugwo', 'charge', '--provider', 'gtb', '--from', fileOf(csvOf('ugwo,medium', `${UGWO},bank_transfer`))];
  const { stderr } = await inProcess(args, { home: newFolder(), service: { origin: 'http://127.0.0.1:1' } });
  expect(stderr).toContain("row 1, --provider: --provider can't be used with medium bank_transfer");
});

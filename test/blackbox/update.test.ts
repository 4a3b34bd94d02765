import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorOf, newFolder, paycli } from '../support/program.ts';
import { json, ONYE_ID, problem, raw, reset, serve } from '../support/service.ts';

const CUSTOMER = {
  uid: ONYE_ID,
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Obi',
  meta: { tier: 'vip' },
  status: 'active',
  created_at: '2026-11-20T10:00:00+00:00',
};

describe('onye update', () => {
  it('sends only what was given and prints the customer', async () => {
    const service = await serve([json(200, CUSTOMER)]);
    const ended = await paycli(['onye', 'update', ONYE_ID, '--email', 'ada@example.com'], { service });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout.split('\n').slice(0, 2)).toEqual([`uid\t${ONYE_ID}`, 'email\tada@example.com']);
    expect(service.seen).toMatchObject([
      { method: 'PATCH', url: `/v1/onye/${ONYE_ID}`, body: '{"email":"ada@example.com"}' },
    ]);
  });

  it('sends every flag under the name that the service knows', async () => {
    const service = await serve([json(200, CUSTOMER)]);
    const file = join(newFolder(), 'address.json');
    writeFileSync(file, '{"city": "Enugu", "country": "NG"}');
    await paycli(
      [
        'onye',
        'update',
        ONYE_ID,
        '--ref',
        'C-1',
        '--first-name',
        'Ada',
        '--last-name',
        '',
        '--billing-address',
        `@${file}`,
        '--meta',
        'tier=vip',
        '--meta',
        'visits:=3',
        '--meta',
        'a=b=c',
      ],
      { service },
    );
    expect(JSON.parse(service.seen[0]?.body ?? '')).toEqual({
      ref: 'C-1',
      first_name: 'Ada',
      last_name: '',
      billing_address: { city: 'Enugu', country: 'NG' },
      meta: { tier: 'vip', visits: 3, a: 'b=c' },
    });
  });

  it('says that metadata is replaced, but not with --quiet', async () => {
    const service = await serve([json(200, CUSTOMER), json(200, CUSTOMER)]);
    const said = await paycli(['onye', 'update', ONYE_ID, '--meta', 'tier=vip'], { service });
    expect(said.stderr).toContain('All metadata was replaced');
    const quiet = await paycli(['onye', 'update', ONYE_ID, '--meta', 'tier=vip', '-q'], { service });
    expect(quiet.stderr).toBe('');
  });

  it.each([
    [['--clear-meta'], '{"meta":{}}'],
    [['--meta-json', '{"a":{"b":[1,null]}}'], '{"meta":{"a":{"b":[1,null]}}}'],
    [
      ['--data', '{"locale":"en_NG","n":12345678901234567890,"r":1.50}'],
      '{"locale":"en_NG","n":12345678901234567890,"r":1.50}',
    ],
    [
      ['--data', '{"email":"x@y.z","extra":true}', '--email', 'ada@example.com'],
      '{"email":"ada@example.com","extra":true}',
    ],
  ])('%j sends %s', async (args, body) => {
    const service = await serve([json(200, CUSTOMER)]);
    expect(await paycli(['onye', 'update', ONYE_ID, ...args], { service })).toMatchObject({ code: 0 });
    expect(service.seen[0]?.body).toBe(body);
  });

  it.each(['"a b"@example.com', 'ada@localhost', 'añ@ëxample.com'])(
    'leaves it to the service whether %s is an address',
    async (email) => {
      const service = await serve([json(200, CUSTOMER)]);
      expect(await paycli(['onye', 'update', ONYE_ID, '--email', email], { service })).toMatchObject({ code: 0 });
    },
  );

  it('reads --data from standard input', async () => {
    const service = await serve([json(200, CUSTOMER)]);
    await paycli(['onye', 'update', ONYE_ID, '--data', '-'], { service, stdin: '{"ref": "C-2"}\n' });
    expect(service.seen[0]?.body).toBe('{"ref":"C-2"}');
  });

  it.each([
    ['nothing to change', [ONYE_ID], /nothing to change/],
    ['an empty --data', [ONYE_ID, '--data', '{}'], /nothing to change/],
    ['no identifier', ['--email', 'a@b.c'], /missing required argument 'onye'/],
    ['the identifier of something else', ['ugw.AbCd.x1', '--email', 'a@b.c'], /is the identifier of a payment request/],
    [
      'an address field that is no text',
      [ONYE_ID, '--billing-address', '{"zip":5}'],
      /billing_address.zip\): should be text/,
    ],
    ['a reference that is no text', [ONYE_ID, '--data', '{"ref":5}'], /--data \(ref\): should be text/],
    ['no e-mail address', [ONYE_ID, '--email', 'ada'], /--email.*not a valid e-mail address/s],
    ['a name of 101 characters', [ONYE_ID, '--first-name', 'é'.repeat(101)], /--first-name.*at most 100/s],
    ['a reference of 151 characters', [ONYE_ID, '--ref', 'x'.repeat(151)], /--ref.*at most 150/s],
    [
      'a country of three letters',
      [ONYE_ID, '--billing-address', '{"country":"NGA"}'],
      /--billing-address.*two-letter/s,
    ],
    ['no JSON', [ONYE_ID, '--data', '{'], /--data: not JSON/],
    [
      'an address that is a number',
      [ONYE_ID, '--data', '{"billing_address":1.50}'],
      /--data \(billing_address\).*object/,
    ],
    ['a JSON list', [ONYE_ID, '--meta-json', '[]'], /--meta-json: must be a JSON object/],
    ['metadata without a value', [ONYE_ID, '--meta', 'tier'], /--meta: "tier" is not key=value/],
    ['metadata twice', [ONYE_ID, '--meta', 'a=1', '--meta', 'a=2'], /"a" is given twice/],
    ['metadata in two ways', [ONYE_ID, '--meta', 'a=1', '--clear-meta'], /can't be used together/],
    ['standard input twice', [ONYE_ID, '--data', '-', '--meta-json', '-'], /only one option can read standard input/],
    ['a file that is not there', [ONYE_ID, '--data', '@/nowhere.json'], /nowhere\.json can't be read/],
    ['an unknown option', [ONYE_ID, '--emial', 'a@b.c'], /--emial.*--email/s],
    ['too many arguments', [ONYE_ID, ONYE_ID, '--email', 'a@b.c'], /too many arguments/],
  ])('with %s sends nothing and exits 2', async (_what, args, message) => {
    const service = await serve([]);
    const ended = await paycli(['onye', 'update', ...args], { service });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(message);
    expect(service.connections()).toBe(0);
  });

  it('leaves the judgement to the service with --no-validate', async () => {
    const service = await serve([problem(422, 'Validation Failed', [{ propertyPath: 'email', title: 'not valid' }])]);
    const ended = await paycli(['onye', 'update', ONYE_ID, '--email', 'ada', '--no-validate', '--json'], { service });
    expect(ended).toMatchObject({ code: 3, stdout: '' });
    expect(errorOf(ended)).toMatchObject({
      kind: 'rejected',
      exit_code: 3,
      status: 422,
      title: 'Validation Failed',
      violations: [{ property_path: 'email', title: 'not valid', option: '--email' }],
      request: { method: 'PATCH', path: `/v1/onye/${ONYE_ID}` },
    });
  });

  it('names --data for a field that came from there', async () => {
    const service = await serve([problem(422, 'Validation Failed', [{ propertyPath: 'locale', title: 'unknown' }])]);
    const ended = await paycli(['onye', 'update', ONYE_ID, '--data', '{"locale":"xx"}'], { service });
    expect(ended.stderr).toContain('--data (locale): unknown');
  });

  it.each([
    ['was reset', reset],
    ['was cut short', raw('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{')],
    ['was 500', problem(500, 'Oops')],
  ])('exits 6 when the answer %s, and was sent once', async (_what, answer) => {
    const service = await serve([answer]);
    const ended = await paycli(['onye', 'update', ONYE_ID, '--email', 'a@b.c', '--json'], { service });
    expect(ended).toMatchObject({ code: 6, stdout: '' });
    expect(errorOf(ended)).toMatchObject({
      kind: 'unknown',
      exit_code: 6,
      message: expect.stringContaining('update may have been applied'),
    });
  });
});

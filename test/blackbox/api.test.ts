import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder, paycli, type RunOptions } from '../support/program.ts';
import { json, ONYE_ID, page, problem, reset, serve, serveAll, UGWO_ID } from '../support/service.ts';
import { fileOf } from './bulk-support.ts';

const ACT = 'act.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';
const api = (words: readonly string[], options: RunOptions) => inProcess(['api', ...words], options);

describe('api', () => {
  it('reads any path, and prints the answer as it came', async () => {
    const service = await serve([json(200, '{"b": 1.50, "a": [1, 2]}')]);
    const ended = await paycli(['api', 'get', '/v1/events/evt.1?type=x', '-f', 'limit=5', '-f', 'on:=true'], {
      service,
    });
    expect(ended).toMatchObject({ code: 0, stdout: '{"b":1.50,"a":[1,2]}\n', stderr: '' });
    expect(service.seen[0]).toMatchObject({ method: 'GET', url: '/v1/events/evt.1?type=x&limit=5&on=true', body: '' });
    expect(service.seen[0]?.headers['authorization']).toMatch(/^Bearer sk\./);
  });

  it.each([
    ['tsv', 'uid\tstatus\n'],
    ['csv', 'uid,status\r\n'],
    ['table', 'status'],
    ['ndjson', '{"uid":"evt.1"'],
  ])('prints a list as %s with the fields that its records have', async (format, wanted) => {
    const service = await serve([json(200, [{ uid: 'evt.1', status: 'sent' }])]);
    const { code, stdout } = await api(['GET', '/v1/events', '-o', format], { service });
    expect(code).toBe(0);
    expect(stdout).toContain(format === 'tsv' ? 'evt.1\tsent\n' : wanted);
  });

  it('follows the pages of a list', async () => {
    const service = await serve([
      page([1, 2], 'a'),
      page([3], null),
      json(200, { data: [{ uid: 'e' }], next_cursor: null }),
    ]);
    const ended = await api(['GET', '/v1/ugwo?limit=2', '--paginate', '-o', 'tsv', '--columns', 'ref'], { service });
    expect(ended).toMatchObject({ code: 0, stdout: 'order-1\norder-2\norder-3\n' });
    expect(service.seen.map(({ url }) => url)).toEqual(['/v1/ugwo?limit=2', '/v1/ugwo?limit=2&cursor=a']);
    expect((await api(['GET', '/v1/events', '--paginate'], { service })).stdout).toContain('"uid":"e"');
  });

  it('repeats a GET, and no PATCH that may have been applied', async () => {
    const reading = await serve([problem(503, 'Busy', undefined, { 'retry-after': '0' }), json(200, { a: 1 })]);
    expect((await api(['GET', '/v1/events'], { service: reading })).code).toBe(0);
    const writing = await serve([reset]);
    const ended = await api(['PATCH', '/v1/things/1', '-f', 'a=1', '--json'], { service: writing, home: newFolder() });
    expect(ended.code).toBe(6);
    expect(writing.seen[0]).toMatchObject({ method: 'PATCH', body: '{"a":"1"}' });
  });

  it('is held to the contract where it has the operation', async () => {
    const service = await serve([json(200, { uid: ONYE_ID }), json(200, { uid: 'ony.AbCd.other' })]);
    const bad = await api(['PATCH', `/v1/onye/${ONYE_ID}`, '-f', 'email=nonsense', '--json'], { service });
    expect(bad.code).toBe(2);
    expect(errorOf(bad)['violations']).toMatchObject([{ option: '--field email' }]);
    expect((await api(['PATCH', `/v1/onye/${ONYE_ID}/`, '-f', 'email=a@b.c'], { service })).code).toBe(0);
    expect(service.seen[0]?.url).toBe(`/v1/onye/${ONYE_ID}`);
    expect((await api(['GET', `/v1/onye/${ONYE_ID}`], { service })).code).toBe(8);
  });

  it('takes a body from a file or standard input, which fields override', async () => {
    const service = await serve([json(200, { uid: 'x' }), json(200, { uid: 'y' })]);
    const file = fileOf('{"a": 1, "b": 2.50}', 'body.json');
    const home = newFolder();
    expect((await api(['POST', '/v1/things', '--input', file, '-F', 'a=[3]'], { service, home })).code).toBe(0);
    expect((await api(['PUT', '/v1/things/1', '--input', '-'], { service, home, stdin: '{"c":{}}' })).code).toBe(0);
    expect(service.seen.map(({ body }) => body)).toEqual(['{"a":[3],"b":2.50}', '{"c":{}}']);
  });

  it('shows what it would send', async () => {
    const service = await serve([]);
    const shown = await api(['POST', '/v1/things?x=1', '-f', 'a=1', '--dry-run'], { service });
    expect(JSON.parse(shown.stdout)).toEqual({
      method: 'POST',
      url: `${service.origin}/v1/things?x=1`,
      body: { a: '1' },
    });
    expect((await api(['DELETE', '/v1/things/1', '--as-curl'], { service })).stdout).toContain('--request DELETE');
  });

  it('takes a path without its first slash, which Git Bash would rewrite', async () => {
    const service = await serve([page([1], null)]);
    expect(await api(['GET', 'v1/ugwo'], { service })).toMatchObject({ code: 0 });
    expect(service.seen.map(({ url }) => url)).toEqual(['/v1/ugwo']);
  });

  it.each([
    [['GET', 'https://evil.example/v1/ugwo'], 'must start with /'],
    [['GET', '//evil.example/v1'], 'has // in it'],
    [['GET', 'C:/Program Files/Git/v1/ugwo'], 'write it without its first slash'],
    [['POST', `v1/ugwo/${UGWO_ID}/activities`], 'charges are not made by this command'],
    [['GET', '/v1/../x'], 'lead elsewhere'],
    [['GET', '/v1/a b'], 'percent-encode it'],
    [['FETCH', '/v1/ugwo'], 'is not one of GET'],
    [['POST', '/v1/ugwo', '--paginate'], '--paginate is for GET'],
    [['GET', '/v1/ugwo', '--input', '-'], 'a GET has no body'],
    [['GET', '/v1/ugwo?limit=1', '-f', 'limit=2'], 'is given twice; leave one out'],
    [['POST', '/v1/x', '-f', 'a=1', '-F', 'a=2'], 'is given twice'],
    [['DELETE', `/v1/onye/${ONYE_ID}`], 'needs confirmation'],
    [['POST', '/v1/refunds', '-f', `ugwo_activity=${ACT}`], 'Pay this back?'],
  ])('refuses %j before anything is sent', async (words, why) => {
    const ended = await api(words, { service: await serve([]), home: newFolder() });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(why);
  });

  it.each(['/activities', '/activities/', '/activities?a=b', '/%61ctivities', '/activities.json', '/activities;a'])(
    'makes no charge: %s',
    async (end) => {
      const ended = await api(['POST', `/v1/ugwo/${UGWO_ID}${end}`, '--dry-run', '--json'], {
        service: await serve([]),
      });
      expect(ended.code).toBe(2);
      expect(errorOf(ended)['hint']).toContain('paycli ugwo charge');
    },
  );

  it('never repeats a POST by itself: the ledger has it, and stands in the way until a person has looked', async () => {
    const service = await serve([reset, json(200, { uid: 'x' }), json(200, { uid: 'z' })]);
    const home = newFolder();
    const words = ['POST', '/v1/things', '-f', 'a=1', '--json'];
    const lost = await api(words, { service, home });
    expect(lost.code).toBe(6);
    const { ledger_id: id, hint } = errorOf(lost);
    expect(String(id)).toMatch(/^request-/);
    expect(hint).toContain(`paycli ledger resolve ${id}`);
    expect((await api(words, { service, home })).code).toBe(9);
    // Another body is another request.
    expect((await api(['POST', '/v1/things', '-f', 'a=2'], { service, home })).code).toBe(0);
    const resolve = ['ledger', 'resolve', String(id), '--as', 'not-created', '--reason', 'looked', '--yes'];
    expect((await inProcess(resolve, { home })).code).toBe(0);
    expect((await api(words, { service, home })).code).toBe(0);
    const shown = await inProcess(['ledger', 'show', String(id), '--json'], { home });
    expect(JSON.parse(shown.stdout)).toMatchObject({
      kind: 'request',
      request: { path: '/v1/things', body: { a: '1' } },
    });
  });

  const SPELLINGS = [
    '/v1/Things',
    '/v1/things.json',
    '/v1/things;a',
    '/v1/things/',
    '/v1/things%2ejson',
    '/v1/things?x=1',
  ];

  it.each(SPELLINGS)('sends what is unknown in no other spelling either: %s', async (path) => {
    const [service, home] = [await serve([reset]), newFolder()];
    const fields = ['-f', 'a=1', '-f', 'b=2'];
    expect((await api(['POST', '/v1/things', ...fields], { service, home })).code).toBe(6);
    expect((await api(['POST', path, ...fields], { service, home })).code).toBe(9);
    expect((await api(['POST', path, '-f', 'b=2', '-f', 'a=1'], { service, home })).code).toBe(9);
  });

  const REFUND = ['-f', `ugwo_activity=${ACT}`, '-f', 'reason=x', '-F', 'amount=5'];
  const REQUEST = [
    '-f',
    'currency=NGN',
    '-f',
    'description=Order 7',
    '-F',
    'amount=500000',
    '-f',
    'onye_email=ada@example.com',
  ];

  it.each([
    ['a refund', ['refund', 'create', ACT, '--reason', 'x', '--yes'], '/v1/refunds', REFUND],
    [
      'a payment request',
      [
        'ugwo',
        'create',
        '--amount-minor',
        '500000',
        '--currency',
        'NGN',
        '--customer',
        'ada@example.com',
        '--description',
        'Order 7',
      ],
      '/v1/ugwo',
      REQUEST,
    ],
  ])('sends nothing beside the command that makes %s, nor that one beside it', async (_what, command, path, fields) => {
    const request = (spelled: string): string[] => ['POST', spelled, ...fields, '--yes'];
    for (const spelled of [path, path.toUpperCase(), `${path}.json`]) {
      const [first, home] = [await serve([reset]), newFolder()];
      expect((await inProcess(command, { service: first, home })).code).toBe(6);
      expect((await api(request(spelled), { service: first, home })).code).toBe(9);
      const [second, other] = [await serve([reset]), newFolder()];
      expect((await api(request(spelled), { service: second, home: other })).code).toBe(6);
      expect((await inProcess(command, { service: second, home: other })).code).toBe(9);
    }
  });

  it('makes a second refund in no other spelling without --again', async () => {
    const [service, home] = [await serve([json(200, { uid: 'r1', status: 'processing' })]), newFolder()];
    expect((await api(['POST', '/v1/refunds', ...REFUND, '--yes'], { service, home })).code).toBe(0);
    expect((await api(['POST', '/v1/Refunds', ...REFUND, '--yes'], { service, home })).code).toBe(9);
  });

  it('pays back as `refund create` does: not twice without --again', async () => {
    const service = await serve([
      json(200, { uid: 'r1', status: 'processing' }),
      json(200, { uid: 'r2', status: 'x' }),
    ]);
    const home = newFolder();
    const words = ['POST', '/v1/refunds', '-f', `ugwo_activity=${ACT}`, '--yes'];
    expect((await api(words, { service, home })).code).toBe(0);
    expect((await api(words, { service, home })).code).toBe(9);
    expect((await inProcess(['refund', 'create', ACT, '--yes'], { service, home })).code).toBe(9);
    expect((await api([...words, '--again'], { service, home })).code).toBe(0);
  });

  it('creates with the effect of the operation that it is', async () => {
    const service = await serveAll([reset]);
    const ended = await api(['POST', '/v1/ugwo', '-F', 'amount=500000', '-f', 'currency=NGN', '--json'], {
      service,
      home: newFolder(),
    });
    expect(errorOf(ended)['message']).toMatch(/^the payment request may have been created/);
  });
});

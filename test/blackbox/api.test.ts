import { describe, expect, it } from 'vitest';
import { CANARY } from '../support/canary.ts';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder, paycli, type RunOptions } from '../support/program.ts';
import { json, ONYE_ID, page, problem, raw, reset, serve, serveAll, serveAllBy, UGWO_ID } from '../support/service.ts';
import { fileOf } from './bulk-support.ts';

const ACT = 'act.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';
const api = (words: readonly string[], options: RunOptions) => inProcess(['api', ...words], options);

describe('api', () => {
  it('reads any path and prints the response body unchanged', async () => {
    const service = await serve([json(200, '{"b": 1.50, "a": [1, 2]}')]);
    const ended = await paycli(['api', '/v1/events/evt.AbCd.1?type=x', '-X', 'get', '-f', 'limit=5', '-F', 'on=true'], {
      service,
    });
    expect(ended).toMatchObject({ code: 0, stdout: '{"b":1.50,"a":[1,2]}\n', stderr: '' });
    expect(service.seen[0]).toMatchObject({
      method: 'GET',
      url: '/v1/events/evt.AbCd.1?type=x&limit=5&on=true',
      body: '',
    });
    expect(service.seen[0]?.headers['authorization']).toMatch(/^Bearer sk\./);
  });

  it.each([
    ['tsv', 'uid\tstatus\n'],
    ['csv', 'uid,status\r\n'],
    ['table', 'status'],
    ['ndjson', '{"uid":"evt.1"'],
  ])('prints a list as %s, with the columns that its records have', async (format, wanted) => {
    const service = await serve([json(200, [{ uid: 'evt.1', status: 'sent' }])]);
    const { code, stdout } = await api(['/v1/events', '-o', format], { service });
    expect(code).toBe(0);
    expect(stdout).toContain(format === 'tsv' ? 'evt.1\tsent\n' : wanted);
  });

  it.each<[string, readonly string[], string, string]>([
    ['a GET by default', [], 'GET', '/v1/things'],
    ['a POST with fields', ['-f', 'a=1'], 'POST', '/v1/things'],
    ['a POST with a body', ['--input', '-'], 'POST', '/v1/things'],
    [
      'a GET with -X, fields in the query',
      ['-X', 'GET', '-f', 'a=1', '-F', 'b[]=true'],
      'GET',
      '/v1/things?a=1&b%5B%5D=true',
    ],
    ['a DELETE, fields in the query', ['--method', 'delete', '-f', 'a=1', '--yes'], 'DELETE', '/v1/things?a=1'],
  ])('sends %s', async (_what, more, method, url) => {
    const service = await serve([json(200, {})]);
    expect(await api(['/v1/things', ...more], { service, home: newFolder(), stdin: '{}' })).toMatchObject({ code: 0 });
    expect(service.seen).toMatchObject([{ method, url }]);
  });

  it('builds strings, typed values, lists and objects from fields', async () => {
    const service = await serve([json(200, {})]);
    const typed = ['true', 'false', 'null', '5', '-1.50', '12345678901234567890', '0803', '1e3', 'x'];
    const fields = [
      ...['-f', 'raw=5', '-f', 'also=@no', '-f', 'eq=a=b'],
      ...typed.flatMap((value) => ['-F', `typed[]=${value}`]),
      ...['-F', `file=@${fileOf('one\n', 'note.txt')}`, '-F', 'stdin=@-'],
      ...['-f', 'm[a][b]=1', '-F', 'm[a][c]=2', '-f', '__proto__=p'],
    ];
    const ended = await api(['/v1/things', ...fields], { service, home: newFolder(), stdin: 'two\nthree\r\n' });
    expect(ended.code, ended.stderr).toBe(0);
    expect(service.seen[0]?.body).toBe(
      '{"raw":"5","also":"@no","eq":"a=b","m":{"a":{"b":"1","c":2}},"__proto__":"p",' +
        '"typed":[true,false,null,5,-1.50,12345678901234567890,"0803","1e3","x"],"file":"one","stdin":"two\\nthree"}',
    );
  });

  it('refuses a field that is no UTF-8', async () => {
    const file = fileOf(Buffer.from([0x61, 0xff]), 'note.bin');
    const ended = await api(['/v1/things', '-F', `a=@${file}`], { service: await serve([]), home: newFolder() });
    expect(ended).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('note.bin is not valid UTF-8'),
    });
  });

  it('sends headers and prints them with --dry-run', async () => {
    const service = await serve([json(200, {})]);
    const headers = ['-H', 'X-Trace: a b', '--header', 'idempotency-key:k1'];
    expect((await api(['/v1/things', ...headers], { service })).code).toBe(0);
    expect(service.seen[0]?.headers).toMatchObject({ 'x-trace': 'a b', 'idempotency-key': 'k1' });
    const shown = await api(['/v1/things', ...headers, '--dry-run'], { service });
    expect(JSON.parse(shown.stdout)).toMatchObject({ headers: { 'x-trace': 'a b', 'idempotency-key': 'k1' } });
    expect((await api(['/v1/things', ...headers, '--as-curl'], { service })).stdout).toContain(
      "--header 'x-trace: a b'",
    );
  });

  it.each([
    ['Authorization: Bearer x', /Authorization is never taken from an option[\s\S]*--profile/],
    ['AUTHORIZATION: Bearer x', /never taken from an option/],
    ['Host: evil.example', /the header Host can't be set/],
    ['Content-Length: 1', /can't be set/],
    ['Transfer-Encoding: chunked', /can't be set/],
    ['X-HTTP-Method-Override: POST', /can't be set/],
    ['no colon', /is not a header/],
    ['a: b\r\nauthorization: x', /is not a header/],
  ])('refuses the header %j', async (header, why) => {
    const ended = await api(['/v1/things', '-H', header], { service: await serve([]) });
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(why) });
  });

  it.each([
    [['GET', '/v1/ugwo'], 'write /v1/ugwo -X GET in place of GET /v1/ugwo'],
    [['post', '/v1/things', '-f', 'a=1'], 'write /v1/things -X POST in place of post /v1/things'],
  ])('shows the current syntax for the old one: %j', async (words, line) => {
    const ended = await api(words, { service: await serve([]) });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(`the path comes first, and the method is an option\n→ ${line}\n`);
  });

  const headOf = (status: string, ...headers: readonly string[]) =>
    new RegExp(`^HTTP/1\\.1 ${status}\r\n${headers.map((one) => `${one}\r\n`).join('')}(?:[a-z-]+: [^\r\n]+\r\n)*\r\n`);

  it.each([
    [[], '{"b":1.50,"uid":"e"}\n'],
    [['--jq', '.uid'], 'e\n'],
    [['-o', 'tsv'], 'b\t1.50\nuid\te\n'],
  ])('prints the status line and the headers before the unchanged output with -i: %j', async (words, body) => {
    const answer = json(200, '{"b": 1.50, "uid": "e"}', { 'X-Trace': 'a b' });
    const service = await serve([answer, answer]);
    expect(await paycli(['api', '/v1/events/e', ...words], { service })).toMatchObject({ stdout: body });
    const { code, stdout } = await paycli(['api', '/v1/events/e', '-i', ...words], { service });
    const head = headOf('200 OK', 'content-type: application/json', 'x-trace: a b');
    expect([code, stdout.match(head)?.[0].length]).toEqual([0, stdout.length - body.length]);
    expect(stdout.endsWith(body)).toBe(true);
  });

  it('prints the headers of a list, of a write, and of the last of several answers', async () => {
    const busy = problem(503, 'Busy', undefined, { 'retry-after': '0' });
    const service = await serve([busy, page([1], null), json(201, { uid: 'x' }), json(200, {})]);
    const home = newFolder();
    const statusOf = async (...words: readonly string[]) =>
      (await api([...words, '--include'], { service, home })).stdout.split('\r\n', 1)[0];
    expect(await statusOf('/v1/ugwo')).toBe('HTTP/1.1 200 OK');
    expect(await statusOf('/v1/things', '-f', 'a=1')).toBe('HTTP/1.1 201 Created');
    expect(await statusOf('/v1/things/1', '-X', 'PATCH', '-f', 'a=1')).toBe('HTTP/1.1 200 OK');
  });

  it.each([
    ['a GET', [], problem(404, 'Not Found'), 3, '404 Not Found'],
    ['a POST', ['-f', 'a=1'], problem(422, 'No'), 3, '422 Unprocessable Entity'],
    ['a POST whose result is unknown', ['-f', 'a=1'], problem(500, 'Oh'), 6, '500 Internal Server Error'],
    ['an answer that is not JSON', [], raw('HTTP/1.1 200 Fine\r\nx: y\r\ncontent-length: 2\r\n\r\nhi'), 8, '200 Fine'],
  ])('prints the headers of an error, with its exit code: %s', async (_what, words, answer, code, status) => {
    const service = await serveAllBy(() => answer);
    const run = (more: readonly string[]) =>
      paycli(['api', '/v1/things', ...words, ...more], { service, home: newFolder() });
    const [without, ended] = [await run(['--json']), await run(['--json', '-i', '--jq', '.a'])];
    expect(ended.code).toBe(code);
    expect(ended.stdout.replace(headOf(status), '')).toBe('');
    expect(ended.stdout).not.toBe('');
    const message = errorOf(without)['message'];
    expect(errorOf(ended)).toMatchObject({ message, exit_code: code });
  });

  it('prints no headers without an answer, also after one', async () => {
    const service = await serve([problem(503, 'Busy', undefined, { 'retry-after': '0' }), reset, reset, reset, reset]);
    expect(await api(['/v1/events', '-i'], { service })).toMatchObject({ code: 8, stdout: '' });
  });

  it('masks what gives access in a header, and what controls a terminal', async () => {
    const key = 'sk.AbCd.1234567890abcdefghij';
    const lines = ['Set-Cookie: a=SESSION', 'Set-Cookie: b=SESSION', 'Authorization: Bearer SESSION'];
    const plain = ['WWW-Authenticate: Bearer', 'Idempotency-Key: k'];
    const others = ['X-Auth', 'X-Session-Id', 'X-Password', 'X-Amz-Credential', 'X-Access-Key', 'Authentication-Info'];
    lines.push(...others.map((name) => `${name}: SESSION`), ...plain);
    const more = ['X-Api-Key: SESSION', `Location: /x?k=${key.replace('.', '%2E')}`, 'X-Title: a\x9b2Jb'];
    const answer = Buffer.from(
      `HTTP/1.1 200 OK\r\n${[...lines, ...more].join('\r\n')}\r\nContent-Length: 2\r\n\r\n{}`,
      'latin1',
    );
    const { stdout } = await api(['/v1/events/e', '-i'], { service: await serve([raw(answer)]) });
    expect(stdout.split('\r\n')).toEqual([
      'HTTP/1.1 200 OK',
      ...['set-cookie: [secret]', 'set-cookie: [secret]', 'authorization: [secret]'],
      ...others.map((name) => `${name.toLowerCase()}: [secret]`),
      ...['www-authenticate: Bearer', 'idempotency-key: k', 'x-api-key: [secret]'],
      ...[
        'location: /x?k=[secret …ghij]',
        expect.stringMatching(/^x-title: a[ -~]+2Jb$/),
        'content-length: 2',
        '',
        '{}\n',
      ],
    ]);
  });

  it('masks tokens in the URLs of headers, and the key in a name', async () => {
    const lines = [
      `Link: </v1/ugwo?access_token=SECRET&limit=5>; rel="next"`,
      'Location: https://ada:SECRET@files.test/x?X-Amz-Signature=SECRET%26SECRET&next=%2Fy%3Fapi_key%3DSECRET',
      'X-Trace: eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.SECRET',
      ...['X-Amz-Signature: SECRET', 'X-Jwt: SECRET', 'X-Bearer: SECRET', 'X_Key: SECRET'],
      `${CANARY}: a`,
    ];
    const answer = raw(`HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\nContent-Length: 2\r\n\r\n{}`);
    const { stdout } = await api(['/v1/events/e', '-i'], { service: await serve([answer]) });
    expect(stdout.split('\r\n').slice(1, -3)).toEqual([
      'link: </v1/ugwo?access_token=[secret]&limit=5>; rel="next"',
      'location: https://[secret]@files.test/x?X-Amz-Signature=[secret]&next=/y?api_key=[secret]',
      'x-trace: [secret]',
      ...['x-amz-signature: [secret]', 'x-jwt: [secret]', 'x-bearer: [secret]', 'x_key: [secret]'],
      `[secret …${CANARY.slice(-4).toLowerCase()}]: a`,
    ]);
  });

  it.each(['/v1/ugwo', '/v1/onye'])(
    'keeps the rules of a list that paycli knows, also for --paginate: %s',
    async (path) => {
      const service = await serve([]);
      expect((await api([`${path}?limit=0`, '--paginate'], { service })).code).toBe(2);
      expect(service.seen).toEqual([]);
    },
  );

  it('follows the pages of a list', async () => {
    const service = await serve([
      page([1, 2], 'a'),
      page([3], null),
      json(200, { data: [{ uid: 'e' }], next_cursor: null }),
    ]);
    const ended = await api(['/v1/ugwo?limit=2', '--paginate', '-o', 'tsv', '--columns', 'ref'], { service });
    expect(ended).toMatchObject({ code: 0, stdout: 'order-1\norder-2\norder-3\n' });
    expect(service.seen.map(({ url }) => url)).toEqual(['/v1/ugwo?limit=2', '/v1/ugwo?limit=2&cursor=a']);
    expect((await api(['/v1/events', '--paginate'], { service })).stdout).toContain('"uid":"e"');
  });

  it('retries a GET, but not a PATCH that may have been applied', async () => {
    const reading = await serve([problem(503, 'Busy', undefined, { 'retry-after': '0' }), json(200, { a: 1 })]);
    expect((await api(['/v1/events'], { service: reading })).code).toBe(0);
    const writing = await serve([reset]);
    const ended = await api(['/v1/things/1', '-X', 'PATCH', '-f', 'a=1', '--json'], {
      service: writing,
      home: newFolder(),
    });
    expect(ended.code).toBe(6);
    expect(writing.seen[0]).toMatchObject({ method: 'PATCH', body: '{"a":"1"}' });
  });

  it('checks requests and answers of a known operation against the contract', async () => {
    const service = await serve([json(200, { uid: ONYE_ID }), json(200, { uid: 'ony.AbCd.other' })]);
    const bad = await api([`/v1/onye/${ONYE_ID}`, '-X', 'PATCH', '-f', 'email=nonsense', '--json'], { service });
    expect(bad.code).toBe(2);
    expect(errorOf(bad)['violations']).toMatchObject([{ option: '--raw-field email' }]);
    expect((await api([`/v1/onye/${ONYE_ID}/`, '-X', 'PATCH', '-f', 'email=a@b.c'], { service })).code).toBe(0);
    expect(service.seen[0]?.url).toBe(`/v1/onye/${ONYE_ID}`);
    expect((await api([`/v1/onye/${ONYE_ID}`], { service })).code).toBe(8);
  });

  it('reads a body from a file or standard input and lets fields override it', async () => {
    const service = await serve([json(200, { uid: 'x' }), json(200, { uid: 'y' })]);
    const file = fileOf('{"a": 1, "b": 2.50}', 'body.json');
    const home = newFolder();
    expect((await api(['/v1/things', '-X', 'POST', '--input', file, '-f', 'a[]=3'], { service, home })).code).toBe(0);
    expect((await api(['/v1/things/1', '-X', 'PUT', '--input', '-'], { service, home, stdin: '{"c":{}}' })).code).toBe(
      0,
    );
    expect(service.seen.map(({ body }) => body)).toEqual(['{"a":["3"],"b":2.50}', '{"c":{}}']);
  });

  it('prints the request with --dry-run and --as-curl', async () => {
    const service = await serve([]);
    const shown = await api(['/v1/things?x=1', '-X', 'POST', '-f', 'a=1', '--dry-run'], { service });
    expect(JSON.parse(shown.stdout)).toEqual({
      method: 'POST',
      url: `${service.origin}/v1/things?x=1`,
      body: { a: '1' },
    });
    expect((await api(['/v1/things/1', '-X', 'DELETE', '--as-curl'], { service })).stdout).toContain(
      '--request DELETE',
    );
  });

  it('accepts a path without the leading slash, which Git Bash would rewrite', async () => {
    const service = await serve([page([1], null)]);
    expect(await api(['v1/ugwo'], { service })).toMatchObject({ code: 0 });
    expect(service.seen.map(({ url }) => url)).toEqual(['/v1/ugwo']);
  });

  it.each([
    [['https://evil.example/v1/ugwo'], 'must start with /'],
    [['//evil.example/v1'], 'is no path of the service'],
    [['C:/Program Files/Git/v1/ugwo'], 'write it without its first slash'],
    [[`v1/ugwo/${UGWO_ID}/activities`, '-X', 'POST'], '`api` makes no charges'],
    [['/v1/../x'], 'is no path of the service: its parts are words of a-z, 0-9, _ and -, or ids'],
    [['/v1/things?a=b c'], 'percent-encode it'],
    [['/v1/ugwo', '-X', 'FETCH'], 'is not one of GET'],
    [['/v1/ugwo', '-X', 'POST', '--paginate'], '--paginate is for GET'],
    [['/v1/ugwo', '--paginate', '-i'], '--include shows the headers of one answer, --paginate joins several'],
    [['/v1/ugwo', '-X', 'GET', '--input', '-'], 'a GET has no body'],
    [['/v1/ugwo', '-f', 'limit=5', '--paginate'], 'with -X GET, fields go into the query'],
    [['/v1/x', '--input', '-', '-F', 'a=@-'], 'only one option can read standard input'],
    [['/v1/x', '-f', 'a[=1'], 'is not the name of a field'],
    [['/v1/x', '-f', 'a[][b]=1'], 'is not the name of a field'],
    [['/v1/x', '-f', 'a=1', '-f', 'a[b]=1'], 'is given twice; leave one out'],
    [['/v1/x', '-f', 'a[]=1', '-f', 'a[b]=1'], 'is given twice; leave one out'],
    [['/v1/x', '-f', 'a'], 'is not key=value'],
    [['/v1/x', 'y'], 'too many arguments for api: y'],
    [['/v1/ugwo?limit=1', '-X', 'GET', '-f', 'limit=2'], 'is given twice; leave one out'],
    [['/v1/x', '-X', 'POST', '-f', 'a=1', '-F', 'a=2'], 'is given twice'],
    [[`/v1/onye/${ONYE_ID}`, '-X', 'DELETE'], 'needs a yes'],
    [['/v1/refunds', '-X', 'POST', '-f', `ugwo_activity=${ACT}`], 'Pay this back?'],
  ])('rejects %j before sending', async (words, why) => {
    const ended = await api(words, { service: await serve([]), home: newFolder() });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(why);
  });

  it.each(['', '/', '?a=b'])('refuses to create a charge: …/activities%s', async (end) => {
    const ended = await api([`/v1/ugwo/${UGWO_ID}/activities${end}`, '-X', 'POST', '--dry-run', '--json'], {
      service: await serve([]),
    });
    expect(ended.code).toBe(2);
    expect(errorOf(ended)['hint']).toContain('paycli ugwo charge');
  });

  it.each([`/v1/ugwo/${UGWO_ID}/activities`, '/v1/refunds', '/v1/things'])(
    'sends nothing to any other spelling of a path: %s',
    async (path) => {
      const [service, home] = [await serve([]), newFolder()];
      const ends = ['.csv', '.yaml', '.hal', '.json', '..', '/..', '.', '%C2%AD', '%2ejson', ';a', '//'];
      for (const other of [...ends.map((end) => path + end), path.toUpperCase(), path.replace(/s$/, '%73')]) {
        const ended = await api([other, '-X', 'POST', '-f', `ugwo_activity=${ACT}`, '--yes'], { service, home });
        expect(ended, other).toMatchObject({ code: 2, stderr: expect.stringContaining('is no path of the service') });
      }
    },
  );

  it('never retries a POST: the unknown entry blocks it until someone resolves it', async () => {
    const service = await serve([reset, json(200, { uid: 'x' }), json(200, { uid: 'z' })]);
    const home = newFolder();
    const words = ['/v1/things', '-X', 'POST', '-f', 'a=1', '--json'];
    const lost = await api(words, { service, home });
    expect(lost.code).toBe(6);
    const { ledger_id: id, hint } = errorOf(lost);
    expect(String(id)).toMatch(/^request-/);
    expect(hint).toContain(`paycli ledger resolve ${id}`);
    expect((await api(words, { service, home })).code).toBe(9);
    // A different body is a different request.
    expect((await api(['/v1/things', '-X', 'POST', '-f', 'a=2'], { service, home })).code).toBe(0);
    const resolve = ['ledger', 'resolve', String(id), '--as', 'not-created', '--reason', 'looked', '--yes'];
    expect((await inProcess(resolve, { home })).code).toBe(0);
    expect((await api(words, { service, home })).code).toBe(0);
    const shown = await inProcess(['ledger', 'show', String(id), '--json'], { home });
    expect(JSON.parse(shown.stdout)).toMatchObject({
      kind: 'request',
      request: { path: '/v1/things', body: { a: '1' } },
    });
  });

  it.each(['/v1/things/', '/v1/things?x=1', 'v1/things'])(
    'blocks an unknown POST of the same path: %s',
    async (path) => {
      const [service, home] = [await serve([reset]), newFolder()];
      const fields = ['-f', 'a=1', '-f', 'b=2'];
      expect((await api(['/v1/things', '-X', 'POST', ...fields], { service, home })).code).toBe(6);
      expect((await api([path, '-X', 'POST', ...fields], { service, home })).code).toBe(9);
      expect((await api([path, '-X', 'POST', '-f', 'b=2', '-f', 'a=1'], { service, home })).code).toBe(9);
    },
  );

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
  ])(
    'blocks a POST that another command left unknown, and that command after the POST: %s',
    async (_what, command, path, fields) => {
      const request = (spelled: string): string[] => [spelled, '-X', 'POST', ...fields, '--yes'];
      for (const spelled of [path, `${path}/`, `${path}?x=1`]) {
        const [first, home] = [await serve([reset]), newFolder()];
        expect((await inProcess(command, { service: first, home })).code).toBe(6);
        expect((await api(request(spelled), { service: first, home })).code).toBe(9);
        const [second, other] = [await serve([reset]), newFolder()];
        expect((await api(request(spelled), { service: second, home: other })).code).toBe(6);
        expect((await inProcess(command, { service: second, home: other })).code).toBe(9);
      }
    },
  );

  it('blocks a second refund, to a path with a slash behind it, without --again', async () => {
    const [service, home] = [await serve([json(200, { uid: 'r1', status: 'processing' })]), newFolder()];
    expect((await api(['/v1/refunds', '-X', 'POST', ...REFUND, '--yes'], { service, home })).code).toBe(0);
    expect((await api(['/v1/refunds/', '-X', 'POST', ...REFUND, '--yes'], { service, home })).code).toBe(9);
  });

  it('blocks a second refund of an activity without --again, like `refund create`', async () => {
    const service = await serve([
      json(200, { uid: 'r1', status: 'successful' }),
      json(200, { uid: 'r2', status: 'x' }),
    ]);
    const home = newFolder();
    const words = ['/v1/refunds', '-X', 'POST', '-f', `ugwo_activity=${ACT}`, '--yes'];
    expect((await api(words, { service, home })).code).toBe(0);
    expect((await api(words, { service, home })).code).toBe(9);
    expect((await inProcess(['refund', 'create', ACT, '--yes'], { service, home })).code).toBe(9);
    expect((await api([...words, '--again'], { service, home })).code).toBe(0);
  });

  it('names the kind of the operation in the error', async () => {
    const service = await serveAll([reset]);
    const ended = await api(['/v1/ugwo', '-X', 'POST', '-F', 'amount=500000', '-f', 'currency=NGN', '--json'], {
      service,
      home: newFolder(),
    });
    expect(errorOf(ended)['message']).toMatch(/^the payment request may have been created/);
  });
});

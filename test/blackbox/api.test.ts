import { describe, expect, it } from 'vitest';
import { CANARY } from '../support/canary.ts';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder, type RunOptions } from '../support/program.ts';
import { type Scene, scene } from '../support/scene.ts';
import { json, ONYE_ID, page, problem, raw, reset, serve, UGWO_ID } from '../support/service.ts';
import { fileOf } from './bulk-support.ts';

const ACT = 'act.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';
/** A call of `api` that is expected to send nothing. */
const refused = (words: readonly string[], stderr: RegExp | readonly string[]) =>
  scene({ service: [], argv: ['api', ...words], exit: 2, stderr });
const api = (words: readonly string[], options: RunOptions) => inProcess(['api', ...words], options);

describe('api', () => {
  it('reads any path and prints the response body unchanged', async () => {
    const { service } = await scene({
      built: true,
      service: [json(200, '{"b": 1.50, "a": [1, 2]}')],
      argv: ['api', '/v1/events/evt.AbCd.1?type=x', '-X', 'get', '-f', 'limit=5', '-F', 'on=true'],
      stdout: '{"b":1.50,"a":[1,2]}\n',
      requests: ['GET /v1/events/evt.AbCd.1?type=x&limit=5&on=true'],
    });
    expect(service?.seen[0]?.headers['authorization']).toMatch(/^Bearer sk\./);
  });

  it.each([
    ['tsv', 'evt.1\tsent\n'],
    ['csv', 'uid,status\r\n'],
    ['table', 'status'],
    ['ndjson', '{"uid":"evt.1"'],
  ])('prints a list as %s, with the columns that its records have', async (format, part) => {
    const service = [json(200, [{ uid: 'evt.1', status: 'sent' }])];
    await scene({ service, argv: ['api', '/v1/events', '-o', format], stdout: [part] });
  });

  it.each<[string, readonly string[], string]>([
    ['a GET by default', [], 'GET /v1/things'],
    ['a POST with fields', ['-f', 'a=1'], 'POST /v1/things {"a":"1"}'],
    ['a POST with a body', ['--input', '-'], 'POST /v1/things {"b":2}'],
    [
      'a GET with -X, fields in the query',
      ['-X', 'GET', '-f', 'a=1', '-F', 'b[]=true'],
      'GET /v1/things?a=1&b%5B%5D=true',
    ],
    ['a DELETE, fields in the query', ['--method', 'delete', '-f', 'a=1', '--yes'], 'DELETE /v1/things?a=1'],
  ])('sends %s', async (_what, more, request) => {
    const argv = ['api', '/v1/things', ...more];
    await scene({ service: [json(200, {})], argv, stdin: '{"b":2}', stderr: /^/, requests: [request] });
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

  it('refuses a field that is no UTF-8', () => {
    const file = fileOf(Buffer.from([0x61, 0xff]), 'note.bin');
    return refused(['/v1/things', '-F', `a=@${file}`], ['note.bin is not valid UTF-8']);
  });

  it('takes one line break from the end of a file, and refuses the blanks that are left', () => {
    const args = ['/v1/things', '-F', `a=@${fileOf(' x\n\n', 'note.txt')}`];
    return refused(args, ['x\\\\n\\" has a blank at its beginning or end']);
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
    ['no colon', /"no colon" is not a header/],
    ['a: b\r\nauthorization: x', /is not a header/],
  ])('refuses the header %j', async (header, why) => {
    await refused(['/v1/things', '-H', header], why);
  });

  it.each([
    [['GET', '/v1/ugwo'], 'write /v1/ugwo -X GET in place of GET /v1/ugwo'],
    [['post', '/v1/things', '-f', 'a=1'], 'write /v1/things -X POST in place of post /v1/things'],
  ])('shows the current syntax for the old one: %j', async (words, line) => {
    await refused(words, [`the path comes first, and the method is an option\n→ ${line}\n`]);
  });

  const headOf = (status: string, ...headers: readonly string[]) =>
    new RegExp(`^HTTP/1\\.1 ${status}\r\n${headers.map((one) => `${one}\r\n`).join('')}(?:[a-z-]+: [^\r\n]+\r\n)*\r\n`);

  it.each([
    [[], '{"b":1.50,"uid":"e"}\n'],
    [['--jq', '.uid'], 'e\n'],
    [['-o', 'tsv'], 'b\t1.50\nuid\te\n'],
  ])('prints the status line and the headers before the unchanged output with -i: %j', async (words, body) => {
    const answer = json(200, '{"b": 1.50, "uid": "e"}', { 'X-Trace': 'a b' });
    const argv = ['api', '/v1/events/e', ...words];
    await scene({ service: [answer], argv, stdout: body });
    const { stdout } = await scene({ service: [answer], argv: [...argv, '-i'] });
    const head = headOf('200 OK', 'content-type: application/json', 'x-trace: a b');
    expect(stdout.replace(head, '')).toBe(body);
  });

  it('prints the headers of a list, of a write, and of the last of several answers', async () => {
    const busy = problem(503, 'Busy', undefined, { 'retry-after': '0' });
    const [list, created, changed] = [page([1], null), json(201, { uid: 'x' }), json(200, {})];
    const including = (...words: readonly string[]): string[] => ['api', ...words, '-f', 'a=1', '--include'];
    await scene({ service: [busy, list], argv: ['api', '/v1/ugwo', '-i'], stdout: headOf('200 OK'), stderr: /^/ });
    await scene({ service: [created], argv: including('/v1/things'), stdout: headOf('201 Created') });
    await scene({ service: [changed], argv: including('/v1/things/1', '-X', 'PATCH'), stdout: headOf('200 OK') });
  });

  it.each([
    ['a GET', [], problem(404, 'Not Found'), 3, '404 Not Found'],
    ['a POST', ['-f', 'a=1'], problem(422, 'No'), 3, '422 Unprocessable Entity'],
    ['a POST whose result is unknown', ['-f', 'a=1'], problem(500, 'Oh'), 6, '500 Internal Server Error'],
    ['an answer that is not JSON', [], raw('HTTP/1.1 200 Fine\r\nx: y\r\ncontent-length: 2\r\n\r\nhi'), 8, '200 Fine'],
  ])('prints the headers of an error, with its exit code: %s', async (_what, words, answer, exit, status) => {
    const failed: Scene = { service: () => answer, argv: ['api', '/v1/things', ...words, '--json'], exit };
    const { message } = errorOf(await scene(failed));
    const argv = [...failed.argv, '-i', '--jq', '.a'];
    const error = { message, exit_code: exit };
    const { stdout } = await scene({ ...failed, argv, stdout: headOf(status), error });
    expect(stdout.replace(headOf(status), '')).toBe('');
  });

  it('prints no headers without an answer, also after one', () =>
    scene({
      service: [problem(503, 'Busy', undefined, { 'retry-after': '0' }), reset, reset, reset, reset],
      argv: ['api', '/v1/events', '-i'],
      exit: 8,
      stdout: '',
    }));

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
      await refused([`${path}?limit=0`, '--paginate'], /limit/);
    },
  );

  it('follows the pages of a list', async () => {
    await scene({
      service: [page([1, 2], 'a'), page([3], null)],
      argv: ['api', '/v1/ugwo?limit=2', '--paginate', '-o', 'tsv', '--columns', 'ref'],
      stdout: 'order-1\norder-2\norder-3\n',
      requests: ['GET /v1/ugwo?limit=2', 'GET /v1/ugwo?limit=2&cursor=a'],
    });
    const events = json(200, { data: [{ uid: 'e' }], next_cursor: null });
    await scene({ service: [events], argv: ['api', '/v1/events', '--paginate'], stdout: /"uid":"e"/ });
  });

  it('retries a GET, but not a PATCH that may have been applied', async () => {
    const busy = problem(503, 'Busy', undefined, { 'retry-after': '0' });
    await scene({ service: [busy, json(200, { a: 1 })], argv: ['api', '/v1/events'], stderr: /^/ });
    await scene({
      service: [reset],
      argv: ['api', '/v1/things/1', '-X', 'PATCH', '-f', 'a=1', '--json'],
      exit: 6,
      requests: ['PATCH /v1/things/1 {"a":"1"}'],
    });
  });

  it('checks requests and answers of a known operation against the contract', async () => {
    const [path, other] = [`/v1/onye/${ONYE_ID}`, json(200, { uid: 'ony.AbCd.other' })];
    await scene({
      service: [],
      argv: ['api', path, '-X', 'PATCH', '-f', 'email=nonsense', '--json'],
      exit: 2,
      error: { violations: [{ option: '--raw-field email' }] },
    });
    await scene({
      service: [json(200, { uid: ONYE_ID })],
      argv: ['api', `${path}/`, '-X', 'PATCH', '-f', 'email=a@b.c'],
      requests: [`PATCH ${path}`],
    });
    await scene({ service: [other], argv: ['api', path], exit: 8 });
  });

  it('reads a body from a file or standard input and lets fields override it', async () => {
    const file = fileOf('{"a": 1, "b": 2.50}', 'body.json');
    await scene({
      service: [json(200, { uid: 'x' })],
      argv: ['api', '/v1/things', '-X', 'POST', '--input', file, '-f', 'a[]=3'],
      requests: ['POST /v1/things {"a":["3"],"b":2.50}'],
    });
    await scene({
      service: [json(200, { uid: 'y' })],
      argv: ['api', '/v1/things/1', '-X', 'PUT', '--input', '-'],
      stdin: '{"c":{}}',
      requests: ['PUT /v1/things/1 {"c":{}}'],
    });
  });

  it('prints the request with --dry-run and --as-curl', async () => {
    const url = expect.stringMatching(/^http:.*\/v1\/things\?x=1$/);
    await scene({
      service: [],
      argv: ['api', '/v1/things?x=1', '-X', 'POST', '-f', 'a=1', '--dry-run'],
      json: { method: 'POST', url, body: { a: '1' } },
    });
    const argv = ['api', '/v1/things/1', '-X', 'DELETE', '--as-curl'];
    await scene({ service: [], argv, stdout: /--request DELETE/ });
  });

  it('accepts a path without the leading slash, which Git Bash would rewrite', () =>
    scene({ service: [page([1], null)], argv: ['api', 'v1/ugwo'], requests: ['GET /v1/ugwo'] }));

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
    await refused(words, [why]);
  });

  it.each(['', '/', '?a=b'])('refuses to create a charge: …/activities%s', async (end) => {
    await scene({
      service: [],
      argv: ['api', `/v1/ugwo/${UGWO_ID}/activities${end}`, '-X', 'POST', '--dry-run', '--json'],
      exit: 2,
      error: { hint: expect.stringContaining('paycli ugwo charge') },
    });
  });

  it.each([`/v1/ugwo/${UGWO_ID}/activities`, '/v1/refunds', '/v1/things'])(
    'sends nothing to any other spelling of a path: %s',
    async (path) => {
      const ends = ['.csv', '.yaml', '.hal', '.json', '..', '/..', '.', '%C2%AD', '%2ejson', ';a', '//'];
      for (const other of [...ends.map((end) => path + end), path.toUpperCase(), path.replace(/s$/, '%73')]) {
        await refused([other, '-X', 'POST', '-f', `ugwo_activity=${ACT}`, '--yes'], ['is no path of the service']);
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
    ...['-f', 'currency=NGN', '-f', 'description=Order 7'],
    ...['-F', 'amount=500000', '-f', 'onye_email=ada@example.com'],
  ];
  const CREATE = [
    ...['ugwo', 'create', '--amount-minor', '500000', '--currency', 'NGN'],
    ...['--customer', 'ada@example.com', '--description', 'Order 7'],
  ];

  it.each([
    ['a refund', ['refund', 'create', ACT, '--reason', 'x', '--yes'], '/v1/refunds', REFUND],
    ['a payment request', CREATE, '/v1/ugwo', REQUEST],
  ])(
    'blocks a POST that another command left unknown, and that command after the POST: %s',
    async (_what, command, path, fields) => {
      for (const spelled of [path, `${path}/`, `${path}?x=1`]) {
        const request = ['api', spelled, '-X', 'POST', ...fields, '--yes'];
        for (const [first, second] of [
          [command, request],
          [request, command],
        ] as const) {
          const lost = await scene({ service: [reset], argv: first, exit: 6 });
          await scene({ home: lost.home, service: lost.service, argv: second, exit: 9, requests: [] });
        }
      }
    },
  );

  it('blocks a second refund of an activity without --again, like `refund create`', async () => {
    const service = await serve([
      json(200, { uid: 'r1', status: 'successful' }),
      json(200, { uid: 'r2', status: 'x' }),
    ]);
    const words = (path: string): string[] => ['api', path, '-X', 'POST', '-f', `ugwo_activity=${ACT}`, '--yes'];
    const { home } = await scene({ service, argv: words('/v1/refunds') });
    for (const argv of [words('/v1/refunds'), words('/v1/refunds/'), ['refund', 'create', ACT, '--yes']]) {
      await scene({ service, home, argv, exit: 9, requests: [] });
    }
    await scene({ service, home, argv: [...words('/v1/refunds'), '--again'], stderr: /^/, requests: ['POST'] });
  });

  it('names the kind of the operation in the error', () =>
    scene({
      service: [reset],
      argv: ['api', '/v1/ugwo', '-X', 'POST', '-F', 'amount=500000', '-f', 'currency=NGN', '--json'],
      exit: 6,
      error: { message: expect.stringMatching(/^the payment request may have been created/) },
    }));
});

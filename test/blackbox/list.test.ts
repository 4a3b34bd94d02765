import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { errorOf, paycli, start } from '../support/program.ts';
import type { Answer } from '../support/service.ts';
import { hang, json, page, problem, reset, serve, ugwo } from '../support/service.ts';

const text = (number: number): string => JSON.stringify(ugwo(number));
const lines = (ended: { readonly stdout: string }): string[] => ended.stdout.split('\n').filter((line) => line !== '');

describe('ugwo list', () => {
  it('prints one page of ten, and the command for the next on stderr', async () => {
    const service = await serve([page([1, 2], 'c=2;x')]);
    const ended = await paycli(['ugwo', 'list'], { service });
    expect(ended.code).toBe(0);
    // The header says that amounts are minor units.
    expect(lines(ended)).toHaveLength(3);
    expect(lines(ended)[0]).toBe(
      'uid\tstatus\tamount_minor\tcurrency\tref\tdescription\tonye.uid\tonye.email\tcreated_at',
    );
    expect(lines(ended)[1]?.split('\t')).toEqual([
      'ugw.AbCd.000000000000000000000001',
      'requires_ugwo',
      '500001',
      'NGN',
      'order-1',
      'Order 1',
      '',
      '',
      '2026-11-20T10:00:00+00:00',
    ]);
    expect(service.seen[0]?.url).toBe('/v1/ugwo?limit=10');
    expect(ended.stderr).toContain(`paycli ugwo list --limit 10 --cursor 'c=2;x'`);
  });

  it.each([
    ['amount', 'tsv', '500001\n'],
    ['amount_minor', 'tsv', '500001\n'],
    ['amount', 'csv', 'amount_minor\r\n500001\r\n'],
    ['amount_minor', 'csv', 'amount_minor\r\n500001\r\n'],
    ['amount_minor', 'table', / {6}amount\n─+\nNGN 5,000\.01\n/],
  ])('prints --columns %s as %s, in tsv without a header', async (columns, format, text) => {
    const service = await serve([page([1], null)]);
    const { stdout } = await inProcess(['ugwo', 'list', '--columns', columns, '-o', format], { service });
    expect(stdout).toEqual(typeof text === 'string' ? text : expect.stringMatching(text));
  });

  it.each([
    ['tsv', ['uid', 'amount'], 'ugw.AbCd.000000000000000000000001\t5000.01\n'],
    ['csv', ['amount'], 'amount\r\n5000.01\r\n'],
  ])('writes amounts in decimals with --decimal: %s', async (format, columns, text) => {
    const service = await serve([page([1], 'c=2')]);
    const args = ['ugwo', 'list', '-o', format, '--columns', columns.join(','), '--decimal'];
    const { stdout, stderr } = await inProcess(args, { service });
    expect(stdout).toBe(text);
    expect(stderr).toContain(' --decimal ');
  });

  it.each([
    [['--json'], 'json'],
    [['-o', 'ndjson'], 'ndjson'],
    [['-o', 'table'], 'table'],
    [['--jq', '.data'], 'json'],
  ])('refuses --decimal for another format, and sends nothing: %j', async (more, format) => {
    const service = await serve([]);
    expect(await inProcess(['ugwo', 'list', '--decimal', ...more], { service })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`--decimal and -o ${format} can't be used together`),
    });
  });

  it('selects JSON fields with --columns, also for --jq', async () => {
    const service = await serve([page([1], null), page([1], null)]);
    const args = ['ugwo', 'list', '--json', '--columns', 'ref,amount'];
    const { stdout } = await inProcess(args, { service });
    expect(stdout).toBe('{"data":[\n{"ref":"order-1","amount":500001}\n],"next_cursor":null}\n');
    const filtered = await paycli([...args, '--jq', '.data[0]'], { service });
    expect(filtered.stdout).toBe('{"ref":"order-1","amount":500001}\n');
  });

  it('prints no header for an empty list', async () => {
    expect((await inProcess(['ugwo', 'list'], { service: await serve([page([], null)]) })).stdout).toBe('');
  });

  it('prints nothing on stderr with --quiet or on the last page', async () => {
    const service = await serve([page([1], 'c'), page([1], null)]);
    expect((await inProcess(['ugwo', 'list', '-q'], { service })).stderr).toBe('');
    expect((await inProcess(['ugwo', 'list'], { service })).stderr).toBe('');
  });

  it('continues at --cursor with --limit', async () => {
    const service = await serve([page([3], null)]);
    await inProcess(['ugwo', 'list', '--limit', '7', '--cursor', 'c=2;x'], { service });
    expect(service.seen[0]?.url).toBe('/v1/ugwo?limit=7&cursor=c%3D2%3Bx');
  });

  it('fetches all pages at the largest size with --all', async () => {
    const service = await serve([page([1], 'a'), page([], 'b'), page([2, 3], null)]);
    const ended = await inProcess(['ugwo', 'list', '--all', '--columns', 'ref'], { service });
    expect(ended).toMatchObject({ code: 0, stdout: 'order-1\norder-2\norder-3\n', stderr: '' });
    expect(service.seen.map(({ url }) => url)).toEqual([
      '/v1/ugwo?limit=100',
      '/v1/ugwo?limit=100&cursor=a',
      '/v1/ugwo?limit=100&cursor=b',
    ]);
  });

  it('prints one record per line in the same JSON shape, with and without --all', async () => {
    const service = await serve([page([1, 2], 'c'), page([1], 'c'), page([2], null)]);
    const one = await inProcess(['ugwo', 'list', '--json'], { service });
    expect(one.stdout).toBe(`{"data":[\n${text(1)},\n${text(2)}\n],"next_cursor":"c"}\n`);
    const all = await inProcess(['ugwo', 'list', '--all', '--json'], { service });
    expect(all.stdout).toBe(`{"data":[\n${text(1)},\n${text(2)}\n],"next_cursor":null}\n`);
  });

  it('preserves each field as sent, including unknown fields, order and digits', async () => {
    const record =
      '{"zz":{"b":1,"a":[true,null]},"10":1.50,"9":12345678901234567890,"uid":"ugw.AbCd.1","__proto__":{"x":1},"status":["new_state","New"]}';
    const service = await serve([
      json(200, `{"extra":1,"data":[ ${record} ],"next_cursor":null}`),
      json(200, `{"data":[${record}],"next_cursor":null}`),
    ]);
    const ended = await inProcess(['ugwo', 'list', '--json'], { service });
    expect(ended.stdout).toBe(`{"data":[\n${record}\n],"next_cursor":null}\n`);
    const cells = await inProcess(['ugwo', 'list', '--columns', '9,10,zz.a,status'], { service });
    expect(cells.stdout).toBe('12345678901234567890\t1.50\t[true,null]\tnew_state\n');
  });

  it.each([
    ['ndjson', `${text(1)}\n`],
    [
      'csv',
      'uid,status,amount_minor,currency,ref,description,onye.uid,onye.email,created_at\r\nugw.AbCd.000000000000000000000001,requires_ugwo,500001,NGN,order-1,Order 1,,,2026-11-20T10:00:00+00:00\r\n',
    ],
  ])('prints %s', async (format, stdout) => {
    const service = await serve([page([1], null)]);
    expect(await inProcess(['ugwo', 'list', '-o', format], { service })).toMatchObject({ code: 0, stdout, stderr: '' });
  });

  it('escapes formulas in csv unless --raw-csv is given', async () => {
    const answer = json(200, {
      data: [{ ...ugwo(1), description: '=HYPERLINK("http://x")', amount: -5 }],
      next_cursor: null,
    });
    const service = await serve([answer, answer]);
    const args = ['ugwo', 'list', '-o', 'csv', '--columns', 'description,amount'];
    expect((await inProcess(args, { service })).stdout).toContain(`"'=HYPERLINK(""http://x"")",-5`);
    expect((await inProcess([...args, '--raw-csv'], { service })).stdout).toContain(`"=HYPERLINK(""http://x"")",-5`);
  });

  it('prints an empty list as JSON, and nothing as text', async () => {
    const service = await serve([page([], null), page([], null)]);
    expect(JSON.parse((await inProcess(['ugwo', 'list', '--json'], { service })).stdout)).toEqual({
      data: [],
      next_cursor: null,
    });
    expect(await inProcess(['ugwo', 'list', '--all'], { service })).toMatchObject({ code: 0, stdout: '' });
  });

  // Values of --limit: test/contract/page.
  it.each([
    ['--limit 1e1 with --max', ['--limit', '1e1', '--max', '3'], /--limit.*whole number/s],
    ['--limit 500 with --max', ['--limit', '500', '--max', '3'], /--limit.*at most 100/s],
    ['an empty cursor', ['--cursor', ''], /--cursor is empty/],
    ['--max 0', ['--max', '0'], /--max: "0" is not a whole number/],
    ['an empty name in --columns', ['--columns', 'uid,,ref'], /--columns: .*empty name/],
  ])('exits with 2 for %s', async (_what, args, message) => {
    const service = await serve([]);
    const ended = await inProcess(['ugwo', 'list', ...args], { service });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(message);
  });

  it('suggests a column for an unknown one', async () => {
    const service = await serve([page([1], null)]);
    const ended = await inProcess(['ugwo', 'list', '--columns', 'uid,amuont'], { service });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(/amuont.*amount/s);
  });

  it('names --limit if the service rejects it', async () => {
    const service = await serve([problem(422, 'Validation Failed', [{ propertyPath: 'limit', title: 'too high' }])]);
    const ended = await inProcess(['ugwo', 'list', '--limit', '500', '--no-validate'], { service });
    expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining('--limit (limit): too high') });
  });
});

describe('--max', () => {
  it('requests no more than needed and says on stderr that it stopped', async () => {
    const service = await serve([page([1, 2], 'c')]);
    const ended = await inProcess(['ugwo', 'list', '--max', '2', '--json'], { service });
    expect(service.seen[0]?.url).toBe('/v1/ugwo?limit=2');
    expect(JSON.parse(ended.stdout)).toMatchObject({
      data: [{ ref: 'order-1' }, { ref: 'order-2' }],
      next_cursor: 'c',
    });
    expect(ended.stderr).toMatch(/stopped/i);
  });

  it('prints the cursor of a page that it cut, so that the next command skips nothing', async () => {
    const service = await serve([page([1, 2], 'c'), page([3, 4], 'd')]);
    const ended = await inProcess(['ugwo', 'list', '--max', '3', '--limit', '2', '--json'], { service });
    const shown = JSON.parse(ended.stdout) as { data: unknown[]; next_cursor: string };
    expect(shown.data).toHaveLength(3);
    expect(shown.next_cursor).toBe('c');
  });

  it('prints the whole first page if the service sends more than requested', async () => {
    const service = await serve([page([1, 2, 3], 'c')]);
    const ended = await inProcess(['ugwo', 'list', '--max', '2', '--json'], { service });
    expect(JSON.parse(ended.stdout)).toMatchObject({ data: [{}, {}, {}], next_cursor: 'c' });
  });

  it('prints no note beyond the end of the list', async () => {
    const service = await serve([page([1], null)]);
    expect(await inProcess(['ugwo', 'list', '--max', '50'], { service })).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('ugwo list --all that fails midway', () => {
  const broken: readonly Answer[] = [page([1], 'a'), page([2], 'b'), problem(404, 'Gone')];

  it('prints one valid JSON document with the cursor to continue', async () => {
    const service = await serve(broken);
    const ended = await inProcess(['ugwo', 'list', '--all', '--json'], { service });
    expect(ended.code).toBe(3);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      data: [{ ref: 'order-1' }, { ref: 'order-2' }],
      next_cursor: 'b',
    });
    expect(errorOf(ended)).toMatchObject({ status: 404, hint: expect.stringContaining('--cursor b') });
  });

  it('keeps the printed tsv rows and prints the command to continue', async () => {
    const service = await serve(broken);
    const ended = await inProcess(['ugwo', 'list', '--all', '--columns', 'ref'], { service });
    expect(ended).toMatchObject({ code: 3, stdout: 'order-1\norder-2\n' });
    expect(ended.stderr).toContain('paycli ugwo list --columns ref --all --limit 100 --cursor b');
  });

  it('prints nothing if the first page fails', async () => {
    const service = await serve([problem(401, 'Unauthorized')]);
    const ended = await inProcess(['ugwo', 'list', '--all', '--json'], { service });
    expect(ended).toMatchObject({ code: 4, stdout: '' });
  });

  it('exits with 8 at an invalid record and names its type', async () => {
    const service = await serve([page([1], 'a'), json(206, { data: [5], next_cursor: null })]);
    const ended = await inProcess(['ugwo', 'list', '--all', '--json'], { service });
    expect(ended.code).toBe(8);
    expect(JSON.parse(ended.stdout)).toMatchObject({ data: [{ ref: 'order-1' }], next_cursor: 'a' });
    expect(errorOf(ended)).toMatchObject({
      status: 206,
      message: expect.stringContaining('a record in "data" is not an object'),
    });
  });

  it('exits with 8 after its retries', async () => {
    const service = await serve([page([1], 'a'), reset, reset, reset, reset, reset]);
    const ended = await inProcess(['ugwo', 'list', '--all', '--json'], { service });
    expect(ended.code).toBe(8);
    expect(JSON.parse(ended.stdout)).toMatchObject({ next_cursor: 'a' });
  });

  it('exits with 8 at a repeated cursor', async () => {
    const service = await serve([page([1], 'a'), page([2], 'a')]);
    const ended = await inProcess(['ugwo', 'list', '--all', '--json'], { service });
    expect(ended.code).toBe(8);
    expect(JSON.parse(ended.stdout)).toMatchObject({ data: [{ ref: 'order-1' }, { ref: 'order-2' }] });
    expect(errorOf(ended)).toMatchObject({
      message: expect.stringContaining('same cursor'),
      hint: expect.not.stringContaining('--cursor'),
    });
  });

  it('exits with 130 on Ctrl-C and prints one valid document', async () => {
    const service = await serve([page([1], 'a'), hang]);
    const running = start(['ugwo', 'list', '--all', '--json'], { service });
    await running.saw(/order-1/);
    await service.came(2);
    running.kill('SIGINT');
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(JSON.parse(ended.stdout)).toMatchObject({ data: [{ ref: 'order-1' }], next_cursor: 'a' });
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { quickClock, start } from '../support/program.ts';
import { type Scene, scene } from '../support/scene.ts';
import type { Answer } from '../support/service.ts';
import { hang, json, page, problem, reset, serve, ugwo } from '../support/service.ts';

beforeEach(() => void quickClock());

const LIST = ['ugwo', 'list'];
const text = (number: number): string => JSON.stringify(ugwo(number));

describe('ugwo list', () => {
  it('prints one page of ten, and the command for the next on stderr', () =>
    scene({
      built: true,
      service: [page([1, 2], 'c=2;x')],
      argv: LIST,
      // The header says that amounts are minor units.
      stdout: [
        /^uid\tstatus\tamount_minor\tcurrency\tref\tdescription\tonye\.uid\tonye\.email\tcreated_at\n(?:.*\n){2}$/,
        '\nugw.AbCd.000000000000000000000001\trequires_ugwo\t500001\tNGN\torder-1\tOrder 1\t\t\t2026-11-20T10:00:00+00:00\n',
      ],
      stderr: [`paycli ugwo list --limit 10 --cursor 'c=2;x'`],
      requests: ['GET /v1/ugwo?limit=10'],
    }));

  it.each([
    ['amount', 'tsv', '500001\n'],
    ['amount_minor', 'tsv', '500001\n'],
    ['amount', 'csv', 'amount_minor\r\n500001\r\n'],
    ['amount_minor', 'csv', 'amount_minor\r\n500001\r\n'],
    ['amount_minor', 'table', / {6}amount\n─+\nNGN 5,000\.01\n/],
  ])('prints --columns %s as %s, in tsv without a header', async (columns, format, stdout) => {
    await scene({ service: [page([1], null)], argv: [...LIST, '--columns', columns, '-o', format], stdout });
  });

  it.each([
    ['tsv', 'uid,amount', 'ugw.AbCd.000000000000000000000001\t5000.01\n'],
    ['csv', 'amount', 'amount\r\n5000.01\r\n'],
  ])('writes amounts in decimals with --decimal: %s', async (format, columns, stdout) => {
    const argv = [...LIST, '-o', format, '--columns', columns, '--decimal'];
    await scene({ service: [page([1], 'c=2')], argv, stdout, stderr: / --decimal / });
  });

  it.each([
    [['--json'], 'json'],
    [['-o', 'ndjson'], 'ndjson'],
    [['-o', 'table'], 'table'],
    [['--jq', '.data'], 'json'],
  ])('refuses --decimal for another format, and sends nothing: %j', async (more, format) => {
    const stderr = [`--decimal and -o ${format} can't be used together`];
    await scene({ service: [], argv: [...LIST, '--decimal', ...more], exit: 2, stderr });
  });

  it('selects JSON fields with --columns, also for --jq', async () => {
    const record = '{"ref":"order-1","amount":500001}';
    const argv = [...LIST, '--json', '--columns', 'ref,amount'];
    await scene({ service: [page([1], null)], argv, stdout: `{"data":[\n${record}\n],"next_cursor":null}\n` });
    const filtered = [...argv, '--jq', '.data[0]'];
    await scene({ built: true, service: [page([1], null)], argv: filtered, stdout: `${record}\n` });
  });

  it.each<[string, readonly string[], Partial<Scene>]>([
    ['nothing as text', [], { stdout: '', stderr: 'Nothing found.\n' }],
    ['nothing as text with --all', ['--all'], { stdout: '', stderr: 'Nothing found.\n' }],
    ['a document as JSON', ['--json'], { json: { data: [], next_cursor: null } }],
  ])('prints of an empty list %s', async (_what, more, seen) => {
    await scene({ service: [page([], null)], argv: [...LIST, ...more], ...seen });
  });

  it('prints nothing on stderr with --quiet or on the last page', async () => {
    await scene({ service: [page([1], 'c')], argv: [...LIST, '-q'], stderr: '' });
    await scene({ service: [page([1], null)], argv: LIST, stderr: '' });
  });

  it('continues at --cursor with --limit', () =>
    scene({
      service: [page([3], null)],
      argv: [...LIST, '--limit', '7', '--cursor', 'c=2;x'],
      requests: ['GET /v1/ugwo?limit=7&cursor=c%3D2%3Bx'],
    }));

  it('fetches all pages at the largest size with --all', () =>
    scene({
      service: [page([1], 'a'), page([], 'b'), page([2, 3], null)],
      argv: [...LIST, '--all', '--columns', 'ref'],
      stdout: 'order-1\norder-2\norder-3\n',
      requests: ['GET /v1/ugwo?limit=100', 'GET /v1/ugwo?limit=100&cursor=a', 'GET /v1/ugwo?limit=100&cursor=b'],
    }));

  it.each([
    ['one page', [page([1, 2], 'c')], [], '"c"'],
    ['--all', [page([1], 'c'), page([2], null)], ['--all'], 'null'],
  ])('prints one record per line in the same JSON shape: %s', async (_what, service, more, next) => {
    const stdout = `{"data":[\n${text(1)},\n${text(2)}\n],"next_cursor":${next}}\n`;
    await scene({ service, argv: [...LIST, ...more, '--json'], stdout, stderr: /^/ });
  });

  it.each([
    [['--json'], (record: string) => `{"data":[\n${record}\n],"next_cursor":null}\n`],
    [['--columns', '9,10,zz.a,status'], () => '12345678901234567890\t1.50\t[true,null]\tnew_state\n'],
  ])('preserves each field as sent, including unknown fields, order and digits: %j', async (more, shown) => {
    const record =
      '{"zz":{"b":1,"a":[true,null]},"10":1.50,"9":12345678901234567890,"uid":"ugw.AbCd.1","__proto__":{"x":1},"status":["new_state","New"]}';
    const service = [json(200, `{"extra":1,"data":[ ${record} ],"next_cursor":null}`)];
    await scene({ service, argv: [...LIST, ...more], stdout: shown(record) });
  });

  it.each([
    ['ndjson', `${text(1)}\n`],
    [
      'csv',
      'uid,status,amount_minor,currency,ref,description,onye.uid,onye.email,created_at\r\nugw.AbCd.000000000000000000000001,requires_ugwo,500001,NGN,order-1,Order 1,,,2026-11-20T10:00:00+00:00\r\n',
    ],
  ])('prints %s', async (format, stdout) => {
    await scene({ service: [page([1], null)], argv: [...LIST, '-o', format], stdout });
  });

  it.each([
    [[], `"'=HYPERLINK(""http://x"")",-5`],
    [['--raw-csv'], `"=HYPERLINK(""http://x"")",-5`],
  ])('escapes formulas in csv unless --raw-csv is given: %j', async (more, cells) => {
    const record = { ...ugwo(1), description: '=HYPERLINK("http://x")', amount: -5 };
    const argv = [...LIST, '-o', 'csv', '--columns', 'description,amount', ...more];
    await scene({ service: [json(200, { data: [record], next_cursor: null })], argv, stdout: [cells] });
  });

  // Values of --limit: test/contract/page.
  it.each([
    ['--limit 1e1 with --max', ['--limit', '1e1', '--max', '3'], /--limit.*whole number/s],
    ['--limit 500 with --max', ['--limit', '500', '--max', '3'], /--limit.*at most 100/s],
    ['an empty cursor', ['--cursor', ''], /--cursor is empty/],
    ['--max 0', ['--max', '0'], /--max: "0" is not a whole number/],
    ['an empty name in --columns', ['--columns', 'uid,,ref'], /--columns: .*empty name/],
  ])('exits with 2 for %s', async (_what, more, stderr) => {
    await scene({ service: [], argv: [...LIST, ...more], exit: 2, stderr });
  });

  it('suggests a column for an unknown one', () =>
    scene({
      service: [page([1], null)],
      argv: [...LIST, '--columns', 'uid,amuont'],
      exit: 2,
      stderr: /amuont.*amount/s,
    }));

  it('names --limit if the service rejects it', () =>
    scene({
      service: [problem(422, 'Validation Failed', [{ propertyPath: 'limit', title: 'too high' }])],
      argv: [...LIST, '--limit', '500', '--no-validate'],
      exit: 3,
      stderr: ['--limit (limit): too high'],
    }));
});

describe('--max', () => {
  it('requests no more than needed and says on stderr that it stopped', () =>
    scene({
      service: [page([1, 2], 'c')],
      argv: [...LIST, '--max', '2', '--json'],
      json: { data: [{ ref: 'order-1' }, { ref: 'order-2' }], next_cursor: 'c' },
      stderr: /stopped/i,
      requests: ['GET /v1/ugwo?limit=2'],
    }));

  it.each([
    ['of a page that it cut, so that the next command skips nothing', [page([1, 2], 'c'), page([3, 4], 'd')], '3'],
    ['behind the whole first page if the service sends more than requested', [page([1, 2, 3], 'c')], '2'],
  ])('prints the cursor %s', async (_what, service, max) => {
    const argv = [...LIST, '--max', max, '--limit', '2', '--json'];
    await scene({ service, argv, json: { data: [{}, {}, {}], next_cursor: 'c' }, stderr: /^/ });
  });

  it('prints no note beyond the end of the list', () =>
    scene({ service: [page([1], null)], argv: [...LIST, '--max', '50'], stderr: '' }));
});

describe('ugwo list --all that fails midway', () => {
  const ALL = [...LIST, '--all', '--json'];
  const broken: readonly Answer[] = [page([1], 'a'), page([2], 'b'), problem(404, 'Gone')];

  it('prints one valid JSON document with the cursor to continue', () =>
    scene({
      service: broken,
      argv: ALL,
      exit: 3,
      json: { data: [{ ref: 'order-1' }, { ref: 'order-2' }], next_cursor: 'b' },
      error: { status: 404, hint: expect.stringContaining('--cursor b') },
    }));

  it('keeps the printed tsv rows and prints the command to continue', () =>
    scene({
      service: broken,
      argv: [...LIST, '--all', '--columns', 'ref'],
      exit: 3,
      stdout: 'order-1\norder-2\n',
      stderr: ['paycli ugwo list --columns ref --all --limit 100 --cursor b'],
    }));

  it('prints nothing if the first page fails', () =>
    scene({ service: [problem(401, 'Unauthorized')], argv: ALL, exit: 4 }));

  it('exits with 8 at an invalid record and names its type', () =>
    scene({
      service: [page([1], 'a'), json(206, { data: [5], next_cursor: null })],
      argv: ALL,
      exit: 8,
      json: { data: [{ ref: 'order-1' }], next_cursor: 'a' },
      error: { status: 206, message: expect.stringContaining('a record in "data" is not an object') },
    }));

  it('exits with 8 after its retries', () =>
    scene({
      service: [page([1], 'a'), reset, reset, reset, reset, reset],
      argv: ALL,
      exit: 8,
      json: { next_cursor: 'a' },
    }));

  it('exits with 8 at a repeated cursor', () =>
    scene({
      service: [page([1], 'a'), page([2], 'a')],
      argv: ALL,
      exit: 8,
      json: { data: [{ ref: 'order-1' }, { ref: 'order-2' }] },
      error: { message: expect.stringContaining('same cursor'), hint: expect.not.stringContaining('--cursor') },
    }));

  it('exits with 130 on Ctrl-C and prints one valid document', async () => {
    const service = await serve([page([1], 'a'), hang]);
    const running = start(ALL, { service });
    await running.saw(/order-1/);
    await service.came(2);
    running.kill('SIGINT');
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(JSON.parse(ended.stdout)).toMatchObject({ data: [{ ref: 'order-1' }], next_cursor: 'a' });
  });
});

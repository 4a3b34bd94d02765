import { describe, expect, it } from 'vitest';
import { CANARY } from '../support/canary.ts';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder, paycli, start } from '../support/program.ts';
import { ACTIVITY, held, json, page, serve, serveBy, UGWO_ID } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'];
const SPIN = 'def f: f; f';

describe('--jq on a read', () => {
  it('filters the whole list as one document and prints strings raw', async () => {
    const service = await serve([page([1, 2], 'c2'), page([3], null)]);
    const ended = await paycli(['ugwo', 'list', '--all', '--jq', '.data | map(.ref) | join(" ")'], { service });
    expect(ended).toEqual({ code: 0, signal: null, stdout: 'order-1 order-2 order-3\n', stderr: '' });
  });

  it('filters each record with -o ndjson', async () => {
    const service = await serve([page([1, 2], 'c2'), page([3], null)]);
    const ended = await inProcess(['ugwo', 'list', '--all', '-o', 'ndjson', '--jq', '{ref}'], { service });
    expect(ended.stdout).toBe('{"ref":"order-1"}\n{"ref":"order-2"}\n{"ref":"order-3"}\n');
  });

  it.each([['.data[].ref'], ['.data[] | select(.ref != "x") | .ref', '-o', 'json'], ['.ref', '-o', 'ndjson']])(
    'prints the first page before it gets the second: %s %s %s',
    async (filter, ...format) => {
      const { hold, letGo } = held(page([3], null));
      const service = await serve([page([1, 2], 'c2'), hold]);
      const running = start(['ugwo', 'list', '--all', '--jq', filter, ...format], { service });
      await running.saw(/^order-2$/m);
      letGo();
      expect(await running.ended).toMatchObject({ code: 0, stdout: 'order-1\norder-2\norder-3\n' });
    },
  );

  it('ends within its memory while an endless list arrives', async () => {
    let turn = 0;
    const empty = Array.from({ length: 90_000 }, () => []);
    const service = await serveBy(() => {
      turn += 1;
      return json(200, { data: [{ uid: UGWO_ID, metadata: empty }], next_cursor: `c${turn}` });
    });
    const ended = await paycli(['ugwo', 'list', '--all', '--jq', '.data | length'], { service });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(errorOf(ended)).toMatchObject({
      message: '--jq: the filter needs more than 256 MB of memory',
      hint: 'begin it with .data[] | to filter one record at a time',
    });
  });

  it('preserves the digits of large numbers', async () => {
    const big = '123456789012345678901234567890.000000000001';
    const service = await serve([json(200, `{"data":[{"uid":"${UGWO_ID}","amount":${big}}],"next_cursor":null}`)]);
    const ended = await inProcess(['api', '/v1/ugwo', '--jq', '.data[0].amount'], { service });
    expect(ended).toMatchObject({ code: 0, stdout: `${big}\n` });
  });

  it('is indented on a terminal and escapes control characters', async () => {
    const terminal = openTerminal(['ugwo', 'list', '--local', '--limit', '1', '-q', '--jq', '{a:1}, "\\u001b[1A"']);
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(terminal.raw()).toBe('{\r\n  "a": 1\r\n}\r\n\\x1b[1A\r\n');
  });

  it('exits with 2 if the filter fails on the answer', async () => {
    const service = await serve([page([1, 2], null)]);
    const ended = await inProcess(['ugwo', 'list', '--jq', '.data[0].uid + 1'], { service });
    expect(ended.code).toBe(2);
    expect(errorOf(ended)['message']).toMatch(/^--jq: string \("ugw\..*and number \(1\) cannot be added$/);
  });

  it('filters the received part of a broken list and exits with its code', async () => {
    const service = await serveBy(({ url }) => (url.includes('cursor') ? json(404, {}) : page([1, 2], 'c2')));
    const ended = await inProcess(['ugwo', 'list', '--all', '--jq', '.data[].ref, .next_cursor'], { service });
    expect(ended).toMatchObject({ code: 3, stdout: 'order-1\norder-2\nc2\n' });
  });

  it('hides the key and the environment from filters', async () => {
    const service = await serve([page([1], null)]);
    const env = { A_VARIABLE: 'something' };
    const { stdout } = await paycli(['ugwo', 'list', '--jq', '$ENV, env'], { service, env });
    expect(stdout).toContain('web_user');
    expect(stdout).not.toMatch(/PAYCLI|A_VARIABLE|sk\./);
  });

  it('hides a key that a filter puts across the border of two pieces', async () => {
    const service = await serve([page([1], null), page([1], null)]);
    const halves = [CANARY.slice(0, 40), CANARY.slice(40)].map((half) => JSON.stringify(half)).join(' + ');
    for (const [before, run] of [
      [65_460, inProcess],
      [65_500, paycli],
    ] as const) {
      const filter = `("x" * ${before}) + ${halves} + "y"`;
      const { code, stdout } = await run(['ugwo', 'list', '--jq', filter], { service });
      expect([code, stdout]).toEqual([0, `${'x'.repeat(before)}[secret …${CANARY.slice(-4)}]y\n`]);
    }
  });

  it('stops when its reader has closed the pipe', async () => {
    const running = start(['ugwo', 'list', '--local', '--jq', 'range(1e12)'], {
      program: ['sh', '-c', '"$@" | head -n 2; exit "$?"', 'sh', ...(await programWords())],
    });
    expect(await running.ended).toMatchObject({ code: 0, stdout: '0\n1\n' });
  });

  it('reacts to Ctrl-C during an endless filter', async () => {
    // Prints more than the output buffer holds.
    const running = start(['ugwo', 'list', '--local', '--jq', `range(20000), (${SPIN})`]);
    await running.saw(/^9999$/m);
    running.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130 });
  });

  it.each([['-o', 'csv'], ['--as-curl']])("can't be combined with %s %s", async (...args) => {
    expect(await inProcess(['ugwo', 'list', '--local', '--jq', '.', ...args])).toMatchObject({ code: 2 });
  });
});

describe('--jq on a charge', () => {
  it('prints the filtered activity', async () => {
    const service = await serve([json(200, ACTIVITY)]);
    const ended = await inProcess([...CHARGE, '--jq', '.uid'], { service });
    expect(ended).toEqual({ code: 0, signal: null, stdout: `${ACTIVITY.uid}\n`, stderr: '' });
  });

  // Invalid and failing filters: test/jq.
  it('with an invalid filter is rejected before sending', async () => {
    const service = await serve([]);
    const ended = await inProcess([...CHARGE, '--jq', '.a) | (.b'], { service });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(service.connections()).toBe(0);
  });

  it('prints the answer in the error if the filter fails', async () => {
    const home = newFolder();
    const service = await serve([json(200, ACTIVITY)]);
    const ended = await paycli([...CHARGE, '--jq', '.uid, input'], { service, home });
    expect(ended.code).toBe(7);
    expect(errorOf(ended)).toMatchObject({ kind: 'unrecorded', answer: ACTIVITY });
    const ledger = await inProcess(['ledger', 'list', '--json'], { home });
    expect(ledger.stdout).toContain('"state":"accepted"');
  });

  it('prints the answer if Ctrl-C stops an endless filter', async () => {
    const answered = Promise.withResolvers<void>();
    const service = await serve([
      (seen, response, socket) => {
        response.on('close', () => answered.resolve());
        json(200, ACTIVITY)(seen, response, socket);
      },
    ]);
    const home = newFolder();
    const running = start([...CHARGE, '--debug', '--jq', SPIN], { service, home });
    await answered.promise;
    // The ledger has the answer before the filter starts.
    await expect
      .poll(async () => (await inProcess(['ledger', 'list', '--json'], { home })).stdout, { interval: 200 })
      .toContain('"state":"accepted"');
    running.kill('SIGINT');
    const ended = await running.ended;
    expect(ended.code).toBe(7);
    expect(errorOf(ended)).toMatchObject({ kind: 'unrecorded', answer: ACTIVITY });
  });

  it('does not claim that nothing was sent if the filter fails on the summary of a file', async () => {
    const service = await serve([json(200, ACTIVITY)]);
    const rows = `ugwo,medium\n${UGWO_ID},bank_transfer\n`;
    const args = ['ugwo', 'charge', '--from', '-', '--input-format', 'csv', '--jq', '.job + 1'];
    const ended = await inProcess(args, { service, stdin: rows });
    expect(ended.code).toBe(7);
    expect(errorOf(ended)).toMatchObject({ kind: 'unrecorded', answer: { accepted: 1 } });
  });
});

const programWords = async (): Promise<readonly string[]> => (await import('../support/built.ts')).PROGRAM;

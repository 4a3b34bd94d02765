import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../support/built.ts';
import { CANARY } from '../support/canary.ts';
import { inProcess } from '../support/in-process.ts';
import { errorOf, newFolder, start } from '../support/program.ts';
import { type Scene, scene } from '../support/scene.ts';
import { ACTIVITY, type Answer, held, json, page, serve, UGWO_ID } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';

const CHARGE = ['ugwo', 'charge', UGWO_ID, '--medium', 'bank_transfer'];
const SPIN = 'def f: f; f';

describe('--jq on a read', () => {
  it.each<[string, readonly string[], Partial<Scene>]>([
    [
      'filters the whole list as one document and prints strings raw',
      ['--all', '--jq', '.data | map(.ref) | join(" ")'],
      { built: true, stdout: 'order-1 order-2 order-3\n' },
    ],
    [
      'filters each record with -o ndjson',
      ['--all', '-o', 'ndjson', '--jq', '{ref}'],
      { stdout: '{"ref":"order-1"}\n{"ref":"order-2"}\n{"ref":"order-3"}\n' },
    ],
    [
      'filters the received part of a broken list and exits with its code',
      ['--all', '--jq', '.data[].ref, .next_cursor'],
      { service: [page([1, 2], 'c2'), json(404, {})], exit: 3, stdout: 'order-1\norder-2\nc2\n' },
    ],
    [
      'exits with 2 if the filter fails on the answer',
      ['--jq', '.data[0].uid + 1'],
      {
        service: [page([1, 2], null)],
        exit: 2,
        error: { message: /^--jq: string \("ugw\..*and number \(1\) cannot be added$/ },
      },
    ],
    [
      'hides the key and the environment',
      ['--jq', '$ENV, env'],
      {
        built: true,
        service: [page([1], null)],
        env: { A_VARIABLE: 'something' },
        stdout: /^(?!.*(?:PAYCLI|A_VARIABLE|sk\.)).*web_user/s,
      },
    ],
  ])('%s', async (_what, words, wanted) => {
    await scene({ service: [page([1, 2], 'c2'), page([3], null)], argv: ['ugwo', 'list', ...words], ...wanted });
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
    const service = (): Answer => {
      turn += 1;
      return json(200, { data: [{ uid: UGWO_ID, metadata: empty }], next_cursor: `c${turn}` });
    };
    const message = '--jq: the filter needs more than 256 MB of memory';
    const error = { message, hint: 'begin it with .data[] | to filter one record at a time' };
    await scene({ built: true, service, argv: ['ugwo', 'list', '--all', '--jq', '.data | length'], exit: 2, error });
  });

  it('preserves the digits of large numbers', () => {
    const big = '123456789012345678901234567890.000000000001';
    const service = [json(200, `{"data":[{"uid":"${UGWO_ID}","amount":${big}}],"next_cursor":null}`)];
    return scene({ service, argv: ['api', '/v1/ugwo', '--jq', '.data[0].amount'], stdout: `${big}\n` });
  });

  it('is indented on a terminal and escapes control characters', async () => {
    const terminal = openTerminal(['ugwo', 'list', '--local', '--limit', '1', '-q', '--jq', '{a:1}, "\\u001b[1A"']);
    expect(await terminal.ended).toEqual({ code: 0 });
    expect(terminal.raw()).toBe('{\r\n  "a": 1\r\n}\r\n\\x1b[1A\r\n');
  });

  it('hides a key that a filter puts across the border of two pieces', async () => {
    const halves = [CANARY.slice(0, 40), CANARY.slice(40)].map((half) => JSON.stringify(half)).join(' + ');
    for (const [before, how] of [
      [65_460, {}],
      [65_500, { built: true }],
    ] as const) {
      const argv = ['ugwo', 'list', '--jq', `("x" * ${before}) + ${halves} + "y"`];
      const stdout = `${'x'.repeat(before)}[secret …${CANARY.slice(-4)}]y\n`;
      await scene({ ...how, service: [page([1], null)], argv, stdout });
    }
  });

  it('stops when its reader has closed the pipe', async () => {
    const running = start(['ugwo', 'list', '--local', '--jq', 'range(1e12)'], {
      program: ['sh', '-c', '"$@" | head -n 2; exit "$?"', 'sh', ...PROGRAM],
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

  it.each(['-o csv', '--as-curl'])("can't be combined with %s", async (option) => {
    const argv = ['ugwo', 'list', '--local', '--jq', '.', ...option.split(' ')];
    await scene({ argv, exit: 2, error: { message: `--jq and ${option} can't be used together` } });
  });
});

describe('--jq on a charge', () => {
  it('prints the filtered activity', () =>
    scene({ service: [json(200, ACTIVITY)], argv: [...CHARGE, '--jq', '.uid'], stdout: `${ACTIVITY.uid}\n` }));

  // Invalid and failing filters: test/jq.
  it('with an invalid filter is rejected before sending', async () => {
    const { service } = await scene({ service: [], argv: [...CHARGE, '--jq', '.a) | (.b'], exit: 2 });
    expect(service?.connections()).toBe(0);
  });

  it('prints the answer in the error if the filter fails', () =>
    scene({
      built: true,
      service: [json(200, ACTIVITY)],
      argv: [...CHARGE, '--jq', '.uid, input'],
      exit: 7,
      stdout: /^/,
      error: { kind: 'unrecorded', answer: ACTIVITY },
      entries: [{ state: 'accepted' }],
    }));

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
    const stdin = `ugwo,medium\n${UGWO_ID},bank_transfer\n`;
    const argv = ['ugwo', 'charge', '--from', '-', '--input-format', 'csv', '--jq', '.job + 1'];
    const error = { kind: 'unrecorded', answer: { accepted: 1 } };
    await scene({ service: [json(200, ACTIVITY)], stdin, argv, exit: 7, error });
  });
});

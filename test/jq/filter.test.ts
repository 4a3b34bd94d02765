import { execFileSync, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PayError } from '../../src/core/error.ts';
import type { Clock } from '../../src/core/io.ts';
import type { Filter } from '../../src/core/result.ts';
import { openFilter } from '../../src/jq/room.ts';
import { CORPUS } from './corpus.ts';

const FILES = { worker: resolve('dist/jq/worker.js'), wasm: resolve('dist/jq/jq.wasm') };

const clock: Clock = {
  now: () => 0,
  ticks: () => performance.now(),
  sleep: (_ms, signal) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
};
const signals = { stop: new AbortController().signal, leave: new AbortController().signal };

const open = (filter: string, world: Partial<Parameters<typeof openFilter>[1]> = {}): Filter =>
  openFilter(filter, { clock, signals, ...world }, FILES);

const printed = async (filter: Filter, input: string, isIndented = false): Promise<string> => {
  let text = '';
  await filter.run(input, isIndented, async (more) => {
    text += more;
    return true;
  });
  return text;
};

const faultOf = async (promise: Promise<unknown>): Promise<PayError> => {
  const thrown = await promise.catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(PayError);
  return thrown as PayError;
};

const debianJq = spawnSync('jq', ['--version'], { encoding: 'utf8' }).stdout as string | null;

describe('a filter of jq 1.8', () => {
  // The text around the filter, or the number of inputs, is part of the case.
  const alone = CORPUS.filter(
    ({ filter, input }) => filter.includes('#') || filter.startsWith('-') || /^\{.*\n/.test(input),
  );
  const others = CORPUS.filter((one) => !alone.includes(one));
  // One jq for all cases: the input selects the filter.
  const chosen = others.map(({ filter }, which) => `if .[0] == ${which} then .[1] | (${filter}) else empty end`);
  const together = open(chosen.join(', '));

  it.each(others.map((one, which) => ({ ...one, which })))('$filter', async ({ which, input, output }) => {
    expect(await printed(together, `[${which},${input}]`)).toBe(output);
  });

  it.each(alone)('$filter', async ({ filter, input, output }) => {
    const opened = open(filter);
    await opened.check();
    expect(await printed(opened, input)).toBe(output);
  });

  it('is indented as in jq', async () => {
    expect(await printed(open('.'), '{"a":[1,{}]}', true)).toBe('{\n  "a": [\n    1,\n    {}\n  ]\n}\n');
  });

  it('keeps megabytes of output intact, in pieces', async () => {
    const pieces: number[] = [];
    let text = '';
    await open('range(200000)').run('null', false, async (more) => {
      pieces.push(more.length);
      text += more;
      return true;
    });
    expect(text).toBe(Array.from({ length: 200_000 }, (_, n) => `${n}\n`).join(''));
    expect(Math.max(...pieces)).toBeLessThanOrEqual(64 * 1024);
  });

  it('stops when the reader is gone', async () => {
    let times = 0;
    const once = async (): Promise<boolean> => {
      times += 1;
      return false;
    };
    await open('range(1e12)').run('null', false, once);
    expect(times).toBe(1);
  });

  it.each([
    ['"a\\ud800b"', '"a\ufffdb"'],
    ['{"\\uD83D":"\\udBff"}', '{"\ufffd":"\ufffd"}'],
    ['"\\ud800\\u0041"', '"\ufffdA"'],
    ['"\\ud83d\\ud83d\\ude00"', '"\ufffd\u{1f600}"'],
    ['"\\udc00\\ud800"', '"\ufffd\ufffd"'],
    ['"\\\\ud800 \\\\\\ud800"', '"\\\\ud800 \\\\\ufffd"'],
    ['"\\uD83D\\uDE00"', '"\u{1f600}"'],
  ])('gets U+FFFD for half of a surrogate pair: %s', async (input, output) => {
    expect(await printed(open('tojson'), input)).toBe(`${output}\n`);
  });

  it('returns its stderr', async () => {
    expect(await open('debug').run('1', false, async () => true)).toBe('["DEBUG:",1]');
  });

  it('sees no environment variable of paycli', async () => {
    process.env['PAYCLI_FILTER_TEST'] = 'seen';
    const seen = JSON.parse(await printed(open('[env, $ENV]'), '1')) as Record<string, string>[];
    delete process.env['PAYCLI_FILTER_TEST'];
    for (const one of seen)
      expect(Object.keys(one).sort()).toEqual(['HOME', 'LANG', 'LOGNAME', 'PATH', 'PWD', 'USER', '_']);
  });

  it.each([
    ['.[(', /syntax error, unexpected end of file at <top-level>, line 1, column 3:\n {4}\.\[\(/],
    ['nosuch', /nosuch\/0 is not defined/],
    ['.a) | (.b', /syntax error/],
    ['', /Top-level program not given/],
    ['import "a" as a; .', /module not found/],
  ])('is rejected before it runs: %s', async (filter, message) => {
    expect(await faultOf(open(filter).check())).toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ['.a.b', '{"a":1}', 'Cannot index number with string ("b")'],
    ['error("why")', '1', 'why'],
    ['error({a:1})', '1', '{"a":1}'],
    ['input', '1', "input can't be used here"],
    ['halt', '1', "halt can't be used here"],
    ['"bye"|halt_error', '1', 'bye'],
  ])('fails while it runs: %s', async (filter, input, message) => {
    const opened = open(filter);
    await opened.check();
    expect(await faultOf(printed(opened, input))).toMatchObject({ kind: 'usage', message: `--jq: ${message}` });
  });

  it('prints what precedes the failing value, and nothing after it', async () => {
    let text = '';
    const run = open('.a + 1').run('{"a":1}\n{"a":{}}\n{"a":3}', false, async (more) => {
      text += more;
      return true;
    });
    // Output in the same piece as the failure is lost: a record that can't be filtered ends the output.
    await faultOf(run);
    expect(text).toBe('2\n');
  });

  it('may use limited memory', async () => {
    expect((await faultOf(printed(open('def f: [f]; f'), '1'))).message).toContain('more than 256 MB');
  });

  it('may be silent for a limited time', async () => {
    const never = open('def f: f; f', { clock: { ...clock, sleep: async () => undefined } });
    expect((await faultOf(printed(never, '1'))).message).toContain('printed nothing for 60 s');
  });

  it('is stopped by a signal, or by the second one if it stops writing first', async () => {
    const [stop, leave] = [new AbortController(), new AbortController()];
    const world = { signals: { stop: stop.signal, leave: leave.signal } };
    const atFirst = async (): Promise<boolean> => {
      // There is more than one piece of output, so the filter is still running.
      setImmediate(() => stop.abort('SIGINT'));
      return true;
    };
    const first = faultOf(open('range(20000), (def f: f; f)', world).run('1', false, atFirst));
    expect((await first).kind).toBe('interrupted');
    expect(await printed(open('.', world), '1')).toBe('1\n');
    const second = faultOf(printed(open('def f: f; f', world), '1'));
    leave.abort('SIGINT');
    expect((await second).kind).toBe('interrupted');
  });
});

describe.runIf(debianJq?.startsWith('jq-') === true)('the installed jq, which may be older', () => {
  it.each(CORPUS.filter(({ since }) => since === undefined))(
    'prints the same: $filter',
    ({ filter, input, output }) => {
      expect(execFileSync('jq', ['-rc', filter], { input, encoding: 'utf8' })).toBe(output);
    },
  );
});

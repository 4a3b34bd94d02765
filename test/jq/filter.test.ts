import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PayError } from '../../src/core/error.ts';
import type { Clock } from '../../src/core/io.ts';
import type { Filter } from '../../src/core/result.ts';
import { openFilter } from '../../src/jq/room.ts';

const FILES = { worker: resolve('dist/jq/worker.js'), wasm: resolve('dist/jq/jq.wasm') };

const clock: Clock = {
  now: () => 0,
  ticks: () => performance.now(),
  sleep: (_ms, signal) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
};
const signals = { stop: new AbortController().signal, leave: new AbortController().signal };

const open = (filter: string, world: Partial<Parameters<typeof openFilter>[1]> = {}): Filter =>
  openFilter(filter, { clock, signals, ...world }, FILES);

const printed = async (filter: Filter, input: string): Promise<string> => {
  let text = '';
  await filter.run(input, false, async (more) => {
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

describe('a filter', () => {
  it.each([
    ['.', '"  blanks  "\n"line\\nline\\n"', '  blanks  \nline\nline\n\n'],
    ['.a # a comment', '{"a":1}', '1\n'],
    ['-.a', '{"a":1}', '-1\n'],
  ])('%s of %s', async (filter, input, output) => {
    const opened = open(filter);
    await opened.check();
    expect(await printed(opened, input)).toBe(output);
  });

  it('keeps long output intact, in pieces', async () => {
    const pieces: number[] = [];
    let text = '';
    // A piece ends in the middle of a character.
    await open('"a" + "é" * 60000').run('null', false, async (more) => {
      pieces.push(more.length);
      text += more;
      return true;
    });
    expect(text).toBe(`a${'é'.repeat(60_000)}\n`);
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

  it('gets U+FFFD for half of a surrogate pair', async () => {
    const halves = ['{"\\uD83D":"\\udBff"}', '"\\udc00\\ud800"', '"\\\\ud800 \\\\\\ud800"'].join('\n');
    expect(await printed(open('tojson'), halves)).toBe('{"\ufffd":"\ufffd"}\n"\ufffd\ufffd"\n"\\\\ud800 \\\\\ufffd"\n');
  });

  it('returns its stderr', async () => {
    expect(await open('debug').run('1', false, async () => true)).toBe('["DEBUG:",1]');
  });

  it('is rejected before it runs', async () => {
    const message = /syntax error, unexpected end of file at <top-level>, line 1, column 3:\n {4}\.\[\(/;
    expect(await faultOf(open('.[(').check())).toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(message),
    });
  });

  it('can use neither further input nor the end of the program', async () => {
    const names = ['input', 'inputs', 'halt', '"bye"|halt_error', 'halt_error(0)'];
    const tried = names.map((name) => `(try (${name}) catch .)`).join(', ');
    expect(await printed(open(tried), '1')).toBe(
      ['input', 'inputs', 'halt', 'halt_error', 'halt_error'].map((name) => `${name} can't be used here\n`).join(''),
    );
  });

  it.each([
    ['error({a:1})', '1', '{"a":1}'],
    ['[range(300000)]|debug|length', '1', 'debug, stderr and error wrote more than 1 MB'],
    ['"\\(range(300000))"|debug|empty', '1', 'debug, stderr and error wrote more than 1 MB'],
    ['[range(300000)]|error', '1', 'debug, stderr and error wrote more than 1 MB'],
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

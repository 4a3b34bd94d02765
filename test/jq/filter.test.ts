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

/** Runs a filter over an input as one part, and returns its stderr. */
const run = async (filter: Filter, input: string, write: (text: string) => Promise<boolean>): Promise<string> => {
  const feed = filter.open({ isIndented: false, fromRecords: false }, write);
  return (await feed(input)) + (await feed());
};

const printed = async (filter: Filter, input: string): Promise<string> => {
  let text = '';
  await run(filter, input, async (more) => {
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

  it('gets its input in parts, and prints all that a part gives before it takes the next', async () => {
    let text = '';
    const feed = open('.').open({ isIndented: false, fromRecords: false }, async (more) => {
      text += more;
      return true;
    });
    const long = 'é'.repeat(300_000);
    // jq reads 1024 bytes at a time: no length of a part may look like the end of the input.
    for (const part of ['1\n', `"${'a'.repeat(1021)}"\n`, `"${'a'.repeat(2045)}"\n`, `"${long}"\n`, '[2', ',3]\n']) {
      const before = text;
      await feed(part);
      expect(text).toBe(before + (part === '[2' ? '' : part === ',3]\n' ? '[2,3]\n' : part.replaceAll('"', '')));
    }
    expect(await feed()).toBe('');
  });

  it('keeps long output intact, in pieces', async () => {
    const pieces: number[] = [];
    let text = '';
    // A piece ends in the middle of a character.
    await run(open('"a" + "é" * 60000'), 'null', async (more) => {
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
    await run(open('range(1e12)'), 'null', once);
    expect(times).toBe(1);
  });

  it('gets U+FFFD for half of a surrogate pair', async () => {
    const halves = ['{"\\uD83D":"\\udBff"}', '"\\udc00\\ud800"', '"\\\\ud800 \\\\\\ud800"'].join('\n');
    expect(await printed(open('tojson'), halves)).toBe('{"\ufffd":"\ufffd"}\n"\ufffd\ufffd"\n"\\\\ud800 \\\\\ufffd"\n');
  });

  it('returns its stderr', async () => {
    expect(await run(open('debug'), '1', async () => true)).toBe('["DEBUG:",1]');
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
    const failing = run(open('.a + 1'), '{"a":1}\n{"a":{}}\n{"a":3}', async (more) => {
      text += more;
      return true;
    });
    await faultOf(failing);
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
    const first = faultOf(run(open('range(20000), (def f: f; f)', world), '1', atFirst));
    expect((await first).kind).toBe('interrupted');
    expect(await printed(open('.', world), '1')).toBe('1\n');
    const second = faultOf(printed(open('def f: f; f', world), '1'));
    leave.abort('SIGINT');
    expect((await second).kind).toBe('interrupted');
  });
});

describe('a filter that begins with .data[]', () => {
  const RECORDS = [
    '{"id":1,"a":{"b":[1,2,{"c":null}]},"amount":123456789012345678901234567890.10}',
    '{"id":"\\u0000\\ud83d\\ude00 \\ud800","a":[[3],[],{"b":4}],"a b":[5]}',
    '{}',
    '{"id":1,"id":2,"data":[{"id":9}],"next_cursor":"mine","a":{"b":{"x":6,"y":[7]}}}',
    '{"id":null,"a":null,"x":0}',
    // Not what a service sends, but what a filter must fail on in the same way.
    '"text"',
    '[1,[2],{"a":3}]',
    'null',
    '{"id":5,"a":5}',
  ];

  const result = async (opened: Filter, fromRecords: boolean, records: readonly string[]) => {
    let stdout = '';
    const feed = opened.open({ isIndented: false, fromRecords }, async (more) => {
      stdout += more;
      return true;
    });
    const input = fromRecords
      ? records.map((record) => `${record}\n`)
      : [`{"data":[\n${records.join(',\n')}\n],"next_cursor":"c"}\n`];
    try {
      for (const part of input) await feed(part);
      await feed();
      return { stdout };
    } catch (thrown) {
      return { stdout, message: (thrown as PayError).message };
    }
  };

  it.each([
    '.data[]',
    ' .data [ ] ',
    '.data[]?',
    '.data[].id',
    '.data[].id?',
    '.data[] .a .b',
    '.data[].a?.b?[]?',
    '.data[].a[]',
    '.data[]?["a b"]?[0]?',
    '.data[].a.b[2].c',
    '.data[] | .id',
    '.data[]|select(.id == 1)|.a.b[]',
    '.data[] | .id, .a',
    '.data[] | (.id, .a)? // "none"',
    '.data[] | [.id, .a?] | @json',
    '.data[] | try .id catch "\\(.) \\($__loc__)"',
    '.data[] | . as $one | reduce (.a[]?) as $x (0; . + 1) | {n: ., $one}',
    '.data[] | def f: .id?; first(f, 1), limit(1; f)',
    '.data[] | label $out | (.a[]? | if . == null then ., break $out else . end)',
    '.data[] | .data[]?, .next_cursor?',
    '.data[] | debug | stderr | .id? |= 1',
    '.data[] | input_filename, $ENV, (. | tojson), ([paths] | length)',
    '.data[] | input',
    '.data[] | error',
    '.data[] | halt',
    '.data[] | .id + 1 # | \n | tostring',
  ])('gives for each record what it gives for the list: %s', async (filter) => {
    const opened = open(filter);
    expect(opened.isPerRecord).toBe(true);
    for (const records of [RECORDS, RECORDS.slice(0, 5), RECORDS.slice(2, 3), []]) {
      expect(await result(opened, true, records)).toEqual(await result(opened, false, records));
    }
  });

  it.each([
    '.',
    '.data',
    '.data | .[]',
    '.data[0]',
    '.data[], .next_cursor',
    '.data[] , 1 | .',
    '.data[] as $one | .next_cursor',
    '.data[] // 1',
    '.data[] + 1',
    '.data[].id + .data[].id',
    '.data[] |= 1',
    '.data[].id |= 1',
    '.data[] = 1',
    '.data[].a[.next_cursor]',
    '.data[]["\\(.next_cursor)"]',
    '.data[][1:]',
    '.data[].a??',
    '.data[] | input_line_number',
    'limit(1; .data[])',
    '[.data[]]',
    'first(.data[] | .id)',
    'try .data[] catch 1',
    '.next_cursor, .data[] | .',
    '.data[] == .data[] | not',
  ])('is about the whole list otherwise: %s', (filter) => {
    expect(open(filter).isPerRecord).toBe(false);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { render } from '../../src/output/render.ts';
import { mayBeRenamed } from '../support/engine.ts';
import { options, pagesOf, pipe, received, recordOf, served, terminal, ugwoView } from './support.ts';

const NUMBERS = '{"big":12345678901234567890,"huge":1e400,"exact":0.1000,"zero":-0}';

const one = async (text: string, format: 'json' | 'ndjson', io = pipe()): Promise<string> => {
  await render({ kind: 'record', record: received(text), view: ugwoView }, io, options({ format }));
  return io.stdout.text;
};

const many = async (format: 'json' | 'ndjson', ...pages: readonly (readonly string[])[]): Promise<string> => {
  const io = pipe();
  const list = pagesOf(...pages.map((texts) => texts.map(received)));
  await render({ kind: 'list', pages: served(list), view: ugwoView }, io, options({ format }));
  return io.stdout.text;
};

describe('json, one object', () => {
  it("is the service's text on one line, with its numbers, order and unknown fields", async () => {
    const sent = ' { "z" : {"10":1,"2":[ ]} , "new" : "a , b" ,\n "n" : 1.50 } ';
    expect(await one(sent, 'json')).toBe('{"z":{"10":1,"2":[]},"new":"a , b","n":1.50}\n');
    expect(await one(NUMBERS, 'json')).toBe(`${NUMBERS}\n`);
    for (const loose of ['{"a":1 }', '{"a" :1}', '{ "a":1}', '{"a": 1}']) {
      expect(await one(loose, 'json')).toBe('{"a":1}\n');
    }
    expect(await one('\n{"a":1}', 'json')).toBe('{"a":1}\n');
    expect(await one('{"a":1}\r\n', 'json')).toBe('{"a":1}\n');
  });

  it('is indented on a terminal, and one line as ndjson', async () => {
    expect(await one('{"a":1.0}', 'json', terminal())).toBe('{\n  "a": 1.0\n}\n');
    expect(await one('{"a":1.0}', 'ndjson', terminal())).toBe('{"a":1.0}\n');
  });

  it('preserves any JSON value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.constantFrom(undefined, 1), async (value, blanks) => {
        fc.pre(!mayBeRenamed(JSON.stringify(value)));
        const text = await one(JSON.stringify({ value }, null, blanks), 'json');
        expect(text).toMatch(/^[^\n]*\n$/);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify({ value })));
      }),
    );
  });

  it('escapes control characters', async () => {
    expect(await one('{"a":"\u202e\u009b"}', 'json', terminal())).toBe('{\n  "a": "\\u202e\\u009b"\n}\n');
  });
});

describe('json, a list', () => {
  it('is one document with a record per line over all pages', async () => {
    expect(await many('json', [NUMBERS, '{"a":2}'], ['{"a":3}'])).toBe(
      `{"data":[\n${NUMBERS},\n{"a":2},\n{"a":3}\n],"next_cursor":null}\n`,
    );
  });

  it('is valid without records or with empty pages', async () => {
    expect(await many('json')).toBe('{"data":[],"next_cursor":null}\n');
    expect(await many('json', [])).toBe('{"data":[],"next_cursor":null}\n');
    expect(await many('json', [], ['{"a":1}'], [], ['{"a":2}'], [])).toBe(
      '{"data":[\n{"a":1},\n{"a":2}\n],"next_cursor":null}\n',
    );
  });

  it('has the next cursor with any characters', async () => {
    const io = pipe();
    const page = { records: [recordOf({ a: 1 })], cursor: undefined, nextCursor: 'a"\u202e/+=' };
    await render({ kind: 'list', pages: served([page]), view: ugwoView }, io, options());
    expect(io.stdout.text).toBe('{"data":[\n{"a":1}\n],"next_cursor":"a\\"\\u202e/+="}\n');
  });
});

it('ndjson has a record per line', async () => {
  expect(await many('ndjson', [NUMBERS, '{ "a": "x\u2028" }'], [], ['{"a":3}'])).toBe(
    `${NUMBERS}\n{"a":"x\\u2028"}\n{"a":3}\n`,
  );
  expect(await many('ndjson', [])).toBe('');
});

describe('named columns in JSON', () => {
  const view = { columns: [] };
  const text =
    '{"uid":"u","n":1.50,"big":12345678901234567890,"onye":{"uid":"o","email":"a@b.c"},"gone":null,"list":[{"a":1,"b":2},{"a":3}],"__proto__":{"x":1}}';
  const shown = async (format: 'json' | 'ndjson', columns: readonly string[]): Promise<string> => {
    const io = pipe();
    await render({ kind: 'record', record: received(text), view }, io, options({ format, columns }));
    return io.stdout.text;
  };

  it.each([
    [['onye.email', 'uid'], '{"onye":{"email":"a@b.c"},"uid":"u"}'],
    [
      ['onye.uid', 'n', 'onye.email', 'big'],
      '{"onye":{"uid":"o","email":"a@b.c"},"n":1.50,"big":12345678901234567890}',
    ],
    [['onye', 'onye.uid'], '{"onye":{"uid":"o","email":"a@b.c"}}'],
    [['gone', 'list.1.a'], '{"gone":null,"list":[null,{"a":3}]}'],
    [['__proto__.x'], '{"__proto__":{"x":1}}'],
  ])('preserve nesting, order and digits: %j', async (columns, json) => {
    expect(await shown('ndjson', columns)).toBe(`${json}\n`);
    expect(await shown('json', columns)).toBe(`${json}\n`);
  });

  it('are the same on every page, and null where missing', async () => {
    for (const [format, json] of [
      ['ndjson', '{"ref":"a","onye":{"email":null}}\n{"ref":null,"onye":{"email":null}}\n'],
      [
        'json',
        '{"data":[\n{"ref":"a","onye":{"email":null}},\n{"ref":null,"onye":{"email":null}}\n],"next_cursor":null}\n',
      ],
    ] as const) {
      const io = pipe();
      // Only the first page has a ref, which is no column of the view.
      const pages = served(pagesOf([], [recordOf({ uid: 'u', ref: 'a' })], [recordOf({ uid: 'v', onye: null })]));
      const asked = options({ format, columns: ['ref', 'onye.email'] });
      await render({ kind: 'list', pages, view: { columns: [{ path: 'onye.email' }] } }, io, asked);
      expect(io.stdout.text).toBe(json);
    }
  });
});

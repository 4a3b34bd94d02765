import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApiRecord } from '../../src/core/record.ts';
import type { View } from '../../src/core/result.ts';
import { render } from '../../src/output/render.ts';
import { ANY_CHARACTER } from '../support/text.ts';
import { CREATED, options, pagesOf, pipe, received, recordOf, served, ugwo, ugwoView } from './support.ts';

const one = async (record: ApiRecord, columns?: readonly string[], view = ugwoView): Promise<string> => {
  const io = pipe();
  await render({ kind: 'record', record, view }, io, options({ format: 'tsv', columns }));
  return io.stdout.text;
};

const many = async (records: readonly ApiRecord[], columns?: readonly string[], view = ugwoView): Promise<string> => {
  const io = pipe();
  await render({ kind: 'list', pages: served(pagesOf(records)), view }, io, options({ format: 'tsv', columns }));
  return io.stdout.text;
};

describe('tsv, a list', () => {
  it('has the raw columns of the view under a header', async () => {
    const long = 'x'.repeat(500);
    const text = await many([
      ugwo('a1', { description: long, onye: { uid: 'ony.WXYZ.a1' } }),
      recordOf({ uid: 'ugw.WXYZ.b2', amount: 0, currency: 'NGN', ref: null }),
    ]);
    expect(text).toBe(
      `uid\tstatus\tamount_minor\tcurrency\tref\tdescription\tonye.uid\tcreated_at\n` +
        `ugw.WXYZ.a1\tprocessing\t500000\tNGN\torder-a1\t${long}\tony.WXYZ.a1\t${CREATED}\n` +
        'ugw.WXYZ.b2\t\t0\tNGN\t\t\t\t\n',
    );
  });

  it('preserves the digits of numbers', async () => {
    const record = received('{"uid":"u","a":12345678901234567890,"b":1e400,"c":[0.1000,-0]}');
    expect(await many([record], ['a', 'b', 'c', 'c.0'])).toBe('12345678901234567890\t1e400\t[0.1000,-0]\t0.1000\n');
  });

  it.each(['12345678901234567890', '1e400', '1E5', '0.1000', '-0', '-0.0', '1e-7', '9007199254740993'])(
    'rounds no number: %s',
    async (number) => {
      expect(await many([received(`{"a":${number}}`)], ['a'])).toBe(`${number}\n`);
      expect(await many([received(`[ ${number}]`)], ['0'])).toBe(`${number}\n`);
    },
  );

  it('has the named columns in order over all pages', async () => {
    const io = pipe();
    const pages = served(pagesOf([], [ugwo('a1')], [ugwo('b2', { onye: { uid: 'ony.b' } })]));
    const asked = options({ format: 'tsv', columns: ['onye', 'ref', 'uid', 'ref'] });
    await render({ kind: 'list', pages, view: ugwoView }, io, asked);
    expect(io.stdout.text).toBe(
      '\torder-a1\tugw.WXYZ.a1\torder-a1\n{"uid":"ony.b"}\torder-b2\tugw.WXYZ.b2\torder-b2\n',
    );
  });

  it('has every top-level field if the view has no columns', async () => {
    expect(await many([recordOf({ b: 1, a: { c: true } }), recordOf({ d: null })], undefined, { columns: [] })).toBe(
      'b\ta\td\n1\t{"c":true}\t\n\t\t\n',
    );
  });
});

describe('tsv, one object', () => {
  it('has a line per field with its dotted path', async () => {
    const record = received(
      '{"uid":"u","status":["failed","Failed"],"other":["failed","Failed"],"checkout":{"currency":null,' +
        '"mediums":[{"medium":"ussd"}],"none":{},"nil":[]},"amount":1.50,"n":1e400,"ok":false}',
    );
    expect(await one(record)).toBe(
      [
        'uid\tu',
        'status\tfailed',
        'other.0\tfailed',
        'other.1\tFailed',
        'checkout.currency\t',
        'checkout.mediums.0.medium\tussd',
        'checkout.none\t{}',
        'checkout.nil\t[]',
        'amount_minor\t1.50',
        'n\t1e400',
        'ok\tfalse',
        '',
      ].join('\n'),
    );
  });

  it('has only the named columns in order', async () => {
    expect(await one(ugwo('a1'), ['currency', 'uid', 'onye.email'])).toBe(
      'currency\tNGN\nuid\tugw.WXYZ.a1\nonye.email\t\n',
    );
  });

  it('prints a non-object', async () => {
    expect(await one(received('[1,{"a":2}]'))).toBe('0\t1\n1.a\t2\n');
    expect(await one(received('"x"'))).toBe('x\n');
    expect(await one(received('{}'))).toBe('');
  });

  it('treats __proto__ like any other name', async () => {
    expect(await one(received('{"__proto__":{"a":1}}'))).toBe('__proto__.a\t1\n');
  });
});

const unescaped = (cell: string): string =>
  cell.replaceAll(/\\([\\tnr]|x..|u....)/g, (_, code: string) => {
    if (code === '\\') return '\\';
    return { t: '\t', n: '\n', r: '\r' }[code] ?? String.fromCharCode(Number.parseInt(code.slice(1), 16));
  });

describe('any text in a cell', () => {
  const text = fc.oneof(
    fc.string({ unit: ANY_CHARACTER }),
    fc
      .array(fc.constantFrom('\t', '\n', '\r', '\\', '\\t', '\u001b', '\u202e', '\ud800', 'x'))
      .map((all) => all.join('')),
  );
  const view: View = { columns: [{ path: 'a' }, { path: 'b' }] };

  it('round-trips by splitting at newlines and tabs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ a: text, b: text }), { minLength: 1, maxLength: 4 }), async (values) => {
        const lines = (await many(values.map(recordOf), undefined, view)).split('\n');
        expect(lines.pop()).toBe('');
        const cells = lines.map((line) => line.split('\t').map(unescaped));
        expect(cells).toEqual([['a', 'b'], ...values.map(({ a, b }) => [a, b])]);
      }),
    );
  });

  it('round-trips in one object, including names', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (name, value) => {
        const line = await one(recordOf({ [name]: value }));
        expect(line.split('\t').map((cell) => unescaped(cell.replace(/\n$/, '')))).toEqual([name, value]);
      }),
    );
  });
});

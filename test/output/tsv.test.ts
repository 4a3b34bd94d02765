import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApiRecord } from '../../src/core/record.ts';
import type { View } from '../../src/core/result.ts';
import { render } from '../../src/output/render.ts';
import { ANY_CHARACTER } from '../support/text.ts';
import { CREATED, options, pagesOf, pipe, received, recordOf, served, ugwo, ugwoView } from './support.ts';

const one = async (
  record: ApiRecord,
  columns?: readonly string[],
  view = ugwoView,
  decimal = false,
): Promise<string> => {
  const io = pipe();
  await render({ kind: 'record', record, view }, io, options({ format: 'tsv', columns, decimal }));
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

  const REQUEST = recordOf({
    uid: 'u',
    amount: '90000',
    currency: ['NGN', 'enum.currency.ngn'],
    total_amount_paid: 40000,
    activities: [
      { status: ['failed', 'Failed'], charged_amount: 0, checkout: { currency: ['JPY', 'Yen'], amount: 1500 } },
      {
        amount: '150.00',
        received: 70000,
        next_action: { type: ['user_action', 'Act'], headers: { amount: '900.00' } },
      },
    ],
    metadata: { amount: 12, status: ['a', 'b'], 'x.amount': 7 },
    tags: ['a', 'b'],
  });

  it('has the machine value of each pair and each amount, at any depth, but neither in free members', async () => {
    expect(await one(REQUEST)).toBe(
      [
        'uid\tu',
        'amount_minor\t90000',
        'currency\tNGN',
        'total_amount_paid_minor\t40000',
        'activities.0.status\tfailed',
        'activities.0.charged_amount_minor\t0',
        'activities.0.checkout.currency\tJPY',
        'activities.0.checkout.amount_minor\t1500',
        'activities.1.amount_minor\t150.00',
        'activities.1.received_minor\t70000',
        'activities.1.next_action.type\tuser_action',
        'activities.1.next_action.headers.amount\t900.00',
        'metadata.amount\t12',
        'metadata.status.0\ta',
        'metadata.status.1\tb',
        'metadata.x.amount\t7',
        'tags.0\ta',
        'tags.1\tb',
        '',
      ].join('\n'),
    );
  });

  it('has amounts in decimals of the nearest currency with decimal', async () => {
    const lines = (await one(REQUEST, undefined, ugwoView, true)).split('\n');
    expect(lines.filter((line) => /amount|received/.test(line))).toEqual([
      'amount\t900.00',
      'total_amount_paid\t400.00',
      'activities.0.charged_amount\t0',
      'activities.0.checkout.amount\t1500',
      // It can't be a count of the minor unit.
      'activities.1.amount\t150.00 (minor unit)',
      'activities.1.received\t700.00',
      'activities.1.next_action.headers.amount\t900.00',
      'metadata.amount\t12',
      'metadata.x.amount\t7',
    ]);
    expect(await one(recordOf({ amount: 500 }), undefined, ugwoView, true)).toBe('amount\t500 (minor unit)\n');
  });

  it.each([
    [false, 'total_amount_paid', '40000\n'],
    [false, 'activities.0.checkout.currency', 'JPY\n'],
    [true, 'total_amount_paid_minor', '400.00\n'],
    [true, 'amount', '900.00\n'],
  ])('has one named column, with decimal %s: %s', async (decimal, name, text) => {
    expect(await one(REQUEST, [name], ugwoView, decimal)).toBe(text);
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

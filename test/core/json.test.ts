import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BOUNDS } from '../../src/core/bounds.ts';
import {
  indent,
  minify,
  NumberText,
  namesAlong,
  parseExact,
  parseTexts,
  printExact,
  valueAt,
  withWholePairs,
} from '../../src/core/json.ts';
import { depthOf, elementsOf, scan } from '../../src/core/json-scan.ts';
import { mayBeRenamed } from '../support/engine.ts';
import { ANY_CHARACTER } from '../support/text.ts';

/** The tokens and depth of a JSON value, created without the code under test. */
interface Tokens {
  readonly tokens: readonly string[];
  readonly depth: number;
}

const numberToken = fc.oneof(
  fc.constantFrom('0', '-0', '-0.0', '12345678901234567890', '1e400', '-1e400', '0.10', '1E5', '1e+2', '5e-324', '1.0'),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
  fc.stringMatching(/^-?(?:0|[1-9]\d{0,24})(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?$/),
);
/** The notations of a character in a JSON string: raw or escaped. */
const characterText = fc.oneof(
  fc.constantFrom('{', '}', '[', ']', ',', ':', ' ', '  ', '/', '\u2028', '\ud83d\ude00', 'data', '0.10', '-0'),
  fc.constantFrom('\\"', '\\\\', '\\/', '\\n', '\\t', '\\u0022', '\\u005c', '\\ud800', '\\u0000'),
  fc
    .string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 1 })
    .map((character) => JSON.stringify(character).slice(1, -1)),
);
const stringToken = fc.array(characterText, { maxLength: 8 }).map((characters) => `"${characters.join('')}"`);
const keyToken = fc.oneof(stringToken, fc.constantFrom('"data"', '"d\\u0061ta"', '"__proto__"', '"10"', '"9"', '""'));
const scalar: fc.Arbitrary<Tokens> = fc
  .oneof(numberToken, stringToken, fc.constantFrom('true', 'false', 'null'))
  .map((token) => ({ tokens: [token], depth: 0 }));

const joined = (parts: readonly (readonly string[])[]): string[] =>
  parts.flatMap((part, index) => (index === 0 ? [...part] : [',', ...part]));
const deepest = (values: readonly Tokens[]): number => Math.max(0, ...values.map(({ depth }) => depth));

const arrayOf = (values: readonly Tokens[]): Tokens => ({
  tokens: ['[', ...joined(values.map(({ tokens }) => tokens)), ']'],
  depth: 1 + deepest(values),
});
const objectOf = (members: readonly (readonly [key: string, value: Tokens])[]): Tokens => ({
  tokens: ['{', ...joined(members.map(([key, { tokens }]) => [key, ':', ...tokens])), '}'],
  depth: 1 + deepest(members.map(([, value]) => value)),
});

const { value, members } = fc.letrec<{ value: Tokens; members: [string, Tokens][] }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 5 }).map(arrayOf),
    tie('members').map(objectOf),
  ),
  members: fc.array(fc.tuple(keyToken, tie('value')), { maxLength: 5 }),
}));

const blank = fc.oneof(fc.constant(''), fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 4 }));
/** The same tokens separated by whitespace. */
const spread = (tokens: readonly string[], blanks: readonly string[]): string =>
  tokens.map((token, index) => `${blanks[index % blanks.length] ?? ''}${token}`).join('') + (blanks[0] ?? '');
const blanks = fc.array(blank, { minLength: 1, maxLength: 12 });

/** The normalised value of JSON text; like JSON.stringify it ignores the sign of zero. */
const meaning = (text: string): string => JSON.stringify(JSON.parse(text));

describe('minify', () => {
  it.each([
    [' { "a" : [ 1 , 2 ] } ', '{"a":[1,2]}'],
    ['"a b"', '"a b"'],
    ['{"a": "b: \\" c, [ ] \\\\" , "d": 1}', '{"a":"b: \\" c, [ ] \\\\","d":1}'],
    ['\t[\r\n1.50 , -0 , 1E5\n]\t', '[1.50,-0,1E5]'],
    ['["\u00a0 \u2028 \ufeff"]', '["\u00a0 \u2028 \ufeff"]'],
    [' null ', 'null'],
    ['""', '""'],
    ['{"a":1,"a": 2}', '{"a":1,"a":2}'],
  ])('turns %j into %j', (text, dense) => {
    expect(minify(text)).toBe(dense);
  });

  it('removes only the whitespace between tokens', () => {
    fc.assert(
      fc.property(value, blanks, ({ tokens }, spaces) => {
        expect(minify(spread(tokens, spaces))).toBe(tokens.join(''));
      }),
    );
  });

  it('preserves the value and is idempotent', () => {
    fc.assert(
      fc.property(value, blanks, ({ tokens }, spaces) => {
        const text = spread(tokens, spaces);
        if (!mayBeRenamed(text)) expect(meaning(minify(text))).toBe(meaning(text));
        expect(minify(minify(text))).toBe(minify(text));
      }),
    );
  });
});

describe('withWholePairs', () => {
  const halves = fc.constantFrom(
    ...['\\ud83d', '\\uDbFF', '\\udc00', '\\uDE00', '\\\\', 'ud83d', '\\ud7ff', '\\ue000'],
  );

  it('replaces halves of surrogate pairs and nothing else', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(halves, characterText), { maxLength: 8 }), (characters) => {
        const text = `"${characters.join('')}"`;
        const string = JSON.parse(text) as string;
        const whole = withWholePairs(text);
        expect(JSON.parse(whole)).toBe(string.toWellFormed());
        if (string.isWellFormed()) expect(whole).toBe(text);
      }),
    );
  });
});

describe('indent', () => {
  it.each([
    ['{"a":[1,{"b":null}],"c":{}}', '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ],\n  "c": {}\n}'],
    ['[ ]', '[]'],
    ['{ }', '{}'],
    ['[[],{}]', '[\n  [],\n  {}\n]'],
    ['["{","]",":",","]', '[\n  "{",\n  "]",\n  ":",\n  ","\n]'],
    ['{"{":"}"}', '{\n  "{": "}"\n}'],
    ['-0', '-0'],
    ['[0.10]', '[\n  0.10\n]'],
    [' [] \n', '[]'],
  ])('prints %j with one member per line', (text, lines) => {
    expect(indent(text)).toBe(lines);
  });

  it('equals JSON.stringify with two spaces', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (any) => {
        expect(indent(JSON.stringify(any))).toBe(JSON.stringify(any, null, 2));
      }),
    );
  });

  it('only adds whitespace between tokens and is idempotent', () => {
    fc.assert(
      fc.property(value, blanks, ({ tokens }, spaces) => {
        const lines = indent(spread(tokens, spaces));
        expect(minify(lines)).toBe(tokens.join(''));
        if (!mayBeRenamed(lines)) expect(meaning(lines)).toBe(meaning(tokens.join('')));
        expect(indent(lines)).toBe(lines);
      }),
    );
  });
});

describe('depthOf', () => {
  it.each([
    ['1', 0],
    ['"[[["', 0],
    ['[]', 1],
    ['[[],[]]', 2],
    ['{"a":{"b":[1]},"c":[]}', 3],
    ['["\\"[", [ "]" ]]', 2],
    ['["\\\\", [["\\\\\\""]]]', 3],
    ['["a string that never ends: [[[', 1],
  ])('%j has depth %d', (text, depth) => {
    expect(depthOf(text)).toBe(depth);
  });

  it('equals the number of open brackets in any JSON', () => {
    fc.assert(
      fc.property(value, blanks, ({ tokens, depth }, spaces) => {
        expect(depthOf(spread(tokens, spaces))).toBe(depth);
      }),
    );
  });

  it('is at most the number of opening brackets in any text', () => {
    const any = fc.oneof(
      fc.string({ unit: ANY_CHARACTER }),
      fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', 'x'), maxLength: 60 }),
    );
    fc.assert(
      fc.property(any, (text) => {
        const depth = depthOf(text);
        expect(depth).toBeGreaterThanOrEqual(0);
        expect(depth).toBeLessThanOrEqual(text.replaceAll(/[^[{]/g, '').length);
      }),
    );
  });

  it.each([
    ['a million brackets', '['.repeat(1_000_000), 1_000_000],
    ['unmatched closing brackets', ']'.repeat(1_000_000), 0],
    ['an endless string', `["${'\\'.repeat(1_000_000)}`, 1],
    ['a string of escaped quotes', `["${'\\"'.repeat(500_000)}"]`, 1],
    ['a string of escaped backslashes', `["${'\\\\'.repeat(500_000)}",[]]`, 2],
    ['half a million empty strings', `[${'""'.repeat(500_000)}`, 1],
  ])('is fast for %s', (_what, text, depth) => {
    const begun = performance.now();
    expect(depthOf(text)).toBe(depth);
    expect(performance.now() - begun).toBeLessThan(20_000);
  });
});

describe('elementsOf', () => {
  it.each([
    ['an empty list', '{"data":[],"next_cursor":null}', []],
    ['an empty list with blanks', '{"data":[ \n ]}', []],
    ['one record', '{"data":[{"a":1}]}', ['{"a":1}']],
    [
      'records as written, without whitespace between tokens',
      '{"data": [ {"n": 1.50} ,\n{"n":12345678901234567890 , "text":" , " } ]}',
      ['{"n":1.50}', '{"n":12345678901234567890,"text":" , "}'],
    ],
    ['scalars', '{"data":[1,"a,b",null,-0]}', ['1', '"a,b"', 'null', '-0']],
    [
      'brackets, quotes and commas inside strings',
      '{"data":["]","[\\"","\\\\",","]}',
      ['"]"', '"[\\""', '"\\\\"', '","'],
    ],
    ['lists inside records', '{"data":[[1,2],{"data":[3,4]}]}', ['[1,2]', '{"data":[3,4]}']],
    ['the field after another list', '{"links":[1,2],"data":[3]}', ['3']],
    ['the field before another list', '{"data":[3],"links":[1,2]}', ['3']],
    ['no nested field of that name', '{"meta":{"data":[1]},"data":[2]}', ['2']],
    ['no value equal to the name', '{"a":"data","b":[1],"data":[2]}', ['2']],
    ['the last of two such fields', '{"data":[1,2],"data":[3]}', ['3']],
    ['an empty list after a full one', '{"data":[1,2],"data":[]}', []],
    ['nothing if the last such field is not a list', '{"data":[1,2],"data":null}', []],
    ['nothing if the last such field is an object', '{"data":[1,2],"data":{"data":[3]}}', []],
    ['a name written with an escape', '{"d\\u0061ta":[1]}', ['1']],
    ['nothing without the field', '{"date":[1]}', []],
    ['nothing in an object field', '{"data":{"0":[1]}}', []],
    ['nothing in a text field', '{"data":"[1,2]"}', []],
    ['nothing in an empty object', '{}', []],
    ['nothing in a list', '[[1],["data",[2]]]', []],
    ['nothing in a number', '5', []],
  ])('finds %s', (_what, text, elements) => {
    expect(elementsOf(text, 'data')).toEqual(elements);
  });

  it('stops at the limit of values', () => {
    const bytes = Buffer.from(`{"data":[${'0,'.repeat(1_000_000)}0]}`);
    expect(scan(bytes, ['data']).members.get('data')?.elements).toHaveLength(BOUNDS.values + 1);
  });

  it('finds a field by its decoded name', () => {
    fc.assert(
      fc.property(stringToken, value, (key, element) => {
        const text = objectOf([[key, arrayOf([element])]]).tokens.join('');
        expect(elementsOf(text, JSON.parse(key) as string)).toEqual([element.tokens.join('')]);
      }),
    );
  });

  it('returns the minified records in order, whatever surrounds them', () => {
    const others = members.map((all) => all.filter(([key]) => JSON.parse(key) !== 'data'));
    const name = fc.constantFrom('"data"', '"d\\u0061ta"', '"\\u0064ata"');
    fc.assert(
      fc.property(
        members,
        name,
        fc.array(value, { maxLength: 6 }),
        others,
        blanks,
        (before, key, records, after, spaces) => {
          const text = spread(objectOf([...before, [key, arrayOf(records)], ...after]).tokens, spaces);
          const elements = elementsOf(text, 'data');
          expect(elements).toEqual(records.map(({ tokens }) => tokens.join('')));
        },
      ),
    );
  });
});

describe('parseExact and printExact', () => {
  it.each([
    '12345678901234567890',
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '-1e400',
    '0.10',
    '1.0',
    '-0',
    '-0.0',
    '1E5',
    '1e5',
    '1e+2',
    '0e0',
    '123456789.123456789123',
    '0.1e-7',
  ])("preserve %s, which a double can't represent", (text) => {
    const read = parseExact(`{"n":${text}}`) as { n: unknown };
    expect(read.n).toBeInstanceOf(NumberText);
    expect(String(read.n)).toBe(text);
    expect(printExact(read)).toBe(`{"n":${text}}`);
  });

  it.each([
    ['0', 0],
    ['-5', -5],
    ['1.5', 1.5],
    ['500000', 500000],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740992', -9007199254740992],
    ['0.1', 0.1],
    ['1e+21', 1e21],
  ])('keep %s a number', (text, number) => {
    expect(parseExact(text)).toBe(number);
    expect(printExact(number)).toBe(text);
  });

  it.each([
    ['a text of sixteen digits', '{"phone":"2348031234567890","pi":"3.14"}'],
    ['a member named __proto__', '{"__proto__":{"polluted":1.50},"a":1}'],
    ['a member named __proto__ in a text with ordinary numbers only', '{"__proto__":{"polluted":true}}'],
    ['members named like object properties', '{"constructor":1.0,"toString":2.0,"hasOwnProperty":3.0}'],
    ['null', 'null'],
    ['empty collections', '{"a":[],"b":{}}'],
    ['lists of lists', '[[1.0],[[2.0,"x"]],[{"a":[3.0]}]]'],
    ['texts with escapes', '["\\"\\\\\\n\\ud800\\u0000"]'],
  ])('preserve %s', (_what, text) => {
    expect(printExact(parseExact(text))).toBe(text);
  });

  it('convert only such numbers', () => {
    expect(parseExact('[1.0,"1.0",true,null,{"a":2}]')).toStrictEqual([
      new NumberText('1.0'),
      '1.0',
      true,
      null,
      { a: 2 },
    ]);
  });

  it('set no prototype by a member named __proto__', () => {
    const read = parseExact('{"__proto__":{"polluted":1.50}}') as Record<string, unknown>;
    expect(read['polluted']).toBeUndefined();
    expect(Object.keys(read)).toEqual(['__proto__']);
  });

  it('preserve every number as written', () => {
    fc.assert(
      fc.property(fc.array(numberToken), (numbers) => {
        const text = `[${numbers.join(',')}]`;
        expect(printExact(parseExact(text))).toBe(text);
      }),
    );
  });

  it('preserve any document without repeated or numeric names', () => {
    const name = fc.oneof(fc.constant('__proto__'), fc.string()).filter((text) => !/^\d+$/.test(text));
    const entries = fc.uniqueArray(
      fc.tuple(
        name,
        fc.oneof(
          numberToken,
          fc.string().map((text) => JSON.stringify(text)),
        ),
      ),
      {
        selector: ([key]) => key,
      },
    );
    fc.assert(
      fc.property(entries, entries, (outer, inner) => {
        const print = (all: [string, string][]): string[] => all.map(([key, text]) => `${JSON.stringify(key)}:${text}`);
        const text = `{${[...print(outer), `"inner\\n":[{${print(inner).join(',')}}]`].join(',')}}`;
        fc.pre(!outer.some(([key]) => key === 'inner\n'));
        expect(printExact(parseExact(text))).toBe(text);
      }),
    );
  });

  it('agree with JSON.parse and JSON.stringify', () => {
    fc.assert(
      fc.property(value, blanks, ({ tokens }, spaces) => {
        const text = spread(tokens, spaces);
        fc.pre(!mayBeRenamed(text));
        expect(meaning(printExact(parseExact(text)))).toBe(meaning(text));
      }),
    );
  });

  it('printExact omits undefined members and prints null in lists, like JSON.stringify', () => {
    const made = { a: undefined, b: [undefined, null], c: Number.NaN, d: 'x', e: true };
    expect(printExact(made)).toBe(JSON.stringify(made));
    expect(printExact(undefined)).toBe('null');
  });

  it.each(['', '{', '01', '[1.0,]', 'NaN', "{'a':1.0}", '"\n1.0"'])(
    'parseExact throws on %j, like JSON.parse',
    (text) => {
      expect(() => parseExact(text)).toThrow(SyntaxError);
    },
  );
});

describe('parseTexts', () => {
  it("returns a number as text if a double can't represent it, and other values unchanged", () => {
    const text = '{"a":73645128901234567890,"b":1.50,"c":-0,"d":5,"e":"1.50","f":[1e400,0.5]}';
    expect(parseTexts(text)).toEqual({
      a: '73645128901234567890',
      b: '1.50',
      c: '-0',
      d: 5,
      e: '1.50',
      f: ['1e400', 0.5],
    });
  });
});

const record: unknown = JSON.parse(
  '{"a":{"b":[10,{"c":"deep"}],"none":null,"no":false,"zero":0,"":{"":1}},"__proto__":{"x":1},"constructor":"own","0":"zero"}',
);

describe('valueAt', () => {
  it.each([
    ['a.b.1.c', 'deep'],
    ['a.b.0', 10],
    ['a.none', null],
    ['a.no', false],
    ['a.zero', 0],
    ['a..', 1],
    ['0', 'zero'],
    ['__proto__.x', 1],
    ['constructor', 'own'],
  ])('finds at %j the value %j', (path, value) => {
    expect(valueAt(record, path)).toBe(value);
  });

  it.each([
    'b',
    'a.x',
    'a.b.2',
    'a.b.-1',
    'a.b.01',
    'a.b.1.c.d',
    'a.none.x',
    'a.zero.toFixed',
    'a.b.1.c.0',
    'a.b.length.x',
    '',
    'b.',
    '.a',
    'a.__proto__',
    'a.constructor',
    'a.toString',
    'a.b.map',
    '__proto__.toString',
  ])('returns undefined at %j', (path) => {
    expect(valueAt(record, path)).toBeUndefined();
  });

  it.each([undefined, null, 'text', 5, true])('returns undefined for %j, which has no members', (value) => {
    expect(valueAt(value, 'length')).toBeUndefined();
    expect(valueAt(value, 'toString')).toBeUndefined();
  });

  it('finds the value under any chain of names without dots', () => {
    const name = fc
      .oneof(fc.constantFrom('__proto__', 'toString', '0'), fc.string())
      .filter((text) => !text.includes('.'));
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), (names) => {
        const text = names.reduceRight((inner, key) => `{${JSON.stringify(key)}:${inner}}`, '"found"');
        fc.pre(!mayBeRenamed(text));
        expect(valueAt(JSON.parse(text), names.join('.'))).toBe('found');
      }),
    );
  });
});

describe('namesAlong a property path', () => {
  it.each([
    ['data.provider', ['data', 'provider']],
    ['data[provider]', ['data', 'provider']],
    ['[data][provider]', ['data', 'provider']],
    ['provider', ['provider']],
    ['', []],
    ['meta[orderId]', ['meta', 'orderId']],
    ['items[0].name', ['items', '0', 'name']],
  ])('%j are %j', (path, names) => {
    expect(namesAlong(path, ['data', 'provider'])).toEqual(names);
  });

  it('uses snake case if the known names do', () => {
    const known = ['first_name', 'billing_address', 'city', 'orderId'];
    expect(namesAlong('firstName', known)).toEqual(['first_name']);
    expect(namesAlong('billingAddress.city', known)).toEqual(['billing_address', 'city']);
    expect(namesAlong('orderId', [...known, 'order_id'])).toEqual(['orderId']);
    expect(namesAlong('zipCode', known)).toEqual(['zipCode']);
  });
});

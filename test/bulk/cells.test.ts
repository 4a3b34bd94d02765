import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsOf } from '../../src/bulk/cells.ts';
import { parseExact, printExact } from '../../src/core/json.ts';

type Fields = Readonly<Record<string, unknown>>;

const read = (fields: Fields, format: 'csv' | 'ndjson' = 'ndjson') => cellsOf(fields, format, Object.keys(fields));
const givenOf = (fields: Fields, format: 'csv' | 'ndjson') => read(fields, format).given;
const gathered = (fields: Fields, format: 'csv' | 'ndjson' = 'ndjson') => {
  const cells = read(fields, format);
  return { values: cells.object('param'), faults: cells.faults };
};

describe('givenOf', () => {
  it.each<['csv' | 'ndjson', Fields, Fields]>([
    ['csv', { a: '', b: ' \u00a0', c: '\u00a00 ' }, { c: '0' }],
    ['ndjson', { a: ' \u00a0', b: "'+1" }, { a: ' \u00a0', b: "'+1" }],
    [
      'csv',
      { a: "'+REF", b: "''t", c: "''+1", d: "'t Hooft", e: " '-5" },
      { a: '+REF', b: "'t", c: "'+1", d: "'t Hooft", e: '-5' },
    ],
    ['csv', { a: '="0736251840"', b: '="7"', c: '="0a"' }, { a: '0736251840', b: '="7"', c: '="0a"' }],
    ['ndjson', { a: '="0736251840"' }, { a: '="0736251840"' }],
    [
      'csv',
      { a: 'mailto:a@b.c', b: ' Tel:+234 803 (1)', c: 'mailto:x', d: 'tel:me', 'm.k': 'tel:1', e: 'see mailto:a@b.c' },
      { a: 'a@b.c', b: '+234 803 (1)', c: 'mailto:x', d: 'tel:me', 'm.k': 'tel:1', e: 'see mailto:a@b.c' },
    ],
    ['ndjson', { a: 'mailto:a@b.c', b: 5 }, { a: 'a@b.c', b: 5 }],
    [
      'ndjson',
      { a: null, b: '', c: 0, d: false, e: [], f: { g: null } },
      { b: '', c: 0, d: false, e: [], f: { g: null } },
    ],
  ])('reads a row of %s', (format, fields, given) => {
    expect([...givenOf(fields, format)]).toEqual(Object.entries(given));
  });
});

describe('Cells', () => {
  const textIn = (column: string) => {
    const cells = read({ a: 'x', b: 5, c: null });
    return [cells.text(column), cells.faults];
  };

  it.each([
    ['a', 'x', []],
    ['b', undefined, [{ column: 'b', what: 'should be text' }]],
    ['c', undefined, []],
    ['d', undefined, []],
  ])('text of %s is %j', (column, text, faults) => {
    expect(textIn(column)).toEqual([text, faults]);
  });

  it('parsed returns the parsed value or a fault', () => {
    const cells = read({ a: '7', b: 'x', c: 5 });
    const asNumber = (text: string) => (/^\d$/.test(text) ? Number(text) : undefined);
    expect(['a', 'b', 'c', 'd'].map((column) => cells.parsed(column, asNumber, 'a digit'))).toEqual([
      7,
      undefined,
      undefined,
      undefined,
    ]);
    expect(cells.faults).toEqual([
      { column: 'b', what: '"x" is not a digit' },
      { column: 'c', what: 'should be text' },
    ]);
  });

  it('gathered allows JSON of 64 levels', () => {
    const deep = '['.repeat(64) + ']'.repeat(64);
    expect(gathered({ 'param.a:': deep })).toEqual({ values: { a: JSON.parse(deep) }, faults: [] });
  });

  it('givenOf leaves values in a CSV row unchanged', () => {
    expect([...givenOf({ a: 5, b: null, c: '' }, 'csv')]).toEqual([['a', 5]]);
  });
});

describe('gathered columns with a prefix', () => {
  it.each<[string, Fields, Fields | undefined]>([
    ['none', { ugwo: 'x', params: 1, 'params.k': 1, 'PARAM.k': 1 }, undefined],
    ['strings', { 'param.a': 'x', 'param.b': '1' }, { a: 'x', b: '1' }],
    ['values of NDJSON', { 'param.a': 1, 'param.b': [null], 'param.c': { d: 1 } }, { a: 1, b: [null], c: { d: 1 } }],
    ['JSON', { 'param.a:': '[1,null]', 'param.b:': ' "x" ', 'param.c:': 'null' }, { a: [1, null], b: 'x', c: null }],
    ['values for JSON columns', { 'param.a:': 1, 'param.b:': { c: 'x' } }, { a: 1, b: { c: 'x' } }],
    ['an object', { param: { a: 1, b: null } }, { a: 1, b: null }],
    ['an object as JSON', { param: '{"a":1}' }, { a: 1 }],
    ['an empty object', { param: {} }, {}],
    ['all together', { param: { a: 1 }, 'param.b': 'x', 'param.c:': '2' }, { a: 1, b: 'x', c: 2 }],
    [
      'names with dots and colons',
      { 'param.a.b': '1', 'param.c:d': '3', 'param.e::': '4' },
      { 'a.b': '1', 'c:d': '3', 'e:': 4 },
    ],
    ['a member named __proto__', { 'param.__proto__': 'x' }, { ['__proto__']: 'x' }],
  ])('form one object: %s', (_, fields, values) => {
    expect(gathered(fields)).toEqual({ values, faults: [] });
  });

  it('preserve the digits of numbers', () => {
    expect(printExact(gathered({ 'param.a:': '1.10', param: '{"b":12345678901234567890}' }).values)).toBe(
      '{"a":1.10,"b":12345678901234567890}',
    );
  });

  it('are absent if the cell is empty', () => {
    expect(gathered({ param: '', 'param.a': '', 'param.b:': '' }, 'csv')).toEqual({ values: undefined, faults: [] });
    expect(gathered({ 'param.a': '', 'param.a:': '1' }, 'csv')).toEqual({ values: { a: 1 }, faults: [] });
  });

  it.each<[string, Fields, string, string | RegExp]>([
    ['invalid JSON', { 'param.a:': 'vip' }, 'param.a:', /^not JSON: /],
    ['truncated JSON', { param: '{"a":1' }, 'param', /^not JSON: /],
    ['a non-object', { param: '[1]' }, 'param', 'not a JSON object'],
    ['a number', { param: 5 }, 'param', 'not a JSON object'],
    ['a number too large for a double', { param: parseExact('1.10') }, 'param', 'not a JSON object'],
    ['null as JSON', { param: 'null' }, 'param', 'not a JSON object'],
    ['too deep', { 'param.a:': '['.repeat(65) + ']'.repeat(65) }, 'param.a:', 'nested deeper than 64 levels'],
    ['an empty name', { 'param.': 'x' }, 'param.', 'no name after the dot'],
    ['an empty name of JSON', { 'param.:': '1' }, 'param.:', 'no name after the dot'],
    ['a repeated key', { 'param.a': '1', 'param.a:': '1' }, 'param.a:', '"a" is also set by the column "param.a"'],
    [
      'a repeated key in an object',
      { 'param.a': '1', param: { a: '1' } },
      'param',
      '"a" is also set by the column "param.a"',
    ],
    [
      'a repeated key before an object',
      { param: { a: '1' }, 'param.a': '1' },
      'param.a',
      '"a" is also set by the column "param"',
    ],
  ])('have a fault: %s', (_, fields, column, what) => {
    const { faults } = gathered(fields);
    expect(faults).toEqual([{ column, what: typeof what === 'string' ? what : expect.stringMatching(what) }]);
  });

  it('report all faults of a row', () => {
    const { faults } = gathered({
      'param.a:': '{',
      'param.b': '1',
      'param.': 'x',
      param: '{"b":1,"c":2}',
      'param.c': '3',
    });
    expect(faults.map(({ column }) => column)).toEqual(['param.a:', 'param.', 'param', 'param.c']);
  });

  it('name the first column of a repeated key', () => {
    const { faults } = gathered({ 'param.a': '1', 'param.a:': '1', param: { a: '1' } });
    expect(faults.map(({ what }) => what)).toEqual(Array(2).fill('"a" is also set by the column "param.a"'));
  });

  it('can express any object in any combination of columns', () => {
    const key = fc.string({ minLength: 1 }).filter((name) => !name.endsWith(':'));
    const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    const member = fc.tuple(key, json, fc.constantFrom('named', 'as JSON', 'inside'));
    const members = fc.uniqueArray(member, { selector: ([name]) => name });
    fc.assert(
      fc.property(members, fc.boolean(), (all, asText) => {
        const inside = all.filter(([, , way]) => way === 'inside').map(([name, value]) => [name, value] as const);
        const object = Object.fromEntries(inside);
        const fields = Object.fromEntries([
          ['param', asText ? JSON.stringify(object) : object],
          ...all.flatMap(([name, value, way]): [string, unknown][] => {
            if (way === 'inside') return [];
            return way === 'named' ? [[`param.${name}`, value]] : [[`param.${name}:`, JSON.stringify(value)]];
          }),
        ]);
        const { values, faults } = gathered(fields);
        expect(faults).toEqual([]);
        // A named member that is null counts as absent.
        const wanted = all.filter(([, value, way]) => way !== 'named' || value !== null);
        expect(values).toEqual(Object.fromEntries(wanted.map(([name, value]) => [name, value])));
      }),
    );
  });

  it('never throw, and name a column in each fault', () => {
    const name = fc.constantFrom('param', 'param.', 'param.a', 'param.a:', 'param.b:', 'param.:', 'param.a::', 'other');
    const value = fc.oneof(fc.string(), fc.constantFrom('{"a":1}', '{"b":', 'null', '1.10'), fc.jsonValue());
    fc.assert(
      fc.property(fc.dictionary(name, value), fc.constantFrom('csv', 'ndjson'), (fields, format) => {
        const { values, faults } = gathered(fields, format);
        for (const { column } of faults) expect(Object.keys(fields)).toContain(column as string);
        const isGiven = [...givenOf(fields, format).keys()].some((column) => column.startsWith('param'));
        expect(values !== undefined).toBe(isGiven);
      }),
    );
  });
});

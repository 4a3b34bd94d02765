import { describe, expect, it } from 'vitest';
import { isJson } from '../../src/core/json-scan.ts';

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Each stands where something else is due. */
const NONE = [
  ...[',', ':', ']', '}', '[,1]', '[1,]', '[,]', '[1,,2]', '[1 2]', '[:]', '["a":1]', '["a",:1]', '[1', '[1}', '[}'],
  ...[
    '{,}',
    '{"a"}',
    '{"a",1}',
    '{"a":}',
    '{"a":1,}',
    '{"a"::1}',
    '{"a" 1}',
    '{1:2}',
    '{:1}',
    '{[]:1}',
    '{"a":1]',
    '{]',
  ],
  ...[
    '1,2',
    '1 2',
    '1]',
    '1],[1',
    '1}',
    '"a":1',
    '"a""b"',
    '["a""b":1]',
    '{"a""b":1}',
    '[]1',
    '[][]',
    '{}{}',
    '[]]',
    '{"a":1}}',
  ],
  ...['\v1', '[\f1]', '[1\0]', '\u00a01', '\ufeff1'],
  ...[
    '"\\',
    '"\\u',
    '"\\u00',
    '"\\u00g0"',
    '"\\u0g00"',
    '"\\ug000"',
    '"\\u000g"',
    '"\\x"',
    '"\\U0041"',
    '"\t"',
    '"\n"',
    '"',
  ],
  ...['-', '+1', '01', '-01', '1.', '.5', '1.e5', '1e', '1e+', '1E-', '1ee5', '1e5.5', '0x10', '--1', '1-', '1:'],
  ...['t', 'tru', 'truE', 'truex', 'nulll', 'falsehood', 'True', 'NaN', 'undefined'],
];

const SOME = [
  ...['[]', '{}', ' [ ] ', '\t{\r\n}', '[1,[2],{"a":{"b":[]}}]', '{"a":1,"b":[{}],"a":null}'],
  ...['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\u00e9\\uABCD\\u09af"', '"\x7f\u2028é😀"'],
  ...['0', '-0', '10', '9', '0.5', '-1.25', '1e5', '1E+05', '1.0e-10', '0e0', 'true', 'false', 'null', '[true,null]'],
];

describe('isJson', () => {
  it.each(NONE)('does not take %j', (text) => {
    expect([parses(text), isJson(text)]).toEqual([false, false]);
  });

  it.each(SOME)('takes %j', (text) => {
    expect([parses(text), isJson(text)]).toEqual([true, true]);
  });

  it('takes objects and lists in each other, as deep as they come', () => {
    const [open, close] = ['{"a":['.repeat(3000), ']}'.repeat(3000)];
    expect(isJson(`${open}${close}`)).toBe(true);
    expect(isJson(`${open}${close.slice(0, -2)}}]`)).toBe(false);
  });
});

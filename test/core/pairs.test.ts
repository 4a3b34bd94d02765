import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PayError } from '../../src/core/error.ts';
import { pairsToObject, parsePair } from '../../src/core/input.ts';
import { printExact } from '../../src/core/json.ts';
import { ANY_CHARACTER } from '../support/text.ts';

const faultOf = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (thrown) {
    return thrown instanceof PayError ? [thrown.kind, thrown.message] : thrown;
  }
};

describe('parsePair', () => {
  it.each([
    ['tier=vip', 'tier', 'vip'],
    ['tier=', 'tier', ''],
    ['a=b=c', 'a', 'b=c'],
    ['a==b', 'a', '=b'],
    ['a:b=c', 'a:b', 'c'],
    ['a=x:=y', 'a', 'x:=y'],
    ['a b= c ', 'a b', ' c '],
    ['n:=5', 'n', 5],
    ['n:=null', 'n', null],
    ['n:= true ', 'n', true],
    ['n:="5"', 'n', '5'],
    ['n:={"a":[1]}', 'n', { a: [1] }],
    ['a:b:=1', 'a:b', 1],
    ['__proto__=x', '__proto__', 'x'],
  ])('reads %j', (text, name, value) => {
    expect(parsePair(text)).toEqual([name, value]);
  });

  it.each(['12345678901234567890', '0.10', '-0', '1e400'])('keeps the number %s as it was typed', (number) => {
    expect(printExact(parsePair(`n:=${number}`)[1])).toBe(number);
  });

  it.each([
    ['tier', '"tier" is not key=value'],
    ['', '"" is not key=value'],
    ['=vip', '"=vip" is not key=value'],
    [':=5', '":=5" is not key=value'],
    ['tier:vip', '"tier:vip" is not key=value'],
    ['n:=', '"n:=": the value after := is not JSON'],
    ['n:=vip', '"n:=vip": the value after := is not JSON'],
    ['n:={"a":1', '"n:={"a":1": the value after := is not JSON'],
  ])('refuses %j as bad usage', (text, message) => {
    expect(faultOf(() => parsePair(text))).toEqual(['usage', message]);
  });

  it('gives back any name and text that were joined, and any JSON', () => {
    const name = fc.string({ minLength: 1 }).filter((text) => !text.includes('=') && !text.endsWith(':'));
    fc.assert(
      fc.property(name, fc.string({ unit: ANY_CHARACTER }), (key, value) => {
        expect(parsePair(`${key}=${value}`)).toEqual([key, value]);
        expect(parsePair(`${key}:=${JSON.stringify(value)}`)).toEqual([key, value]);
      }),
    );
  });
});

describe('pairsToObject', () => {
  it('keeps names in their order, odd ones included', () => {
    const made = pairsToObject([parsePair('b=1'), parsePair('a:=2.50'), parsePair('__proto__=x')], '--meta');
    expect(printExact(made)).toBe('{"b":"1","a":2.50,"__proto__":"x"}');
    expect(pairsToObject([], '--meta')).toEqual({});
  });

  it('refuses a name that is given twice, even with the same value', () => {
    const pairs = [parsePair('a=1'), parsePair('b=2'), parsePair('a=1')];
    expect(faultOf(() => pairsToObject(pairs, '--meta'))).toEqual(['usage', '--meta: "a" is given twice']);
  });
});

it('what is no JSON may have been meant as a text', () => {
  const detail = { hint: 'for text, use key=value' };
  expect(() => parsePair('a:=b')).toThrow(expect.objectContaining({ kind: 'usage', detail }));
});

it.each(['=', '=a', ':=1', 'a'])('%j is no pair', (text) => {
  expect(() => parsePair(text)).toThrow(`"${text}" is not key=value`);
});

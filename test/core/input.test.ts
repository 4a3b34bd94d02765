import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PayError } from '../../src/core/error.ts';
import {
  namingFlags,
  pairsToObject,
  parsePair,
  readJsonObject,
  readSourceName,
  type Source,
} from '../../src/core/input.ts';
import { printExact } from '../../src/core/json.ts';
import { ANY_CHARACTER } from '../support/text.ts';

const refusal = new PayError('rejected', 'the service said no', {
  status: 422,
  violations: [
    { propertyPath: 'data.provider', title: 'Unknown bank.' },
    { propertyPath: 'data.phone', title: 'Not a phone number.' },
  ],
});
const flagOf = (path: string): string | undefined => (path === 'data.provider' ? '--provider' : undefined);
const named = (meant: string | undefined): unknown =>
  namingFlags(refusal, flagOf, (path) => (path === 'data.provider' ? meant : undefined));

describe('namingFlags', () => {
  it('names the option for each known property path, with a suggestion', () => {
    expect(named('zenith')).toMatchObject({ kind: 'rejected', message: 'the service said no' });
    expect((named('zenith') as PayError).detail).toStrictEqual({
      status: 422,
      nameOf: flagOf,
      violations: [
        { propertyPath: 'data.provider', title: 'Unknown bank.', option: '--provider', suggestion: 'zenith' },
        { propertyPath: 'data.phone', title: 'Not a phone number.' },
      ],
    });
  });

  it('suggests nothing if no word is near', () => {
    expect((named(undefined) as PayError).detail.violations?.[0]).not.toHaveProperty('suggestion');
  });

  it('suggests nothing without a guess', () => {
    expect((namingFlags(refusal, flagOf) as PayError).detail.violations).toEqual([
      { propertyPath: 'data.provider', title: 'Unknown bank.', option: '--provider' },
      { propertyPath: 'data.phone', title: 'Not a phone number.' },
    ]);
  });

  it.each([
    ['an error without violations', new PayError('auth', 'no key')],
    ['another error', new Error('x')],
    ['a value that is not an error', 'x'],
  ])('returns %s unchanged', (_what, thrown) => {
    expect(namingFlags(thrown, flagOf)).toBe(thrown);
  });
});

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

  it.each(['12345678901234567890', '0.10', '-0', '1e400'])('preserves the digits of %s', (number) => {
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
  ])('rejects %j as a usage error', (text, message) => {
    expect(faultOf(() => parsePair(text))).toEqual(['usage', message]);
  });

  it('reverses joining any name and text, or any JSON', () => {
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
  it('preserves names in order, also unusual ones', () => {
    const made = pairsToObject([parsePair('b=1'), parsePair('a:=2.50'), parsePair('__proto__=x')], '--meta');
    expect(printExact(made)).toBe('{"b":"1","a":2.50,"__proto__":"x"}');
    expect(pairsToObject([], '--meta')).toEqual({});
  });

  it('rejects a repeated name, even with the same value', () => {
    const pairs = [parsePair('a=1'), parsePair('b=2'), parsePair('a=1')];
    expect(faultOf(() => pairsToObject(pairs, '--meta'))).toEqual(['usage', '--meta: "a" is given twice']);
  });
});

it('parsePair hints at key=value for invalid JSON', () => {
  const detail = { hint: 'for text, use key=value' };
  expect(() => parsePair('a:=b')).toThrow(expect.objectContaining({ kind: 'usage', detail }));
});

it.each(['=', '=a', ':=1', 'a'])('parsePair rejects %j', (text) => {
  expect(() => parsePair(text)).toThrow(`"${text}" is not key=value`);
});

describe('sourceOf', () => {
  it.each([
    ['-', { kind: 'stdin' }],
    ['@body.json', { kind: 'file', path: 'body.json' }],
    ['@-', { kind: 'file', path: '-' }],
    ['@@x', { kind: 'file', path: '@x' }],
    ['@ x ', { kind: 'file', path: ' x ' }],
    ['{"a":1}', { kind: 'inline', text: '{"a":1}' }],
    ['', { kind: 'inline', text: '' }],
    ['--', { kind: 'inline', text: '--' }],
    [' @x', { kind: 'inline', text: ' @x' }],
  ])('turns %j into %j', (text, source) => {
    expect(readSourceName(text)).toEqual(source);
  });
});

describe('readJsonObject', () => {
  const read = (text: string): Promise<Record<string, unknown>> =>
    readJsonObject(
      async (source: Source) => (source.kind === 'inline' ? source.text : ''),
      readSourceName(text),
      '--data',
    );

  it.each(['{}', '{"a":1.50,"big":12345678901234567890}', '{"__proto__":{"x":1},"b":[null]}'])(
    'reads %s exactly',
    async (text) => {
      expect(printExact(await read(text))).toBe(text);
    },
  );

  it.each(['[]', '[{}]', 'null', '"a"', '5', '1.50', '12345678901234567890', '-0', 'true'])(
    'rejects %s, which is JSON but not an object',
    async (text) => {
      await expect(read(text)).rejects.toMatchObject({
        kind: 'usage',
        message: '--data: must be a JSON object, such as {"key": "value"}',
      });
    },
  );

  it.each(['', '{', "{'a':1}", '{"a":1,}', 'tier=vip'])('rejects %j, which is not JSON', async (text) => {
    await expect(read(text)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(/^--data: not JSON: ./),
    });
  });

  it('rethrows a read error', async () => {
    const missing = new Error('no such file');
    const reading = readJsonObject(() => Promise.reject(missing), readSourceName('@x'), '--data');
    await expect(reading).rejects.toBe(missing);
  });
});

it("readJsonObject contains the parser's message", async () => {
  const reading = readJsonObject(async () => '{', readSourceName('-'), '--data');
  await expect(reading).rejects.toThrow(/^--data: not JSON: .*position 1/);
});

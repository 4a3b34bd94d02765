import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valueAt } from '../../src/core/json.ts';
import { mayBeRenamed } from '../support/engine.ts';

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
  ])('finds nothing at %j', (path) => {
    expect(valueAt(record, path)).toBeUndefined();
  });

  it.each([undefined, null, 'text', 5, true])('finds nothing in %j, which has no members', (value) => {
    expect(valueAt(value, 'length')).toBeUndefined();
    expect(valueAt(value, 'toString')).toBeUndefined();
  });

  it('finds what is there under any chain of names without dots', () => {
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

import { describe, expect, it } from 'vitest';
import { readJsonObject, type Source, sourceOf } from '../../src/core/input.ts';
import { printExact } from '../../src/core/json.ts';

describe('sourceOf', () => {
  it.each([
    ['-', { kind: 'stdin' }],
    ['@body.json', { kind: 'file', path: 'body.json' }],
    ['@-', { kind: 'file', path: '-' }],
    ['@@x', { kind: 'file', path: '@x' }],
    ['{"a":1}', { kind: 'inline', text: '{"a":1}' }],
    ['', { kind: 'inline', text: '' }],
    ['--', { kind: 'inline', text: '--' }],
    [' @x', { kind: 'inline', text: ' @x' }],
  ])('of %j is %j', (text, source) => {
    expect(sourceOf(text)).toEqual(source);
  });
});

describe('readJsonObject', () => {
  const read = (text: string): Promise<Record<string, unknown>> =>
    readJsonObject(async (source: Source) => (source.kind === 'inline' ? source.text : ''), sourceOf(text), '--data');

  it.each(['{}', '{"a":1.50,"big":12345678901234567890}', '{"__proto__":{"x":1},"b":[null]}'])(
    'reads %s exactly',
    async (text) => {
      expect(printExact(await read(text))).toBe(text);
    },
  );

  it.each(['[]', '[{}]', 'null', '"a"', '5', '1.50', '12345678901234567890', '-0', 'true'])(
    'refuses %s, which is JSON but no object',
    async (text) => {
      await expect(read(text)).rejects.toMatchObject({
        kind: 'usage',
        message: '--data: must be a JSON object, such as {"key": "value"}',
      });
    },
  );

  it.each(['', '{', "{'a':1}", '{"a":1,}', 'tier=vip'])('refuses %j, which is no JSON', async (text) => {
    await expect(read(text)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(/^--data: not JSON: ./),
    });
  });

  it('lets a file that cannot be read say so itself', async () => {
    const missing = new Error('no such file');
    const reading = readJsonObject(() => Promise.reject(missing), sourceOf('@x'), '--data');
    await expect(reading).rejects.toBe(missing);
  });
});

it('says why there is no JSON in the words of the parser', async () => {
  const reading = readJsonObject(async () => '{', sourceOf('-'), '--data');
  await expect(reading).rejects.toThrow(/^--data: not JSON: .*position 1/);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanedJson, cleanedUrl, Redactor } from '../../src/core/secret.ts';

const KEY = 'sk.Kw9a.b7/Fq"x\\yz0123456789';
const MARK = '[secret …6789]';
const redactor = new Redactor();
redactor.add(KEY);
const clean = (text: string): string => redactor.clean(text);

/** A string as JSON in which each character is randomly raw or escaped. */
const writtenAtRandom = (text: string): fc.Arbitrary<string> =>
  fc.array(fc.nat(2), { minLength: text.length, maxLength: text.length }).map((ways) => {
    const written = Array.from(text, (char, index) => {
      if (ways[index] === 1) return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
      if (ways[index] === 2 && char === '/') return '\\/';
      return JSON.stringify(char).slice(1, -1);
    });
    return `"${written.join('')}"`;
  });

describe('cleanedJson', () => {
  it('finds a secret in any notation, in values and names, and leaves the rest unchanged', () => {
    const text = fc.tuple(writtenAtRandom(KEY), writtenAtRandom(`a${KEY}b`));
    fc.assert(
      fc.property(text, ([name, value]) => {
        expect(cleanedJson(`{"n":1.50,${name} : [${value}, "\\u0041\\/"]}`, clean)).toBe(
          `{"n":1.50,"${MARK}" : ["a${MARK}b", "\\u0041\\/"]}`,
        );
      }),
    );
  });

  it('finds a secret if only slashes are escaped', () => {
    const text = JSON.stringify({ a: `\\${KEY}` });
    for (const written of [text, text.replaceAll('/', '\\/')]) {
      expect(cleanedJson(written, clean)).toBe(JSON.stringify({ a: `\\${MARK}` }));
    }
  });

  it.each(['{"a":"\\u0041\\/\\\\u0073k"}', '{"a":1}', '"\\\\"', '[]'])('leaves %s unchanged', (text) => {
    expect(cleanedJson(text, clean)).toBe(text);
  });

  it('parses no string unless it contains a secret', () => {
    let asked = 0;
    const counting = (text: string): string => {
      asked += 1;
      return clean(text);
    };
    const text = JSON.stringify({ rows: Array.from({ length: 1000 }, () => ({ a: 'x"y\\z/', b: 1 })) });
    expect(cleanedJson(text, counting)).toBe(text);
    expect(asked).toBe(2);
    expect(cleanedJson('{"a":"nothing is escaped here"}', counting)).toBe('{"a":"nothing is escaped here"}');
    expect(asked).toBe(3);
  });
});

describe('cleanedUrl', () => {
  it('finds a percent-encoded secret, in any case, partly or fully', () => {
    for (const encoded of [
      encodeURIComponent(KEY),
      encodeURIComponent(KEY).replaceAll(/%../g, (hex) => hex.toLowerCase()),
      Array.from(KEY, (char) => `%${char.charCodeAt(0).toString(16)}`).join(''),
    ]) {
      expect(cleanedUrl(`https://x.test/ugwo?cursor=${encoded}&limit=2`, clean)).toBe(
        `https://x.test/ugwo?cursor=${MARK}&limit=2`,
      );
    }
  });

  it('leaves other URLs unchanged', () => {
    const url = 'https://x.test/ugwo/%41%zz?cursor=a%2Fb%';
    expect(cleanedUrl(url, clean)).toBe(url);
  });
});

import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExact } from '../../src/core/json.ts';
import { asCurl, shellLine, shellQuote } from '../../src/core/shell.ts';
import { ANY_CHARACTER } from '../support/text.ts';

/** The words that a POSIX shell reads from a line. */
const wordsOf = (line: string): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

describe('shellQuote', () => {
  it.each([
    ['ugw.Kw9a.8Zp3', 'ugw.Kw9a.8Zp3'],
    ['https://api.kwugwo.africa/v1/ugwo', 'https://api.kwugwo.africa/v1/ugwo'],
    ['a@b.c', 'a@b.c'],
    ['', "''"],
    ['two words', "'two words'"],
    ["o'neil", "'o'\\''neil'"],
    ['$HOME', "'$HOME'"],
    ['a\nb', "'a\nb'"],
    ['x\n', "'x\n'"],
    ['~', "'~'"],
    ['*', "'*'"],
    ['é', "'é'"],
  ])('turns %j into %j', (word, quoted) => {
    expect(shellQuote(word)).toBe(quoted);
  });

  it.skipIf(process.platform === 'win32')('round-trips any words through a shell', () => {
    const word = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'\'"\\$`!*?[]{}()<>|&;#~=%^ \t\n\rab-@') }),
      fc.string({ unit: ANY_CHARACTER }).map((text) => text.toWellFormed().replaceAll('\0', '')),
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 40 }), (words) => {
        expect(wordsOf(shellLine(words))).toEqual(words);
      }),
      { numRuns: 25 },
    );
  });
});

describe('asCurl', () => {
  const url = 'https://api.kwugwo.africa/v1/onye/ony.Kw9a.8Zp3';

  it('prints a request with a body, and the key as a shell variable', () => {
    const body = parseExact('{"first_name":"O\'Neil $HOME","amount":12345678901234567890}') as Record<string, unknown>;
    expect(asCurl({ method: 'PATCH', url, body })).toBe(
      [
        `printf 'oauth2-bearer = %s\\n' "$PAYCLI_SECRET_KEY" |`,
        `  curl --config - --fail-with-body --request PATCH ${url} \\`,
        `  --header 'Content-Type: application/json' \\`,
        `  --data-raw '{"first_name":"O'\\''Neil $HOME","amount":12345678901234567890}'`,
      ].join('\n'),
    );
  });

  it('prints no content type without a body', () => {
    expect(asCurl({ method: 'GET', url: `${url}?limit=1&cursor=a` })).toBe(
      `printf 'oauth2-bearer = %s\\n' "$PAYCLI_SECRET_KEY" |\n  curl --config - --fail-with-body --request GET '${url}?limit=1&cursor=a'`,
    );
  });
});

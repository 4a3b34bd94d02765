import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyFault, keyProblem, keyTail, LOCAL_KEY_PREFIX, Redactor, withoutTokens } from '../../src/core/secret.ts';
import { shellQuote } from '../../src/core/shell.ts';
import { ANY_CHARACTER } from '../support/text.ts';

const KEY = `sk.Kw9a.${'b7Fq'.repeat(20)}`;

describe('keyProblem', () => {
  it.each([
    ['a key of the service', KEY],
    ['a key of the emulator', `${LOCAL_KEY_PREFIX}${'x'.repeat(32)}`],
    ['8 characters', '12345678'],
    ['512 characters', 'x'.repeat(512)],
    ['the first and the last printable character', '!~!~!~!~'],
    ['a key with pk. inside', 'sk.pk.12345'],
  ])('accepts %s', (_what, key) => {
    expect(keyProblem(key)).toBeUndefined();
  });

  it.each([
    ['an empty text', '', 'is empty'],
    ['a space', ' ', 'contains a space or a line break'],
    ['a line break at the end', `${KEY}\n`, 'contains a space or a line break'],
    ['a carriage return at the end', `${KEY}\r`, 'contains a space or a line break'],
    ['a leading space', ` ${KEY}`, 'contains a space or a line break'],
    ['a tab inside', `sk.\t${KEY}`, 'contains a space or a line break'],
    ['a second header', `${KEY}\r\nX-Evil: 1`, 'contains a space or a line break'],
    ['a no-break space', `${KEY}\u00a0`, 'contains a space or a line break'],
    ['7 characters', '1234567', 'is not 8 to 512 printable ASCII characters'],
    ['513 characters', 'x'.repeat(513), 'is not 8 to 512 printable ASCII characters'],
    ['a NUL', `${KEY}\0`, 'is not 8 to 512 printable ASCII characters'],
    ['an escape character', `${KEY}\u001b`, 'is not 8 to 512 printable ASCII characters'],
    ['a DEL', `${KEY}\u007f`, 'is not 8 to 512 printable ASCII characters'],
    ['a letter beyond ASCII', `${KEY}é`, 'is not 8 to 512 printable ASCII characters'],
    ['a typographic dash', `sk–Kw9a–${KEY}`, 'is not 8 to 512 printable ASCII characters'],
    [
      'a public key',
      `pk.Kw9a.${'b7Fq'.repeat(20)}`,
      'is a public key (pk.…), which the service refuses here; the secret key starts with sk.',
    ],
  ])('rejects %s', (_what, key, problem) => {
    expect(keyProblem(key)).toBe(problem);
  });

  it('accepts only keys that fit in a header', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: ANY_CHARACTER, minLength: 6 }), fc.string({ minLength: 6 })), (key) => {
        fc.pre(keyProblem(key) === undefined);
        expect(new Headers({ authorization: `Bearer ${key}` }).get('authorization')).toBe(`Bearer ${key}`);
      }),
    );
  });
});

describe('keyFault', () => {
  const emulators = `${LOCAL_KEY_PREFIX}${'x'.repeat(32)}`;
  const [there, here] = ['https://api.kwugwo.africa', 'http://127.0.0.1:4010'];
  const hint = "copy the whole secret key, sk.…, from the service's dashboard";

  it.each([
    [KEY, there, undefined],
    [KEY, here, undefined],
    [emulators, here, undefined],
    [`x${emulators}`, there, undefined],
    ['', here, { problem: 'is empty', hint }],
    [`pk.${KEY}`, there, { problem: expect.stringContaining('is a public key'), hint }],
    [
      emulators,
      there,
      {
        problem: "is the built-in emulator's, which is never sent to another machine",
        hint: 'use --local for the emulator, or the key of this service',
      },
    ],
  ])('returns for %s at %s: %j', (key, origin, fault) => {
    expect(keyFault(key, origin)).toEqual(fault);
  });
});

describe('keyTail', () => {
  it('contains only the last four characters', () => {
    expect(keyTail(KEY)).toBe('…b7Fq');
    expect(keyTail(`${KEY}wxyz`)).toBe('…wxyz');
  });
});

describe('Redactor', () => {
  const redactorOf = (...secrets: string[]): Redactor => {
    const redactor = new Redactor();
    for (const secret of secrets) redactor.add(secret);
    return redactor;
  };

  it('finds a secret escaped by JSON', () => {
    const secret = 'sk.Ab"c\\def"ghij';
    const cleaned = redactorOf(secret).clean(JSON.stringify({ echo: secret }));
    expect(JSON.parse(cleaned)).toEqual({ echo: '[secret …ghij]' });
  });

  it('finds a secret quoted for a shell or a URL, or in the name of a header', () => {
    const secret = "sk.Ab'c+d/e=fghij";
    const redactor = redactorOf(secret);
    expect(redactor.clean(shellQuote(secret))).toBe("'[secret …ghij]'");
    expect(redactor.clean(`?cursor=${encodeURIComponent(secret)}`)).toBe('?cursor=[secret …ghij]');
    expect(redactor.clean(`x-${secret.toLowerCase()}: 1`)).toBe('x-[secret …ghij]: 1');
  });

  // Without the characters of the redactor's own mark.
  const character = fc.constantFrom(...'abcXYZ019._-$&`\'"\\/+=*?^(){}|<>');
  const secret = fc.string({ unit: character, minLength: 8, maxLength: 40 });

  it('replaces each occurrence of a secret by a mark with its last four characters', () => {
    const text = `Bearer ${KEY}, "${KEY}"\n${KEY}${KEY}`;
    const mark = '[secret …b7Fq]';
    expect(redactorOf(KEY).clean(text)).toBe(`Bearer ${mark}, "${mark}"\n${mark}${mark}`);
  });

  it('knows several secrets, including later ones', () => {
    const redactor = redactorOf('first-secret');
    expect(redactor.clean('first-secret second-secret')).toBe('[secret …cret] second-secret');
    redactor.add('second-SECRET');
    redactor.add('second-SECRET');
    expect(redactor.clean('first-secret second-SECRET')).toBe('[secret …cret] [secret …CRET]');
  });

  it('finds a secret in bytes', () => {
    expect(redactorOf(KEY).holds(Buffer.from(`é ${KEY}`))).toBe(true);
    expect(redactorOf(KEY).holds(Buffer.from(KEY.slice(1)))).toBe(false);
  });

  it('ignores secrets shorter than 8 characters, which could be words', () => {
    expect(redactorOf('1234567', '').clean('1234567 a 12345678')).toBe('1234567 a 12345678');
    expect(redactorOf('12345678').clean('1234567 a 12345678')).toBe('1234567 a [secret …5678]');
  });

  it.each(['$&', '$`', "$'", '$$', '$1', '$<a>'])('does not expand a secret that ends in %s', (end) => {
    const text = `before sk.Kw9a.12${end} after`;
    const tail = `sk.Kw9a.12${end}`.slice(-4);
    expect(redactorOf(`sk.Kw9a.12${end}`).clean(text)).toBe(`before [secret …${tail}] after`);
  });

  it.each([
    ['is at its start', (inner: string) => `${inner}-and-the-rest`],
    ['is at its end', (inner: string) => `the-start-of-${inner}`],
    ['is inside it', (inner: string) => `the-start-of-${inner}-and-the-rest`],
  ])('removes a secret completely if another one %s, in any order', (_where, around) => {
    const outer = around('inner-secret');
    const cleaned = `[secret …${outer.slice(-4)}] [secret …cret]`;
    expect(redactorOf('inner-secret', outer).clean(`${outer} inner-secret`)).toBe(cleaned);
    expect(redactorOf(outer, 'inner-secret').clean(`${outer} inner-secret`)).toBe(cleaned);
  });

  it('leaves no secret in any text, even nested ones', () => {
    const family = fc
      .tuple(secret, fc.string({ unit: character, maxLength: 5 }), fc.string({ unit: character, maxLength: 5 }))
      .map(([inner, left, right]) => [inner, `${left}${inner}${right}`]);
    const scene = fc
      .array(family, { minLength: 1, maxLength: 3 })
      .map((families) => families.flat())
      .chain((secrets) =>
        fc.record({
          secrets: fc.shuffledSubarray(secrets, { minLength: secrets.length }),
          text: fc
            .array(
              fc.oneof(fc.constantFrom(...secrets), fc.string({ unit: ANY_CHARACTER }), fc.string({ unit: character })),
            )
            .map((parts) => parts.join('')),
        }),
      );
    fc.assert(
      fc.property(scene, ({ secrets, text }) => {
        const cleaned = redactorOf(...secrets).clean(text);
        for (const each of secrets) expect(cleaned).not.toContain(each);
      }),
      { numRuns: 500 },
    );
  });

  it('leaves text without a secret unchanged', () => {
    fc.assert(
      fc.property(fc.array(secret, { maxLength: 3 }), fc.string({ unit: ANY_CHARACTER }), (secrets, text) => {
        fc.pre(!secrets.some((each) => text.includes(each)));
        expect(redactorOf(...secrets).clean(text)).toBe(text);
      }),
    );
  });
});

describe('cleanAll', () => {
  const redactor = new Redactor();
  redactor.add('known-secret');

  it.each([
    ['sk.Kw9a.12345678', '[secret …5678]'],
    ['pk.Kw9a.12345678', '[secret …5678]'],
    ['a key sk.Kw9a.ab_+/=-ab, and pk.Kw9a.ABCDEFGH.', 'a key [secret …=-ab], and [secret …EFGH].'],
    ['known-secret', '[secret …cret]'],
    ['the secret wsk.AB_+/=.c of an endpoint', 'the secret [secret …/=.c] of an endpoint'],
    ['"sk.Kw9a.12345678sk.Kw9a.12345678"', '"[secret …78sk].Kw9a.12345678"'],
  ])('turns %s into %s', (text, shown) => {
    expect(redactor.cleanAll(text)).toBe(shown);
  });

  it.each([
    'sk.Kw9a.1234567',
    'sk.Kw9.12345678',
    'sk.Lcal.12345678',
    'wsk.Lcal.12345678',
    'wsk.1234567',
    'xsk.Kw9a.12345678',
    'ak.Kw9a.12345678',
    'sk-Kw9a-12345678',
  ])('leaves %s unchanged', (text) => {
    expect(redactor.cleanAll(text)).toBe(text);
  });
});

describe('a text in pieces', () => {
  it('shows no secret, wherever it is cut, and all else', () => {
    const redactor = new Redactor();
    redactor.add(KEY);
    const text = `sk.sk.Kw9a.b7Fq${KEY}${KEY} sk.Kw9a`;
    for (let size = 1; size <= text.length; size += 1) {
      const pieces = redactor.openPieces();
      const shown = (text.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).map((piece) => pieces(piece));
      expect([...shown, pieces()].join(''), String(size)).toBe(redactor.clean(text));
    }
  });

  it('holds back nothing that is no beginning of a secret', () => {
    const redactor = new Redactor();
    redactor.add(KEY);
    const pieces = redactor.openPieces();
    expect([pieces('a line\n'), pieces('sk.Kw'), pieces(' and more'), pieces()]).toEqual([
      'a line\n',
      '',
      'sk.Kw and more',
      '',
    ]);
  });
});

describe('withoutTokens', () => {
  it.each([
    ['</x?page=2&access_token=SECRET>; rel="next"', '</x?page=2&access_token=[secret]>; rel="next"'],
    ['https://ada:SE%40CRET@host/x', 'https://[secret]@host/x'],
    ['https://b/o?X-Amz-Signature=SECRET&X-Amz-Date=1', 'https://b/o?X-Amz-Signature=[secret]&X-Amz-Date=1'],
    ['/x?sig=SECRET&key=SECRET#token=SECRET', '/x?sig=[secret]&key=[secret]#token=[secret]'],
    ['/x?accesskey=SECRET&X-Api-Key=SECRET#apikey=SECRET', '/x?accesskey=[secret]&X-Api-Key=[secret]#apikey=[secret]'],
    ['/x?next=https://y/?api_key=SE?C=RET&signed=1', '/x?next=https://y/?api_key=[secret]&signed=1'],
    ['a eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.SECRET b', 'a [secret] b'],
    ['Bearer realm="x"; max-age=1; a@b', 'Bearer realm="x"; max-age=1; a@b'],
  ])('of %s is %s', (text, shown) => expect(withoutTokens(text)).toBe(shown));
});

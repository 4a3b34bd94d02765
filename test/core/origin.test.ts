import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkBaseUrl, ENVIRONMENTS, environmentName, isGuarded, isLoopback } from '../../src/core/origin.ts';

const LIVE = 'https://api.kwugwo.africa';
const originOf = (text: string): string | undefined => {
  const check = checkBaseUrl(text);
  return 'origin' in check ? check.origin : undefined;
};

describe('checkBaseUrl', () => {
  it.each([
    [LIVE, LIVE],
    ['https://api.kwugwo.africa/', LIVE],
    ['HTTPS://API.Kwugwo.Africa', LIVE],
    ['https://api.kwugwo.africa:443', LIVE],
    [' https://api.kwugwo.africa\n', LIVE],
    ['https://api.kwugwo.africa:8443', 'https://api.kwugwo.africa:8443'],
    ['https://192.0.2.7', 'https://192.0.2.7'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://LOCALHOST', 'http://localhost'],
    ['http://127.0.0.1:4010/', 'http://127.0.0.1:4010'],
    ['http://127.255.255.254', 'http://127.255.255.254'],
    ['http://[::1]:4010', 'http://[::1]:4010'],
    ['http://[0:0:0:0:0:0:0:1]', 'http://[::1]'],
  ])('turns %j into %s', (text, origin) => {
    expect(checkBaseUrl(text)).toEqual({ origin });
  });

  it.each([
    ['a text without a scheme', 'api.kwugwo.africa', 'is not a URL such as https://api.example.com'],
    ['an empty text', '', 'is not a URL such as https://api.example.com'],
    ['no host', 'https://', 'is not a URL such as https://api.example.com'],
    ['an invalid port', 'https://api.kwugwo.africa:99999', 'is not a URL such as https://api.example.com'],
    ['an escaped @', 'https://api.kwugwo.africa%40evil.example', 'is not a URL such as https://api.example.com'],
    ['an escaped slash', 'https://api.kwugwo.africa%2f.evil.example', 'is not a URL such as https://api.example.com'],
    ['another scheme', 'ftp://api.kwugwo.africa', 'must start with https://'],
    ['a file', 'file:///etc/passwd', 'must start with https://'],
    ['a script', 'javascript:alert(1)', 'must start with https://'],
    ['a URL in a URL', 'blob:https://api.kwugwo.africa/x', 'must start with https://'],
    ['a host taken for a scheme', 'localhost:8080', 'must start with https://'],
    ['backslashes', 'https:\\\\api.kwugwo.africa', 'contains a backslash'],
    ['a backslash before another host', 'https://evil.example\\.kwugwo.africa', 'contains a backslash'],
    ['a user name', 'https://api.kwugwo.africa@evil.example', 'contains a user name or an @'],
    ['a user name and a password', 'https://a:b@api.kwugwo.africa', 'contains a user name or an @'],
    ['an empty user name', 'https://@api.kwugwo.africa', 'contains a user name or an @'],
    ['an empty user name and password', 'https://:@api.kwugwo.africa', 'contains a user name or an @'],
    ['an @ in a fragment', 'https://evil.example#@api.kwugwo.africa', 'contains a user name or an @'],
    [
      'plain http to another machine',
      'http://api.kwugwo.africa',
      'is not encrypted: http:// is only for this machine (127.0.0.1, localhost)',
    ],
    ['a path', 'https://api.kwugwo.africa/v1', 'is more than an origin: leave out the path, query and fragment'],
    ['two slashes', 'https://api.kwugwo.africa//', 'is more than an origin: leave out the path, query and fragment'],
    ['a query', 'https://api.kwugwo.africa?key=1', 'is more than an origin: leave out the path, query and fragment'],
    ['a fragment', 'https://api.kwugwo.africa#v1', 'is more than an origin: leave out the path, query and fragment'],
  ])('rejects %s: %j', (_what, text, problem) => {
    expect(checkBaseUrl(text)).toEqual({ problem });
  });

  it.each([
    'http://api.kwugwo.africa',
    'http://192.168.0.1',
    'http://10.0.0.1',
    'http://128.0.0.1',
    'http://0.0.0.0',
    'http://0',
    'http://127.0.0.1.evil.com',
    'http://127.0.0.1.nip.io',
    'http://localhost.evil',
    'http://localhost.',
    'http://localhost.localdomain',
    'http://notlocalhost',
    'http://xn--localhost-',
    'http://[::]',
    'http://[::2]',
    'http://[::ffff:127.0.0.1]',
    'http://[fe80::1]',
  ])('rejects the unencrypted %s, which may be another machine', (text) => {
    expect(originOf(text)).toBeUndefined();
  });

  it.each([
    ['http://2130706433', 'http://127.0.0.1'],
    ['http://0x7f.1', 'http://127.0.0.1'],
    ['http://0177.0.0.1', 'http://127.0.0.1'],
    ['http://127.1', 'http://127.0.0.1'],
    ['http://127.0.0.1.', 'http://127.0.0.1'],
    ['http://127。0。0。1', 'http://127.0.0.1'],
    ['http://①27.0.0.1', 'http://127.0.0.1'],
    ['http://local\u00adhost', 'http://localhost'],
  ])('accepts %j, because the stored origin is %s', (text, origin) => {
    expect(originOf(text)).toBe(origin);
  });

  it.each([
    ['an empty query', 'https://api.kwugwo.africa?'],
    ['an empty fragment', 'https://api.kwugwo.africa/#'],
    ['a path that resolves to nothing', 'https://api.kwugwo.africa/v1/..'],
    ['a line break in the host', 'https://api.kwugwo\n.africa'],
    ['a tab in the host', 'https://api.\tkwugwo.africa'],
    ['full-width letters', 'https://ａpi.kwugwo.africa'],
    ['a soft hyphen', 'https://api.kwu\u00adgwo.africa'],
    ['no slashes', 'https:api.kwugwo.africa'],
    ['too many slashes', 'https:////api.kwugwo.africa'],
  ])('ignores %s: %j is the live service', (_what, text) => {
    expect(originOf(text)).toBe(LIVE);
  });

  it('never mistakes a look-alike for the live service', () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9]{0,11}$/);
    const port = fc.integer({ min: 1, max: 65_535 }).filter((number) => number !== 443);
    const lookAlike = fc.oneof(
      fc
        .tuple(
          word,
          fc.constantFrom(
            (evil: string) => `${LIVE}.${evil}`,
            (evil: string) => `${LIVE}%2e${evil}`,
            (evil: string) => `${LIVE}。${evil}`,
            (evil: string) => `${LIVE}.${evil}.example`,
            (evil: string) => `${LIVE}@${evil}.example`,
            (evil: string) => `${LIVE}:${evil}@${evil}.example`,
            (evil: string) => `${LIVE}\\@${evil}.example`,
            (evil: string) => `${LIVE}%40${evil}.example`,
            (evil: string) => `${LIVE}%00.${evil}.example`,
            (evil: string) => `${LIVE}-${evil}.example`,
            (evil: string) => `${LIVE}${evil}`,
            (evil: string) => `https://${evil}.api.kwugwo.africa`,
            (evil: string) => `https://${evil}api.kwugwo.africa`,
            (evil: string) => `https://${evil}.example/${LIVE}`,
            (evil: string) => `https://${evil}.example?${LIVE}`,
            (evil: string) => `https://${evil}.example#${LIVE}`,
            (evil: string) => `https://${evil}.example\\.kwugwo.africa`,
            (evil: string) => `https://${evil}.example@api.kwugwo.africa`,
            (evil: string) => `${evil}:${LIVE}`,
          ),
        )
        .map(([evil, trick]) => trick(evil)),
      port.map((number) => `${LIVE}:${number}`),
      fc.constantFrom(
        `${LIVE}.`,
        'http://api.kwugwo.africa',
        'http://api.kwugwo.africa:443',
        'https://api-kwugwo.africa',
        'https://apikwugwo.africa',
        'https://sandbox-api.kwugwo.africa',
        'https://\u0430pi.kwugwo.africa',
        'https://api.kwugw\u03bf.africa',
        'https://api.kwu\u0261wo.africa',
        'https://api.kwugwo.a\u0441rica',
        'wss://api.kwugwo.africa',
      ),
    );
    fc.assert(
      fc.property(lookAlike, (text) => {
        expect(originOf(text)).not.toBe(LIVE);
      }),
      { numRuns: 300 },
    );
  });

  it('returns an unambiguous origin or nothing; unencrypted only for this machine', () => {
    const thisMachine = new BlockList();
    thisMachine.addSubnet('127.0.0.0', 8);
    const host = fc.oneof(
      fc.domain(),
      fc.ipV4(),
      fc.ipV4Extended(),
      fc.ipV6().map((address) => `[${address}]`),
      fc.constantFrom('localhost', '127.0.0.1', '127.1', '2130706433', '[::1]', '0x7f.0.0.1', 'bücher.example', 'a b'),
    );
    const scheme = fc.constantFrom('https://', 'http://', 'HTTP://', 'https:', 'http:\\\\', '//', 'ftp://', '');
    const before = fc.constantFrom('', '', '', 'user@', 'user:word@', '@', '127.0.0.1@', '\t');
    const after = fc.oneof(
      fc.constantFrom(
        '',
        '',
        '',
        '/',
        ':80',
        ':443',
        ':8080',
        '/x',
        '?',
        '?x=1',
        '#',
        '#@x',
        '\\',
        '\\@x',
        '.',
        '%2e',
        ' ',
        '\n',
      ),
      fc.string({ maxLength: 4 }),
    );
    const text = fc.tuple(scheme, before, host, after).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (given) => {
        const origin = originOf(given);
        fc.pre(origin !== undefined);
        const url = new URL(origin);
        expect(origin).toMatch(/^https?:\/\/[^/\\?#@\s]+$/);
        expect(origin).toBe(new URL(given).origin);
        expect(originOf(origin)).toBe(origin);
        const local =
          url.hostname === 'localhost' || url.hostname === '[::1]' || thisMachine.check(url.hostname, 'ipv4');
        expect(url.protocol === 'https:' || local).toBe(true);
        expect(isLoopback(origin)).toBe(local);
      }),
      { numRuns: 500 },
    );
  });
});

describe('isGuarded', () => {
  it.each([
    [LIVE, true],
    ['https://api.example.com', true],
    [`${ENVIRONMENTS.sandbox}:8443`, true],
    [ENVIRONMENTS.sandbox, false],
    ['http://127.0.0.1:4010', false],
    ['https://localhost', false],
  ])('%s: %s', (origin, guarded) => {
    expect(isGuarded(origin)).toBe(guarded);
  });
});

describe('environmentName', () => {
  it.each([
    [ENVIRONMENTS.live, 'live'],
    [ENVIRONMENTS.sandbox, 'sandbox'],
    ['http://127.0.0.1:4010', 'loopback'],
    ['http://localhost', 'loopback'],
    ['https://localhost:8443', 'loopback'],
    ['http://[::1]:1', 'loopback'],
    ['https://api.kwugwo.africa.', 'api.kwugwo.africa.'],
    ['https://api.kwugwo.africa:8443', 'api.kwugwo.africa:8443'],
    ['https://pay.example.com', 'pay.example.com'],
  ])('%s is %s', (origin, name) => {
    expect(environmentName(origin)).toBe(name);
  });

  it('uses the published origins for the two public environments', () => {
    expect(ENVIRONMENTS).toEqual({ live: LIVE, sandbox: 'https://sandbox-api.kwugwo.africa' });
  });
});

import { describe, expect, it } from 'vitest';
import { routeOf } from '../../src/client/connection.ts';

const SERVICE = 'https://pay.example';
const HERE = 'https://127.0.0.1:8443';

describe('the way to the service', () => {
  it('is straight and verified where nothing says otherwise', () => {
    expect(routeOf(SERVICE, {})).toEqual({ origin: SERVICE, verified: true });
  });

  it.each([
    ['0', HERE, false],
    ['1', HERE, true],
    ['', HERE, true],
    ['1', SERVICE, true],
  ])('with NODE_TLS_REJECT_UNAUTHORIZED=%s to %s is verified: %s', (value, origin, verified) => {
    expect(routeOf(origin, { NODE_TLS_REJECT_UNAUTHORIZED: value }).verified).toBe(verified);
  });

  it('is none where the key would go to anyone who answers', () => {
    expect(() => routeOf(SERVICE, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toThrow(
      expect.objectContaining({
        kind: 'auth',
        message: 'NODE_TLS_REJECT_UNAUTHORIZED=0 would send the secret key to anyone who answers',
        detail: {
          hint: 'unset it; to trust a certificate authority of your own, name its file in NODE_EXTRA_CA_CERTS',
        },
      }),
    );
  });
});

describe('a proxy', () => {
  it.each<[Readonly<Record<string, string>>, string, string]>([
    [{ HTTPS_PROXY: 'http://proxy:3128' }, 'http://proxy:3128', 'proxy:3128 (from HTTPS_PROXY)'],
    [{ https_proxy: 'http://proxy:3128' }, 'http://proxy:3128', 'proxy:3128 (from HTTPS_PROXY)'],
    [{ HTTPS_PROXY: 'x:1', https_proxy: 'proxy:3128' }, 'http://proxy:3128', 'proxy:3128 (from HTTPS_PROXY)'],
    [{ ALL_PROXY: 'proxy:3128' }, 'http://proxy:3128', 'proxy:3128 (from ALL_PROXY)'],
    [{ all_proxy: 'proxy:3128' }, 'http://proxy:3128', 'proxy:3128 (from ALL_PROXY)'],
    [{ HTTPS_PROXY: '', ALL_PROXY: 'proxy' }, 'http://proxy', 'proxy:80 (from ALL_PROXY)'],
    [{ HTTPS_PROXY: 'one', ALL_PROXY: 'two' }, 'http://one', 'one:80 (from HTTPS_PROXY)'],
    [{ HTTPS_PROXY: 'https://proxy' }, 'https://proxy', 'proxy:443 (from HTTPS_PROXY)'],
    [{ HTTPS_PROXY: 'http://ada:p%40ss@proxy:1' }, 'http://ada:p%40ss@proxy:1', 'proxy:1 (from HTTPS_PROXY)'],
  ])('of %j is %s', (env, url, name) => {
    expect(routeOf(SERVICE, env).proxy).toEqual({ url, name, passedBy: '' });
  });

  it.each([
    ['https://10.1.2.3', '10.0.0.0/8', true],
    ['https://10.1.2.3', 'x.example, 192.168.0.0/16 10.1.2.0/24', true],
    ['https://[fd00::1]:8443', 'fd00::/8', true],
    ['https://11.1.2.3', '10.0.0.0/8', false],
    ['https://10.1.2.3', '10.0.0.0/99,nonsense/8,/8', false],
    ['https://10.example', '10.0.0.0/8,0.0.0.0/0,::/0', false],
    ['https://10.1.2.3', 'fd00::/8', false],
  ])('to %s with NO_PROXY=%s is passed by: %s', (origin, range, passed) => {
    const { proxy } = routeOf(origin, { HTTPS_PROXY: 'proxy', NO_PROXY: range });
    expect(proxy === undefined).toBe(passed);
  });

  it('is passed by as NO_PROXY says, and never used on this machine without encryption', () => {
    const env = { HTTPS_PROXY: 'proxy', NO_PROXY: 'pay.example' };
    expect(routeOf(SERVICE, env).proxy?.passedBy).toBe('pay.example');
    expect(routeOf('http://127.0.0.1:8080', env)).toEqual({ origin: 'http://127.0.0.1:8080', verified: true });
  });

  it.each([
    'socks5://proxy:1',
    'ftp://proxy',
    'xhttp://proxy',
    'httpsx://proxy',
    'http://ada%zz:x@proxy',
    'http://ada:p%zz@proxy',
    'http://proxy/path',
    'proxy:9/path',
    'http://proxy:99999',
    'http://proxy/?query',
    'http://proxy/#hash',
    'http://',
    'http://a b',
  ])('is not taken from %j, which is not quoted', (value) => {
    expect(() => routeOf(SERVICE, { HTTPS_PROXY: value })).toThrow(
      expect.objectContaining({
        kind: 'auth',
        message: 'HTTPS_PROXY (or ALL_PROXY) is not the URL of an http or https proxy',
        detail: {
          hint: 'write it as http://host:port, with user and password percent-encoded and nothing after the port; or unset it',
        },
      }),
    );
  });
});

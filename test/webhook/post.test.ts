import dns from 'node:dns';
import { type AddressInfo, createServer, isIP } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Headers } from '../../src/webhook/event.ts';
import { checkTarget } from '../../src/webhook/forward.ts';
import { type DeliveryTarget, post } from '../../src/webhook/post.ts';
import { DEAD_ORIGIN, serveMute } from '../support/service.ts';
import { serveTarget } from '../support/webhooks.ts';

afterEach(() => void vi.restoreAllMocks());

const NEVER = new AbortController().signal;
const posted = (target: DeliveryTarget, headers: Headers = [], stop = NEVER) =>
  post(target, headers, Buffer.from('{}'), { stop, limitMs: 30_000 });

describe('a forwarded event', () => {
  it('for localhost goes to this machine without DNS', async () => {
    const target = await serveTarget();
    const asked = vi.spyOn(dns, 'lookup').mockImplementation(() => {
      throw new Error('a name server was asked');
    });
    const url = await checkTarget(`http://localhost:${target.port}/x`, '--to', false, {});
    expect(await posted(url, [['X-One', '1']])).toMatchObject({ kind: 'answered', status: 200 });
    expect(asked).not.toHaveBeenCalled();
    expect(target.seen).toMatchObject([{ url: '/x', body: '{}', headers: { 'x-one': '1', 'content-length': '2' } }]);
  });

  it('is accepted when the head of the answer has a 2xx status, whatever happens to its body', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (chunk) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf');
        if (chunk.includes('/breaks')) socket.destroySoon();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    for (const path of ['/breaks', '/hangs']) {
      expect(await posted({ url: new URL(`${origin}${path}`) }, [], stop.signal)).toMatchObject({
        kind: 'answered',
        status: 200,
      });
    }
  });

  it('ends with a status and Retry-After, as unreachable, or as cancelled', async () => {
    const target = await serveTarget(() => ({ status: 503, headers: { 'retry-after': '7' } }));
    const url = { url: new URL(target.url) };
    expect(await posted(url)).toEqual({ kind: 'answered', status: 503, retryAfter: '7' });
    expect(await posted(url, [], AbortSignal.abort())).toEqual({ kind: 'left' });
    const nobody = { url: new URL(DEAD_ORIGIN) };
    expect(await posted(nobody)).toMatchObject({ kind: 'failed', reached: false });
  });

  it.each([
    ...['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'].map((code) => [code, false] as const),
    ['ECONNRESET', true],
    ['ETIMEDOUT', true],
  ] as const)('that ends with %s may have reached its target: %s', async (code, reached) => {
    const lookup: DeliveryTarget['lookup'] = (_host, _options, done) =>
      done(Object.assign(new Error(code), { code }), '');
    const target = { url: new URL('http://shop.test/'), lookup };
    expect(await posted(target)).toEqual({ kind: 'failed', why: code, code, reached });
  });

  it('without an answer in time may have reached its target', async () => {
    const { origin } = await serveMute();
    const [stop, target] = [NEVER, { url: new URL(origin) }];
    expect(await post(target, [], Buffer.from('{}'), { stop, limitMs: 100 })).toMatchObject({
      kind: 'failed',
      why: 'no answer within 0.1 s',
      reached: true,
    });
  });
});

/** Makes names lead to these addresses; every other one is not found. */
const resolving = (names: Record<string, readonly string[]>): void => {
  const lookup = (name: string, _options: unknown, done: (error: Error | null, found?: unknown) => void): void => {
    const found = isIP(name) === 0 ? names[name] : [name];
    if (found === undefined) done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }));
    else
      done(
        null,
        found.map((address) => ({ address, family: isIP(address) })),
      );
  };
  vi.spyOn(dns, 'lookup').mockImplementation(lookup as unknown as typeof dns.lookup);
};

describe('a target', () => {
  const check = (url: string, allowRemote: boolean, env = {}) => checkTarget(url, '--forward-to', allowRemote, env);
  const ELSEWHERE = '192.0.2.1';

  it.each([
    [`http://${ELSEWHERE}/x`, 'is not on this machine'],
    ['http://10.0.0.1/x', 'is not on this machine'],
    ['http://127.0.0.1.example.com/', 'is not on this machine'],
    ['http://both.test/', 'is not on this machine'],
    ['https://web:3000/', 'is not on this machine'],
    ['http://a:b@127.0.0.1/', 'contains a user name or a password'],
    ['ftp://127.0.0.1/', 'is not a URL'],
    ['localhost:3000', 'is not a URL'],
  ])('is rejected: %s', async (url, why) => {
    resolving({ 'both.test': ['127.0.0.1', ELSEWHERE], web: ['172.18.0.2'] });
    await expect(check(url, false)).rejects.toThrow(`--forward-to: "${url}" ${why}`);
  });

  it('on another machine must be requested and encrypted', async () => {
    resolving({ 'both.test': ['10.0.0.1', ELSEWHERE], 'cloud.test': ['169.254.169.254'] });
    for (const host of [ELSEWHERE, 'both.test', 'cloud.test', '172.32.0.1', '[2001:db8::1]', '0.0.0.0']) {
      await expect(check(`http://${host}/x`, true), host).rejects.toThrow('is not encrypted');
    }
    expect(await check(`https://${ELSEWHERE}/x`, true)).toEqual({ url: new URL(`https://${ELSEWHERE}/x`) });
  });

  it('is on this machine if its name leads nowhere else, and only as long as it does', async () => {
    const served = await serveTarget();
    resolving({ 'shop.test': ['127.0.0.1', '127.0.0.1'] });
    const target = await check(`http://shop.test:${served.port}/x`, false);
    expect(await posted(target)).toMatchObject({ kind: 'answered', status: 200 });
    expect(served.seen).toMatchObject([{ url: '/x', headers: { host: `shop.test:${served.port}` } }]);
    for (const address of ['10.0.0.1', ELSEWHERE]) {
      resolving({ 'shop.test': [address] });
      // A fresh port has no open connection that could be used again.
      const other = { ...target, url: new URL(`http://shop.test:${served.port + 1}/x`) };
      const why = 'shop.test leads elsewhere now';
      expect(await posted(other)).toMatchObject({ kind: 'failed', why, reached: false });
    }
  });

  it('may be a container in a private network, also before it is started', async () => {
    const served = await serveTarget();
    const url = `http://web:${served.port}/x`;
    resolving({});
    await expect(check(url, false)).rejects.toThrow('is not on this machine');
    const target = await check(url, true);
    expect(await posted(target)).toMatchObject({ kind: 'failed', reached: false });
    for (const address of ['172.18.0.2', '192.168.1.5', '10.1.2.3', 'fd00::2', '127.0.0.1']) {
      resolving({ web: [address] });
      expect(await check(url, true), address).toMatchObject({ url: new URL(url) });
    }
    expect(await posted(target)).toMatchObject({ kind: 'answered', status: 200 });
    resolving({ web: [ELSEWHERE] });
    const other = { ...target, url: new URL(`http://web:${served.port + 1}/x`) };
    expect(await posted(other)).toMatchObject({ kind: 'failed', why: 'web leads elsewhere now' });
  });

  it('on another machine is verified despite a variable; on this one the variable counts', async () => {
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    resolving({ 'shop.test': ['127.0.0.1'] });
    for (const host of [ELSEWHERE, 'shop.test']) {
      await expect(check(`https://${host}/x`, true, env)).rejects.toThrow(
        expect.objectContaining({
          kind: 'auth',
          message: 'NODE_TLS_REJECT_UNAUTHORIZED=0 would send events to anyone who answers',
        }),
      );
    }
    expect((await check('https://127.0.0.1/x', false, env)).url.href).toBe('https://127.0.0.1/x');
    await expect(check('https://127.0.0.1/x', false, { SSL_CERT_FILE: 'ca.pem' })).rejects.toThrow(
      'SSL_CERT_FILE is "ca.pem", not an absolute path',
    );
  });
});

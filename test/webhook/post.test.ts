import dns from 'node:dns';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkTarget, post } from '../../src/webhook/deliver.ts';
import { DEAD_ORIGIN } from '../support/service.ts';
import { serveTarget } from '../support/webhooks.ts';

afterEach(() => void vi.restoreAllMocks());

const NEVER = new AbortController().signal;
const BODY = Buffer.from('{}');

describe('a forwarded event', () => {
  it('for localhost goes to this machine without DNS', async () => {
    const target = await serveTarget();
    const asked = vi.spyOn(dns, 'lookup').mockImplementation(() => {
      throw new Error('a name server was asked');
    });
    const url = checkTarget(`http://localhost:${target.port}/x`, '--to', false, {});
    expect(await post(url, [['X-One', '1']], BODY, NEVER)).toMatchObject({ kind: 'answered', status: 200 });
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
      expect(await post(new URL(`${origin}${path}`), [], BODY, stop.signal)).toMatchObject({
        kind: 'answered',
        status: 200,
      });
    }
  });

  it('ends with a status and Retry-After, as unreachable, or as cancelled', async () => {
    const target = await serveTarget(() => ({ status: 503, headers: { 'retry-after': '7' } }));
    const url = new URL(target.url);
    expect(await post(url, [], BODY, NEVER)).toEqual({ kind: 'answered', status: 503, retryAfter: '7' });
    expect(await post(url, [], BODY, AbortSignal.abort())).toEqual({ kind: 'left' });
    const nobody = new URL(DEAD_ORIGIN);
    expect(await post(nobody, [], BODY, NEVER)).toMatchObject({ kind: 'failed', reached: false });
  });
});

describe('a target', () => {
  it.each([
    ['http://192.0.2.1/x', 'is not on this machine'],
    ['http://127.0.0.1.example.com/', 'is not on this machine'],
    ['http://a:b@127.0.0.1/', 'contains a user name or a password'],
    ['ftp://127.0.0.1/', 'is not a URL'],
    ['localhost:3000', 'is not a URL'],
  ])('is rejected: %s', (url, why) => {
    expect(() => checkTarget(url, '--forward-to', false, {})).toThrow(`--forward-to: "${url}" ${why}`);
  });

  it('on another machine must be requested and encrypted', () => {
    expect(() => checkTarget('http://192.0.2.1/x', '--to', true, {})).toThrow('is not encrypted');
    expect(checkTarget('https://192.0.2.1/x', '--to', true, {}).href).toBe('https://192.0.2.1/x');
  });

  it('on another machine is verified despite a variable; on this one the variable counts', () => {
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect(() => checkTarget('https://192.0.2.1/x', '--to', true, env)).toThrow(
      expect.objectContaining({
        kind: 'auth',
        message: 'NODE_TLS_REJECT_UNAUTHORIZED=0 would send events to anyone who answers',
      }),
    );
    expect(checkTarget('https://127.0.0.1/x', '--to', false, env).href).toBe('https://127.0.0.1/x');
  });
});

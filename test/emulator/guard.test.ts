import type { OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { refusePages } from '../../src/emulator/service.ts';
import { type Emulator, sendRaw, startEmulator } from './support.ts';

const portOf = ({ origin }: Emulator): string => new URL(origin).port;

const list = (emulator: Emulator, headers: OutgoingHttpHeaders) =>
  sendRaw(emulator.origin, { path: '/v1/ugwo', headers: { authorization: `Bearer ${emulator.key}`, ...headers } });

/** Sends raw text to the emulator and returns the response. */
const speak = (emulator: Emulator, text: string): Promise<string> => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(Number(portOf(emulator)), '127.0.0.1', () => socket.write(text));
  let heard = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    heard += chunk;
  });
  socket.on('error', reject).on('end', () => resolve(heard));
  return promise;
};

describe('5 authentication', () => {
  test('accepts the key of the data file', async () => {
    const emulator = await startEmulator();
    expect(emulator.key).toMatch(/^sk\.Lcal\.[A-Za-z0-9]{78}_t$/);
    expect((await list(emulator, {})).status).toBe(200);
  });

  test.each([
    ['missing', () => undefined],
    ['empty', () => ''],
    ['without the scheme', (key: string) => key],
    ['of another scheme', (key: string) => `Basic ${key}`],
    ['with nothing after the scheme', () => 'Bearer '],
    ['with a space in it', (key: string) => `Bearer ${key.slice(0, 20)} ${key.slice(20)}`],
    ['twice the key', (key: string) => `Bearer ${key}, Bearer ${key}`],
    ['the key and something more', (key: string) => `Bearer ${key} x`],
    ['one character short', (key: string) => `Bearer ${key.slice(0, -1)}`],
    ['one character long', (key: string) => `Bearer ${key}x`],
    ['in another case', (key: string) => `Bearer ${key.toUpperCase()}`],
    ['a public key', (key: string) => `Bearer ${key.replace('sk.', 'pk.')}`],
    ['another key', () => `Bearer sk.Lcal.${'x'.repeat(80)}`],
  ])('401 problem when the header is %s', async (_case, header) => {
    const emulator = await startEmulator({ ugwo: 1 });
    const value = header(emulator.key);
    const answer = await sendRaw(emulator.origin, {
      path: '/v1/ugwo',
      headers: value === undefined ? {} : { authorization: value },
    });
    expect(answer.status).toBe(401);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.json).toMatchObject({ title: 'An error occurred', status: 401 });
    expect(answer.text).not.toContain(emulator.key);
  });

  test('the key of another data file is a 401', async () => {
    const [here, there] = [await startEmulator(), await startEmulator()];
    expect(here.key).not.toBe(there.key);
    expect((await list(here, { authorization: `Bearer ${there.key}` })).status).toBe(401);
  });

  test('reveals no path to clients without a key', async () => {
    const { origin } = await startEmulator();
    expect((await sendRaw(origin, { path: '/v1/nowhere' })).status).toBe(401);
    expect((await sendRaw(origin, { method: 'PUT', path: '/v1/ugwo' })).status).toBe(401);
  });
});

describe('security row 12: a web page reaches the emulator', () => {
  test.each(['127.0.0.1', 'localhost', '[::1]', 'LOCALHOST'])('accepts the host %s with the port', async (name) => {
    const emulator = await startEmulator();
    expect((await list(emulator, { host: `${name}:${portOf(emulator)}` })).status).toBe(200);
  });

  test.each([
    ['a rebound name', (port: string) => `evil.example:${port}`],
    ['a name with the right end', (port: string) => `evil-localhost:${port}`],
    ['a name with the right start', (port: string) => `localhost.evil.example:${port}`],
    ['no port', () => '127.0.0.1'],
    ['another port', (port: string) => `127.0.0.1:${Number(port) === 65_535 ? 1024 : Number(port) + 1}`],
    ['another loopback address', (port: string) => `127.0.0.2:${port}`],
    ['a trailing dot', (port: string) => `localhost.:${port}`],
  ])('403 for the host: %s', async (_case, host) => {
    const emulator = await startEmulator();
    const answer = await list(emulator, { host: host(portOf(emulator)) });
    expect(answer.status).toBe(403);
    expect(answer.json).toMatchObject({ title: 'An error occurred', status: 403 });
  });

  test('an unreadable host is a 400 problem', async () => {
    const emulator = await startEmulator();
    const answer = await list(emulator, { host: 'a b' });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ status: 400 });
  });

  test.each([
    ['another site', () => 'https://evil.example'],
    ['a page on another port of this machine', () => 'http://localhost:3000'],
    ['null', () => 'null'],
    ['the right host with TLS', (port: string) => `https://127.0.0.1:${port}`],
    ['a name with the right start', (port: string) => `http://127.0.0.1:${port}.evil.example`],
    ['empty', () => ''],
  ])('403 for a foreign origin with every method: %s', async (_case, origin) => {
    const emulator = await startEmulator();
    for (const method of ['GET', 'POST', 'PATCH', 'OPTIONS']) {
      const answer = await sendRaw(emulator.origin, {
        method,
        path: '/v1/ugwo',
        headers: { authorization: `Bearer ${emulator.key}`, origin: origin(portOf(emulator)) },
      });
      expect(answer.status).toBe(403);
    }
  });

  test('accepts its own origin', async () => {
    const emulator = await startEmulator();
    expect((await list(emulator, { origin: emulator.origin })).status).toBe(200);
  });

  test.each([
    ['cross-site', 403],
    ['same-site', 403],
    ['same-origin', 200],
    ['none', 200],
  ])('answers Sec-Fetch-Site: %s with %i', async (site, status) => {
    expect((await list(await startEmulator(), { 'sec-fetch-site': site })).status).toBe(status);
  });

  test('rejects preflights, and sends no CORS header', async () => {
    const emulator = await startEmulator({ ugwo: 1 });
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'GET' };
    const preflight = await sendRaw(emulator.origin, { method: 'OPTIONS', path: '/v1/ugwo', headers });
    expect(preflight.status).toBe(403);
    for (const answer of [preflight, await list(emulator, {}), await list(emulator, { origin: emulator.origin })]) {
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  test('listens only on loopback', async () => {
    const emulator = await startEmulator();
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => address);
    for (const host of ['127.0.0.2', ...others]) {
      const { promise, resolve } = Promise.withResolvers<string>();
      const socket = connect({ host, port: Number(portOf(emulator)) }, () => resolve('connected'));
      socket.on('error', () => resolve('refused'));
      expect(await promise).toBe('refused');
      socket.destroy();
    }
  });
});

describe('paths and methods', () => {
  test.each([
    '/',
    '/v1',
    '/v2/ugwo',
    '/v1/ugwo/',
    '/v1/ugwo/x',
    '/v1//ugwo',
    '/v1/onye//x',
    '/V1/ugwo',
    '/v1/ugwo/../x',
  ])('404 problem at %s', async (path) => {
    const { send } = await startEmulator();
    const answer = await send('GET', path);
    expect(answer.status).toBe(404);
    expect(answer.json).toMatchObject({ title: 'An error occurred', status: 404 });
  });

  test.each([
    ['PATCH', '/v1/ugwo', 'POST, GET'],
    ['DELETE', '/v1/ugwo', 'POST, GET'],
    ['PUT', '/v1/onye/ony.Lcal.x', 'GET, PATCH, DELETE'],
    ['POST', '/v1/checkouts', 'GET'],
    ['GET', '/v1/refunds', 'POST'],
    ['GET', '/v1/ugwo/ugw.Lcal.x/activities', 'POST'],
    ['OPTIONS', '/v1/ugwo', 'POST, GET'],
  ])('405 problem for %s %s, which names %s', async (method, path, allow) => {
    const { send } = await startEmulator();
    const answer = await send(method, path);
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe(allow);
    expect(answer.json).toMatchObject({ title: 'An error occurred', status: 405 });
  });

  test('rejects invalid HTTP and keeps serving', async () => {
    const emulator = await startEmulator();
    expect(await speak(emulator, 'hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    expect(await speak(emulator, 'GET /v1/ugwo HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    expect((await list(emulator, {})).status).toBe(200);
  });

  test('answers have the time of the clock and forbid caching', async () => {
    const { headers } = await list(await startEmulator(), {});
    expect(headers.date).toBe('Fri, 20 Nov 2026 12:00:00 GMT');
    expect(headers['cache-control']).toBe('no-store');
  });
});

describe('a connection from another machine, such as a container', () => {
  const far = { port: 4010, viaLoopback: false };

  test('may use any host name', () => {
    expect(() => refusePages({ host: 'paycli:4010' }, far)).not.toThrow();
    expect(() => refusePages({ host: 'paycli:4010' }, { ...far, viaLoopback: true })).toThrow();
  });

  test('is rejected if it comes from a page of another origin', () => {
    expect(() => refusePages({ host: 'paycli:4010', origin: 'http://evil.example' }, far)).toThrow();
    expect(() => refusePages({ host: 'paycli:4010', 'sec-fetch-site': 'cross-site' }, far)).toThrow();
    expect(() => refusePages({}, far)).toThrow();
  });
});

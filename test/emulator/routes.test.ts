import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { inFile, sendRaw, startEmulator } from './support.ts';

const asked = async (method: string, path: string): Promise<Response> => {
  const { origin, key } = await startEmulator({ ugwo: 1, customers: 1 });
  return fetch(`${origin}${path}`, { method, headers: { authorization: `Bearer ${key}` } });
};

test('HEAD is answered like GET, without the body', async () => {
  const answer = await asked('HEAD', '/v1/ugwo');
  expect(answer.status).toBe(200);
  expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(100);
  expect(await answer.text()).toBe('');
});

test.each([
  ['/v1/%75gwo', 200],
  ['/v1/./onye/../ugwo', 200],
  ['/v1/ugwo/', 404],
  ['/v1//ugwo', 404],
  ['/v1', 404],
])('%s is normalised as usual: %i', async (path, status) => {
  expect((await asked('GET', path)).status).toBe(status);
});

test('an encoded slash in an id does not change the route', async () => {
  const answer = await asked('GET', '/v1/ugwo/ugw.1%2Factivities');
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ status: 404, detail: 'ugwo.error.not_found' });
});

test('another method gets a 405 with the allowed methods', async () => {
  const answer = await asked('PATCH', '/v1/ugwo');
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')?.split(', ').toSorted()).toEqual(['GET', 'POST']);
});

test.each(['/%65mulator/reset', '/emulator%2Freset', '/v1/%2e%2e/emulator/reset'])(
  "the secret key can't reach a control by %s",
  async (path) => {
    const { origin, key, controlToken } = await startEmulator({ ugwo: 1 });
    const post = (token: string) =>
      sendRaw(origin, {
        path,
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{}',
      });
    expect((await post(key)).status).not.toBe(200);
    expect((await post(controlToken)).status).toBe(path.includes('%2F') ? 401 : 200);
  },
);

test.each([
  ['/v1/ugwo?x=a\\b', 200],
  ['/v1\\ugwo', 400],
  ['http://127.0.0.1/v1/ugwo', 200],
  ['ftp://127.0.0.1/v1/ugwo', 400],
])('%s gets %i', async (path, status) => {
  const { origin, key } = await startEmulator({ ugwo: 1 });
  expect((await sendRaw(origin, { path, headers: { authorization: `Bearer ${key}` } })).status).toBe(status);
});

test('pipelined requests on one connection are answered in order', async () => {
  const { origin, key } = await startEmulator({ ugwo: 1 });
  const { host, port } = new URL(origin);
  const ask = (path: string, more = ''): string =>
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n${more}\r\n`;
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(ask('/v1/ugwo') + ask('/v1/none') + ask('/v1/onye', 'Connection: close\r\n'));
  const answers = await text(socket);
  expect([...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '404', '200']);
});

test('unreadable data is a 500, and the service continues', async () => {
  const emulator = await startEmulator({ ugwo: 1 });
  inFile(emulator.file, (db) => db.exec('ALTER TABLE setting RENAME TO gone'));
  for (const path of ['/v1/ugwo', '*', '/v1/ugwo']) {
    const { status } = await sendRaw(emulator.origin, { path, headers: { authorization: `Bearer ${emulator.key}` } });
    expect(status).toBe(500);
  }
});

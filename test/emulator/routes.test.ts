import { expect, test } from 'vitest';
import { startEmulator } from './support.ts';

const asked = async (method: string, path: string): Promise<Response> => {
  const { origin, key } = await startEmulator({ ugwo: 1, customers: 1 });
  return fetch(`${origin}${path}`, { method, headers: { authorization: `Bearer ${key}` } });
};

test('HEAD is answered as GET is, without the text', async () => {
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
])('%s is read as others read it: %i', async (path, status) => {
  expect((await asked('GET', path)).status).toBe(status);
});

test('a slash within an identifier takes it to no other route', async () => {
  const answer = await asked('GET', '/v1/ugwo/ugw.1%2Factivities');
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ status: 404, detail: 'ugwo.error.not_found' });
});

test('another method of a path is told which it takes', async () => {
  const answer = await asked('PATCH', '/v1/ugwo');
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')?.split(', ').toSorted()).toEqual(['GET', 'POST']);
});

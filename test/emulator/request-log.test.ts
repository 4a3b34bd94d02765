import { expect, test } from 'vitest';
import type { HttpAnswer, HttpRequest } from '../../src/emulator/http.ts';
import { openRequestLog, type SeenRequest } from '../../src/emulator/request-log.ts';

const requestTo = (target: string, headers: HttpRequest['headers'] = {}): HttpRequest => ({
  ...{ method: 'POST', target, headers, port: 80, isNear: true, body: [] },
  ...{ segments: [], query: new URLSearchParams(), hangUp: () => undefined },
  isClosed: () => false,
});

const answerOf = (text: string, status = 200): HttpAnswer => ({ status, headers: {}, text });

const open = () =>
  openRequestLog(
    () => 1000,
    () => 0,
  );

test('stores the newest 300 requests, newest first, and reports each once', () => {
  const [log, told] = [open(), [] as number[]];
  const stop = log.listen(({ seq }) => told.push(seq));
  for (let count = 0; count < 1000; count += 1) {
    const asked = requestTo(`/v1/${count}`);
    log.begin(asked);
    log.end(asked, 200);
    log.end(asked, 500);
    if (count === 9) stop();
  }
  expect(log.newest().map(({ seq }) => seq)).toEqual(Array.from({ length: 300 }, (_, index) => 1000 - index));
  expect(told).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(log.find(1000)).toMatchObject({ url: '/v1/999', status: 200 });
  expect(log.find(700)).toBeUndefined();
});

test('shortens long values, and stores only the User-Agent header', () => {
  const log = open();
  const asked = requestTo(`/v1/${'x'.repeat(10_000)}`, {
    'user-agent': 'y'.repeat(500),
    authorization: 'Bearer key',
  });
  log.begin(asked);
  log.body(asked, Buffer.alloc(1_000_000, 'b'));
  log.executed(asked, answerOf('a'.repeat(1_000_000)));
  log.end(asked, undefined);
  const { url, agent, body, executed, status } = log.newest()[0] as SeenRequest;
  expect([url.length, agent.length, body?.length, executed?.text.length]).toEqual([2048, 100, 8192, 8192]);
  expect(status).toBeUndefined();
  expect(JSON.stringify(log.newest())).not.toContain('Bearer');
});

test('stores a request answered by a fault rule without an answer of the service', () => {
  const [log, asked] = [open(), requestTo('/v1/ugwo')];
  log.begin(asked);
  log.fault(asked, { status: 503 });
  log.end(asked, 503);
  expect(log.newest()).toEqual([
    { seq: 1, at: 1000, method: 'POST', url: '/v1/ugwo', agent: '', fault: { status: 503 }, status: 503, took: 0 },
  ]);
});

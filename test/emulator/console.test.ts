import { describe, expect, onTestFinished, test } from 'vitest';
import { DIALECTS, type Dialect } from '../../src/core/data-files.ts';
import { seenRequestRow } from '../../src/emulator/console/open.ts';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { openShop } from './shop.ts';
import { clockAt, sendRaw, tempFile } from './support.ts';

const JSON_TYPE = 'application/json';

const opened = async (dialect: Dialect = 'documented') => {
  const [file, clock] = [tempFile(), clockAt()];
  await emulatorRoom.seed({ file, clock, customers: 2, ugwo: 10 });
  const running = await emulatorRoom.start({ file, port: 0, clock, dialect, console: { data: undefined } });
  onTestFinished(() => running.close());
  const root = new URL(running.console ?? '').pathname;
  const open = (path: string, headers = {}) => sendRaw(running.origin, { path: `${root}${path}`, headers });
  const submit = (path: string, body: object, headers: Record<string, string | undefined> = {}) => {
    const usual = { origin: running.origin, 'content-type': JSON_TYPE, 'sec-fetch-site': 'same-origin', ...headers };
    const given = Object.fromEntries(Object.entries(usual).filter(([, value]) => value !== undefined));
    return sendRaw(running.origin, {
      method: 'POST',
      path: `${root}${path}`,
      headers: given,
      body: JSON.stringify(body),
    });
  };
  const moved = () => emulatorRoom.clock({ file, clock }).then(({ moved }) => moved);
  return { ...running, root, file, open, submit, moved };
};

describe('security row 13: a foreign page uses the console', () => {
  test('a wrong token opens nothing', async () => {
    const { origin, root, controlToken, publicKey } = await opened();
    const token = root.split('/')[2] ?? '';
    for (const wrong of ['', 'x', `${token.slice(0, -1)}!`, `${token}x`, controlToken, publicKey]) {
      for (const path of [
        `/console/${wrong}/`,
        `/console/${wrong}/v1/ugwo`,
        `/console/${wrong}/updates`,
        `/console/${wrong}/emulator/clock`,
      ]) {
        expect((await sendRaw(origin, { path })).status, path).toBe(403);
      }
    }
    expect((await sendRaw(origin, { path: '/console/' })).status).toBe(403);
  });

  test.each([
    ['a rebound name', { host: 'evil.example' }],
    ['a rebound name with the port', { host: 'evil.example:80' }],
    ['a foreign origin', { origin: 'https://evil.example' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['a read from another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }],
    ['a script from another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ])('%s gets a 403', async (_what, headers) => {
    const { open } = await opened();
    const answer = await open('v1/ugwo', headers);
    expect(answer.status).toBe(403);
    expect(answer.text).not.toContain('ugw.');
  });

  test('a link from another site opens the console', async () => {
    const { open } = await opened();
    expect((await open('', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).status).toBe(200);
  });

  test.each([
    ['no origin', { origin: undefined }],
    ['the origin of a sandbox', { origin: 'null' }],
    ['a foreign origin', { origin: 'https://evil.example' }],
    ['another name of this machine', { origin: 'http://localhost:1' }],
    ['a form from another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
    ['a body that needs no preflight', { 'content-type': 'text/plain' }],
  ])('%s changes nothing', async (_what, headers) => {
    const { submit, moved } = await opened();
    expect((await submit('emulator/clock', { by: '15m' }, headers)).status).toBeGreaterThanOrEqual(400);
    expect(await moved()).toBe(0);
    expect((await submit('emulator/clock', { by: '15m' })).status).toBe(200);
    expect(await moved()).toBe(900_000);
  });

  test('every answer has the security policy, forbids framing and caching, and has no CORS header', async () => {
    const { open, submit } = await opened();
    const answers = [
      await open(''),
      await open('nothing'),
      await open('style.css'),
      await submit('emulator/clock', { by: '15m' }),
    ];
    for (const { headers } of answers) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers).toMatchObject({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; " +
          "frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      });
    }
  });

  test('a GET changes nothing, and only the service and the controls accept writes', async () => {
    const { open, submit, moved } = await opened();
    expect((await open('emulator/clock?by=15m')).json).toMatchObject({ moved: 0 });
    expect((await open('constructor')).status).toBe(404);
    for (const path of ['', 'about', 'updates', 'openapi.json', 'ugw.Lcal.x']) {
      expect((await submit(path, { by: '15m' })).status, path).toBe(404);
    }
    expect(await moved()).toBe(0);
  });
});

test('an emulator without a console stores no requests', async () => {
  const [file, clock] = [tempFile(), clockAt()];
  const running = await emulatorRoom.start({ file, port: 0, clock });
  onTestFinished(() => running.close());
  expect(running.console).toBeUndefined();
  expect((await sendRaw(running.origin, { path: '/console/' })).status).toBe(401);
});

test("the console's address is stable for a data file", async () => {
  const [file, clock] = [tempFile(), clockAt()];
  const paths = [];
  for (const _ of [1, 2]) {
    const running = await emulatorRoom.start({ file, port: 0, clock, console: { data: undefined } });
    paths.push(new URL(running.console ?? '').pathname);
    await running.close();
  }
  expect(paths[0]).toBe(paths[1]);
  expect(paths[0]).toMatch(/^\/console\/\w{32}\/$/);
});

test('the console shows the answer to a request made before it was opened', async () => {
  const { open, origin, key } = await opened();
  const answer = await sendRaw(origin, { path: '/v1/ugwo?limit=1', headers: { authorization: `Bearer ${key}` } });
  expect((await open('requests/1')).json).toMatchObject({
    got: '200 OK',
    executed: { status: 200, text: answer.text },
  });
});

test.each(DIALECTS)('the console uses the documented dialect while clients get the %s one', async (dialect) => {
  const { open } = await opened(dialect);
  const [ugwo] = (await open('v1/ugwo?limit=1')).json.data;
  expect(ugwo).toMatchObject({ amount: expect.any(Number), status: expect.any(String) });
});

test('the console creates a charge whose answer is lost', async () => {
  const { open, submit } = await opened();
  const body = { amount: 500_000, currency: 'NGN', metadata: { emulate: 'lost' } };
  const { uid } = (await submit('v1/ugwo', body)).json;
  const charge = { type: 'charge', data: { medium: 'ussd', provider: 'gtb' } };
  expect((await submit(`v1/ugwo/${uid}/activities`, charge)).status).toBe(200);
  const [activity] = (await open(`timelines/${uid}`)).json.activities;
  expect(activity).toMatchObject({ medium: 'ussd', refunds: [], qr: expect.any(Array) });
});

/** The reasons shown for a request with this answer. */
const reasonsOf = (status: number, text: string): readonly string[] => {
  const request = { seq: 1, at: 0, method: 'POST', url: '/v1/ugwo', agent: '', took: 1 };
  return seenRequestRow({ ...request, status, executed: { status, text } }).reasons;
};

describe.each(DIALECTS)('the reason of a rejected request, in the %s dialect', (dialect) => {
  test.each([
    ['one violation', '/v1/ugwo', { amount: 1, currency: 'NGN' }, ['amount: should be at least 20000']],
    ['two violations', '/v1/ugwo', {}, [expect.stringMatching(/^amount: /), expect.stringMatching(/^currency: /)]],
    [
      'an error code',
      '/v1/ugwo/ugw.Lcal.nothing/activities',
      { type: 'charge', data: { medium: 'bank_transfer' } },
      ['No payment request in this workspace has this id (ugwo.error.not_found)'],
    ],
  ])('%s', async (_what, path, body, words) => {
    const { post } = await openShop({ dialect });
    const { status, text } = await post(path, body);
    expect(reasonsOf(status, text)).toEqual(words);
  });
});

test('an accepted answer has no reason, and an unreadable one an empty one', () => {
  expect(reasonsOf(200, '{"message":"x"}')).toEqual([]);
  expect(reasonsOf(500, 'no JSON')).toEqual(['']);
});

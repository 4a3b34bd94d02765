import { describe, expect, onTestFinished, test } from 'vitest';
import { DIALECTS, type Dialect } from '../../src/core/data-files.ts';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { openShop } from './shop.ts';
import { clockAt, sendRaw, tempFile } from './support.ts';

const opened = async (dialect: Dialect = 'documented') => {
  const shop = await openShop({ customers: 2, ugwo: 10, dialect });
  const root = new URL(shop.console).pathname;
  const open = (path = '', headers = {}) => sendRaw(shop.origin, { path: `${root}${path}`, headers });
  const submit = (path: string, fields: Record<string, string>, headers: Record<string, string | undefined> = {}) => {
    const type = 'application/x-www-form-urlencoded';
    const usual = { origin: shop.origin, 'content-type': type, 'sec-fetch-site': 'same-origin', ...headers };
    const given = Object.fromEntries(Object.entries(usual).filter(([, value]) => value !== undefined));
    const body = new URLSearchParams(fields).toString();
    return sendRaw(shop.origin, { method: 'POST', path: `${root}${path}`, headers: given, body });
  };
  const moved = () => emulatorRoom.clock({ file: shop.file, clock: shop.clock }).then(({ moved }) => moved);
  return { ...shop, root, open, submit, moved };
};

describe('security row 13: a foreign page uses the console', () => {
  test('a wrong token opens nothing', async () => {
    const { origin, root, controlToken, publicKey } = await opened();
    const token = root.split('/')[2] ?? '';
    for (const wrong of ['x', `${token.slice(0, -1)}!`, `${token}x`, controlToken, publicKey]) {
      for (const path of [`/console/${wrong}/`, `/console/${wrong}/ugw.Lcal.x`]) {
        const { status, text } = await sendRaw(origin, { path });
        expect([status, text.includes('INV-')], path).toEqual([403, false]);
      }
    }
    for (const path of ['/console', '/console/', '/console//']) {
      expect((await sendRaw(origin, { path })).status, path).toBe(404);
    }
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
    const answer = await open('', headers);
    expect([answer.status, answer.text.includes('ugw.')]).toEqual([403, false]);
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
    ['a body that is no form', { 'content-type': 'text/plain' }],
  ])('%s changes nothing', async (_what, headers) => {
    const { submit, moved } = await opened();
    expect((await submit('', { by: '15m' }, headers)).status).toBeGreaterThanOrEqual(400);
    expect(await moved()).toBe(0);
    expect((await submit('', { by: '15m' })).status).toBe(303);
    expect(await moved()).toBe(900_000);
  });

  test('every page has the security policy, forbids framing and caching, and has no CORS header', async () => {
    const { open, submit, request } = await opened();
    const { uid } = await request();
    for (const { headers } of [await open(), await open(uid), await submit('', { activity: 'act.x', end: 'paid' })]) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; script-src 'none'; style-src 'sha256-[\w+/]{43}='; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
        ),
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
    }
  });

  test('a GET changes nothing, and no other method is answered', async () => {
    const { open, moved, origin, root, key } = await opened();
    expect((await open('?by=15m')).status).toBe(200);
    for (const method of ['PUT', 'DELETE']) {
      const headers = { authorization: `Bearer ${key}`, origin };
      expect((await sendRaw(origin, { method, path: root, headers })).status).toBe(404);
    }
    expect(await moved()).toBe(0);
  });
});

test("the console's address is stable for a data file", async () => {
  const [file, clock] = [tempFile(), clockAt()];
  const paths = [];
  for (const _ of [1, 2]) {
    const running = await emulatorRoom.start({ file, port: 0, clock });
    onTestFinished(() => running.close());
    paths.push(new URL(running.console).pathname);
    await running.close();
  }
  expect(paths[0]).toBe(paths[1]);
  expect(paths[0]).toMatch(/^\/console\/\w{32}\/$/);
});

test.each([
  ['paid', { status: 'successful', charged_amount: 500_000 }, 'ugwo_successful'],
  ['part', { status: 'successful', charged_amount: 250_000 }, 'requires_ugwo'],
  ['too much', { status: 'successful', charged_amount: 750_000 }, 'ugwo_successful'],
  ['failed', { status: 'failed', error: { code: 'psp.error.declined' } }, 'requires_ugwo'],
])('the button "%s" ends a charge and shows its payment request again', async (end, ended, status) => {
  const { submit, request, charge, read, root } = await opened();
  const { uid } = await request();
  const { uid: activity } = (await charge(uid)).json;
  const { status: got, headers } = await submit(uid, { activity, end });
  expect([got, headers.location]).toEqual([303, `${root}${uid}#${activity}`]);
  expect(await read(uid)).toMatchObject({ status, activities: [ended] });
});

test('an activity has the buttons for what can still happen to it', async () => {
  const { submit, open, request, charge, read, pass } = await opened();
  const { uid } = await request();
  const buttons = async () => {
    const { text } = await open(uid);
    return [...text.matchAll(/name="end" value="([^"]+)"/g)].map(([, name]) => name);
  };
  expect(await buttons()).toEqual([]);
  const { uid: activity } = (await charge(uid, { medium: 'bank_transfer' })).json;
  expect(await buttons()).toEqual(['paid', 'part', 'too much', 'failed']);
  pass(16 * 60);
  expect(await buttons()).toEqual(['paid', 'part', 'too much']);
  await submit(uid, { activity, end: 'paid' });
  expect(await buttons()).toEqual(['reversed']);
  await submit(uid, { activity, end: 'reversed' });
  expect(await buttons()).toEqual([]);
  expect((await read(uid)).activities).toMatchObject([{ error: { code: 'psp.error.reversed' } }]);
});

test('a button that came too late says so, and changes nothing', async () => {
  const { submit, paid, read } = await opened();
  const { ugwo, activity } = await paid();
  const { status, text } = await submit(ugwo, { activity, end: 'failed' });
  expect([status, text.includes('has ended already: it is paid')]).toEqual([409, true]);
  expect(await read(ugwo)).toMatchObject({ status: 'ugwo_successful' });
});

test('the list shows the newest first, and leads to the older ones', async () => {
  const { open, post } = await opened();
  for (let count = 0; count < 45; count += 1)
    await post('/v1/ugwo', { amount: 500_000, currency: 'NGN', ref: `N${count}` });
  const refsOf = (text: string) => [...text.matchAll(/data-column="ref" class="free">([^<]*)</g)].map(([, ref]) => ref);
  const { text } = await open();
  expect([refsOf(text).length, refsOf(text)[0]]).toEqual([50, 'N44']);
  const [, older = ''] = /<a href="(\?before=\d+)">Older/.exec(text) ?? [];
  const rest = await open(older);
  expect(refsOf(rest.text)).toHaveLength(5);
  expect(rest.text).not.toContain('Older');
});

test.each(DIALECTS)('the console names the same identifiers as the API in the %s dialect', async (dialect) => {
  const { open, request, charge, submit } = await opened(dialect);
  const { uid } = await request();
  const { uid: activity } = (await charge(uid)).json;
  expect((await open()).text).toContain(`<a href="${uid}">${uid}</a>`);
  const { text } = await open(uid);
  expect(new Set(text.match(/\bugw\.\w+\.\w+/g))).toEqual(new Set([uid]));
  expect(new Set(text.match(/\bact\.\w+\.\w+/g))).toEqual(new Set([activity]));
  expect((await submit(uid, { activity, end: 'paid' })).status).toBe(303);
});

test('an unknown payment request is a 404', async () => {
  const { open } = await opened();
  expect((await open('ugw.Lcal.nothing')).status).toBe(404);
});

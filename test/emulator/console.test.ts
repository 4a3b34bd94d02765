import { describe, expect, onTestFinished, test } from 'vitest';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { clockAt, sendRaw, tempFile } from './support.ts';

const FORM = 'application/x-www-form-urlencoded';

const opened = async () => {
  const [file, clock] = [tempFile(), clockAt()];
  await emulatorRoom.seed({ file, clock, customers: 2, ugwo: 10 });
  const running = await emulatorRoom.start({ file, port: 0, clock, console: { data: undefined } });
  onTestFinished(() => running.close());
  const root = new URL(running.console ?? '').pathname;
  const open = (path: string, headers = {}) => sendRaw(running.origin, { path: `${root}${path}`, headers });
  const submit = (path: string, body: string, headers: Record<string, string | undefined> = {}) => {
    const usual = { origin: running.origin, 'content-type': FORM, 'sec-fetch-site': 'same-origin', ...headers };
    const given = Object.fromEntries(Object.entries(usual).filter(([, value]) => value !== undefined));
    return sendRaw(running.origin, { method: 'POST', path: `${root}${path}`, headers: given, body });
  };
  const moved = () => emulatorRoom.clock({ file, clock }).then(({ moved }) => moved);
  return { ...running, root, file, open, submit, moved };
};

describe('security row 13: a foreign page uses the console', () => {
  test('an address without its token opens nothing', async () => {
    const { origin, root, controlToken, publicKey } = await opened();
    const token = root.split('/')[2] ?? '';
    for (const wrong of ['', 'x', `${token.slice(0, -1)}!`, `${token}x`, controlToken, publicKey]) {
      for (const path of [
        `/console/${wrong}/`,
        `/console/${wrong}/ugwo`,
        `/console/${wrong}/live`,
        `/console/${wrong}/style.css`,
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
    ['a read by another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }],
    ['a script of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ])('%s is turned away', async (_what, headers) => {
    const { open } = await opened();
    const answer = await open('ugwo', headers);
    expect(answer.status).toBe(403);
    expect(answer.text).not.toContain('ugw.');
  });

  test('a link elsewhere opens it, for people', async () => {
    const { open } = await opened();
    expect((await open('', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).status).toBe(200);
  });

  test.each([
    ['no origin', { origin: undefined }],
    ['the origin of a sandbox', { origin: 'null' }],
    ['a foreign origin', { origin: 'https://evil.example' }],
    ['another name of this machine', { origin: 'http://localhost:1' }],
    ['a form of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
    ['another kind of body', { 'content-type': 'text/plain' }],
  ])('%s changes nothing', async (_what, headers) => {
    const { submit, moved } = await opened();
    expect((await submit('clock', 'by=15m', headers)).status).toBeGreaterThanOrEqual(403);
    expect(await moved()).toBe(0);
    expect((await submit('clock', 'by=15m')).status).toBe(303);
    expect(await moved()).toBe(900_000);
  });

  test('no answer has a CORS header, all have the policy, and none may be framed or kept', async () => {
    const { open, submit } = await opened();
    const answers = [await open(''), await open('nothing'), await open('style.css'), await submit('clock', 'by=15m')];
    for (const { headers } of answers) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers).toMatchObject({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
          "frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      });
    }
  });

  test('what only reads changes nothing, and there is no other method', async () => {
    const { origin, root, open, moved } = await opened();
    expect((await open('clock?by=15m')).status).toBe(200);
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const headers = { origin, 'content-type': FORM };
      expect((await sendRaw(origin, { method, path: `${root}clock?by=15m`, headers })).status).toBe(404);
    }
    expect(await moved()).toBe(0);
  });
});

test('an emulator that was not asked for a console has none, and keeps no request', async () => {
  const [file, clock] = [tempFile(), clockAt()];
  const running = await emulatorRoom.start({ file, port: 0, clock });
  onTestFinished(() => running.close());
  expect(running.console).toBeUndefined();
  expect((await sendRaw(running.origin, { path: '/console/' })).status).toBe(401);
});

test('its address stays the same as long as its data file', async () => {
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

test('its script takes part in no form: every page works without it', async () => {
  const { open } = await opened();
  const { text } = await open('script.js');
  expect(text).toContain('addEventListener');
  expect(text).not.toMatch(/'(click|submit|change|input|key\w*|pointer(down|up)|mouse\w*)'|preventDefault|\.onclick/);
});

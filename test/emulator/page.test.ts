import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { emulatorRoom } from '../../src/emulator/room.ts';
import { openShop, TRANSFER } from './shop.ts';
import { type Answer, type Setting, sendRaw } from './support.ts';

const SHOP = 'http://localhost:3000';

const withPage = async () => {
  const shop = await openShop();
  const open = (ugwo: string, query: Record<string, string> = {}, headers = {}): Promise<Answer> => {
    const given = { pk: shop.publicKey, embed: '1', embed_origin: SHOP, ...query };
    return sendRaw(shop.origin, { path: `/${ugwo}?${new URLSearchParams(given)}`, headers });
  };
  const pay = (activity: string, amount: number) =>
    emulatorRoom.settle({ ...shop, activity, as: 'successful', after: undefined, amount: () => amount });
  return { ...shop, open, pay };
};

/** The headers of a browser that opens a frame. */
const FRAME = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' };

const policyOf = ({ headers }: Answer): Record<string, string> =>
  Object.fromEntries(
    String(headers['content-security-policy'])
      .split('; ')
      .map((rule) => [rule.split(' ')[0] ?? '', rule.split(' ').slice(1).join(' ')]),
  );

describe('the hosted page', () => {
  test('shows amount, description, mediums and the account', async () => {
    const { open, request, charge } = await withPage();
    const { uid } = await request(undefined, { description: 'Two <b>tickets</b> & more' });
    const before = await open(uid, {}, FRAME);
    expect([before.status, before.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    for (const text of [
      'Pay NGN 5,000.00',
      'Two &#60;b&#62;tickets&#60;/b&#62; &#38; more',
      '<button name="medium" value="bank_transfer">bank transfer</button>',
      '<button name="medium" value="ussd">ussd</button>',
    ]) {
      expect(before.text).toContain(text);
    }
    expect(before.text).not.toContain('I have paid');
    const { next_action } = (await charge(uid, TRANSFER)).json;
    const { text } = await open(uid, {}, FRAME);
    expect(text).toContain(`<dd>${next_action.headers.account_number}</dd>`);
    expect(text).toContain('<button id="paid" type="button">I have paid</button>');
  });

  test('shows the dial string', async () => {
    const { open, request, charge } = await withPage();
    const { uid } = await request();
    const { next_action } = (await charge(uid)).json;
    expect((await open(uid)).text).toContain(`<dt>ussd</dt><dd>${next_action.headers.ussd}</dd>`);
  });

  test('says in words what is missing of a part-paid request, and what was paid', async () => {
    const shop = await withPage();
    const { uid } = await shop.request(undefined, { amount: 90_000 });
    const { uid: activity } = (await shop.charge(uid)).json;
    await shop.pay(activity, 40_000);
    const { text } = await shop.open(uid);
    expect(text).toContain('<h1>Pay NGN 500.00</h1>');
    expect(text).toContain('NGN 500.00 of NGN 900.00 is missing. NGN 400.00 was paid.');
    expect(text).not.toContain('I have paid');
    await shop.charge(uid, TRANSFER);
    expect((await shop.open(uid)).text).toContain('Transfer exactly NGN 500.00');
  });

  test('says what was paid too much', async () => {
    const shop = await withPage();
    const { uid } = await shop.request(undefined, { amount: 90_000 });
    await shop.pay((await shop.charge(uid)).json.uid, 100_000);
    const { text } = await shop.open(uid);
    expect(text).toContain('This has been paid already.');
    expect(text).toContain('NGN 1,000.00 was paid, NGN 100.00 too much.');
  });

  test('loads nothing external and can be framed by the given origin only', async () => {
    const { open, request } = await withPage();
    const answer = await open((await request()).uid);
    expect(policyOf(answer)).toEqual({
      'default-src': "'none'",
      'script-src': expect.stringMatching(/^'sha256-[\w+/]{43}='$/),
      'style-src': expect.stringMatching(/^'sha256-[\w+/]{43}='$/),
      'connect-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'self'",
      'frame-ancestors': SHOP,
    });
    expect(answer.headers).toMatchObject({
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(answer.text).toContain(`<body data-origin="${SHOP}">`);
    for (const [tag, rule] of [
      ['script', 'script-src'],
      ['style', 'style-src'],
    ] as const) {
      const [, inside = ''] = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(answer.text) ?? [];
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(inside));
      expect(policyOf(answer)[rule]).toBe(`'sha256-${Buffer.from(digest).toString('base64')}'`);
    }
    expect(answer.text).not.toMatch(/ on\w+=| src=| href=/);
  });

  test("can't be framed without embedding", async () => {
    const { open, request } = await withPage();
    const answer = await open((await request()).uid, { embed: '0' });
    expect([answer.status, policyOf(answer)['frame-ancestors']]).toEqual([200, "'none'"]);
    expect(answer.text).not.toContain('data-origin');
  });

  test.each([
    'https://evil.example',
    'http://localhost.evil.example:3000',
    'http://localhost:3000/page',
    'http://localhost:3000; script-src *',
    'javascript:alert(1)//localhost',
    'null',
    '*',
    '',
  ])('the embed_origin %j is not local: 403, not framed', async (embed_origin) => {
    const { open, request } = await withPage();
    const answer = await open((await request()).uid, { embed_origin });
    expect([answer.status, policyOf(answer)['frame-ancestors']]).toEqual([403, "'none'"]);
    expect(answer.text).not.toContain('data-origin');
  });

  test('requires the public key: any other key is a 401; an unknown payment request is a 404', async () => {
    const { open, request, key } = await withPage();
    const { uid } = await request();
    for (const pk of [key, `pk.Lcal.${'x'.repeat(80)}`, '']) {
      const answer = await open(uid, { pk });
      expect([answer.status, answer.text.includes('5,000')]).toEqual([401, false]);
    }
    const answer = await open('ugw.Lcal.nothing');
    expect([answer.status, answer.text.includes('data-code="ugwo.error.not_found"')]).toEqual([404, true]);
  });

  test('the public key opens this page only: 401 on the merchant API, and no other method here', async () => {
    const { publicKey, origin, request, read } = await withPage();
    expect(publicKey).toMatch(/^pk\.Lcal\.\w{80}$/);
    const { uid } = await request();
    const headers = { authorization: `Bearer ${publicKey}` };
    for (const [method, path] of [
      ['GET', '/v1/ugwo'],
      ['DELETE', `/v1/ugwo/${uid}`],
      ['POST', '/v1/ugwo'],
    ] as const) {
      expect((await sendRaw(origin, { method, path, headers })).status).toBe(401);
    }
    for (const method of ['PUT', 'DELETE']) {
      expect((await sendRaw(origin, { method, path: `/${uid}?pk=${publicKey}`, headers })).status).toBe(404);
    }
    expect((await read(uid)).status).toBe('requires_ugwo');
  });

  test.each([
    ['not a navigation', { ...FRAME, 'sec-fetch-mode': 'cors' }],
    ['a foreign origin', { ...FRAME, origin: 'https://evil.example' }],
    ['a rebound name', { ...FRAME, host: 'evil.example' }],
  ])('rejects other requests of another site: %s', async (_what, headers) => {
    const { open, request } = await withPage();
    expect((await open((await request()).uid, {}, headers)).status).toBe(403);
  });

  test.each([
    ['ugwo_processed', async ({ paid }: Awaited<ReturnType<typeof withPage>>) => (await paid()).ugwo],
    [
      'ugwo_cancelled',
      async ({ request, send }: Awaited<ReturnType<typeof withPage>>) => {
        const { uid } = await request();
        await send('DELETE', `/v1/ugwo/${uid}`);
        return uid as string;
      },
    ],
  ])('%s: shows that nothing can be paid', async (code, make) => {
    const shop = await withPage();
    const { status, text } = await shop.open(await make(shop));
    expect(status).toBe(200);
    expect(text).toContain(`data-code="${code}"`);
    expect(text).not.toContain('I have paid');
  });
});

describe('a button of the page', () => {
  const withForm = async (setting: Setting = {}) => {
    const shop = await openShop(setting);
    const { uid } = await shop.request();
    const path = `/${uid}?pk=${shop.publicKey}`;
    const press = (medium: string, headers: Record<string, string | undefined> = {}) => {
      const usual = { origin: shop.origin, 'content-type': 'application/x-www-form-urlencoded', ...headers };
      const given = Object.fromEntries(Object.entries(usual).filter(([, value]) => value !== undefined));
      return sendRaw(shop.origin, { method: 'POST', path, headers: given, body: `medium=${medium}` });
    };
    const activities = async () => (await shop.read(uid)).activities as { status: string; next_action: object }[];
    return { ...shop, uid, path, press, activities };
  };

  test.each([
    ['bank_transfer', { account_number: expect.any(String) }],
    ['ussd', { ussd: expect.any(String) }],
  ])('charges by %s, and shows the page again', async (medium, headers) => {
    const { press, path, activities } = await withForm();
    const { status, headers: answered } = await press(medium);
    expect([status, answered.location]).toEqual([303, path]);
    expect(await activities()).toMatchObject([{ status: 'requires_action', next_action: { headers } }]);
  });

  test('is there for each medium of the checkout, also in another currency', async () => {
    const { post, publicKey, origin, read } = await openShop();
    const { uid } = (await post('/v1/ugwo', { amount: 500_000, currency: 'GHS' })).json;
    const path = `/${uid}?pk=${publicKey}`;
    const { text } = await sendRaw(origin, { path });
    expect([...text.matchAll(/name="medium" value="(\w+)"/g)].map(([, name]) => name)).toEqual(['mobile_money']);
    const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' };
    expect((await sendRaw(origin, { method: 'POST', path, headers, body: 'medium=mobile_money' })).status).toBe(303);
    expect((await read(uid)).activities).toMatchObject([{ status: 'processing' }]);
  });

  test('shows why the service refuses it', async () => {
    const { press, activities } = await withForm();
    const { status, text } = await press('cash');
    expect(status).toBe(422);
    expect(text).toContain('data.medium: is not configured on the checkout');
    expect(await activities()).toEqual([]);
  });

  test('says that a payment request without checkout has none', async () => {
    const { request, publicKey, origin } = await openShop();
    const { uid } = await request('unrouted');
    const { text } = await sendRaw(origin, { path: `/${uid}?pk=${publicKey}` });
    expect(text).toContain('It has no checkout');
    expect(text).not.toContain('name="medium"');
  });

  test.each([
    ['no origin', { origin: undefined }],
    ['the origin of a sandbox', { origin: 'null' }],
    ['a foreign origin', { origin: 'https://evil.example' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['a form of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
    ['a body that is no form', { 'content-type': 'text/plain' }],
  ])('changes nothing with %s', async (_what, headers) => {
    const { press, activities } = await withForm();
    expect((await press('ussd', headers)).status).toBeGreaterThanOrEqual(400);
    expect(await activities()).toEqual([]);
    expect((await press('ussd')).status).toBe(303);
  });
});

test('names the same identifiers as the API in the live dialect', async () => {
  const { request, charge, publicKey, origin } = await openShop({ dialect: 'live' });
  const { uid } = await request();
  const { uid: activity } = (await charge(uid)).json;
  const path = `/${uid}?pk=${publicKey}`;
  const { text } = await sendRaw(origin, { path });
  expect([...text.matchAll(/\b(?:act|ugw)\.\w+\.\w+/g)].map(([id]) => id)).toEqual([activity]);
  const state = await sendRaw(origin, { path, headers: { accept: 'application/json' } });
  expect(state.json.activity.uid).toBe(activity);
});

/** Runs the page's script in a minimal browser and records its messages to the parent. */
const browse = async ({ text, status }: Answer, look: () => Promise<Answer>) => {
  const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(text) ?? [];
  const [, attributes = ''] = /<body([^>]*)>/.exec(text) ?? [];
  const dataset = Object.fromEntries(
    [...attributes.matchAll(/data-(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  const said: { message: Record<string, unknown>; target: string }[] = [];
  const shown = { textContent: '' };
  const clicks: Record<string, (event: object) => void> = {};
  const done = Promise.withResolvers<void>();
  const elementOf = (id: string) => {
    const addEventListener = (_click: string, listener: (event: object) => void) => {
      clicks[id] = listener;
    };
    if (id === 'said') return shown;
    return text.includes(`id="${id}"`) ? { addEventListener } : null;
  };
  const target = {
    set disabled(value: boolean) {
      if (!value) done.resolve();
    },
  };
  const parent = { postMessage: (message: Record<string, unknown>, to: string) => said.push({ message, target: to }) };
  const world = {
    document: { body: { dataset }, documentElement: { scrollHeight: 480 }, getElementById: elementOf },
    window: { parent },
    matchMedia: () => ({ matches: false }),
    location: { href: 'the same' },
    fetch: async (_url: string, { headers }: { headers: { accept: string } }) => {
      expect(headers.accept).toBe('application/json');
      return { json: async () => (await look()).json };
    },
    setTimeout: (work: () => void) => work(),
  };
  runInContext(script, createContext(world));
  return {
    status,
    said,
    types: () => said.map(({ message }) => message['type']),
    last: () => said.at(-1)?.message,
    shown,
    click: async (id: string) => {
      clicks[id]?.({ target });
      if (id === 'paid') await done.promise;
    },
  };
};

describe('the messages of its script to the embedding page', () => {
  const opened = async (scripted?: string) => {
    const shop = await withPage();
    const { uid } = await shop.request(scripted);
    const { uid: activity } = (await shop.charge(uid)).json;
    let looks = 0;
    const look = async () => {
      looks += 1;
      if (looks > 2) shop.pass(60);
      return shop.open(uid, {}, { accept: 'application/json', 'sec-fetch-site': 'same-origin' });
    };
    return { ...shop, uid, activity, browser: await browse(await shop.open(uid), look), looks: () => looks };
  };

  test('are ready, theme and resize, to one origin, and close', async () => {
    const { browser } = await opened();
    expect(browser.types()).toEqual(['ready', 'theme', 'resize']);
    await browser.click('close');
    expect(browser.last()).toEqual({ source: 'kwugwo', type: 'close', payload: {} });
    expect(new Set(browser.said.map(({ target }) => target))).toEqual(new Set([SHOP]));
    expect(browser.said.map(({ message }) => message['source'])).toEqual(Array(4).fill('kwugwo'));
    expect(browser.said[2]?.message).toMatchObject({ payload: { height: 480 } });
  });

  test('after "I have paid": polls until the payment, then success with the activity', async () => {
    const { browser, activity, looks } = await opened('successful:30s');
    await browser.click('paid');
    expect(looks()).toBe(3);
    expect(browser.last()).toEqual({ source: 'kwugwo', type: 'success', payload: { activityUid: activity } });
  });

  test('after a part payment: the sum that is missing, and neither success nor error', async () => {
    const { browser, looks } = await opened('successful:30s:200000');
    await browser.click('paid');
    expect(looks()).toBe(3);
    expect(browser.shown.textContent).toBe('NGN 3,000.00 of NGN 5,000.00 is missing. NGN 2,000.00 was paid.');
    expect(browser.types()).not.toContain('success');
    expect(browser.types()).not.toContain('error');
  });

  test('after an over payment: success, and what came too much', async () => {
    const { browser } = await opened('successful:30s:600000');
    await browser.click('paid');
    expect(browser.shown.textContent).toBe('Paid. Thank you. NGN 6,000.00 was paid, NGN 1,000.00 too much.');
    expect(browser.last()).toMatchObject({ type: 'success' });
  });

  test('after a failed charge: error with its code and message', async () => {
    const { browser } = await opened('failed:30s');
    await browser.click('paid');
    const payload = { code: 'psp.error.declined', message: expect.any(String) };
    expect(browser.last()).toMatchObject({ type: 'error', payload });
  });

  test('without a payment: only resize', async () => {
    const { browser, looks } = await opened();
    await browser.click('paid');
    expect(looks()).toBe(150);
    expect(new Set(browser.types())).toEqual(new Set(['ready', 'theme', 'resize']));
  });

  test('for a paid request: error ugwo_processed at once', async () => {
    const shop = await withPage();
    const { ugwo } = await shop.paid();
    const browser = await browse(await shop.open(ugwo), () => Promise.reject(new Error('it has nothing to look for')));
    expect(browser.last()).toEqual({
      source: 'kwugwo',
      type: 'error',
      payload: { code: 'ugwo_processed', message: 'This has been paid already.' },
    });
  });

  test('after another process settles: success', async () => {
    const shop = await opened();
    await emulatorRoom.settle({ ...shop, activity: shop.activity, as: 'successful', after: undefined });
    await shop.browser.click('paid');
    expect(shop.browser.last()).toMatchObject({ type: 'success' });
  });
});

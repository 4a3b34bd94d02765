import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { type Console, startConsole, useConsole } from './console-support.ts';

const [browse, console] = [useBrowser(), useConsole()];

const MARKUP = `"><img src=x onerror="alert(1)"><script>alert(2)</script><svg/onload=alert(3)>'\u202e\u001b[31m`;

/** Page elements that the console itself never creates. */
const FOREIGN = 'img, iframe, object, embed, base, meta[http-equiv], script:not([src]), [onerror], [onload], [style]';

/** Creates records with `MARKUP` in every text field and returns the payment requests. */
const withMarkup = async ({ call, charge, origin, key }: Console): Promise<readonly string[]> => {
  const customer = { email: 'eve@example.com', first_name: MARKUP, ref: MARKUP, meta: { [MARKUP]: MARKUP } };
  const onye = (await call('POST', '/v1/onye', customer)).json.uid;
  const metadata = { [MARKUP]: MARKUP };
  const made = { amount: 500_000, currency: 'NGN', onye, description: MARKUP, ref: MARKUP, metadata };
  const ugwo = (await call('POST', '/v1/ugwo', made)).json.uid as string;
  await charge(ugwo, { medium: 'ussd', provider: MARKUP });
  await charge(ugwo);
  await call('GET', `/v1/ugwo/${encodeURIComponent(MARKUP)}?${new URLSearchParams({ [MARKUP]: MARKUP })}`);
  await fetch(`${origin}/v1/ugwo`, { headers: { authorization: `Bearer ${key}`, 'user-agent': '<img src=x>' } });
  return [ugwo];
};

it.runIf(hasBrowser)('shows markup in data as text and never runs it', async () => {
  const [service, { page }] = [await console(), await browse({}, /status of 4\d\d/)];
  await page.goto(service.console);
  await page.getByText('connected', { exact: true }).waitFor();
  const [ugwo] = await withMarkup(service);
  await page.locator('tbody tr').nth(5).waitFor();
  const seen = await page.locator('tbody a').count();
  const requests = Array.from({ length: seen }, (_, index) => `requests/${index + 1}`);
  const unknown = `payments/${encodeURIComponent(MARKUP)}`;
  for (const path of ['', 'payments', `payments/${ugwo}`, ...requests, unknown]) {
    await page.goto('about:blank');
    await page.goto(`${service.console}#${path}`);
    await page.locator('#view > *').first().waitFor();
    expect(await page.locator(FOREIGN).count(), path).toBe(0);
  }
  await page.goto(`${service.console}#payments/${ugwo}`);
  const heading = page.getByRole('heading', { level: 1, name: '<script>alert(2)</script>' });
  await heading.waitFor();
  expect(await heading.innerText()).toContain(String.raw`\u202e\x1b[31m`);
  expect(await page.locator('dl').first().innerText()).toContain('<img src=x onerror="alert(1)">');
});

it.runIf(hasBrowser)('blocks markup created from strings and foreign scripts', async () => {
  const [service, { page, complaints }] = [await console(), await browse({}, /Content Security Policy|Trusted/i)];
  await page.goto(service.console);
  for (const attempt of [
    `document.body.innerHTML = '<b>bold</b>'`,
    `document.body.insertAdjacentHTML('beforeend', '<b>bold</b>')`,
    `new DOMParser().parseFromString('<b>bold</b>', 'text/html')`,
    `document.createElement('script').text = 'alert(1)'`,
    `trustedTypes.createPolicy('mine', {})`,
  ]) {
    await expect(page.evaluate(attempt), attempt).rejects.toThrow(/Trusted|Policy/);
  }
  await page.evaluate(
    `document.body.append(Object.assign(document.createElement('img'), { src: 'http://127.0.0.1:1/x.png' }))`,
  );
  await expect.poll(() => complaints.some((one) => /img-src/.test(one))).toBe(true);
});

it('returns the key in no answer', async () => {
  const { key, control_token: token, call, request, console: address } = await startConsole();
  const ugwo = await request({ description: key, metadata: { key, token } });
  await call('GET', `/v1/ugwo/${ugwo}?key=${key}`);
  const found = [];
  for (const path of [
    '',
    'script.js',
    'about',
    'requests/1',
    'v1/ugwo',
    `v1/ugwo/${ugwo}`,
    `timelines/${ugwo}`,
    'emulator/faults',
  ]) {
    const text = await (await fetch(`${address}${path}`)).text();
    expect([text.includes(key), text.includes(token)], path).toEqual([false, false]);
    if (text.includes('[key]')) found.push(path);
  }
  expect(found).toEqual(['requests/1', 'v1/ugwo', `v1/ugwo/${ugwo}`, `timelines/${ugwo}`]);
  const stream = await fetch(`${address}updates`);
  let text = '';
  for await (const chunk of stream.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes('?key=')) break;
  }
  expect(text).toContain('?key=[key]');
  expect(text).not.toContain(key);
});

it.runIf(hasBrowser)('ignores a form on another page, even one that knows the address', async () => {
  const [{ console: address, call }, { page }] = [
    await console(),
    await browse({}, /40[13]|frame|Content Security Policy/i),
  ];
  const before = (await call('GET', '/v1/ugwo?limit=100')).json.data.length;
  const html = `<iframe src="${address}"></iframe>
<form method="post" action="${address}emulator/reset"><button>Win a prize</button></form>`;
  const other = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(html));
  await new Promise<void>((done) => void other.listen(0, '127.0.0.1', done));
  onTestFinished(() => void other.close());
  await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().endsWith('/emulator/reset')),
    page.getByRole('button', { name: 'Win a prize' }).click(),
  ]);
  expect(answer.status()).toBe(403);
  expect((await call('GET', '/v1/ugwo?limit=100')).json.data).toHaveLength(before);
});

import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { paycli } from '../support/program.ts';
import { startConsole } from './console-support.ts';

const browse = useBrowser();

/** More than on any page. */
const MOST_TABS = 300;

/** Presses a link or a button with the keyboard alone: Tab until it has the focus, then Enter. */
const press = async (page: Page, what: Locator): Promise<void> => {
  for (let presses = 0; presses < MOST_TABS; presses += 1) {
    if (await what.evaluate((node) => node === node.ownerDocument.activeElement)) {
      await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`the keyboard does not reach ${what}`);
};

const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true }).last();
const link = (page: Page, name: string): Locator => page.getByRole('link', { name, exact: true }).first();

/** The fields of one row of a table, by column. */
const rowOf = async (row: Locator): Promise<Record<string, string>> =>
  Object.fromEntries(
    await row
      .locator('td')
      .evaluateAll((cells) => cells.map((cell) => [cell.dataset['column'] ?? '', cell.textContent?.trim() ?? ''])),
  );

it.runIf(hasBrowser)(
  'a payment request is charged and settled with the keyboard alone, without JavaScript',
  async () => {
    const [service, { page }] = [await startConsole(), await browse({ javaScriptEnabled: false })];
    const uid = await service.request({ ref: 'TICKET-77', onye_email: 'ada@example.com' });
    const read = async () => (await service.call('GET', `/v1/ugwo/${uid}`)).json;
    await page.goto(service.console);
    expect(await rowOf(page.locator('tbody tr').first())).toMatchObject({
      ref: 'TICKET-77',
      customer: 'ada@example.com',
      amount: 'NGN 5,000.00',
      status: 'not paid',
      uid,
    });
    await press(page, link(page, uid));
    await press(page, link(page, "The customer's page"));
    await press(page, button(page, 'bank transfer'));
    const account = (await read()).activities[0].next_action.headers.account_number;
    expect(await page.locator('dl').innerText()).toContain(account);
    const steps = [
      ['part NGN 2,500.00', 'requires_ugwo', 250_000, 'part paid'],
      ['reversed', 'requires_ugwo', 0, 'reversed'],
    ] as const;
    await page.goto(`${service.console}${uid}`);
    for (const [name, status, total, word] of steps) {
      await press(page, button(page, name));
      expect(await read()).toMatchObject({ status, total_amount_paid: total });
      expect(await rowOf(page.locator('tbody tr').last())).toMatchObject({ status: word });
    }
    await service.charge(uid, { medium: 'ussd', provider: 'gtb' });
    await page.reload();
    await press(page, button(page, 'failed'));
    expect(await rowOf(page.locator('tbody tr').last())).toMatchObject({ status: 'failed', medium: 'ussd' });
    await service.charge(uid);
    await page.reload();
    await press(page, button(page, '+15m'));
    await press(page, button(page, '+1m'));
    expect(await rowOf(page.locator('tbody tr').last())).toMatchObject({ status: 'expired' });
    expect(await page.locator('form').last().innerText()).toContain('16 min ahead');
    await press(page, button(page, 'back to the real time'));
    await press(page, button(page, 'too much NGN 7,500.00'));
    expect(await rowOf(page.locator('tbody tr').last())).toMatchObject({
      status: 'overpaid',
      received: 'NGN 7,500.00',
    });
    const shown = await paycli(['ugwo', 'get', uid, '--local'], { home: service.home });
    expect(shown.code).toBe(0);
  },
);

it.runIf(hasBrowser)("has the columns and words of paycli's own tables", async () => {
  const [service, { page }] = [await startConsole(), await browse({ viewport: { width: 1400, height: 900 } })];
  const uid = await service.request({ ref: 'TICKET-77', description: 'Two tickets', onye_email: 'ada@example.com' });
  const paid = (await service.charge(uid, { medium: 'ussd', provider: 'gtb' })).json.uid;
  await service.charge(uid);
  const settle = ['emulator', 'settle', paid, '--as', 'successful', '--amount', '2000.00'];
  expect((await paycli(settle, { home: service.home })).code).toBe(0);
  const headings = async (args: readonly string[]): Promise<string[][]> => {
    const options = { home: service.home, env: { COLUMNS: '200' } };
    const { stdout } = await paycli([...args, '--local', '-o', 'table'], options);
    return stdout
      .split('\n')
      .filter((line) => /^(?:ref|status) .* uid/.test(line))
      .map((line) => line.trim().split(/ {2,}/));
  };
  const shown = () => page.locator('th').allInnerTexts();
  await page.goto(service.console);
  expect([await shown()]).toEqual(await headings(['ugwo', 'list', '--limit', '1']));
  await page.goto(`${service.console}${uid}`);
  expect([(await shown()).slice(0, -1)]).toEqual(await headings(['ugwo', 'get', uid]));
});

/** Errors of layout and contrast, measured in the browser. */
const FAULTS = `(() => {
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) faults.push('is ' + (root.scrollWidth - root.clientWidth) + ' pixels too wide');
  const light = (color) => {
    const [r, g, b] = color.match(/[\\d.]+/g).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = matchMedia('(prefers-color-scheme: dark)').matches ? light('rgb(18, 18, 18)') : 1;
  for (const node of document.querySelectorAll('h1, h2, p, a, dt, dd, th, td, td span')) {
    if (!node.checkVisibility()) continue;
    const [high, low] = [ground, light(getComputedStyle(node).color)].sort((a, b) => b - a);
    if ((high + 0.05) / (low + 0.05) < 4.5) faults.push('contrast: ' + node.textContent.slice(0, 40));
    if (node.getBoundingClientRect().right > root.clientWidth + 1) faults.push('sticks out: ' + node.textContent.slice(0, 40));
  }
  for (const button of document.querySelectorAll('button, a')) {
    if (button.textContent.trim() === '') faults.push('no name: ' + button.outerHTML);
    if (button.tagName === 'BUTTON' && button.getBoundingClientRect().height < 24) faults.push('too small: ' + button.textContent);
  }
  return faults;
})()`;

it.runIf(hasBrowser)('fits at 1400 and 400 pixels and is legible, light and dark', async () => {
  const [service, { page }] = [await startConsole(), await browse()];
  const uid = await service.request({ ref: 'R'.repeat(150), description: 'word '.repeat(30).trim() });
  await service.charge(uid);
  await service.charge(uid, { medium: 'ussd', provider: 'gtb' });
  for (const path of ['console', 'request', 'customer'] as const) {
    const pages = {
      console: service.console,
      request: `${service.console}${uid}`,
      customer: `${service.origin}/${uid}?pk=${service.public_key}`,
    };
    for (const width of [1400, 400]) {
      await page.setViewportSize({ width, height: 900 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.goto(pages[path]);
        expect(await page.evaluate(FAULTS), `${path}, ${width}, ${colorScheme}`).toEqual([]);
        expect(await page.locator('body').innerText()).toMatch(/no money moves/);
      }
    }
  }
});

const MARKUP = `"><img src=x onerror="alert(1)"><script>alert(2)</script><svg/onload=alert(3)>'\u202e\u001b[31m`;

it.runIf(hasBrowser)('shows markup in data as text', async () => {
  const [service, { page }] = [await startConsole(), await browse()];
  const onye = (await service.call('POST', '/v1/onye', { email: 'eve@example.com', first_name: MARKUP })).json.uid;
  const made = { onye, description: MARKUP, ref: MARKUP, metadata: { [MARKUP]: MARKUP } };
  const uid = await service.request(made);
  await service.charge(uid);
  const customer = `${service.origin}/${uid}?pk=${service.public_key}`;
  for (const address of [service.console, `${service.console}${uid}`, customer]) {
    await page.goto(address);
    expect(await page.locator('img, svg, [onerror], [onload], [style]').count(), address).toBe(0);
    const text = await page.locator('body').innerText();
    expect(text).toContain(`<img src=x onerror="alert(1)"><script>alert(2)</script>`);
    expect(text).toContain(String.raw`\u202e\x1b[31m`);
  }
});

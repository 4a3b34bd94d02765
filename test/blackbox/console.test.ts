import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { paycli } from '../support/program.ts';
import { type Console, type Hands, startConsole, useConsole, withKeyboard, withMouse } from './console-support.ts';

const [browse, shared] = [useBrowser(), useConsole()];

const SECRET = 'wsk.Test.00112233445566778899';

const opened = async (javaScriptEnabled: boolean, handsOf: (page: Page) => Hands) => {
  const [service, { page }] = [await shared(), await browse({ javaScriptEnabled })];
  const hands = handsOf(page);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const press = (name: string) => hands.press(button(name));
  const address = (path: string): string => `${service.console}${path}`;
  // A page may load itself anew at that very moment.
  const go = (path: string) => page.goto(address(path)).catch(() => page.goto(address(path)));
  const said = (): Promise<string> => page.locator('.said:visible').innerText();
  return { ...service, page, hands, press, go, said };
};

type Opened = Awaited<ReturnType<typeof opened>>;

/** The activities of a payment request, oldest first, as the service has them. */
const activitiesOf = async ({ call }: Console, ugwo: string) =>
  (await call('GET', `/v1/ugwo/${ugwo}`)).json.activities as readonly {
    readonly status: string;
    readonly error: { readonly code: string } | null;
    readonly is_double_charge?: boolean;
    readonly next_action: { readonly headers: Record<string, string> } | null;
  }[];

/** Finds a payment request, charges it, lets it be paid and takes the money back. */
const charges = async (console: Opened): Promise<void> => {
  const { page, hands, press, go, said, call } = console;
  const ugwo = await console.request({ ref: 'TICKET-77', description: 'Two tickets', onye_email: 'ada@example.com' });
  await go('');
  await hands.press(page.getByRole('link', { name: 'Payment requests' }));
  await hands.fill(page.getByRole('searchbox', { name: 'Search' }), 'ada@example ticket-77');
  await press('Search');
  await hands.press(page.getByRole('link', { name: 'Two tickets' }));
  await press('Charge by bank transfer');
  const [open] = await activitiesOf(console, ugwo);
  expect(await page.locator('.phone').innerText()).toContain(open?.next_action?.headers['account_number']);
  await press('Pay');
  expect(await said()).toBe('The charge is paid.');
  expect((await call('GET', `/v1/ugwo/${ugwo}`)).json).toMatchObject({
    status: 'ugwo_successful',
    total_amount_paid: 500_000,
  });
  await press('Take the payment back');
  expect(await activitiesOf(console, ugwo)).toMatchObject([{ error: { code: 'psp.error.reversed' } }]);
  expect(await page.locator('.timeline').innerText()).toMatch(/Charged by bank transfer[\s\S]*Taken back/);
};

/** Lets charges fail, expire, be paid with another amount and be paid twice. */
const endsCharges = async (console: Opened): Promise<void> => {
  const { page, hands, press, go, call } = console;
  const ugwo = await console.request();
  await go(`ugwo/${ugwo}`);
  await hands.choose(page.getByRole('combobox', { name: 'Bank' }), 'zenith');
  await press('Charge by ussd');
  expect(await page.getByRole('img', { name: 'QR code' }).isVisible()).toBe(true);
  await press('Fail');
  await press('Charge by bank transfer');
  await press('Expire');
  await press('Charge by bank transfer');
  await hands.fill(page.getByRole('textbox', { name: 'Amount' }), '120000');
  await press('Pay another amount');
  expect(await activitiesOf(console, ugwo)).toMatchObject([
    { status: 'failed', error: { code: 'psp.error.declined' } },
    { status: 'failed', error: { code: 'psp.error.expired' } },
    { status: 'successful' },
  ]);
  expect((await call('GET', `/v1/ugwo/${ugwo}`)).json.total_amount_paid).toBe(120_000);
  const twice = await console.request();
  await go(`ugwo/${twice}`);
  await press('Charge by bank transfer');
  await press('Pay twice');
  const paid = await activitiesOf(console, twice);
  expect(paid.map(({ status, is_double_charge = false }) => [status, is_double_charge])).toEqual([
    ['successful', false],
    ['successful', true],
  ]);
};

/** Turns faults on and off, and shows what they did to a request. */
const setsFaults = async (console: Opened): Promise<void> => {
  const { page, hands, press, go, request, charge } = console;
  const [ugwo, lost, refused] = [await request(), await request(), await request({ checkout: undefined })];
  await go('');
  await hands.press(page.getByRole('link', { name: 'Faults' }));
  const card = (title: string) => page.getByRole('listitem').filter({ hasText: title });
  const down = card('Out of service');
  await hands.choose(down.getByLabel('How often'), 'only the next one');
  await hands.press(down.getByRole('switch'));
  expect([(await charge(ugwo)).status, (await charge(ugwo)).status]).toEqual([503, 200]);
  await hands.press(card('Lose the answer').getByRole('switch'));
  expect((await charge(lost)).status).toBe(0);
  await go('faults');
  expect(await card('Lose the answer').getByRole('switch').getAttribute('aria-checked')).toBe('true');
  expect(await card('Lose the answer').innerText()).toContain('struck 1 of 1');
  await hands.press(card('Lose the answer').getByRole('switch'));
  expect((await charge(lost)).status).toBe(200);
  await press('Behave again');
  expect(await page.getByRole('button', { name: 'Behave again' }).count()).toBe(0);
  await charge(refused, { medium: 'ussd', provider: 'nobank' });
  await go('');
  const rows = page.locator('#requests tbody tr');
  expect(await rows.nth(0).innerText()).toMatch(/422[\s\S]*data\.provider: is not a supported bank code/);
  expect(await rows.nth(2).innerText()).toMatch(/answer lost[\s\S]*connection reset, after it was executed/);
  await hands.press(rows.nth(0).getByRole('link'));
  expect(await page.getByRole('region').or(page.locator('section')).first().innerText()).toContain('"nobank"');
  expect(await page.getByRole('link', { name: refused }).isVisible()).toBe(true);
};

/** Adds an address for events, sends one, replays it and removes the address. */
const sendsEvents = async (console: Opened): Promise<void> => {
  const received: string[] = [];
  const receiver = createServer((request, response) => {
    received.push(String(request.headers['x-kwugwo-signature']));
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((done) => void receiver.listen(0, '127.0.0.1', done));
  onTestFinished(() => void receiver.close());
  const { page, hands, press, go, said } = console;
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
  await go('');
  await hands.press(page.getByRole('link', { name: 'Webhooks' }));
  await hands.fill(page.getByLabel('Address'), url);
  await hands.fill(page.getByLabel('Secret'), SECRET);
  await press('Add');
  expect(await said()).toBe(`Events are sent to ${url} from now on.`);
  await hands.choose(page.getByRole('combobox', { name: 'Event' }), 'refund.failed');
  await press('Send');
  await expect.poll(() => received.length).toBe(1);
  const delivered = page.getByRole('cell', { name: 'delivered' });
  await expect.poll(() => go('webhooks').then(() => delivered.count())).toBe(1);
  await hands.press(page.getByRole('button', { name: 'Replay' }));
  await expect.poll(() => received.length).toBe(2);
  expect(received[0]).toMatch(/^[0-9a-f]{64}$/);
  await expect.poll(() => go('webhooks').then(() => page.getByText('2 × sent').count())).toBe(1);
  expect(await page.content()).not.toContain(SECRET);
  await hands.press(page.getByRole('button', { name: `Remove ${url}` }));
  expect(await page.getByText('Nobody is told yet').isVisible()).toBe(true);
};

/** Moves the clock, seeds, and removes everything once that is ticked. */
const movesAndRemoves = async (console: Opened): Promise<void> => {
  const { page, hands, press, go, said, call } = console;
  const ugwo = await console.request();
  await console.charge(ugwo);
  await go('');
  await hands.press(page.getByRole('link', { name: 'Clock and data' }));
  await press('+ 15m');
  expect(await activitiesOf(console, ugwo)).toMatchObject([{ error: { code: 'psp.error.expired' } }]);
  await hands.fill(page.getByLabel('Move it on by'), '2m');
  await press('Move');
  expect(await page.getByRole('main').innerText()).toContain('moved on by 17 min');
  await press('Back to the real time');
  await hands.fill(page.getByLabel('Payment requests'), '3');
  await press('Seed');
  expect(await said()).toBe('Added 25 customers and 3 payment requests.');
  const count = async (): Promise<number> => (await call('GET', '/v1/ugwo?limit=100')).json.data.length;
  expect(await count()).toBeGreaterThan(3);
  await hands.press(page.getByLabel('Remove every record'));
  await press('Reset');
  expect(await said()).toBe('Every record is removed.');
  expect(await count()).toBe(0);
};

/** Many steps, where a machine does much else. */
const LONG = 300_000;

describe.runIf(hasBrowser)('the console does all that it is for', () => {
  it('with the keyboard alone', { timeout: LONG }, async () => {
    const console = await opened(true, withKeyboard);
    for (const job of [charges, endsCharges, setsFaults, sendsEvents, movesAndRemoves]) await job(console);
  });

  // Its script takes part in no form (test/emulator/console.test.ts).
  it('with the mouse and without script', { timeout: LONG }, async () => {
    const console = await opened(false, () => withMouse);
    for (const job of [charges, setsFaults, movesAndRemoves]) await job(console);
  });
});

describe.runIf(hasBrowser)('the console, while it is open', () => {
  it('adds requests as they come in, and goes on where it was when it is connected again', async () => {
    const [{ call, console, request }, { page }] = [await startConsole(), await browse()];
    await page.goto(console);
    await page.getByText('live', { exact: true }).waitFor();
    expect(await page.getByRole('heading', { name: 'No request yet' }).isVisible()).toBe(true);
    const uid = await request();
    await page.locator('#requests tbody tr').first().waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    const table = await page.locator('table').elementHandle();
    await call('GET', `/v1/ugwo/${uid}`);
    await call('GET', '/v1/ugwo/ugw.Lcal.nothing');
    await page.getByText('no payment request has this identifier').waitFor();
    const rows = await page.locator('#requests tbody tr').allInnerTexts();
    expect(rows.map((row) => /(GET|POST) \S+/.exec(row)?.[0])).toEqual([
      'GET /v1/ugwo/ugw.Lcal.nothing',
      expect.stringMatching(/^GET \/v1\/ugwo\/ugw\.Lcal\.\w{6}…$/),
      'POST /v1/ugwo',
    ]);
    // By script alone: it is still the same document.
    expect(await table?.evaluate((node) => node.isConnected)).toBe(true);
    const made = page.locator('#requests tbody tr').first();
    await page.reload();
    expect(await made.innerText()).toBe(rows[0]);
  });

  it('shows what another process does to the data, and takes nothing from under somebody’s hands', async () => {
    const [{ console, request, charge, home }, { page }] = [await shared(), await browse()];
    const ugwo = await request();
    const { json } = await charge(ugwo);
    await page.goto(`${console}ugwo/${ugwo}`);
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Customers' }).focus();
    const ended = await paycli(['emulator', 'settle', json.uid, '--as', 'successful'], { home });
    expect(ended.code).toBe(0);
    await page.locator('[data-live=state]', { hasText: /^paid$/ }).waitFor();
    await page.getByText('This page has changed.').waitFor();
    expect(await page.getByRole('button', { name: 'Pay', exact: true }).isVisible()).toBe(true);
    await page.getByRole('link', { name: 'Show it as it is now' }).click();
    await page.getByText('Take the payment back', { exact: true }).first().waitFor();
  });

  it('says when the emulator has gone', async () => {
    const [{ console, stop }, { page }] = [await startConsole(), await browse({}, /net::ERR_/)];
    await page.goto(console);
    await page.getByText('live', { exact: true }).waitFor();
    await stop();
    await page.getByText('not connected').waitFor();
    expect(await page.getByText('live', { exact: true }).count()).toBe(0);
  });
});

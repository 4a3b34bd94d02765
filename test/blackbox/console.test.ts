import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { statusWord } from '../../src/core/status.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { inProcess } from '../support/in-process.ts';
import { type Ended, newFolder, paycli, type RunOptions, start } from '../support/program.ts';
import { argumentsOf, inShell } from '../support/shell.ts';
import { type Console, startConsole, useConsole, withKeyboard } from './console-support.ts';

const [browse, shared] = [useBrowser(), useConsole()];

const SECRET = 'wsk.Test.00112233445566778899';

const opened = async () => {
  const [service, { page }] = [await startConsole(), await browse({}, /status of 4\d\d/)];
  const hands = withKeyboard(page);
  const press = (name: string) => hands.press(page.getByRole('button', { name, exact: true }).first());
  const open = (name: string) => hands.press(page.getByRole('link', { name, exact: true }));
  const go = async (hash: string, heading: RegExp | string): Promise<void> => {
    await page.goto(`${service.console}#${hash}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  };
  const said = (text: string): Promise<void> => page.locator('#said', { hasText: text }).waitFor();
  return { ...service, page, hands, press, open, go, said };
};

type Opened = Awaited<ReturnType<typeof opened>>;

/** The activities of a payment request in the service, oldest first. */
const activitiesOf = async ({ call }: Console, ugwo: string) =>
  (await call('GET', `/v1/ugwo/${ugwo}`)).json.activities as readonly {
    readonly status: string;
    readonly error: { readonly code: string } | null;
    readonly is_double_charge?: boolean;
    readonly next_action: { readonly headers: Record<string, string> } | null;
  }[];

/** Finds, charges, pays and refunds a payment request. */
const charges = async (console: Opened): Promise<void> => {
  const { page, hands, press, open, go, said, call, request } = console;
  const ugwo = await request({ ref: 'TICKET-77', description: 'Two tickets', onye_email: 'ada@example.com' });
  await request({ description: 'Another' });
  await go('', 'Requests');
  await open('Payment requests');
  await page.getByRole('link', { name: 'Another' }).waitFor();
  await hands.fill(page.getByRole('searchbox'), 'ada@example ticket-77');
  await page.getByRole('link', { name: 'Another' }).waitFor({ state: 'hidden' });
  await open('Two tickets');
  await press('Charge by bank transfer');
  await said('Charged by bank transfer.');
  const [charged] = await activitiesOf(console, ugwo);
  expect(await page.locator('.phone').innerText()).toContain(charged?.next_action?.headers['account_number']);
  await press('Pay');
  await said('The charge is paid.');
  expect((await call('GET', `/v1/ugwo/${ugwo}`)).json).toMatchObject({
    status: 'ugwo_successful',
    total_amount_paid: 500_000,
  });
  await press('Reverse the payment');
  await said('The charge is reversed.');
  expect(await activitiesOf(console, ugwo)).toMatchObject([{ error: { code: 'psp.error.reversed' } }]);
  await expect.poll(() => page.locator('.timeline').innerText()).toMatch(/Charged by bank transfer[\s\S]*Reversed/);
};

/** Makes charges fail, expire and be paid twice, and shows a refund in the timeline. */
const endsCharges = async (console: Opened): Promise<void> => {
  const { page, hands, press, go, said, call, request, charge } = console;
  const ugwo = await request({ description: 'Ended' });
  await go(`payments/${ugwo}`, 'Ended');
  await press('Charge by ussd');
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  await press('Fail');
  await said('The charge is failed.');
  await press('Charge by bank transfer');
  await said('Charged by bank transfer.');
  await press('Expire');
  await said('The charge is expired.');
  expect(await activitiesOf(console, ugwo)).toMatchObject([
    { status: 'failed', error: { code: 'psp.error.declined' } },
    { status: 'failed', error: { code: 'psp.error.expired' } },
  ]);
  const twice = await request({ description: 'Twice' });
  const { uid } = (await charge(twice)).json;
  await go('payments', 'Payment requests');
  await hands.fill(page.getByRole('searchbox'), twice);
  await press('Open');
  await page.getByRole('heading', { level: 1, name: 'Twice' }).waitFor();
  await press('Pay twice');
  await said('The customer has paid twice.');
  const paid = await activitiesOf(console, twice);
  expect(paid.map(({ status, is_double_charge = false }) => [status, is_double_charge])).toEqual([
    ['successful', false],
    ['successful', true],
  ]);
  const open = await request({ description: 'Open' });
  await charge(open);
  await charge(open);
  await go(`payments/${open}`, 'Open');
  await press('Pay twice');
  await said('The customer has paid twice.');
  expect((await activitiesOf(console, open)).map(({ status }) => status)).toEqual(['successful', 'successful']);
  await go(`payments/${twice}`, 'Twice');
  const destination = { provider: 'gtb', account_number: '0123456789' };
  await call('POST', '/v1/refunds', { ugwo_activity: uid, amount: 200_000, destination });
  await page.getByText('Refund of NGN 2,000.00 requested').waitFor();
};

/** Turns faults on and off, and shows their effect on a request. */
const setsFaults = async (console: Opened): Promise<void> => {
  const { page, hands, press, open, go, said, request, charge } = console;
  const [ugwo, refused] = [await request(), await request()];
  await go('', 'Requests');
  await open('Faults');
  const fields = page.locator('section', { hasText: 'Answers' });
  await hands.choose(fields.getByLabel('Fault'), 'Out of service');
  await hands.choose(fields.getByLabel('How often'), 'only the next one');
  await hands.press(fields.getByRole('button'));
  await said('Out of service: on.');
  expect([(await charge(ugwo)).status, (await charge(ugwo)).status]).toEqual([503, 200]);
  // The page must know that the rule is used up before it sends the next list of rules.
  await page.getByText('applied to 1 of 2').waitFor();
  await hands.choose(fields.getByLabel('Fault'), 'Lose the answer');
  await hands.press(fields.getByRole('button'));
  await page.getByText('applied to 0 of 0').waitFor();
  expect(await page.getByRole('button', { name: /Remove rule/ }).count()).toBe(1);
  expect((await charge(ugwo)).status).toBe(0);
  await page.getByText('applied to 1 of 1').waitFor();
  await press('Remove rule 1');
  await said('The rule is off.');
  expect((await charge(refused, { medium: 'ussd', provider: 'nobank' })).status).toBe(422);
  await go('requests', 'Requests');
  const rows = page.locator('tbody tr');
  expect(await rows.nth(0).innerText()).toMatch(/422[\s\S]*data\.provider: is not a supported bank code/);
  expect(await rows.nth(1).innerText()).toMatch(
    /answer lost[\s\S]*fault: reset, when: after[\s\S]*had done it \(200\)/,
  );
  expect(await rows.nth(3).innerText()).toMatch(/503[\s\S]*fault: status: 503/);
  await hands.press(rows.nth(0).getByRole('link'));
  await page.getByText('"nobank"').first().waitFor();
  await hands.press(page.getByRole('link', { name: refused }));
  await page.getByText('Timeline').waitFor();
};

/** Adds an endpoint, replays a delivery and removes the endpoint. */
const sendsEvents = async (console: Opened): Promise<void> => {
  const received: string[] = [];
  const receiver = createServer((request, response) => {
    received.push(String(request.headers['x-kwugwo-signature']));
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((done) => void receiver.listen(0, '127.0.0.1', done));
  onTestFinished(() => void receiver.close());
  const { page, hands, press, open, go, said, request } = console;
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
  await go('', 'Requests');
  await open('Webhooks');
  await hands.fill(page.getByLabel('Address'), url);
  await hands.fill(page.getByLabel('Events'), 'ugwo.created');
  await hands.fill(page.getByLabel('Secret'), SECRET);
  await press('Add');
  await said(`Events are sent to ${url} from now on.`);
  await request();
  await page.getByRole('cell', { name: 'delivered' }).waitFor();
  await hands.press(page.getByRole('button', { name: /Replay/ }));
  await page.getByText('sent 2 ×').waitFor();
  expect([received.length, received[0]]).toEqual([2, expect.stringMatching(/^[0-9a-f]{64}$/)]);
  expect(await page.content()).not.toContain(SECRET);
  await press(`Remove ${url}`);
  await page.getByText('There is no webhook yet').waitFor();
};

/** Moves the clock, seeds, and resets after ticking the box. */
const movesAndRemoves = async (console: Opened): Promise<void> => {
  const { page, hands, press, open, go, said, call, request, charge } = console;
  const ugwo = await request();
  await charge(ugwo);
  await go('', 'Requests');
  await open('Clock and data');
  await press('+ 15m');
  await said('The clock is moved on by 15m.');
  expect(await activitiesOf(console, ugwo)).toMatchObject([{ error: { code: 'psp.error.expired' } }]);
  await hands.fill(page.getByLabel('Move it forward by'), '2m');
  await press('Move');
  await said('The clock is moved on by 2m.');
  await page.getByText(/It shows .*\. The real time is /).waitFor();
  await press('Back to the real time');
  await page.getByText(/^It shows .*, the real time\.$/).waitFor();
  await hands.fill(page.getByLabel('Payment requests', { exact: true }), '3');
  await press('Seed');
  await said('Added 25 customers and 3 payment requests.');
  await press('Reset');
  const count = async (): Promise<number> => (await call('GET', '/v1/ugwo?limit=100')).json.data.length;
  expect(await count()).toBeGreaterThan(3);
  await hands.press(page.getByLabel('Remove every record'));
  await press('Reset');
  await said('Every record is removed.');
  expect(await count()).toBe(0);
};

/** Many steps on a busy machine. */
const LONG = 300_000;

describe.runIf(hasBrowser)('the console', () => {
  it('works with the keyboard alone', { timeout: LONG }, async () => {
    const console = await opened();
    for (const job of [charges, endsCharges, setsFaults, sendsEvents, movesAndRemoves]) await job(console);
  });

  it('shows why an action failed', async () => {
    const { page, press, go, said } = await opened();
    await go('webhooks', 'Webhooks');
    await page.getByLabel('Address').fill('https://example.com/');
    await press('Add');
    await said('Not done: example.com is another machine');
    expect(await page.getByText('There is no webhook yet').isVisible()).toBe(true);
    await go('payments/ugw.Lcal.nothing', 'There is nothing here');
  });

  it('adds new requests to the list', async () => {
    const [service, { page }] = [await startConsole(), await browse()];
    const { call, console, request, origin, control_token: token } = service;
    await page.goto(console);
    await page.getByText('connected', { exact: true }).waitFor();
    expect(await page.getByRole('heading', { name: 'No request yet' }).isVisible()).toBe(true);
    const uid = await request();
    await page.locator('tbody tr').waitFor();
    const table = await page.locator('table').elementHandle();
    await call('GET', `/v1/ugwo/${uid}`);
    await call('GET', '/v1/ugwo/ugw.Lcal.nothing');
    await page.getByText('No payment request in this workspace has this id').waitFor();
    const rows = await page.locator('tbody tr').allInnerTexts();
    expect(rows.map((row) => /(GET|POST) \S+/.exec(row)?.[0])).toEqual([
      'GET /v1/ugwo/ugw.Lcal.nothing',
      expect.stringMatching(/^GET \/v1\/ugwo\/ugw\.Lcal\.\w{6}…$/),
      'POST /v1/ugwo',
    ]);
    expect(await table?.evaluate((node) => node.isConnected)).toBe(true);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    await fetch(`${origin}/emulator/clock`, { method: 'POST', headers, body: '{"by":"1m"}' });
    await page.getByRole('link', { name: 'POST /emulator/clock' }).click();
    await page.getByText('The log has no body.').waitFor();
    expect(await page.locator('[data-command]').count()).toBe(0);
    await page.goBack();
    await page.locator('tbody tr').nth(3).waitFor();
    rows.unshift(await page.locator('tbody tr').first().innerText());
    await page.reload();
    await expect.poll(() => page.locator('tbody tr').allInnerTexts()).toEqual(rows);
    // Reconnects, as when a browser shows the page again.
    await page.evaluate(`dispatchEvent(new Event('pageshow'))`);
    await call('GET', `/v1/ugwo/${uid}`);
    await expect.poll(() => page.locator('tbody tr').count()).toBe(rows.length + 1);
  });

  it('shows changes by another process without moving the focus', async () => {
    const [{ console, request, charge, home }, { page }] = [await shared(), await browse()];
    const ugwo = await request();
    const settle = async (): Promise<void> => {
      const { uid } = (await charge(ugwo)).json;
      expect((await paycli(['emulator', 'settle', uid, '--as', 'failed'], { home })).code).toBe(0);
    };
    await page.goto(`${console}#payments/${ugwo}`);
    await page.getByText('connected', { exact: true }).waitFor();
    await settle();
    await page.locator('.timeline').getByText('Failed').waitFor();
    await page.goto(`${console}#webhooks`);
    await page.getByLabel('Secret').fill('half a secr');
    expect((await paycli(['emulator', 'webhook', 'add', 'http://127.0.0.1:9/', '--unsigned'], { home })).code).toBe(0);
    await page.getByText('This page has changed.').waitFor();
    expect(await page.getByLabel('Secret').inputValue()).toBe('half a secr');
    await page.getByRole('button', { name: 'Show it as it is now' }).click();
    await page.getByRole('button', { name: 'Remove http://127.0.0.1:9/' }).waitFor();
  });

  it('shows what a part payment lacks', async () => {
    const [{ console, request, charge, home }, { page }] = [await shared(), await browse()];
    const ugwo = await request();
    const words = ['--as', 'successful', '--amount', '2000.00'];
    expect((await paycli(['emulator', 'settle', (await charge(ugwo)).json.uid, ...words], { home })).code).toBe(0);
    await page.goto(`${console}#payments/${ugwo}`);
    await page.locator('.timeline').getByText('Part paid, with NGN 2,000.00').waitFor();
    expect(await page.locator('dl', { hasText: 'Received' }).first().innerText()).toMatch(
      /Received\s+NGN 2,000\.00\s+Missing\s+NGN 3,000\.00/,
    );
  });

  it('shows a status in the words of the terminal, and finds it by word and by value', async () => {
    const [{ console }, { page }] = [await startConsole(), await browse()];
    await page.goto(`${console}#payments`);
    await page.locator('td .pill').first().waitFor();
    const pills = await page
      .locator('td .pill')
      .evaluateAll((nodes) => nodes.map((one) => [one.title, one.textContent]));
    expect(pills).toEqual(pills.map(([value = '']) => [value, statusWord(value)]));
    const seeded = ['ugwo_successful', 'requires_ugwo', 'processing', 'cancelled', 'refunded'];
    expect(pills.map(([value]) => value)).toEqual(expect.arrayContaining(seeded));
    await page.getByRole('link', { name: 'Older' }).click();
    await page.locator('td .pill').nth(20).waitFor({ state: 'detached' });
    expect(await page.locator('td .pill').count()).toBe(20);
    await page.goBack();
    await page.locator('td .pill').nth(20).waitFor();
    for (const text of ['not paid', 'requires_ugwo']) {
      await page.getByRole('searchbox').fill(text);
      const shown = await page.locator('td .pill:visible').allInnerTexts();
      expect(new Set(shown), text).toEqual(new Set(['not paid']));
    }
  });

  it("uses the browser's address of the service in commands", async () => {
    const [{ console, origin, request }, { page }] = [await shared(), await browse()];
    const { port } = new URL(origin);
    const ugwo = await request();
    await page.goto(`${console.replace('127.0.0.1', 'localhost')}#payments/${ugwo}`);
    const line = await page.locator('[data-command="Charge by ussd"] code').textContent();
    expect(line).toMatch(new RegExp(` --base-url http://localhost:${port}$`));
  });

  it('shows that the emulator has stopped', async () => {
    const [{ console, stop }, { page }] = [await startConsole(), await browse({}, /net::ERR_/)];
    await page.goto(console);
    await page.getByText('connected', { exact: true }).waitFor();
    await stop();
    await page.getByText('not connected').waitFor();
    expect(await page.getByText('connected', { exact: true }).count()).toBe(0);
  });
});

const runHere = async (runs: readonly string[][], options: RunOptions): Promise<Ended[]> => {
  const ends: Ended[] = [];
  for (const args of runs) ends.push(await inProcess(args, options));
  return ends;
};

/** Runs the shown command of each action: by a shell where it asks for one, else with the words that a shell reads. */
describe.runIf(hasBrowser && process.platform !== 'win32')('a command of the console', () => {
  it('does the same in a shell as its button', { timeout: LONG }, async () => {
    const [service, { page }] = [await startConsole(), await browse()];
    const { home, key, control_token: token, call, request, charge } = service;
    const run = async (hash: string, action: string): Promise<string> => {
      await page.goto('about:blank');
      await page.goto(`${service.console}#${hash}`);
      const code = page.locator(`[data-command="${action}"] code`).first();
      const lines = String(await code.textContent());
      expect([lines.includes(key), lines.includes(token)]).toEqual([false, false]);
      const [cwd, env] = [newFolder('cwd'), { PAYCLI_SECRET_KEY: key, PAYCLI_HOME: home }];
      const ends = /\| paycli|\$\(/.test(lines)
        ? [await start([], inShell(`set -e\n${lines}`, { home, env })).ended]
        : await runHere(argumentsOf(lines, cwd), { home, env, cwd });
      expect(
        ends.map(({ code }) => code),
        `${lines}\n${ends.at(-1)?.stderr}`,
      ).toEqual(ends.map(() => 0));
      return ends.map(({ stdout }) => stdout).join('');
    };
    const uid = await request({ ref: 'ONCE', description: `it's "quoted" $HOME` });
    const onye = (await call('GET', '/v1/onye?limit=1')).json.data[0].uid as string;
    await call('PATCH', `/v1/onye/${onye}`, { ref: `O'Brien "$HOME"` });
    await call('PATCH', `/v1/onye/${onye}`, { ref: 'another' });
    await run('requests/3', 'The same request again');
    expect((await call('GET', `/v1/onye/${onye}`)).json.ref).toBe(`O'Brien "$HOME"`);
    await run(`payments/${uid}`, 'Charge by ussd');
    await run(`payments/${uid}`, 'Pay');
    await run(`payments/${uid}`, 'Reverse the payment');
    expect(await activitiesOf(service, uid)).toMatchObject([{ error: { code: 'psp.error.reversed' } }]);
    const [failed, twice] = [await request(), await request()];
    await charge(failed);
    await run(`payments/${failed}`, 'Fail');
    await charge(twice);
    await run(`payments/${twice}`, 'Pay twice');
    expect((await activitiesOf(service, twice)).map(({ status }) => status)).toEqual(['successful', 'successful']);
    await run('webhooks', 'Add');
    await paycli(['emulator', 'webhook', 'trigger', 'ugwo.successful'], { home });
    expect(await run('webhooks', 'Replay 1')).toContain('ugwo.successful');
    await run('webhooks', 'Remove http://127.0.0.1:4242/webhooks');
    await run('faults', 'Turn on');
    expect((await charge(failed)).status).toBe(0);
    await run('faults', 'Remove all rules');
    await run('clock', '+ 15m');
    await run('clock', 'Back to the real time');
    await run('clock', 'Seed');
    await run('clock', 'Reset');
    expect((await call('GET', '/v1/ugwo?limit=100')).json.data).toEqual([]);
  });
});

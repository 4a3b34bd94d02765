import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DIALECTS } from '../../src/core/data-files.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { paycli } from '../support/program.ts';
import { type Console, startConsole } from './console-support.ts';

const browse = useBrowser();

/**
 * A shop that opens the page in a frame, as the public checkout script does: it believes only messages of the frame and
 * of the page's origin, reads their fields inside `payload` only, and ends with the first result.
 */
const shopHtml = (host: string, publicKey: string, ugwo: string): string => `<!doctype html>
<output></output>
<script>
const address = new URL(${JSON.stringify(`${host}/${ugwo}`)});
address.search = new URLSearchParams({ pk: ${JSON.stringify(publicKey)}, embed: '1', embed_origin: location.origin });
const frame = Object.assign(document.createElement('iframe'), { src: address.href });
const heard = [];
const finish = (result) => {
  frame.remove();
  document.querySelector('output').textContent = JSON.stringify({ ...result, heard });
};
addEventListener('message', ({ origin, source, data }) => {
  if (origin !== address.origin || source !== frame.contentWindow || data?.source !== 'kwugwo') return;
  const payload = data.payload || {};
  heard.push(data.type);
  if (data.type === 'resize') frame.style.height = payload.height + 'px';
  if (data.type === 'success') finish({ type: 'success', activityUid: payload.activityUid });
  if (data.type === 'error') finish({ type: 'error', code: payload.code ?? 'unknown', message: payload.message });
  if (data.type === 'close') finish({ type: 'closed' });
});
document.body.append(frame);
</script>`;

const openShop = async ({ origin, public_key }: Console, ugwo: string, publicKey = public_key) => {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(shopHtml(origin, publicKey, ugwo)),
  );
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const { page } = await browse({}, /status of 40[14]|favicon/);
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
  const frame = page.frameLocator('iframe');
  const result = async () => {
    const output = page.locator('output', { hasText: '{' });
    await output.waitFor();
    return JSON.parse(await output.innerText());
  };
  return { page, frame, result };
};

const settle = async ({ home }: Console, activity: string, as: string): Promise<void> => {
  expect((await paycli(['emulator', 'settle', activity, '--as', as], { home })).code).toBe(0);
};

describe.runIf(hasBrowser)('the logic of the public checkout script', () => {
  it.each(DIALECTS)(
    'hears of a payment by a button of the page, with its activity, in the %s dialect',
    async (dialect) => {
      const service = await startConsole('--dialect', dialect);
      const uid = await service.request();
      const { frame, result } = await openShop(service, uid);
      await frame.getByRole('button', { name: 'bank transfer' }).click();
      await frame.getByRole('button', { name: 'I have paid' }).click();
      await frame.getByText('Waiting for the payment').waitFor();
      const [{ uid: activityUid }] = (await service.call('GET', `/v1/ugwo/${uid}`)).json.activities;
      await settle(service, activityUid, 'successful');
      const { heard, ...rest } = await result();
      expect(rest).toEqual({ type: 'success', activityUid });
      expect(heard).toEqual(expect.arrayContaining(['ready', 'theme', 'resize']));
    },
  );

  it('hears the code of a charge that failed', async () => {
    const service = await startConsole();
    const uid = await service.request();
    const { frame, result } = await openShop(service, uid);
    await frame.getByRole('button', { name: 'ussd' }).click();
    await frame.getByRole('button', { name: 'I have paid' }).click();
    const [{ uid: activity }] = (await service.call('GET', `/v1/ugwo/${uid}`)).json.activities;
    await settle(service, activity, 'failed');
    expect(await result()).toMatchObject({ type: 'error', code: 'psp.error.declined' });
  });

  it('hears that it was closed', async () => {
    const service = await startConsole();
    const { frame, result } = await openShop(service, await service.request());
    await frame.getByRole('button', { name: 'Close' }).click();
    expect(await result()).toMatchObject({ type: 'closed' });
  });

  it.each([
    ['ugwo_processed', 'paid already'],
    ['ugwo_cancelled', 'cancelled'],
    ['unauthorized', 'opened with a wrong key'],
    ['ugwo.error.not_found', 'unknown'],
  ])('hears %s of a payment request that is %s', async (code, what) => {
    const service = await startConsole();
    const uid = await service.request();
    if (what === 'paid already') await settle(service, (await service.charge(uid)).json.uid, 'successful');
    if (what === 'cancelled') await service.call('DELETE', `/v1/ugwo/${uid}`);
    const key = what === 'opened with a wrong key' ? `pk.Lcal.${'x'.repeat(80)}` : undefined;
    const { result } = await openShop(service, what === 'unknown' ? 'ugw.Lcal.AAAAAAAAAAAAAAAAAAAAAAAA' : uid, key);
    expect(await result()).toMatchObject({ type: 'error', code, message: expect.any(String) });
  });
});

import { expect, it } from 'vitest';
import { startConsole } from '../blackbox/console-support.ts';
import { paycli } from '../support/program.ts';

it('the emulator serves its console, takes charges, and keeps them over a stop', async () => {
  const service = await startConsole();
  const page = await fetch(service.console);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Payment requests')]);
  const ugwo = await service.request();
  const env = { PAYCLI_BASE_URL: service.origin, PAYCLI_SECRET_KEY: service.key };
  const options = { home: service.home, env };
  const charged = await paycli(['ugwo', 'charge', ugwo, '--medium', 'bank_transfer', '--json'], options);
  expect(charged.code, charged.stderr).toBe(0);
  expect((await service.call('GET', `/v1/ugwo/${ugwo}`)).json).toMatchObject({ uid: ugwo, activities: [{}] });
  await service.stop();
  const kept = await paycli(['ugwo', 'get', ugwo, '--local', '--json'], { home: service.home });
  expect(JSON.parse(kept.stdout)).toMatchObject({ uid: ugwo });
});

import { describe, expect, it } from 'vitest';
import { operations } from '../../src/contract/operations.ts';
import { DIALECTS, type Dialect, SEEDED } from '../../src/core/data-files.ts';
import { valueAt } from '../../src/core/json.ts';
import { newFolder, paycli, start } from '../support/program.ts';
import { json, serveAll, UGWO_ID } from '../support/service.ts';
import { startProxy } from './proxy.ts';

const templateOf = (request: string): string => {
  const [method, path = ''] = request.split(' ');
  const found = Object.values(operations).find(
    (one) => one.method === method && new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  return `${method} ${found?.path ?? path}`;
};

/** Starts the program with an emulator behind the proxy. */
const openService = async (dialect: Dialect = 'documented') => {
  const home = newFolder();
  const emulator = start(['emulator', 'start', '--dialect', dialect, '--json'], { home });
  await emulator.saw(/"key":"[^"]+".*\n/);
  const { origin, key } = JSON.parse(emulator.stdout()) as { origin: string; key: string };
  const proxy = await startProxy(origin);
  const env = { PAYCLI_BASE_URL: proxy.origin, PAYCLI_SECRET_KEY: key };
  const run = async (line: string, code = 0): Promise<Record<string, unknown>> => {
    const ended = await paycli([...line.split(' '), '--json'], { home, env });
    expect(ended.code, `${line}: ${ended.stderr}\n${proxy.violations().join('\n')}`).toBe(code);
    return code === 0 ? (JSON.parse(ended.stdout) as Record<string, unknown>) : {};
  };
  return { home, proxy, run };
};

describe('a contract proxy between the program and the emulator', () => {
  it.each(DIALECTS)('finds no violation in any operation or rejection of the %s dialect', async (dialect) => {
    const { home, proxy, run } = await openService(dialect);
    const ada = (await run('onye create --email ada@example.com --city Lagos --country NG'))['uid'];
    await run('onye list --email ada@example.com --all');
    await run(`onye get ${ada}`);
    await run(`onye update ${ada} --first-name Ada --meta tier=vip`);

    const create = 'ugwo create --amount 5,000.00 --currency NGN --customer ada@example.com --ref INV-1';
    const ugwo = (await run(`${create} --metadata channel=web`))['uid'];
    const activity = (await run(`ugwo charge ${ugwo} --medium bank_transfer --expires-in 10m`))['uid'];
    await run(`activity get ${ugwo} ${activity}`);
    expect((await paycli(['emulator', 'settle', `${activity}`, '--as', 'successful'], { home })).code).toBe(0);
    await run(`ugwo get ${ugwo}`);
    await run(`refund create ${activity} --amount 2,500.00 --provider gtb --account-number 0123456789 --yes`);
    const other = (await run('ugwo create --amount 900.00 --currency NGN'))['uid'];
    await run(`ugwo charge ${other} --medium ussd --provider gtb`);
    const third = (await run('ugwo create --amount 900.00 --currency NGN'))['uid'];
    await run(`ugwo charge ${third} --medium ussd --provider gtbank`, 3);
    await run(`ugwo cancel ${third} --yes`);
    await run('ugwo list --all');

    const listed = await run('checkout list --status active --currency NGN');
    const checkout = valueAt(listed, 'data.0.uid');
    await run(`checkout get ${checkout}`);
    await run(`checkout providers ${checkout} ussd`);

    // Rejections by the service are documented, too.
    await run(`ugwo get ${UGWO_ID}`, 3);
    await run(`ugwo cancel ${ugwo} --yes`, 3);
    await run('ugwo create --amount 0.01 --currency NGN', 3);
    await run(`onye delete ${ada} --yes`);

    await expect.poll(() => proxy.requests().map(templateOf)).toContain('DELETE /v1/onye/{uid}');
    expect(proxy.violations()).toEqual([]);
    const all = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
    expect([...new Set(proxy.requests().map(templateOf))].sort()).toEqual(all.sort());
  });

  it('detects an undocumented request', async () => {
    const { proxy, run } = await openService();
    await run(`onye update ${SEEDED.onye} --email nonsense --no-validate`, 3);
    // Its message may come after its answer.
    await expect
      .poll(() => proxy.violations())
      .toEqual([expect.stringMatching(/patch \/v1\/onye\/.*UNPROCESSABLE_ENTITY/)]);
  });

  it('detects an undocumented answer', async () => {
    const service = await serveAll([
      json(200, { uid: UGWO_ID, amount: 5 }),
      json(200, { uid: UGWO_ID, amount: 'much' }),
    ]);
    const proxy = await startProxy(service.origin);
    const ask = () => fetch(`${proxy.origin}/v1/ugwo/${UGWO_ID}`, { headers: { authorization: 'Bearer sk.Test.1' } });
    expect((await ask()).status).toBe(200);
    expect(proxy.violations()).toEqual([]);
    const refused = await ask();
    expect(refused.status).toBe(500);
    expect(await refused.text()).toContain('amount');
    // Its message may come after its answer.
    await expect.poll(() => proxy.violations()).toEqual([expect.stringMatching(/get \/v1\/ugwo\/.*VIOLATIONS/)]);
  });
});

import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { inProcess } from '../support/in-process.ts';
import { newFolder } from '../support/program.ts';

/** Typos at every level, and their suggestions. */
const MISTYPED: readonly (readonly [line: string, meant: string])[] = [
  ['ugow list', 'ugwo'],
  ['ugwo chrage', 'charge'],
  ['webhook evnts list', 'events'],
  ['webhook events lst', 'list'],
  ['help ugwo chrge', 'charge'],
  ['schema ugwo lst', 'ugwo list'],
  ['ugwo list --colums uid', '--columns'],
  ['ugwo charge --from x.csv --concurency 4', '--concurrency'],
  ['-o jsn ugwo list', 'json'],
  [`ugwo charge ${SEEDED.ugwo} --medium usdd`, 'ussd'],
  [`checkout providers ${SEEDED.checkout} usd`, 'ussd'],
  ['ugwo list --local --columns uid,statsu', 'status'],
  ['ugwo list --status processing,requires_ugo', 'requires_ugwo'],
  ['ledger list --state unknwn', 'unknown'],
  [`onye update ${SEEDED.onye} --clear first_nam`, 'first_name'],
  ['api -X GTE /v1/ugwo', 'GET'],
  ['completion install bsh', 'bash'],
  ['webhook events list --event ugwo.sucessful', 'ugwo.successful'],
  ['webhook listen --port 0 --until ugwo.sucessful', 'ugwo.successful'],
];

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

describe('did you mean', () => {
  it.each(MISTYPED)('%s', async (line, meant) => {
    const { code, stderr } = await inProcess(line.split(' '));
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`did you mean ${escaped(meant)}\\?`, 'i'));
  });

  it.each<[readonly string[], string]>([
    [['ugwo', 'get', 'order-7'], 'find order-7 --service'],
    [['ugwo', 'charge', 'order-7', '--medium', 'bank_transfer'], 'find order-7 --service'],
    [['ugwo', 'charge', 'ada@example.com', '--medium', 'bank_transfer'], 'find ada@example.com --service'],
    [['activity', 'wait', 'order-7', 'act.Ab.1'], 'find order-7 --service'],
    [['watch', SEEDED.ugwo, 'order-7'], 'find order-7 --service'],
    [['onye', 'update', 'ada@example.com', '--ref', '7'], 'onye list'],
  ])('suggests a search for a name that nothing has: %j', async (args, find) => {
    const { code, stderr } = await inProcess([...args, '--local']);
    expect(code).toBe(2);
    const line = /→ find it with:\s+paycli (.*)\n/.exec(stderr)?.[1] ?? '';
    expect(line).toMatch(new RegExp(`^${escaped(find)} --local$`));
    expect(await inProcess(line.split(' '))).toMatchObject({ code: 0 });
  });

  it('suggests a stored profile, or `local`', async () => {
    const home = newFolder();
    const locl = ['ugwo', 'list', '--profile', 'locl'];
    expect((await inProcess(locl, { home })).stderr).toContain('did you mean "local"?');
    const login = ['login', '--profile', 'shop', '--environment', 'sandbox', '--key-stdin', '--no-verify'];
    expect(await inProcess(login, { home, stdin: `sk.Test.${'0'.repeat(80)}` })).toMatchObject({ code: 0 });
    const shp = await inProcess(['profile', 'show', 'shp'], { home });
    expect(shp).toMatchObject({ code: 4, stderr: expect.stringContaining('did you mean "shop"?') });
  });

  it('is disabled by --no-validate', async () => {
    const list = ['ugwo', 'list', '--local', '--status'];
    expect(await inProcess([...list, 'on_hold'])).toMatchObject({ code: 2 });
    expect(await inProcess([...list, 'on_hold', '--no-validate'])).toMatchObject({ code: 0 });
    expect(await inProcess([...list, 'requires_ugo', '--no-validate'])).toMatchObject({ code: 0 });
  });
});

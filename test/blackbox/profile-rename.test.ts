import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProfileFile } from '../../src/contract/profile-file.ts';
import { openLedger } from '../../src/ledger/sqlite/open.ts';
import { beside } from '../ledger/support/charges.ts';
import { CANARY } from '../support/canary.ts';
import { inProcess } from '../support/in-process.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { type Ended, newFolder } from '../support/program.ts';
import { postsOf, serveCharges, ugwoOf, ussdFile } from './bulk-support.ts';

const LEDGER = 'ledger.sqlite';
const RENAME = ['profile', 'rename', 'shop', 'store'];

const profilesIn = (home: string): ProfileFile =>
  JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')) as ProfileFile;

/** A home with the profiles `shop` (for the test's service) and `other`. */
const loggedIn = async () => {
  const [home, service] = [newFolder(), await serveCharges()];
  for (const name of ['other', 'shop']) {
    const args = ['login', '--profile', name, '--base-url', service.origin, '--key-stdin', '--no-verify'];
    expect(await inProcess(args, { home, stdin: CANARY })).toMatchObject({ code: 0 });
  }
  const run = (...args: readonly string[]): Promise<Ended> => inProcess(args, { home });
  const json = async (...args: readonly string[]): Promise<unknown> => {
    const ended = await run(...args, '--json');
    expect(ended.code, ended.stderr).toBe(0);
    return JSON.parse(ended.stdout);
  };
  const charge = (number: number, profile: string): Promise<Ended> =>
    run('ugwo', 'charge', ugwoOf(number), '--medium', 'ussd', '--provider', 'gtb', '--profile', profile);
  return { home, service, run, json, charge };
};

/** Profiles of the ledger's entries, oldest first. */
const namesIn = async ({ json }: Awaited<ReturnType<typeof loggedIn>>): Promise<readonly string[]> => {
  const { data } = (await json('ledger', 'list', '--all-profiles')) as { data: readonly { profile: string }[] };
  return data.map(({ profile }) => profile).toReversed();
};

describe('profile rename', () => {
  it('keeps the settings of the profile and the default', async () => {
    const { home, run } = await loggedIn();
    await run('profile', 'use', 'shop');
    await run('config', 'set', 'medium', 'ussd', '--profile', 'shop');
    await run('ledger', 'use', 'postgres://ada@db.example/payments', '--password-command', 'pass ledger');
    const before = profilesIn(home);
    const { shop, ...others } = before.profiles;
    expect(shop).toMatchObject({ ledger: expect.any(String), ledger_password_command: ['pass', 'ledger'] });
    const stored = { ...before, profiles: { ...others, shop: { ...shop, newer: { field: 1 } } } };
    writeFileSync(join(home, 'config.json'), JSON.stringify(stored));
    const ended = await run(...RENAME);
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('name\tstore\ndefault\ttrue\n') });
    expect(ended.stderr).toContain('The shared ledger postgres://ada@db.example:5432/payments keeps "shop"');
    expect(profilesIn(home)).toEqual({
      ...before,
      default: 'store',
      profiles: { ...others, store: { ...shop, newer: { field: 1 } } },
    });
  });

  it('renames the profile in entries, jobs and the policy of the ledger, but not in others', async () => {
    const world = await loggedIn();
    const { home, run, json, charge, service } = world;
    await charge(1, 'shop');
    await charge(2, 'other');
    await run('ugwo', 'charge', '--from', ussdFile(3, 4), '--profile', 'shop');
    await run('policy', 'set', 'store', '--max-charges', '9');
    await run('policy', 'remove', 'store', '--yes');
    await run('policy', 'set', 'shop', '--max-charges', '3');
    const ended = await run(...RENAME);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stderr).toContain('Renamed the profile "shop" to "store", also in 3 ledger entries.');
    expect(await namesIn(world)).toEqual(['store', 'other', 'store', 'store']);
    expect(await json('ledger', 'jobs')).toMatchObject({ data: [{ profile: 'store' }] });
    expect(await json('policy', 'list')).toMatchObject({ data: [{ profile: 'store', charges_today: 3 }] });
    expect(await json('ledger', 'verify')).toMatchObject({ ok: true, entries: 4 });
    expect(await charge(9, 'store')).toMatchObject({ code: 9 });
    expect(Object.keys(postsOf(service))).toHaveLength(4);
    expect(Object.keys(profilesIn(home).profiles)).toEqual(['other', 'store']);
  });

  it('completes an earlier rename that stopped before the profile was saved', async () => {
    const world = await loggedIn();
    await world.charge(1, 'shop');
    const ledger = await openLedger(ledgerOptions(join(world.home, LEDGER)));
    expect(await ledger.rename('shop', 'store')).toBe(1);
    await ledger.close();
    await world.charge(2, 'shop');
    expect(await world.run(...RENAME)).toMatchObject({ code: 0 });
    expect(await namesIn(world)).toEqual(['store', 'store']);
    expect(Object.keys(profilesIn(world.home).profiles)).toEqual(['other', 'store']);
  });

  it.each<
    [what: string, prepare: (world: Awaited<ReturnType<typeof loggedIn>>) => unknown, args: string[], code: number]
  >([
    ['a name in use', () => undefined, ['shop', 'other'], 2],
    ['an invalid name', () => undefined, ['shop', 'a b'], 2],
    ['the reserved name', () => undefined, ['shop', 'local'], 2],
    ['a missing profile', () => undefined, ['shpo', 'store'], 4],
    [
      'policies under both names',
      ({ run }) => run('policy', 'set', 'store', '--max-charges', '1'),
      ['shop', 'store'],
      2,
    ],
    [
      'a damaged ledger',
      ({ home }) => beside(join(home, LEDGER), "UPDATE charge SET origin = 'x'"),
      ['shop', 'store'],
      10,
    ],
  ])('changes nothing for %s', async (_what, prepare, args, code) => {
    const world = await loggedIn();
    await world.charge(1, 'shop');
    await world.run('policy', 'set', 'shop', '--max-charges', '3');
    await prepare(world);
    const before = profilesIn(world.home);
    expect(await world.run('profile', 'rename', ...args)).toMatchObject({ code, stdout: '' });
    expect(profilesIn(world.home)).toEqual(before);
    if (code !== 10) expect(await namesIn(world)).toEqual(['shop']);
  });
});

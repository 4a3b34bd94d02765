import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type * as Profiles from '../../src/config/profiles.ts';
import type { ProfileFile } from '../../src/contract/profile-file.ts';
import { PayError } from '../../src/core/error.ts';
import { openLedger } from '../../src/ledger/sqlite/open.ts';
import { beside } from '../ledger/support/charges.ts';
import { CANARY } from '../support/canary.ts';
import { inProcess } from '../support/in-process.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { type Ended, fromNoon, newFolder, paycli, runBefore } from '../support/program.ts';
import { ACTIVITY, json, type Service, serveAllBy, serveBy } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { charged, numberIn, postsOf, serveCharges, ugwoOf, ussdFile } from './bulk-support.ts';

const LEDGER = 'ledger.sqlite';
const RENAME = ['profile', 'rename', 'shop', 'store'];

const profilesIn = (home: string): ProfileFile =>
  JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')) as ProfileFile;

/** A home with the profiles `shop` (for the test's service) and `other`. */
const loggedIn = async (serves?: Service) => {
  const [home, service] = [newFolder(), serves ?? (await serveCharges())];
  const env = fromNoon();
  for (const name of ['other', 'shop']) {
    const args = ['login', '--profile', name, '--base-url', service.origin, '--key-stdin', '--no-verify'];
    expect(await inProcess(args, { home, env, stdin: CANARY })).toMatchObject({ code: 0 });
  }
  const run = (...args: readonly string[]): Promise<Ended> => inProcess(args, { home, env });
  const json = async (...args: readonly string[]): Promise<unknown> => {
    const ended = await run(...args, '--json');
    expect(ended.code, ended.stderr).toBe(0);
    return JSON.parse(ended.stdout);
  };
  const charge = (number: number, profile: string): Promise<Ended> =>
    run('ugwo', 'charge', ugwoOf(number), '--medium', 'ussd', '--provider', 'gtb', '--profile', profile);
  return { home, env, service, run, json, charge };
};

/** Profiles of the ledger's charges, oldest first. A row whose read was too old has an entry before its charge, too. */
const namesIn = async ({ json }: Awaited<ReturnType<typeof loggedIn>>): Promise<readonly string[]> => {
  const { data } = (await json('ledger', 'list', '--all-profiles', '--state', 'accepted')) as {
    data: readonly { profile: string }[];
  };
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
    expect(ended.stderr).toContain('The shared ledger postgres://db.example:5432/payments keeps "shop"');
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
    await run('policy', 'set', 'shop', '--max-charges', '3');
    const twice = await run(...RENAME);
    expect([twice.code, twice.stderr]).toEqual([
      2,
      'error: "shop" and "store" both have a policy\n' +
        '→ remove one: `paycli policy remove shop` or `paycli policy remove store`; nothing was changed\n',
    ]);
    await run('policy', 'remove', 'store', '--yes');
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
    await world.run('policy', 'set', 'shop', '--max-charges', '2');
    const ledger = await openLedger(ledgerOptions(join(world.home, LEDGER)));
    expect(await ledger.rename('shop', 'store', false)).toBe(1);
    await ledger.close();
    await world.charge(2, 'shop');
    expect(await world.charge(3, 'shop')).toMatchObject({ code: 9 });
    expect(await world.json('policy', 'set', 'shop', '--max-charges', '3')).toMatchObject({ profile: 'store' });
    expect(await world.charge(3, 'shop')).toMatchObject({ code: 0 });
    expect(await world.run(...RENAME)).toMatchObject({ code: 0 });
    expect(await world.charge(4, 'store')).toMatchObject({ code: 9 });
    expect(await namesIn(world)).toEqual(['store', 'store', 'store']);
    expect(Object.keys(profilesIn(world.home).profiles)).toEqual(['other', 'store']);
  });

  it('may follow one to another name that stopped', async () => {
    const world = await loggedIn();
    await world.charge(1, 'shop');
    await world.run('policy', 'set', 'shop', '--max-charges', '1');
    const ledger = await openLedger(ledgerOptions(join(world.home, LEDGER)));
    await ledger.rename('shop', 'kiosk', false);
    await ledger.close();
    expect(await world.run(...RENAME)).toMatchObject({ code: 0 });
    expect(await world.charge(2, 'store')).toMatchObject({ code: 9 });
    expect(await namesIn(world)).toEqual(['store']);
  });

  it.each<[string, readonly string[], Record<string, string>]>([
    ['of the profile', ['shop'], {}],
    [
      'of the profile, also after the clock was set back',
      ['shop'],
      runBefore('Date.now = () => Date.UTC(2026, 10, 20, 1);'),
    ],
    ['for all other profiles', ['--others'], {}],
  ])(
    'leaves a file that is being sent under the policy %s, together with the new name',
    async (_what, whose, later) => {
      const first = Promise.withResolvers<void>();
      const service = await serveBy((seen) => {
        const answer = charged(numberIn(seen));
        return numberIn(seen) === 1 ? (...asked) => void first.promise.then(() => answer(...asked)) : answer;
      });
      const world = await loggedIn(service);
      const { home, env, run, charge } = world;
      const after = { home, env: { ...env, ...later } };
      await run('policy', 'set', ...whose, '--max-charges', '3');
      const file = ['ugwo', 'charge', '--from', ussdFile(1, 2, 3, 4), '--concurrency', '1', '--profile', 'shop'];
      const sending = paycli(file, { home, env });
      await service.came(1);
      expect(await paycli(RENAME, after)).toMatchObject({ code: 0 });
      expect(await charge(9, 'store')).toMatchObject({ code: 0 });
      first.resolve();
      expect(await sending).toMatchObject({ code: 9 });
      expect(postsOf(service)).toEqual({ 1: 1, 9: 1, 2: 1 });
      expect(await namesIn(world)).toEqual(['store', 'store', 'store']);
      // A new profile of that name has nothing to do with the renamed one, also in a process that began before.
      const login = ['login', '--profile', 'shop', '--base-url', service.origin, '--key-stdin', '--no-verify'];
      expect(await inProcess(login, { home, env, stdin: CANARY })).toMatchObject({ code: 0 });
      const args = ['ugwo', 'charge', ugwoOf(5), '--medium', 'ussd', '--provider', 'gtb', '--profile', 'shop'];
      expect(await paycli(args, after)).toMatchObject({ code: 0 });
      expect(await namesIn(world)).toEqual(['store', 'store', 'store', 'shop']);
    },
  );

  it('leaves a refund under the policy that waits for its confirmation meanwhile', async () => {
    const world = await loggedIn(await serveAllBy(() => json(200, { uid: 'rfd.AbCd.1' })));
    const { home, env, run } = world;
    await run('policy', 'set', 'shop', '--max-refunds', '0');
    // It reads the profile, asks, and then opens the ledger.
    const args = ['api', '/v1/refunds', '-f', `ugwo_activity=${ACTIVITY.uid}`, '--profile', 'shop'];
    const session = openTerminal(args, { home, env });
    await session.saw(/Pay this back\?/);
    expect(await run(...RENAME)).toMatchObject({ code: 0 });
    session.type('y\r');
    expect(await session.ended).toMatchObject({ code: 9 });
    expect(world.service.seen).toEqual([]);
  });

  it('keeps the limits when a profile gets its old name back', async () => {
    const world = await loggedIn();
    await world.run('policy', 'set', 'shop', '--max-charges', '2');
    await world.charge(1, 'shop');
    await world.run(...RENAME);
    await world.charge(2, 'store');
    expect(await world.run('profile', 'rename', 'store', 'shop')).toMatchObject({ code: 0 });
    expect(await world.charge(3, 'shop')).toMatchObject({ code: 9 });
    expect(await namesIn(world)).toEqual(['shop', 'shop']);
  });

  it.runIf(process.env['PAYCLI_PROGRAM'] === undefined)(
    'that reaches the ledger and not the settings says so',
    async () => {
      const world = await loggedIn();
      await world.charge(1, 'shop');
      vi.doMock('../../src/config/profiles.ts', async (original) => {
        const { openProfiles, ...rest } = await original<typeof Profiles>();
        const renaming = () => () => {
          throw new PayError('auth', 'config.json could not be written', { hint: 'nothing was changed; free space' });
        };
        return {
          ...rest,
          openProfiles: (...args: Parameters<typeof openProfiles>) => ({ ...openProfiles(...args), renaming }),
        };
      });
      const { code, stderr } = await world.run(...RENAME, '--json').finally(() => {
        vi.doUnmock('../../src/config/profiles.ts');
      });
      expect(code).toBe(4);
      expect(JSON.parse(stderr).error).toMatchObject({
        message: 'config.json could not be written',
        hint: 'the ledger already uses "store", with its policy, for charges under both names; fix this, then run the same command again',
      });
      expect(await namesIn(world)).toEqual(['store']);
    },
  );

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

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SEEDED } from '../../src/core/data-files.ts';
import { digestOf } from '../../src/ledger/entry.ts';
import { csvOf, fileOf, reportOf, reportPath, ugwoOf } from '../blackbox/bulk-support.ts';
import { atom } from '../support/activity.ts';
import { changedProgram } from '../support/changed.ts';
import { uidOf } from '../support/ids.ts';
import { errorOf, newFolder, paycli, type RunOptions } from '../support/program.ts';
import { ACTIVITY, json, type Service, serveBy, ugwo } from '../support/service.ts';
import { openOn } from '../support/terminal.ts';

/** One edit: a medium with a field of its own, of which the ledger has no column. */
const PEBBLE = {
  name: 'a made-up medium',
  file: 'src/charge/mediums.ts',
  from: "  { name: 'mobile_money', fields: [OPERATOR, PHONE], step: 'approve', currency: 'GHS' },\n",
  to: `  { name: 'mobile_money', fields: [OPERATOR, PHONE], step: 'approve', currency: 'GHS' },
  {
    name: 'pebble',
    fields: [{ name: 'token', takes: 'token', about: 'of the pebble', needs: 'the token of the pebble', examples: ['tok_e'] }],
    step: 'redirect',
    currency: 'NGN',
  },
`,
};

const [ONE, OTHER] = ['tok_one_12345678', 'tok_other_12345678'];
const OPEN = {
  ...ACTIVITY,
  created_at: atom(Date.now()),
  ugwo_medium: { last4: '4242' },
  next_action: { type: 'redirect', instruction: 'Open the page.', headers: { url: 'https://provider.invalid/1' } },
};

describe('a medium that is added to the list', () => {
  const program = changedProgram(PEBBLE);
  const UGWO = ugwoOf(1);
  const by = (...words: readonly string[]): string[] => ['ugwo', 'charge', UGWO, '--medium', ...words];
  const byPebble = (token: string, ...more: readonly string[]): string[] => by('pebble', '--token', token, ...more);

  /** A service that makes charges by it, and shows them after these activities. */
  const open = async (...activities: readonly object[]) => {
    const shown = [...activities];
    const request = { ...ugwo(1), uid: UGWO, checkout: { uid: 'chk.AbCd.1' }, amount: 90_000 };
    const serve = ({ method }: { readonly method: string }) => {
      if (method === 'POST') shown.push(OPEN);
      return json(200, method === 'POST' ? OPEN : { ...request, activities: shown });
    };
    return { service: await serveBy(serve, { looks: 'asked' }), home: newFolder(), program };
  };
  const bodies = ({ seen }: Service): unknown[] =>
    seen.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body).data);

  it('has its option, which it needs and which no other medium has', async () => {
    const run = (args: readonly string[]) => paycli(args, { program });
    expect((await run(['ugwo', 'charge', '--help'])).stdout).toMatch(/--token <token> +pebble: of the pebble/);
    const faults = [by('pebble'), by('ussd', '--provider', 'gtb', '--token', ONE)].map(async (args) => {
      const ended = await run([...args, '--json']);
      return [ended.code, errorOf(ended)['message']];
    });
    expect(await Promise.all(faults)).toEqual([
      [2, '--medium pebble needs --token, the token of the pebble'],
      [2, "--token can't be used with --medium ussd, only with pebble"],
    ]);
  });

  it('is charged, and neither its field nor a digest to guess it by is in a file of the ledger', async () => {
    const options = await open();
    expect((await paycli(byPebble(ONE), options)).code).toBe(0);
    expect(bodies(options.service)).toEqual([{ medium: 'pebble', token: ONE }]);
    const files = readdirSync(options.home, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const holding = (text: string) =>
      files.filter((one) => readFileSync(join(one.parentPath, one.name)).includes(text)).length;
    const digests = [{ medium: 'pebble' }, { medium: 'pebble', token: ONE }].map(digestOf);
    expect([holding(ONE), ...digests.map(holding)]).toEqual([0, expect.any(Number), 0]);
    expect(holding(digests[0] ?? '')).toBeGreaterThan(0);
  });

  it('is reused for the same field only', async () => {
    const options = await open();
    expect((await paycli(byPebble(ONE), options)).code).toBe(0);
    expect((await paycli(byPebble(ONE, '--reuse'), options)).code).toBe(0);
    expect((await paycli(byPebble(OTHER, '--reuse'), options)).code).toBe(9);
    // Of somebody else's charge nothing tells which token it has.
    expect((await paycli(byPebble(ONE, '--reuse'), await open(OPEN))).code).toBe(9);
    expect(bodies(options.service)).toHaveLength(1);
  });

  it('blocks another token while it is open, and asks before another medium', async () => {
    const [options, theirs] = [await open(), await open({ ...OPEN, uid: uidOf(77) })];
    expect((await paycli(byPebble(ONE), options)).code).toBe(0);
    for (const at of [options, theirs] as const satisfies readonly RunOptions[]) {
      const again = await paycli(byPebble(OTHER), at);
      expect(again.code).toBe(9);
      expect(again.stderr).not.toContain('another medium');
      const other = await paycli(by('ussd', '--provider', 'gtb'), at);
      expect(other).toMatchObject({ code: 9, stderr: expect.stringContaining('by another medium') });
    }
    const session = openOn([...program, ...by('ussd', '--provider', 'gtb')], { ...options, columns: 200 });
    await session.saw(/Charge it by ussd, too\?/);
    session.type('n\r');
    expect(await session.ended).toEqual({ code: 130 });
    expect(bodies(options.service)).toHaveLength(1);
  });

  it('has its column, and another field makes another job and another row', async () => {
    const options = await open();
    const file = (token: string): string => fileOf(csvOf('ugwo,medium,token', `${UGWO},pebble,${token}`));
    const charge = async (from: string, ...more: readonly string[]) => {
      const report = reportPath();
      const { code } = await paycli(['ugwo', 'charge', '--from', from, '--report', report, ...more], options);
      return [code, reportOf(report)[1]?.['state']];
    };
    const first = file(ONE);
    expect(await charge(first)).toEqual([0, 'accepted']);
    expect(await charge(first)).toEqual([0, 'accepted']);
    expect(await charge(file(OTHER))).toEqual([9, 'refused']);
    expect(bodies(options.service)).toEqual([{ medium: 'pebble', token: ONE }]);
    const jobOf = async (token: string): Promise<unknown> => {
      const from = ['ugwo', 'charge', '--from', fileOf(csvOf('ugwo', UGWO)), '--resume', 'job-0000000000000000'];
      const ended = await paycli([...from, '--medium', 'pebble', '--token', token, '--yes', '--json'], options);
      return /is a different job, (job-\w+)/.exec(String(errorOf(ended)['message']))?.[1];
    };
    const jobs = [await jobOf(ONE), await jobOf(ONE), await jobOf(OTHER)];
    expect(jobs[0]).toMatch(/^job-/);
    expect(jobs[1]).toBe(jobs[0]);
    expect(jobs[2]).not.toBe(jobs[0]);
  });

  it('is offered by the built-in service', async () => {
    const charge = ['ugwo', 'charge', SEEDED.ugwo, '--medium', 'pebble', '--token', ONE, '--local', '--json'];
    const made = await paycli(charge, { program, home: newFolder() });
    expect(made.code).toBe(0);
    expect(JSON.parse(made.stdout)).toMatchObject({ status: 'requires_action', next_action: { type: 'redirect' } });
  });
});

import { describe, expect, it } from 'vitest';
import { openLedger } from '../../src/ledger/sqlite/open.ts';
import { account } from '../ledger/support/charges.ts';
import { intent } from '../ledger/support/memory.ts';
import { inProcess } from '../support/in-process.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { onTerminal } from '../support/on-terminal.ts';
import { fromNoon, newFolder, paycli } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import { ugwo } from '../support/service.ts';

interface Paid {
  readonly at: string;
  readonly amount: number;
  /** Null for a charge without one. */
  readonly profile?: string | null;
  readonly status?: string;
}

/** A home whose ledger has paid charges that started at these times. */
const withPaid = async (charges: readonly Paid[]): Promise<{ home: string }> => {
  const home = newFolder();
  for (const [index, { at, amount, profile = 'shop', status = 'successful' }] of charges.entries()) {
    const now = (): number => Date.parse(at);
    const ledger = await openLedger(ledgerOptions(`${home}/ledger.sqlite`, { now }));
    const asked = { amount, currency: 'NGN' };
    const begun = await ledger.begin(
      intent({ about: String(ugwo(index)['uid']), profile: profile ?? undefined, asked }),
      { again: false },
    );
    const activity = account({ uid: `act.AbCd.${String(index).padStart(24, '0')}`, status });
    if (begun.kind === 'begun') await ledger.record(begun.id, { state: 'accepted', exitCode: 0, activity });
    await ledger.close();
  }
  return { home };
};

/** Around midnight in Lagos, one hour ahead of UTC. */
const NIGHT = [
  { at: '2026-11-19T22:59:59Z', amount: 1 },
  { at: '2026-11-19T23:00:00Z', amount: 20 },
  { at: '2026-11-20T22:59:59Z', amount: 300 },
  { at: '2026-11-20T23:00:00Z', amount: 4000 },
];

const COLUMNS = ['-o', 'tsv', '--columns', 'day,reported,amount'];
const DAY = ['ledger', 'report', '--since', '2026-11-20', '--until', '2026-11-20', '--by', 'day', ...COLUMNS];

describe('ledger report', () => {
  it('uses days of the local time zone and names the zone', async () => {
    const { home } = await withPaid(NIGHT);
    const lagos = { home, env: { TZ: 'Africa/Lagos' } };
    await scene({
      ...lagos,
      built: true,
      argv: DAY,
      stdout: '2026-11-20\tcharged\t320\n2026-11-20\tpaid\t320\n',
      stderr: 'Charges from 2026-11-20 00:00 up to 2026-11-21 00:00 (Africa/Lagos), as last recorded.\n',
    });
    const json = await paycli([...DAY.slice(0, -4), '--json'], lagos);
    expect((JSON.parse(json.stdout) as { data: unknown[] }).data[0]).toEqual({
      ...{ day: '2026-11-20', reported: 'charged', currency: 'NGN', count: 2, amount: 320, without_amount: 0 },
      ...{ received: 320, without_received: 0, charges: 2 },
      ...{ since: '2026-11-20T00:00:00+01:00', until: '2026-11-21T00:00:00+01:00', zone: 'Africa/Lagos' },
    });
  });

  it('prints a table with these columns', async () => {
    const { home } = await withPaid(NIGHT.slice(0, 1));
    const stdout = [
      /^day +reported +count +amount +received +charges\n/,
      /^2026-11-19 +paid +1 +NGN 0\.01 +NGN 0\.01 +1$/m,
    ];
    await scene({
      argv: ['ledger', 'report', '--by', 'day', '--utc', '-o', 'table'],
      home,
      stdout,
      stderr: /^Charges up to/,
    });
  });

  it('draws a bar for the sum of each day on a terminal of 80 columns', async () => {
    const thousand = 100_000;
    const { home } = await withPaid([
      ...NIGHT.map(({ at, amount }) => ({ at, amount: amount * thousand })),
      { at: '2026-11-21T12:00:00Z', amount: 2000 * thousand, status: 'partially_refunded' },
    ]);
    const bars = async (columns: number, env: Readonly<Record<string, string>>, ...more: readonly string[]) => {
      const { raw } = await onTerminal(['ledger', 'report', '--utc', ...more], { home, columns, env });
      return raw.match(/[█#]+/g) ?? [];
    };
    // Each day has a row of what was charged, and one of what was paid.
    const drawn = (block: string) => [1, 1, 10, 10, 5, 5].map((length) => block.repeat(length));
    expect(await bars(80, {}, '--by', 'day')).toEqual(drawn('█'));
    expect(await bars(80, { LC_ALL: 'C' }, '--by', 'day')).toEqual(drawn('#'));
    for (const none of [
      bars(100, { ACCESSIBLE: '1' }, '--by', 'day'),
      bars(100, {}, '--by', 'medium'),
      bars(100, {}, '--by', 'day', '-o', 'csv'),
    ])
      expect(await none).toEqual([]);
    const piped = await inProcess(['ledger', 'report', '--by', 'day', '-o', 'table'], { home });
    expect(piped.stdout).not.toContain('█');
  });

  it('uses days of UTC with --utc', async () => {
    const { home } = await withPaid(NIGHT);
    await scene({
      home,
      built: true,
      env: { TZ: 'Africa/Lagos' },
      argv: [...DAY, '--utc'],
      stdout: '2026-11-20\tcharged\t4300\n2026-11-20\tpaid\t4300\n',
      stderr: 'Charges from 2026-11-20 00:00 up to 2026-11-21 00:00 (UTC), as last recorded.\n',
    });
  });

  it('supports days of 25 hours', async () => {
    // In New York, clocks go back on 1 November 2026 at 06:00 UTC.
    const { home } = await withPaid([
      { at: '2026-11-01T03:59:59Z', amount: 1 },
      { at: '2026-11-01T04:00:00Z', amount: 20 },
      { at: '2026-11-02T04:59:59Z', amount: 300 },
      { at: '2026-11-02T05:00:00Z', amount: 4000 },
    ]);
    await scene({
      home,
      built: true,
      env: { TZ: 'America/New_York' },
      argv: ['ledger', 'report', '--since', '2026-11-01', '--until', '2026-11-01', '--by', 'day', ...COLUMNS],
      stdout: '2026-11-01\tcharged\t320\n2026-11-01\tpaid\t320\n',
      stderr: ['(America/New_York)'],
    });
  });

  it('counts from the start of today with --today', async () => {
    const env = { ...fromNoon(), TZ: 'Africa/Lagos' };
    const { home } = await withPaid([
      { at: '2026-11-19T23:59:59Z', amount: 5 },
      { at: '2026-11-20T00:00:00Z', amount: 7 },
    ]);
    const argv = ['ledger', 'report', '--today', '--utc', '-o', 'tsv', '--columns', 'amount,since,zone'];
    const row = '7\t2026-11-20T00:00:00+00:00\tUTC\n';
    await scene({ home, env, built: true, argv, stdout: `${row}${row}`, stderr: ['(UTC)'] });
  });

  it('prints sums with all digits in every format', async () => {
    const { home } = await withPaid(
      Array.from({ length: 3 }, () => ({ at: '2026-11-20T12:00:00Z', amount: Number.MAX_SAFE_INTEGER })),
    );
    for (const format of ['json', 'ndjson', 'csv', 'tsv']) {
      await scene({ home, argv: ['ledger', 'report', '-o', format], stdout: ['27021597764222973'], stderr: /^/ });
    }
    const { raw } = await onTerminal(['ledger', 'report'], { home, columns: 60 });
    expect(raw).toContain('NGN 270,215,977,642,229.73');
  });

  it('excludes charges of --local, and separates profiles with --all-profiles', async () => {
    const { home } = await withPaid([
      { at: '2026-11-20T12:00:00Z', amount: 1, profile: 'local' },
      { at: '2026-11-20T12:00:00Z', amount: 20, profile: 'shop' },
      { at: '2026-11-20T12:00:00Z', amount: 300, profile: 'stall' },
      { at: '2026-11-20T12:00:00Z', amount: 4000, profile: null },
    ]);
    const sum = async (...more: string[]): Promise<string> =>
      (await inProcess(['ledger', 'report', '-o', 'csv', '--columns', 'reported,amount', ...more], { home })).stdout;
    expect(await sum()).toContain('charged,4320');
    expect(await sum('--local')).toContain('charged,1\r\n');
    const byProfile = await sum('--by', 'profile', '--columns', 'profile,reported,amount');
    expect(byProfile).toContain('\r\n,charged,4000\r\n');
    const all = await inProcess(
      ['ledger', 'report', '--all-profiles', '-o', 'tsv', '--columns', 'profile,reported,amount'],
      { home },
    );
    const charged = all.stdout.split('\n').filter((line) => line.includes('charged'));
    expect(charged).toEqual([
      'https://pay.example\tcharged\t4000',
      ...['local\tcharged\t1', 'shop\tcharged\t20', 'stall\tcharged\t300'],
    ]);
  });

  it.each([
    [['--since', '2026-11-31'], '--since: "2026-11-31" doesn\'t exist'],
    [['--since', '2026-11-24', '--until', '2026-11-20'], '--until is before --since'],
    [['--today', '--since', '1d'], "--today can't be used with --since"],
    [['--today', '--until', '1d'], "--today can't be used with --since"],
  ])('rejects %j', async (args, message) => {
    await scene({ argv: ['ledger', 'report', ...args], exit: 2, stderr: [message] });
  });
});

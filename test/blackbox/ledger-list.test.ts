import { describe, expect, it } from 'vitest';
import { memo } from '../../src/core/async.ts';
import type { Intent } from '../../src/ledger/entry.ts';
import { openLedger } from '../../src/ledger/sqlite/open.ts';
import { intent } from '../ledger/support/memory.ts';
import { clock } from '../support/clock.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { fromNoon, newFolder, type RunOptions } from '../support/program.ts';
import { scene } from '../support/scene.ts';
import { openTerminal } from '../support/terminal.ts';
import { DAY } from '../support/units.ts';
import { activityOf, ugwoOf } from './bulk-support.ts';
import { newTeam } from './team-support.ts';

const ADA = 'ony.AbCd.000000000000000000000001';
const OBI = 'ony.AbCd.000000000000000000000002';

/** Entries by number: status, age in days and customer. 9 is a refund. */
const ENTRIES: readonly (readonly [status: string | undefined, daysAgo: number, customer: string])[] = [
  ['successful', 3, ADA],
  ['successful', 0, OBI],
  ['partially_refunded', 0, ADA],
  ['refunded', 0, ADA],
  ['requires_action', 0, ADA],
  ['failed', 0, ADA],
  ['expired', 0, ADA],
  [undefined, 0, ADA],
  [undefined, 0, ADA],
];

const refund = (): Intent => {
  const { medium: _medium, provider: _provider, phone: _phone, ...of } = intent();
  return { ...of, kind: 'refund', about: activityOf(1), path: '/v1/refunds', body: '{}' };
};

const terms = (number: number, customer: string): Intent =>
  number === 9
    ? refund()
    : intent({ about: ugwoOf(number), asked: { amount: 500_000, currency: 'NGN', ref: `INV-${number}`, customer } });

type Place = Pick<RunOptions, 'env'> & { readonly home: string };

/** A machine with these entries in its ledger file. */
const machine = async (): Promise<Place> => {
  const home = newFolder();
  let now = 0;
  const ledger = await openLedger(ledgerOptions(`${home}/ledger.sqlite`, { now: () => now }));
  for (const [index, [status, daysAgo, customer]] of ENTRIES.entries()) {
    now = clock.now() - daysAgo * DAY;
    const begun = await ledger.begin(terms(index + 1, customer), { again: false });
    if (begun.kind !== 'begun') throw new Error('refused');
    const activity = status && { uid: activityOf(index + 1), status, nextAction: null, createdAt: undefined };
    const outcome = activity ? ({ state: 'accepted', activity } as const) : ({ state: 'unknown' } as const);
    await ledger.record(begun.id, { ...outcome, exitCode: 0 });
  }
  await ledger.close();
  return { home };
};

/** The same entries in PostgreSQL. */
const team = async (): Promise<Place> => {
  const [{ home }, { url }] = [await machine(), await newTeam()];
  const options = { home, env: { PAYCLI_LEDGER: url } };
  await scene({ ...options, argv: ['ledger', 'push'], stderr: /^/ });
  return options;
};

const TODAY = ['--since', 'today'];

const LEDGERS: readonly (readonly [where: string, open: () => Promise<Place>])[] = [
  ['a file', machine],
  // The tests have no PostgreSQL on Windows.
  ...(process.platform === 'win32' ? [] : [['PostgreSQL', team] as const]),
];

describe.each(LEDGERS)('ledger list from %s', (_what, open) => {
  // Lazy: programs may start only inside a test.
  const opened = memo(open);
  const list = async (filters: readonly string[], numbers: readonly number[]) => {
    const moved = fromNoon();
    const { home, env } = await opened();
    const lines = numbers.map((number) =>
      number === 9 ? `refund\t${activityOf(1)}\n` : `charge\t${ugwoOf(number)}\n`,
    );
    const argv = ['ledger', 'list', '-o', 'tsv', '--columns', 'kind,about', ...filters];
    const stderr = numbers.length === 0 ? 'Nothing found.\n' : '';
    await scene({ home, env: { ...env, ...moved }, argv, stdout: lines.join(''), stderr });
  };

  it.each<[string, string[], number[]]>([
    ['only charges by default', [], [8, 7, 6, 5, 4, 3, 2, 1]],
    ['all kinds', ['--kind', 'all'], [9, 8, 7, 6, 5, 4, 3, 2, 1]],
    ['refunds', ['--kind', 'refund'], [9]],
    ['unknown entries of all kinds', ['--kind', 'all', '--state', 'unknown'], [9, 8]],
    ['charges paid today', ['--payment', 'paid', ...TODAY], [2]],
    ['charges paid until yesterday', ['--payment', 'paid', '--until', '2d'], [1]],
    ['refunded or failed charges', ['--payment', 'refunded', '--payment', 'failed'], [6, 4]],
    ['refunded or failed charges in one list', ['--payment', 'refunded, failed'], [6, 4]],
    ['entries in one of several states', ['--kind', 'all', '--state', 'unknown,rejected'], [9, 8]],
    ['open charges', ['--payment', 'open'], [5]],
    ['part refunded charges', ['--payment', 'part-refunded'], [3]],
    ['open or paid charges', ['--payment', 'open', '--payment', 'paid', ...TODAY], [5, 2]],
    ['expired charges', ['--payment', 'expired'], [7]],
    ['nothing for an unused state', ['--payment', 'paid', '--state', 'unknown'], []],
    ['charges by reference', ['--ref', 'INV-5'], [5]],
    ['charges by customer', ['--customer', OBI], [2]],
    ['paid charges of a customer', ['--customer', ADA, '--payment', 'paid'], [1]],
    ['charges that started today', [...TODAY, '--until', 'today', '--payment', 'paid'], [2]],
  ])('lists %s', async (_name, filters, numbers) => {
    await list(filters, numbers);
  });

  it('continues after the last listed entry with --cursor', async () => {
    const payments = ['--payment', 'paid', '--payment', 'failed', '--payment', 'partially_refunded'];
    const { stdout } = await scene({
      ...(await opened()),
      argv: ['ledger', 'list', ...payments, '--max', '2', '--json'],
      json: { data: [{ about: ugwoOf(6) }, { about: ugwoOf(3) }] },
      stderr: /^Stopped at 2 records, more remain\. Next: /,
    });
    await list([...payments, '--cursor', JSON.parse(stdout).next_cursor], [2, 1]);
  });
});

it('ledger list shows the kind and subject of other entries on a terminal', async () => {
  const options = { ...(await machine()), columns: 140 };
  const session = openTerminal(['ledger', 'list', '--kind', 'all', '--max', '2'], options);
  await session.ended;
  expect(await session.screen()).toMatch(/^kind +amount +status +about/m);
  expect(await session.screen()).toMatch(/^refund +unknown +act\.\S+ /m);
  expect(await session.screen()).toMatch(/^charge +NGN 5,000\.00 +unknown +ugw\.\S+ /m);
});

it.each([
  [['--payment', 'paid', '--kind', 'refund'], '--payment works with charges only, not with --kind refund'],
  [['--ref', 'x', '--kind', 'refund'], '--ref works with charges only'],
  [['--payment', 'unknown'], '"unknown" is not one of paid, overpaid, part-paid, open, expired, failed, reversed'],
  [['--kind', 'refnd'], 'did you mean refund?'],
  [['--customer', 'ada'], '--customer: "ada" is not the identifier of a customer'],
  [['--since', 'today', '--until', '3d'], '--until is before --since'],
  [['--since', 'tomorrow'], 'is not a time such as today'],
])('ledger list rejects %j', async (options, message) => {
  await scene({ argv: ['ledger', 'list', ...options], exit: 2, stderr: [message] });
});

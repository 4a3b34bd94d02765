import { describe, expect, it } from 'vitest';
import { ROW_STATES } from '../../src/core/charge.ts';
import { openLedger } from '../../src/ledger/sqlite/open.ts';
import { intent } from '../ledger/support/memory.ts';
import { inProcess } from '../support/in-process.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { newFolder, paycli, type RunOptions } from '../support/program.ts';
import { ACTIVITY, type Answer, json, problem, type Service, serveBy, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import {
  activityOf,
  charged,
  chargeFrom,
  csvOf,
  fileOf,
  numberIn,
  type Summary,
  summaryOf,
  ugwoOf,
  ussdFile,
} from './bulk-support.ts';
import { newTeam } from './team-support.ts';

const ID = 'job-0123456789abcdef';
const place = { service: 'https://pay.example', origin: 'https://pay.example', profile: 'shop' };

/** A home with a job of five rows: one unknown, one rejected, three not started. */
const withJob = async (): Promise<{ home: string }> => {
  const home = newFolder();
  const ledger = await openLedger(ledgerOptions(`${home}/ledger.sqlite`));
  await ledger.jobs.open({ id: ID, kind: 'charge', command: 'ugwo charge', name: 'charges.csv', rows: 5, ...place }, 8);
  for (const [index, state] of (['unknown', 'rejected'] as const).entries()) {
    const uid = String(ugwo(index)['uid']);
    const begun = await ledger.begin(intent({ about: uid, job: ID, row: index + 1 }), { again: false });
    if (begun.kind === 'begun') await ledger.record(begun.id, { state, exitCode: state === 'unknown' ? 6 : 3 });
  }
  await ledger.close();
  return { home };
};

describe('a job', () => {
  it('is printed with its row counts, and with the next commands on stderr', async () => {
    const options = await withJob();
    const shown = await paycli(['ledger', 'show', ID], options);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/^unknown\t1$/m);
    expect(shown.stderr).toBe(
      '1 row is unknown: run `paycli ledger sync --profile shop`\n' +
        '1 row is rejected, failed or not made: run the same command again with --retry-failed\n' +
        '3 rows are not started: run the same command again\n',
    );
    const json = await inProcess(['ledger', 'show', ID, '--json'], options);
    expect(json).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject({ id: ID, unknown: 1, rejected: 1, accepted: 0, not_started: 3 });
  });

  it('is a card on a terminal', async () => {
    const session = openTerminal(['ledger', 'show', ID], { ...(await withJob()), columns: 120 });
    expect((await session.ended).code).toBe(0);
    const screen = await session.screen();
    for (const part of [/not started +3\b/, /file +charges\.csv/, /3 rows are not started/])
      expect(screen).toMatch(part);
  });
});

/** The counts of a summary that the ledger prints, too. */
const countsIn = (record: Summary): Summary =>
  Object.fromEntries(['rows', ...ROW_STATES, 'not_started'].map((name) => [name, record[name]]));

/** The newest job's row counts, from `ledger jobs` and `ledger show`. */
const toldBy = async (options: RunOptions): Promise<Summary> => {
  const list = await inProcess(['ledger', 'jobs', '--max', '1', '--json'], options);
  const [listed = {}] = (JSON.parse(list.stdout) as { data: Summary[] }).data;
  const shown = summaryOf(await inProcess(['ledger', 'show', String(listed['id']), '--json'], options));
  expect(shown).toEqual(listed);
  return countsIn(shown);
};

const inFile = async (service: Service): Promise<RunOptions> => ({ service, home: newFolder() });
const shared = async (service: Service): Promise<RunOptions> => (await newTeam()).machine(service);

// The tests have no PostgreSQL on Windows.
const LEDGERS = [
  ['in a file', inFile] as const,
  ...(process.platform === 'win32' ? [] : [['in PostgreSQL', shared] as const]),
];

/** Accepts every charge, except those by gtb for these payment requests. */
const serveButGtbFor = (...numbers: readonly number[]): Promise<Service> =>
  serveBy((seen) =>
    numbers.includes(numberIn(seen)) && seen.body.includes('gtb') ? problem(422, 'No') : charged(numberIn(seen)),
  );

describe.each(LEDGERS)('a job in a ledger %s', (_where, newPlace) => {
  it('has the counts of its last run, including rows charged by another entry', async () => {
    const options = await newPlace(await serveButGtbFor(4, 5));
    const otherwise = async (number: number): Promise<void> => {
      const args = ['ugwo', 'charge', ugwoOf(number), '--medium', 'ussd', '--provider', 'uba', '--no-preflight'];
      expect(await inProcess(args, options)).toMatchObject({ code: 0 });
    };
    expect(await chargeFrom(ussdFile(1), options, '--no-preflight')).toMatchObject({ code: 0 });
    await otherwise(2);
    const rows = [...[1, 2, 3, 4, 5].map((number) => `${ugwoOf(number)},ussd,gtb`), 'ugw.none,ussd,gtb'];
    const file = fileOf(csvOf('ugwo,medium,provider', ...rows));
    const run = async (...more: readonly string[]): Promise<Summary> =>
      countsIn(summaryOf(await chargeFrom(file, options, '--no-preflight', '--skip-invalid', ...more)));
    const first = await run();
    expect(first).toMatchObject({ rows: 6, accepted: 2, refused: 1, rejected: 2, invalid: 1, not_started: 0 });
    expect(await toldBy(options)).toEqual(first);
    // The job's own entry is rejected.
    await otherwise(4);
    const second = await run('--retry-failed');
    expect(second).toMatchObject({ rows: 6, accepted: 2, refused: 2, rejected: 1, invalid: 1, not_started: 0 });
    expect(await toldBy(options)).toEqual(second);
  });

  it.each<[string, earlier: string | undefined, counts: object]>([
    ['a charge of the same terms', 'gtb', { accepted: 1 }],
    ['a charge of other terms', 'uba', { refused: 1 }],
    ['a charge from elsewhere', undefined, { refused: 1 }],
  ])('counts a row once that %s has paid during the wait of a 429', async (_what, earlier, counts) => {
    let isPaid = false;
    const activity = () => ({ ...ACTIVITY, uid: activityOf(7), status: isPaid ? 'successful' : 'failed' });
    const charging = (): Answer => {
      isPaid = true;
      return problem(429, 'Slow down', undefined, { 'retry-after': '0' });
    };
    const answers = earlier === undefined ? [] : [charged(1, activity())];
    const read = () => ({ ...ugwo(1), uid: ugwoOf(1), activities: isPaid || answers.length === 0 ? [activity()] : [] });
    const service = await serveBy(
      ({ method }) => (method === 'GET' ? json(200, read()) : (answers.pop() ?? charging())),
      { looks: 'asked' },
    );
    const options = await newPlace(service);
    if (earlier !== undefined)
      await inProcess(['ugwo', 'charge', ugwoOf(1), '--medium', 'ussd', '--provider', earlier], options);
    const told = countsIn(summaryOf(await chargeFrom(ussdFile(1), options)));
    expect(told).toMatchObject({ accepted: 0, refused: 0, not_sent: 0, ...counts });
    expect(await toldBy(options)).toEqual(told);
  });
});

describe('ledger jobs', () => {
  it('shows the urgent counts on a narrow terminal', async () => {
    const session = openTerminal(['ledger', 'jobs'], { ...(await withJob()), columns: 80 });
    expect((await session.ended).code).toBe(0);
    const screen = await session.screen();
    expect(screen).toMatch(/^id +unknown {2}not_started {2}rejected {2}file +rows/m);
    expect(screen).toMatch(new RegExp(`^${ID} +1 +3 +1  charg`, 'm'));
  });
});

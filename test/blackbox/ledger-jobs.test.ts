import { describe, expect, it } from 'vitest';
import { ROW_STATES } from '../../src/core/charge.ts';
import { openLedger } from '../../src/ledger/sqlite/open.ts';
import { intent } from '../ledger/support/memory.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { newFolder } from '../support/program.ts';
import { type Scene, scene } from '../support/scene.ts';
import { ACTIVITY, type Answer, json, problem, type Service, serveBy, ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';
import { activityOf, charged, charging, csvOf, fileOf, numberIn, summaryOf, ugwoOf, ussdFile } from './bulk-support.ts';
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
    const place = await withJob();
    await scene({
      ...place,
      argv: ['ledger', 'show', ID],
      stdout: [/^unknown\t1$/m],
      stderr:
        '1 row is unknown: run `paycli ledger sync --profile shop`\n' +
        '1 row is rejected, failed or not made: run the same command again with --retry-failed\n' +
        '3 rows are not started: run the same command again\n',
    });
    const json = { id: ID, unknown: 1, rejected: 1, accepted: 0, not_started: 3 };
    await scene({ ...place, argv: ['ledger', 'show', ID, '--json'], json });
  });

  it('is a card on a terminal', async () => {
    const session = openTerminal(['ledger', 'show', ID], { ...(await withJob()), columns: 120 });
    expect((await session.ended).code).toBe(0);
    const screen = await session.screen();
    for (const part of [/not started +3\b/, /file +charges\.csv/, /3 rows are not started/])
      expect(screen).toMatch(part);
  });
});

type Place = Pick<Scene, 'home' | 'env' | 'service'>;

/** Runs a file, and sees the counts of its rows in its summary, in `ledger show` and in `ledger jobs`. */
const counted = async (place: Place, argv: readonly string[], exit: number, counts: object): Promise<void> => {
  const summary = summaryOf(await scene({ ...place, argv, exit, json: counts, stderr: /^/ }));
  const json = Object.fromEntries(['rows', ...ROW_STATES, 'not_started'].map((name) => [name, summary[name]]));
  const { stdout } = await scene({ ...place, argv: ['ledger', 'show', String(summary['job']), '--json'], json });
  await scene({ ...place, argv: ['ledger', 'jobs', '--max', '1', '--json'], stdout: [stdout.trim()], stderr: /^/ });
};

const inFile = async (service: Service): Promise<Place> => ({ service, home: newFolder() });
const shared = async (service: Service): Promise<Place> => (await newTeam()).machine(service);

// The tests have no PostgreSQL on Windows.
const LEDGERS = [
  ['in a file', inFile] as const,
  ...(process.platform === 'win32' ? [] : [['in PostgreSQL', shared] as const]),
];

const by = (provider: string, number: number): string[] =>
  `ugwo charge ${ugwoOf(number)} --medium ussd --provider ${provider} --no-preflight --json`.split(' ');

/** Accepts every charge, except those by gtb for these payment requests. */
const serveButGtbFor = (...numbers: readonly number[]): Promise<Service> =>
  serveBy((seen) =>
    numbers.includes(numberIn(seen)) && seen.body.includes('gtb') ? problem(422, 'No') : charged(numberIn(seen)),
  );

describe.each(LEDGERS)('a job in a ledger %s', (_where, newPlace) => {
  it('has the counts of its last run, including rows charged by another entry', async () => {
    const place = await newPlace(await serveButGtbFor(4, 5));
    await scene({ ...place, before: [charging(ussdFile(1), '--no-preflight')], argv: by('uba', 2) });
    const rows = [...[1, 2, 3, 4, 5].map((number) => `${ugwoOf(number)},ussd,gtb`), 'ugw.none,ussd,gtb'];
    const argv = charging(fileOf(csvOf('ugwo,medium,provider', ...rows)), '--no-preflight', '--skip-invalid');
    const counts = { rows: 6, accepted: 2, invalid: 1, not_started: 0 };
    await counted(place, argv, 3, { ...counts, refused: 1, rejected: 2 });
    // The job's own entry is rejected.
    await scene({ ...place, argv: by('uba', 4) });
    await counted(place, [...argv, '--retry-failed'], 3, { ...counts, refused: 2, rejected: 1 });
  });

  it.each<[string, earlier: string | undefined, exit: number, counts: object]>([
    ['a charge of the same terms', 'gtb', 0, { accepted: 1 }],
    ['a charge of other terms', 'uba', 9, { refused: 1 }],
    ['a charge from elsewhere', undefined, 9, { refused: 1 }],
  ])('counts a row once that %s has paid during the wait of a 429', async (_what, earlier, exit, counts) => {
    let isPaid = false;
    const activity = () => ({ ...ACTIVITY, uid: activityOf(7), status: isPaid ? 'successful' : 'failed' });
    const slow = (): Answer => {
      isPaid = true;
      return problem(429, 'Slow down', undefined, { 'retry-after': '0' });
    };
    const answers = earlier === undefined ? [] : [charged(1, activity())];
    const read = () => ({ ...ugwo(1), uid: ugwoOf(1), activities: isPaid || answers.length === 0 ? [activity()] : [] });
    const service = await serveBy(({ method }) => (method === 'GET' ? json(200, read()) : (answers.pop() ?? slow())), {
      looks: 'asked',
    });
    const place = await newPlace(service);
    if (earlier !== undefined) await scene({ ...place, argv: by(earlier, 1), exit: 11, json: { status: 'failed' } });
    await counted(place, charging(ussdFile(1)), exit, { accepted: 0, refused: 0, not_sent: 0, ...counts });
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

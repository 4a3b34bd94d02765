import { parse } from 'csv-parse/sync';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { newFolder, start } from '../support/program.ts';
import { type Bench, faultsOf, openBench, type Summary, summaryOf } from './bulk-bench.ts';
import { readReport, writeRows } from './bulk-file.ts';
import { type Counting, type Fate, MADE, type Post, serveCounting } from './counting.ts';
import { endRunning } from './strace.ts';
import { full } from './torture.ts';

afterEach(endRunning);

const ROWS = 20;
const LANES = 4;
const OPTIONS = ['--concurrency', String(LANES)];
/** File size limits that are hit at different moments of a run; the second number is the concurrency. */
const LIMITS = full
  ? Array.from({ length: 40 }, (_, nth) => [180 + 4 * nth, nth % 2 === 0 ? 1 : LANES] as const)
  : ([[200, LANES]] as const);
const NOT_TAKEN = full ? [401, 403] : [401];

/** A file of rows, a ledger, and a service that decides the fate of each charge. */
const open = async (decide: (post: Post) => Fate, rows = ROWS): Promise<{ bench: Bench; service: Counting }> => {
  const service = await serveCounting(decide);
  onTestFinished(service.close);
  const bench = openBench(newFolder(), service, {
    here: (args, { home }) => inProcess(args, { home, service }),
  });
  writeRows(bench.rows, rows);
  return { bench, service };
};

/** Charges the remaining rows, and checks that each row was charged once. */
const finish = async (bench: Bench, service: Counting, rows = ROWS, ...options: readonly string[]): Promise<void> => {
  const last = await bench.charge([...OPTIONS, '--report', bench.path('last.csv'), ...options]);
  expect(last).toMatchObject({ code: 0 });
  expect(summaryOf(last)).toMatchObject({ rows, accepted: rows });
  expect(await faultsOf(bench, service, summaryOf(last), 'last.csv')).toEqual([]);
  expect(new Set(service.posts.map(({ ugwo }) => ugwo)).size).toBe(rows);
};

describe('a signal', () => {
  const inCsv = (stdout: string): Summary => {
    const [summary] = parse(stdout, { columns: true, cast: (text) => (/^\d+$/.test(text) ? Number(text) : text) });
    return summary as unknown as Summary;
  };

  const begin = (bench: Bench, service: Counting, ...options: readonly string[]) =>
    start(
      // With JSON there are no messages during the run, and the tests wait for one.
      [
        'ugwo',
        'charge',
        '--from',
        bench.rows,
        '--yes',
        '-o',
        'csv',
        ...OPTIONS,
        ...options,
        '--report',
        bench.path('report.csv'),
      ],
      { home: bench.home, service },
    );

  /** Starts a run whose first rows are not answered until the gate opens, and waits until the service has them. */
  const startHeld = async () => {
    const gate = Promise.withResolvers<void>();
    const { bench, service } = await open(() =>
      service.posts.length > LANES ? MADE : { ...MADE, before: gate.promise },
    );
    const running = begin(bench, service);
    await service.came(LANES);
    return { bench, service, running, openGate: gate.resolve };
  };

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s starts no new row, waits for those in flight, and exits with %i', async (signal, code) => {
    const { bench, service, running, openGate } = await startHeld();
    running.kill(signal);
    await running.saw(/Ctrl-C again/);
    openGate();
    const ended = await running.ended;
    expect(ended).toMatchObject({ code });
    expect(service.posts).toHaveLength(LANES);
    expect(inCsv(ended.stdout)).toMatchObject({ accepted: LANES, not_started: ROWS - LANES, unknown: 0 });
    expect(readReport(bench.path('report.csv'))).toHaveLength(LANES);
    expect(await faultsOf(bench, service, inCsv(ended.stdout), 'report.csv')).toEqual([]);
    await finish(bench, service);
    expect(service.posts).toHaveLength(ROWS);
  });

  it('that comes twice leaves the rows in flight unknown, and exits with 6', async () => {
    const { bench, service, running, openGate } = await startHeld();
    running.kill('SIGINT');
    await running.saw(/Ctrl-C again/);
    running.kill('SIGINT');
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 6 });
    openGate();
    await service.idle();
    expect(service.posts).toHaveLength(LANES);
    expect(inCsv(ended.stdout)).toMatchObject({ unknown: LANES, not_started: ROWS - LANES });
    expect(await faultsOf(bench, service, inCsv(ended.stdout), 'report.csv')).toEqual([]);

    // An unknown row is not sent again, and blocks no other row.
    const second = await bench.charge([...OPTIONS, '--retry-failed', '--report', bench.path('second.csv')]);
    expect(second).toMatchObject({ code: 6 });
    expect(summaryOf(second)).toMatchObject({ unknown: LANES, accepted: ROWS - LANES });
    expect(await faultsOf(bench, service, summaryOf(second), 'second.csv')).toEqual([]);

    expect(await bench.run(['ledger', 'sync'])).toMatchObject({ code: 0 });
    await finish(bench, service);
    expect(service.posts).toHaveLength(ROWS);
  });

  it("to a process that waits for another process's rows leaves them alone", async () => {
    const { bench, service, running, openGate } = await startHeld();
    const second = begin(bench, service);
    await second.saw(/another paycli/);
    second.kill('SIGINT');
    const ended = await second.ended;
    expect(ended).toMatchObject({ code: 130 });
    expect(inCsv(ended.stdout)).toMatchObject({ accepted: 0, sending: LANES, not_started: ROWS - LANES });
    openGate();
    const first = await running.ended;
    expect(first).toMatchObject({ code: 0 });
    expect(inCsv(first.stdout)).toMatchObject({ accepted: ROWS, sending: 0 });
    await finish(bench, service);
    expect(service.posts).toHaveLength(ROWS);
  });

  it('is followed by a report of all rows of the file, including those not reached', async () => {
    const [gate, held] = [Promise.withResolvers<void>(), 2 * ROWS];
    const { bench, service } = await open(({ ugwo, nth }) => {
      const number = Number(ugwo.slice(-10));
      if (nth > 1) return { ...MADE, before: gate.promise };
      if (number < LANES) return { makes: false, answer: { status: 422 } };
      return number === held - 1 ? { makes: false, answer: 'reset' } : MADE;
    }, held);
    const first = await bench.charge([...OPTIONS, '--report', bench.path('first.csv')]);
    expect(first).toMatchObject({ code: 6 });
    expect(summaryOf(first)).toMatchObject({ accepted: held - LANES - 1, rejected: LANES, unknown: 1 });

    const running = begin(bench, service, '--retry-failed');
    await service.came(held + LANES);
    running.kill('SIGINT');
    await running.saw(/Ctrl-C again/);
    gate.resolve();
    const ended = await running.ended;
    const summary = inCsv(ended.stdout);
    expect(summary).toMatchObject({ accepted: held - 1, unknown: 1, not_started: 0 });
    expect(await faultsOf(bench, service, summary, 'report.csv')).toEqual([]);
    // The most severe code of all rows.
    expect(ended).toMatchObject({ code: 6 });
  });
});

describe('a key that is rejected', () => {
  it.each(NOT_TAKEN)(
    'stops the run with exit code 4 after status %i; with a valid key it continues',
    async (status) => {
      let good = false;
      const { bench, service } = await open(() =>
        good || service.posts.length <= 6 ? MADE : { makes: false, answer: { status } },
      );
      const first = await bench.charge([...OPTIONS, '--report', bench.path('report.csv')]);
      expect(first).toMatchObject({ code: 4 });
      const rejected = service.posts.length - 6;
      expect(rejected).toBeGreaterThan(0);
      expect(rejected).toBeLessThanOrEqual(LANES);
      expect(summaryOf(first)).toMatchObject({ accepted: 6, rejected, not_started: ROWS - 6 - rejected });
      expect(await faultsOf(bench, service, summaryOf(first), 'report.csv')).toEqual([]);

      good = true;
      const second = await bench.charge([...OPTIONS, '--report', bench.path('second.csv')]);
      expect(summaryOf(second)).toMatchObject({ accepted: ROWS - rejected, rejected, not_started: 0 });
      expect(service.posts).toHaveLength(ROWS);
      await finish(bench, service, ROWS, '--retry-failed');
      expect(service.posts).toHaveLength(ROWS + rejected);
    },
  );
});

describe('a row whose answer is lost', () => {
  it('is resolved by one check, and the run continues', async () => {
    const { bench, service } = await open(() => (service.posts.length === 6 ? { makes: true, answer: 'reset' } : MADE));
    const ended = await bench.charge([...OPTIONS, '--report', bench.path('report.csv')]);
    expect(ended).toMatchObject({ code: 0 });
    expect(summaryOf(ended)).toMatchObject({ accepted: ROWS, unknown: 0 });
    expect(await faultsOf(bench, service, summaryOf(ended), 'report.csv')).toEqual([]);
    await finish(bench, service);
    expect(service.posts).toHaveLength(ROWS);
  });

  it('stops the run with exit code 6 after three in a row, but not the next run, which leaves them unknown', async () => {
    let isBroken = true;
    const { bench, service } = await open(() =>
      isBroken && service.posts.length >= 6 ? { makes: false, answer: 'reset' } : MADE,
    );
    const first = await bench.charge([...OPTIONS, '--report', bench.path('report.csv')]);
    expect(first).toMatchObject({ code: 6 });
    const sent = service.posts.length;
    const unknown = sent - 5;
    // The rows in flight are unknown, too.
    expect(unknown).toBeGreaterThanOrEqual(3);
    expect(unknown).toBeLessThanOrEqual(LANES + 2);
    expect(summaryOf(first)).toMatchObject({ accepted: 5, unknown, not_started: ROWS - sent });
    expect(await faultsOf(bench, service, summaryOf(first), 'report.csv')).toEqual([]);

    isBroken = false;
    const second = await bench.charge([...OPTIONS, '--retry-failed', '--report', bench.path('second.csv')]);
    expect(second).toMatchObject({ code: 6 });
    expect(summaryOf(second)).toMatchObject({ accepted: ROWS - unknown, unknown, not_started: 0 });
    expect(service.posts).toHaveLength(ROWS);
  });
});

describe.skipIf(process.platform === 'win32')('a ledger that is out of space', () => {
  /** Enough to reach any of the limits, even if one transaction writes the rows of all lanes. */
  const MANY = 100;

  it.each(LIMITS)(
    'stops the run without losing a charge (files of at most %i KiB, concurrency %i)',
    async (fileLimit, lanes) => {
      const { bench, service } = await open(() => MADE, MANY);
      const options = ['--concurrency', String(lanes), '--report', bench.path('report.csv')];
      expect([7, 10]).toContain((await bench.charge(options, { fileLimit })).code);
      expect(service.posts.length).toBeLessThan(MANY);
      await finish(bench, service, MANY);
      expect(service.posts).toHaveLength(MANY);
    },
  );
});

import { describe, expect, it } from 'vitest';
import { openLedger } from '../../src/ledger/sqlite/open.ts';
import { intent } from '../ledger/support/memory.ts';
import { inProcess } from '../support/in-process.ts';
import { ledgerOptions } from '../support/ledger.ts';
import { errorOf, newFolder, paycli } from '../support/program.ts';
import { ugwo } from '../support/service.ts';
import { openTerminal } from '../support/terminal.ts';

const ID = 'job-0123456789abcdef';
const place = { service: 'https://pay.example', origin: 'https://pay.example', profile: 'shop' };

/** A home whose ledger knows a file of five rows: one unknown, one rejected, three never begun. */
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

const jobsIn = async (home: string, count: number): Promise<void> => {
  const ledger = await openLedger(ledgerOptions(`${home}/ledger.sqlite`));
  for (let number = 0; number < count; number += 1) {
    const id = `job-${String(number).padStart(16, '0')}`;
    await ledger.jobs.open(
      { id, kind: 'update', command: 'onye update', name: 'customers.ndjson', rows: 5, ...place },
      8,
    );
  }
  await ledger.close();
};

describe('a job', () => {
  it('is shown with how its rows stand, and on stderr with how to go on', async () => {
    const options = await withJob();
    const shown = await paycli(['ledger', 'show', ID], options);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/^unknown\t1$/m);
    expect(shown.stderr).toBe(
      '1 row is unknown: run `paycli ledger reconcile --profile shop`\n' +
        '1 row is rejected, failed or not made: run the same command again with --retry-failed\n' +
        '3 rows are not started, refused or skipped: run the same command again\n',
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

  it('that is not there is a usage error', async () => {
    const ended = await inProcess(['ledger', 'show', 'job-0123456789abcdff', '--json'], await withJob());
    expect(ended.code).toBe(2);
    expect(errorOf(ended)['hint']).toContain(`did you mean ${ID}?`);
  });

  it('is exported as NDJSON unless another format is asked for', async () => {
    const options = await withJob();
    const { stdout, code } = await inProcess(['ledger', 'export', ID], options);
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(code).toBe(0);
    expect(rows.map(({ job, row, state }) => [job, row, state])).toEqual([
      [ID, 1, 'unknown'],
      [ID, 2, 'rejected'],
    ]);
    const csv = await inProcess(['ledger', 'export', ID, '-o', 'csv'], options);
    expect(csv.stdout).toMatch(/^id,state,ugwo,medium,.*\r\nchg-.*\r\nchg-.*\r\n$/);
  });
});

describe('the list of jobs', () => {
  it('shows on a narrow terminal what matters at night', async () => {
    const session = openTerminal(['ledger', 'jobs'], { ...(await withJob()), columns: 80 });
    expect((await session.ended).code).toBe(0);
    const screen = await session.screen();
    expect(screen).toMatch(/^id +unknown {2}not_started {2}rejected {2}file +rows/m);
    expect(screen).toMatch(new RegExp(`^${ID} +1 +3 +1  charg`, 'm'));
  });

  it('goes on from page to page, and is empty where nothing was run', async () => {
    const home = newFolder();
    expect((await inProcess(['ledger', 'jobs', '--json'], { home })).stdout).toBe('{"data":[],"next_cursor":null}\n');
    await jobsIn(home, 12);
    const first = await inProcess(['ledger', 'jobs', '--max', '11', '--json'], { home });
    const { data, next_cursor: cursor } = JSON.parse(first.stdout) as { data: object[]; next_cursor: string };
    expect(data).toHaveLength(11);
    const rest = await inProcess(['ledger', 'jobs', '--cursor', cursor, '-o', 'tsv', '--columns', 'id,command'], {
      home,
    });
    expect(rest.stdout).toBe('job-0000000000000000\tonye update\n');
    expect((await inProcess(['ledger', 'jobs', '--cursor', 'abc'], { home })).code).toBe(2);
  });
});

import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/ledger/job.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { beside, intent, newPath, open, PLACE, SELF } from '../support/charges.ts';

const { service, origin, profile } = PLACE;

const job = (more: Partial<Job> = {}): Omit<Job, 'createdAt' | 'runAt'> => ({
  id: 'job-0000000000000000',
  command: 'ugwo charge',
  name: 'charges.csv',
  service,
  origin,
  profile,
  rows: 10,
  ...more,
});
const ID = job().id;

const ugwo = (number: number): string => `ugw.AbCd.${String(number).padStart(24, '0')}`;

const begin = (ledger: Ledger, row: number, how: { again?: boolean; retry?: boolean } = {}, jobId = ID) =>
  ledger.begin(intent({ ugwo: ugwo(row), job: jobId, row }), { again: false, ...how });

describe('a job', () => {
  it('is counted from an index alone: the charges of a large one are not looked at', async () => {
    const path = newPath();
    await open(path);
    const query = 'SELECT max(seq), state, status FROM charge WHERE job = 1 GROUP BY row';
    expect(beside(path, `EXPLAIN QUERY PLAN ${query}`)).toMatchObject([
      { detail: expect.stringContaining('COVERING INDEX charge_of_job') },
    ]);
  });
});

describe('a row', () => {
  it('belongs to one of two processes that take it up at once', async () => {
    const path = newPath();
    const [one, two] = [await open(path), await open(path, { self: { ...SELF, pid: 4712 } })];
    const rows = Array.from({ length: 50 }, (_, index) => index + 1);
    const results = await Promise.all(rows.flatMap((row) => [begin(one, row), begin(two, row)]));
    expect(results.filter(({ kind }) => kind === 'begun')).toHaveLength(rows.length);
    expect(beside(path, 'SELECT count(DISTINCT row) AS n FROM charge')).toEqual([{ n: rows.length }]);
  });
});

import type { Job } from '../../../src/ledger/job.ts';
import type { BeginResult, Ledger } from '../../../src/ledger/ledger.ts';
import { ugwoOf } from '../../support/ids.ts';
import { intent, PLACE } from './charges.ts';

const { service, origin, profile } = PLACE;

export const job = (more: Partial<Job> = {}): Omit<Job, 'createdAt' | 'runAt'> => ({
  id: 'job-0000000000000000',
  kind: 'charge',
  command: 'ugwo charge',
  name: 'charges.csv',
  service,
  origin,
  profile,
  rows: 10,
  ...more,
});
export const ID = job().id;

/** Begins the charge of a row; each row has its own payment request. */
export const begin = (
  ledger: Ledger,
  row: number,
  how: { again?: boolean; retry?: boolean } = {},
  jobId = ID,
): Promise<BeginResult> => ledger.begin(intent({ about: ugwoOf(row), job: jobId, row }), { again: false, ...how });

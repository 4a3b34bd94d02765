import { ROW_STATES, type RowCounts } from '../../core/charge.ts';
import { NumberText, valueAt } from '../../core/json.ts';
import { type ApiRecord, madeExactly } from '../../core/record.ts';
import { amountColumn, type Column, columnsNamed, type View } from '../../core/result.ts';
import type { Job } from '../../ledger/job.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Sum, Synced } from '../../ledger/report.ts';

/** Output row of a sum. The amount keeps all its digits. */
export const sumRecord = ({ payment, currency, count, amount, received, paidTwice }: Sum<Synced>): ApiRecord => {
  const exact = (sum: bigint | undefined) => (sum === undefined ? null : new NumberText(String(sum)));
  const sums = { amount: exact(amount), received: exact(received) };
  return madeExactly({ payment, currency: currency ?? null, count, ...sums, paid_twice: paidTwice });
};

export const paymentSumsView: View = {
  columns: [
    { path: 'payment', kind: 'state' },
    { path: 'currency', machineOnly: true },
    { path: 'count', kind: 'count' },
    ...columnsNamed('amount received', { kind: 'money' }),
    { path: 'paid_twice', kind: 'count', machineOnly: true },
  ],
};

/** Rows of a job by state: its entries as they are now, plus the counts of its last run. */
export const countRows = async ({ jobs }: Ledger, job: Job): Promise<RowCounts> => {
  const [counts, { adjustments = {} }] = [await jobs.tally(job), job];
  return Object.fromEntries(
    // Another run may have begun a row since.
    ROW_STATES.map((state) => [state, Math.max(0, (counts[state] ?? 0) + (adjustments[state] ?? 0))]),
  );
};

const caseKind: Column = { path: 'kind', kind: 'state' };
const command: Column = { path: 'command', needed: true };

/** View of the cases. `what` says in a few words what happened. */
export const caseView: View = {
  columns: [
    caseKind,
    ...columnsNamed('ugwo ref'),
    amountColumn,
    { path: 'currency' },
    { path: 'since', kind: 'time' },
    command,
  ],
  table: [caseKind, { path: 'ref', or: 'ugwo' }, { path: 'what', peopleOnly: true }, command],
};

/** The payment requests that a line names, else its text in one line. */
const namesOf = (one: unknown): unknown => {
  const found = ['named', 'ref', 'text'].map((path) => valueAt(one, path)).find(Boolean);
  return typeof found === 'string' ? found.replaceAll(/\s*\n\s*/g, ' ') : found;
};

/** View of compared lines and payments. `expected` is what the ledger has. */
export const matchView: View = {
  columns: [
    { path: 'result', kind: 'state' },
    ...columnsNamed('by row day'),
    ...columnsNamed('amount fee', { kind: 'money' }),
    { path: 'currency' },
    ...columnsNamed('difference expected', { kind: 'money' }),
    ...columnsNamed('kind id ugwo ref'),
    { path: 'paid_at', kind: 'time' },
    ...columnsNamed('profile text line named days_later'),
  ],
  table: [
    { path: 'result', kind: 'state', needed: true },
    { path: 'day', needed: true },
    { path: 'amount', or: 'expected', kind: 'money', needed: true },
    { path: 'ref', shown: namesOf, label: 'what', flexible: true, needed: true, least: 6, peopleOnly: true },
    { path: 'difference', kind: 'money' },
    { path: 'row' },
  ],
};

/** A row of a view: what is undefined is null. */
export const rowOf = ({ columns }: View, value: object) =>
  Object.fromEntries(columns.map(({ path }) => [path, valueAt(value, path) ?? null]));

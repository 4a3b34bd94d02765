import { type ApiRecord, madeHere } from '../../core/record.ts';
import { amountColumn, type Column, columnsNamed, emailColumn, refColumn, type View } from '../../core/result.ts';
import { utcAtom } from '../../core/time.ts';
import type { Money } from '../../ledger/entry.ts';
import type { ChargeChange, Watched } from '../../ledger/tail.ts';

const at: Column = { path: 'at', kind: 'time' };
const now: Column = { path: 'now', kind: 'state', needed: true };
const beforeColumn: Column = { path: 'before', kind: 'state', always: true };
const receivedColumn: Column = { path: 'received', kind: 'money' };
const CHARGE_TABLE: readonly Column[] = [refColumn, emailColumn, amountColumn];
const NAMES: readonly Column[] = [{ path: 'medium' }, { path: 'ugwo' }, { path: 'charge' }, receivedColumn];

export const changesView: View = {
  columns: [
    at,
    ...columnsNamed('charge ugwo'),
    beforeColumn,
    now,
    { path: 'status', kind: 'state' },
    amountColumn,
    receivedColumn,
    ...columnsNamed('currency medium activity ref job row customer customer_email'),
  ],
  table: [...CHARGE_TABLE, now, at, beforeColumn, ...NAMES],
};

/** View of the live table. */
export const boardView: View = {
  columns: [],
  table: [...CHARGE_TABLE, now, { ...at, label: 'changed', peopleOnly: true }, ...NAMES],
};

/** Output row of a change, or of a charge in the live table. */
export const changeRecord = (
  { charge, now, at, before }: Watched & Partial<Pick<ChargeChange, 'before'>>,
  money: Money | undefined,
): ApiRecord => {
  const { activity, asked = {} } = charge;
  return madeHere({
    at: utcAtom(at),
    charge: charge.id,
    ugwo: charge.about,
    before: before ?? null,
    now,
    status: activity?.status || null,
    amount: asked.amount ?? null,
    currency: asked.currency ?? null,
    received: money?.received ?? null,
    medium: charge.medium,
    activity: activity?.uid ?? null,
    ref: asked.ref ?? null,
    job: charge.job ?? null,
    row: charge.row ?? null,
    customer: asked.customer ?? null,
    customer_email: asked.email ?? null,
  });
};

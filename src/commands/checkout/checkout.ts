import type { CallInput } from '../../client/client.ts';
import type { OperationId } from '../../contract/operations.ts';
import { CHECKOUT_STATUSES } from '../../core/charge.ts';
import { parseExact } from '../../core/json.ts';
import { apiRecordOf, pageOf } from '../../core/record.ts';
import type { Result, View } from '../../core/result.ts';
import { getRecord, previewCall } from '../record.ts';
import type { Run } from '../run.ts';
import type { CheckoutFilter } from './spec.ts';

export const checkoutView: View = {
  columns: [
    { path: 'uid', needed: true },
    { path: 'name', flexible: true, needed: true, least: 8 },
    { path: 'currency', kind: 'enum', needed: true },
    { path: 'status', kind: 'state', needed: true },
    { path: 'mediums', kind: 'mediums', flexible: true },
  ],
};

export const providerView: View = {
  columns: [
    { path: 'code', needed: true },
    { path: 'name', flexible: true },
    { path: 'psp', kind: 'enum' },
  ],
};

/** Reads a checkout (docs/service.md, Checkouts). */
export const showCheckout = ({ uid }: { readonly uid: string }, run: Run): Promise<Result> =>
  getRecord('checkout.get', { uid }, checkoutView, run);

/** Reads a list that the service returns as one bare array. `shown` converts each record to its rows. */
const wholeList = async (
  operation: OperationId,
  call: CallInput,
  view: View,
  run: Run,
  shown: (record: unknown) => readonly unknown[] = (record) => [record],
): Promise<Result> => {
  if (run.globals.dryRun) return previewCall(operation, call, run);
  const { text } = await (await run.client('read')).call(operation, call);
  const records = (parseExact(text) as unknown[]).flatMap(shown);
  return { kind: 'list', pages: pageOf(records.map(apiRecordOf)), view };
};

/** Lists checkouts, which the service filters by number: 1 is active, 2 inactive (docs/service.md, Checkouts). */
export const showCheckouts = ({ status, currency }: CheckoutFilter, run: Run): Promise<Result> => {
  const query = {
    ...(status === undefined ? {} : { 'filter[status][]': [String(CHECKOUT_STATUSES.indexOf(status) + 1)] }),
    ...(currency === undefined ? {} : { 'filter[currency][]': [currency.toUpperCase()] }),
  };
  return wholeList('checkout.list', { query }, checkoutView, run);
};

/** One row per bank, with the fields of its provider. The shape varies by medium. */
const bankRecords = (record: unknown): readonly unknown[] => {
  const { banks, ...provider } = record as { readonly banks?: unknown };
  const isList = Array.isArray(banks) && banks.length > 0 && banks.every((bank) => typeof bank === 'object');
  return isList ? banks.map((bank: object) => ({ ...bank, ...provider })) : [record];
};

/** Lists the providers of a medium of a checkout, and their banks (docs/service.md, Checkouts). */
export const showProviders = (params: { readonly uid: string; readonly medium: string }, run: Run): Promise<Result> =>
  wholeList('checkout.providers', { params }, providerView, run, bankRecords);

import type { CallInput } from '../../client/client.ts';
import type { OperationId } from '../../contract/operations.ts';
import { CHECKOUT_STATUSES } from '../../core/charge.ts';
import { parseExact } from '../../core/json.ts';
import { apiRecordOf } from '../../core/record.ts';
import type { Result, View } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { pageOf } from '../list.ts';
import { getRecord, previewCall } from '../record.ts';
import type { CheckoutInput, CheckoutListInput, ProvidersInput } from './spec.ts';

/** A checkout: the columns of its list and the lines of its card. */
export const checkoutView: View = {
  columns: [
    { path: 'uid', needed: true },
    { path: 'name', flexible: true, needed: true, least: 8 },
    { path: 'currency', kind: 'enum', needed: true },
    { path: 'status', kind: 'state', needed: true },
    { path: 'mediums', kind: 'mediums', flexible: true },
  ],
};

/** A bank that a medium can be used with. */
export const providerView: View = {
  columns: [
    { path: 'code', needed: true },
    { path: 'name', flexible: true },
    { path: 'psp', kind: 'enum' },
  ],
};

/** Reads a checkout (public material, Checkouts). */
export const run = ({ uid }: CheckoutInput, deps: Deps): Promise<Result> =>
  getRecord('checkout.get', { uid }, checkoutView, deps);

/** A list that the service answers whole, as a bare array; of each record `shown` is what is shown, where it is not as it came. */
const wholeList = async (
  operation: OperationId,
  call: CallInput,
  view: View,
  deps: Deps,
  shown: (record: unknown) => readonly unknown[] = (record) => [record],
): Promise<Result> => {
  if (deps.globals.dryRun) return previewCall(operation, call, deps);
  const { text } = await (await deps.client('read')).call(operation, call);
  const records = (parseExact(text) as unknown[]).flatMap(shown);
  return { kind: 'list', pages: pageOf(records.map(apiRecordOf)), view };
};

/** Lists checkouts, which the service filters by number: 1 is active, 2 inactive (public material, Checkouts). */
export const list = ({ status, currency }: CheckoutListInput, deps: Deps): Promise<Result> => {
  const query = {
    ...(status === undefined ? {} : { 'filter[status][]': [String(CHECKOUT_STATUSES.indexOf(status) + 1)] }),
    ...(currency === undefined ? {} : { 'filter[currency][]': [currency.toUpperCase()] }),
  };
  return wholeList('checkout.list', { query }, checkoutView, deps);
};

/** A line per bank, with what its provider says besides; the shape varies by medium. */
const banksOf = (record: unknown): readonly unknown[] => {
  const { banks, ...provider } = record as { readonly banks?: unknown };
  const isList = Array.isArray(banks) && banks.length > 0 && banks.every((bank) => typeof bank === 'object');
  return isList ? banks.map((bank: object) => ({ ...bank, ...provider })) : [record];
};

/** Lists who serves a medium of a checkout, and for which banks (public material, Checkouts). */
export const providers = ({ uid, medium }: ProvidersInput, deps: Deps): Promise<Result> =>
  wholeList('checkout.providers', { params: { uid, medium } }, providerView, deps, banksOf);

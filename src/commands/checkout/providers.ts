import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { wholeList } from '../whole-list.ts';
import type { ProvidersInput } from './spec.ts';
import { providerView } from './view.ts';

/** A line per bank, with what its provider says besides; the shape varies by medium. */
const banksOf = (record: unknown): readonly unknown[] => {
  const { banks, ...provider } = record as { readonly banks?: unknown };
  const isList = Array.isArray(banks) && banks.length > 0 && banks.every((bank) => typeof bank === 'object');
  return isList ? banks.map((bank: object) => ({ ...bank, ...provider })) : [record];
};

/** Lists who serves a medium of a checkout, and for which banks (public material, Checkouts). */
export const run = ({ uid, medium }: ProvidersInput, deps: Deps): Promise<Result> =>
  wholeList('checkout.providers', { params: { uid, medium } }, providerView, deps, banksOf);

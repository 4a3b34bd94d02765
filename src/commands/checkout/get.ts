import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { getRecord } from '../get.ts';
import type { GetInput } from './spec.ts';
import { checkoutView } from './view.ts';

/** Reads a checkout (public material, Checkouts). */
export const run = ({ uid }: GetInput, deps: Deps): Promise<Result> =>
  getRecord('checkout.get', { uid }, checkoutView, deps);

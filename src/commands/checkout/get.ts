import type { Result } from '../../core/result.ts';
import { getRecord } from '../get.ts';
import type { GetInput } from './spec.ts';
import { checkoutView } from './view.ts';

export const view = checkoutView;

/** Reads a checkout (public material, Checkouts). */
export const run = ({ uid }: GetInput, deps: Parameters<typeof getRecord>[3]): Promise<Result> =>
  getRecord('checkout.get', { uid }, view, deps);

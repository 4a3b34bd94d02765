import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { getRecord } from '../get.ts';
import { onyeView } from './view.ts';

/** Reads a customer (public material, Customers). */
export const run = ({ uid }: { readonly uid: string }, deps: Deps): Promise<Result> =>
  getRecord('onye.get', { uid }, onyeView, deps);

import { madeHere } from '../../core/received.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { identityView } from './view.ts';

/** Who a call would act as: nothing is asked of the service unless `check`. */
export const run = async ({ check }: { readonly check: boolean }, deps: Deps): Promise<Result> => ({
  kind: 'record',
  record: madeHere(await deps.whoAmI(check)),
  view: identityView,
});

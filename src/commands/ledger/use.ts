import { madeHere } from '../../core/received.ts';
import type { Result, View } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import type { UseInput } from './shared-spec.ts';

const view: View = {
  columns: [
    { path: 'name', label: 'profile' },
    { path: 'ledger', flexible: true },
  ],
};

/** Stores which ledger a profile uses. */
export const run = async ({ url, passwordCommand }: UseInput, deps: Deps): Promise<Result> => {
  if (url !== undefined) await deps.checkLedger(url);
  const name = (await deps.profiles()).useLedger(deps.globals.profile, url, passwordCommand);
  return {
    kind: 'record',
    record: madeHere({ name, ledger: url ?? null }),
    view,
    ...(url === undefined ? {} : { notice: 'See whether it can be used: `paycli ledger status`' }),
  };
};

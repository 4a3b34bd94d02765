import { LOCAL_PROFILE } from '../../core/local.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Allowance } from '../../ledger/policy.ts';
import type { Deps } from '../deps.ts';
import type { PolicyOf } from './spec.ts';

/** The name that a policy is kept by. A profile need not be known on this machine. */
export const whoseName = async ({ profile, others }: PolicyOf, deps: Deps): Promise<string> => {
  if (others) return (await deps.protocol()).OTHERS;
  if (profile === LOCAL_PROFILE || (profile === undefined && deps.globals.local)) return LOCAL_PROFILE;
  const room = await deps.profiles();
  const { name } = room.chosen({ profile: profile ?? deps.globals.profile, baseUrl: undefined });
  return name ?? room.show(undefined).name;
};

/** The profile's own policy. */
export const ownPolicy = async ({ policies }: Ledger, name: string): Promise<Allowance['kept'] | undefined> =>
  (await policies.list()).find(({ profile }) => profile === name);

/** What holds for a profile by now, and what was charged today. */
export const today = async (ledger: Ledger, name: string, deps: Deps): Promise<Allowance | undefined> => {
  const { dayOf, OTHERS } = await deps.protocol();
  const profile = name === OTHERS ? undefined : name;
  return ledger.policies.allowance({ profile, since: dayOf(ledger.moment().at) });
};

import type { Client } from '../../src/client/client.ts';
import type { Deps } from '../../src/commands/deps.ts';
import { lookFirst } from '../../src/commands/ugwo/charge-send.ts';
import { servedBy } from '../../src/core/record.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { keptActivity, type Snapshot } from '../../src/ledger/snapshot.ts';

/** Looks at a payment request before it is charged, as `ugwo charge` does; throws what that throws. */
export const lookedAt = async (
  ugwo: string,
  client: Pick<Client, 'look'>,
  ledger: Ledger,
): Promise<Snapshot | undefined> => {
  const deps = {
    // What the ledger could not note keeps nothing from being charged: the guard is shown the same.
    observe: async (...[activities, from, asked]: Parameters<Deps['observe']>) => {
      const kept = activities.map((activity) => keptActivity(activity, servedBy(from)));
      await ledger.observe(kept, asked).catch(() => undefined);
    },
  };
  const looked = await lookFirst(ugwo, client, deps, async () => undefined);
  return looked?.shown;
};

import type { Client } from '../../src/client/client.ts';
import type { Run } from '../../src/commands/run.ts';
import { lookBeforeCharge } from '../../src/commands/ugwo/charge-send.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { type Snapshot, snapshotOf } from '../../src/ledger/snapshot.ts';

/** Checks a payment request before a charge, as `ugwo charge` does; throws the same errors. */
export const lookedAt = async (
  ugwo: string,
  client: Pick<Client, 'look'>,
  ledger: Ledger,
): Promise<Snapshot | undefined> => {
  const deps = {
    // A failed write of observations blocks no charge: the guard sees the same activities.
    observe: (...[, record]: Parameters<Run['observe']>) =>
      ledger.observe(snapshotOf(record.value, record)).catch(() => undefined),
  };
  const looked = await lookBeforeCharge(ugwo, client, deps, async () => undefined);
  return looked?.shown;
};

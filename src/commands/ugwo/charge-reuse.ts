import type { Deps } from '../../cli/deps.ts';
import type { Client } from '../../client/client.ts';
import type { Activity } from '../../contract/activity.ts';
import { standingOf } from '../../core/charge.ts';
import { PayError, reasonOf } from '../../core/error.ts';
import { machineValue } from '../../core/medium.ts';
import { payableUntil } from '../../core/payable.ts';
import type { Received } from '../../core/received.ts';
import { madeHere } from '../../core/received.ts';
import type { Charge, KeptActivity, Refusal } from '../../ledger/ledger.ts';

/** The service has shown nothing, and has not said that it may not: the ledger's copy is then the best there is. */
const showsNothing = ({ kind, detail: { status } }: PayError): boolean =>
  kind === 'read_failed' || (kind === 'rejected' && (status === 404 || status === 405));

/** A person may have named an activity that nobody has ever read: of that the ledger has no copy. */
const hasCopy = ({ status }: KeptActivity): boolean => status !== '';

const asShown = async (ugwo: string, known: KeptActivity, client: Client, deps: Deps): Promise<Received<Activity>> => {
  const { asActivity } = await deps.protocol();
  try {
    const record = await client.call('activity.get', { params: { ugwoUid: ugwo, activityUid: known.uid } });
    await deps.observe([record.value], record.servedAt);
    return record;
  } catch (thrown) {
    if (!(thrown instanceof PayError) || !showsNothing(thrown) || !hasCopy(known)) throw thrown;
    await deps.notice(`shown as the ledger knows it, since the service does not show it: ${reasonOf(thrown)}`);
    return madeHere(asActivity(known)) as Received<Activity>;
  }
};

/** Whether the customer can do nothing more about it: it has failed, or its account has expired by the service's clock. */
const isOver = ({ value, servedAt }: Received<Activity>, now: number): boolean => {
  if (standingOf(machineValue(value.status)) === 'failed') return true;
  const until = payableUntil(value);
  return until !== undefined && until <= (servedAt ?? now);
};

/**
 * What --reuse gives: the activity of an earlier charge that asks the same customer for the same, or that was paid, as the
 * service shows it now, or as the ledger knows it where it shows none. `over` when nothing more can come of it; undefined
 * where there is none to be reused.
 */
export const reused = async (
  { by, why }: { readonly by: Charge; readonly why: Refusal },
  data: Readonly<Record<string, unknown>>,
  client: Client,
  deps: Deps,
): Promise<Received<Activity> | 'over' | undefined> => {
  const { asksTheSame } = await deps.protocol();
  if (by.activity === undefined || !(why === 'paid' || asksTheSame(by, data))) return undefined;
  const record = await asShown(by.ugwo, by.activity, client, deps);
  if (isOver(record, deps.io.clock.now())) return 'over';
  await deps.notice(`this activity was there already (${by.id}); nothing was charged`);
  return record;
};

import type { Deps } from '../../cli/deps.ts';
import type { Client } from '../../client/client.ts';
import type { Activity } from '../../contract/activity.ts';
import { PayError, reasonOf } from '../../core/error.ts';
import type { Received } from '../../core/received.ts';
import { madeHere } from '../../core/received.ts';
import type { Charge, KeptActivity } from '../../ledger/ledger.ts';

/** The service has shown nothing, and has not said that it may not: the ledger's copy is then the best there is. */
const showsNothing = ({ kind, detail: { status } }: PayError): boolean =>
  kind === 'read_failed' || (kind === 'rejected' && (status === 404 || status === 405));

/** A person may have named an activity that nobody has ever read: of that the ledger has no copy. */
const hasCopy = ({ status }: KeptActivity): boolean => status !== '';

const asShown = async (ugwo: string, known: KeptActivity, client: Client, deps: Deps): Promise<Received<Activity>> => {
  const { asActivity } = await deps.protocol();
  try {
    const record = await client.call('activity.get', { params: { ugwoUid: ugwo, activityUid: known.uid } });
    await deps.observe(record.value, record.servedAt);
    return record;
  } catch (thrown) {
    if (!(thrown instanceof PayError) || !showsNothing(thrown) || !hasCopy(known)) throw thrown;
    await deps.notice(`shown as the ledger knows it, since the service does not show it: ${reasonOf(thrown)}`);
    return madeHere(asActivity(known)) as Received<Activity>;
  }
};

/**
 * What --reuse gives: the activity of an earlier charge that asks the same customer for the same, as the service shows it
 * now, or as the ledger knows it where it shows none. Undefined where there is none to be reused.
 */
export const reused = async (
  by: Charge,
  data: Readonly<Record<string, unknown>>,
  client: Client,
  deps: Deps,
): Promise<Received<Activity> | undefined> => {
  const { asksTheSame } = await deps.protocol();
  if (by.activity === undefined || !asksTheSame(by, data)) return undefined;
  const record = await asShown(by.ugwo, by.activity, client, deps);
  await deps.notice(`this activity was there already (${by.id}); nothing was charged`);
  return record;
};

import type { Client } from '../../client/client.ts';
import type { Thing as Activity } from '../../contract/proof.ts';
import { standingOf, statusOf } from '../../core/charge.ts';
import { PayError, reasonOf } from '../../core/error.ts';
import { payableUntil } from '../../core/payable.ts';
import type { Received } from '../../core/received.ts';
import { madeHere, servedBy } from '../../core/received.ts';
import type { KeptActivity } from '../../ledger/entry.ts';
import type { Ledger, Refused } from '../../ledger/ledger.ts';
import type { Deps } from '../deps.ts';
import type { Looked } from './charge-look.ts';
import { activityIn } from './charge-look.ts';

/** The service has shown nothing, and has not said that it may not: the ledger's copy is then the best there is. */
const showsNothing = ({ kind, detail: { status } }: PayError): boolean =>
  kind === 'read_failed' || (kind === 'rejected' && (status === 404 || status === 405));

/** A person may have named an activity that nobody has ever read: of that the ledger has no copy. */
const hasCopy = ({ status }: KeptActivity): boolean => status !== '';

const asShown = async (ugwo: string, known: KeptActivity, client: Client, deps: Deps): Promise<Received<Activity>> => {
  const { asActivity } = await deps.protocol();
  try {
    const record = await client.call('activity.get', { params: { ugwoUid: ugwo, activityUid: known.uid } });
    await deps.observe([record.value], record);
    return record;
  } catch (thrown) {
    if (!(thrown instanceof PayError) || !showsNothing(thrown) || !hasCopy(known)) throw thrown;
    await deps.notice(`Shown from the ledger, since the service can't show it: ${reasonOf(thrown)}`);
    return madeHere(asActivity(known)) as Received<Activity>;
  }
};

/** Whether the customer can do nothing more about it: it has failed, or its account has expired by the service's clock. */
const isOver = (record: Received<Activity>, now: number): boolean => {
  if (standingOf(statusOf(record.value)) === 'failed') return true;
  const until = payableUntil(record.value);
  return until !== undefined && until <= (servedBy(record) ?? now);
};

/** Whether what stands in the way can be what this charge would ask for: of an activity of others, see `contradictsOf`. */
const canBeTheSame = async (
  { by, why }: Refused,
  data: Readonly<Record<string, unknown>>,
  ledger: Ledger,
  deps: Deps,
): Promise<boolean> => {
  if (why === 'paid') return true;
  if (why !== 'payable' && why !== 'unseen') return false;
  return by === undefined || (await deps.protocol()).asksTheSame(by, data, ledger.digest);
};

/** What --reuse gives back, or the news that nothing more can come of what stood in the way. */
export type Reused =
  | { readonly kind: 'reused'; readonly record: Received<Activity> }
  | { readonly kind: 'over'; readonly record: Received<Activity> };

/**
 * What --reuse gives: the activity of an earlier charge that asks the same customer for the same, or that was paid, as the
 * service shows it now, or as the ledger knows it where it shows none. Undefined where there is none to be reused.
 */
export const reused = async (
  refused: Refused,
  data: Readonly<Record<string, unknown>>,
  looked: Looked | undefined,
  { ledger, client, deps }: { readonly ledger: Ledger; readonly client: Client; readonly deps: Deps },
): Promise<Reused | undefined> => {
  const { intent, why, by, activity } = refused;
  if (activity === undefined || activity.uid === '') return undefined;
  if (!(await canBeTheSame(refused, data, ledger, deps))) return undefined;
  const seen = looked && activityIn(looked, activity.uid);
  const record = seen ?? (await asShown(intent.about, activity, client, deps));
  const { contradictsOf } = await deps.protocol();
  if (by === undefined && why !== 'paid' && contradictsOf(record.value, data)) return undefined;
  if (seen === undefined && isOver(record, deps.io.clock.now())) return { kind: 'over', record };
  await deps.notice(`Reusing ${by?.id ?? activity.uid}; no new charge.`);
  return { kind: 'reused', record };
};

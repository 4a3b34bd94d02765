import type { Client } from '../../client/client.ts';
import type { Resource as Activity } from '../../contract/proof.ts';
import { payableUntil, paymentStatusOf, statusOf } from '../../core/charge.ts';
import { PayError, reasonOf } from '../../core/error.ts';
import { type ApiRecord, madeHere, servedBy } from '../../core/record.ts';
import type { KeptActivity } from '../../ledger/entry.ts';
import type { Ledger, Refused } from '../../ledger/ledger.ts';
import { mismatchesOf } from '../../ledger/match.ts';
import { asksTheSame } from '../../ledger/privacy.ts';
import { asActivity } from '../../ledger/snapshot.ts';
import type { Deps } from '../deps.ts';
import { activityIn, type Looked } from './charge-look.ts';

/** True if the service showed nothing without denying access. The ledger's copy is then the best source. */
const showsNothing = ({ kind, detail: { status } }: PayError): boolean =>
  kind === 'read_failed' || (kind === 'rejected' && (status === 404 || status === 405));

/** False for an activity that a person named and that was never read: the ledger has no copy of it. */
const hasCopy = ({ status }: KeptActivity): boolean => status !== '';

const asShown = async (ugwo: string, known: KeptActivity, client: Client, deps: Deps): Promise<ApiRecord<Activity>> => {
  try {
    const record = await client.call('activity.get', { params: { ugwoUid: ugwo, activityUid: known.uid } });
    await deps.observe([record.value], record);
    return record;
  } catch (thrown) {
    if (!(thrown instanceof PayError) || !showsNothing(thrown) || !hasCopy(known)) throw thrown;
    await deps.notice(`Shown from the ledger, since the service can't show it: ${reasonOf(thrown)}`);
    return madeHere(asActivity(known)) as ApiRecord<Activity>;
  }
};

/** True if the customer can't pay it any more: it has failed, or its account has expired by the service's clock. */
const isOver = (record: ApiRecord<Activity>, now: number): boolean => {
  if (paymentStatusOf(statusOf(record.value)) === 'failed') return true;
  const until = payableUntil(record.value);
  return until !== undefined && until <= (servedBy(record) ?? now);
};

/** True if the blocking charge can equal this one. For an activity of another sender see `mismatchesOf`. */
const canBeTheSame = ({ by, why }: Refused, data: Readonly<Record<string, unknown>>, ledger: Ledger): boolean => {
  if (why === 'paid') return true;
  if (why !== 'payable' && why !== 'unseen') return false;
  return by === undefined || asksTheSame(by, data, ledger.digest);
};

/** Outcome of --reuse: the activity, or `over` if the blocking activity can't be paid any more. */
export type Reused =
  | { readonly kind: 'reused'; readonly record: ApiRecord<Activity> }
  | { readonly kind: 'over'; readonly record: ApiRecord<Activity> };

/**
 * Finds the activity that --reuse returns: one of an earlier charge with the same terms, or one that was paid. It is
 * the service's current answer, or the ledger's copy if the service shows none. Undefined if there is none to reuse.
 */
export const reused = async (
  refused: Refused,
  data: Readonly<Record<string, unknown>>,
  looked: Looked | undefined,
  { ledger, client, deps }: { readonly ledger: Ledger; readonly client: Client; readonly deps: Deps },
): Promise<Reused | undefined> => {
  const { intent, why, by, activity } = refused;
  if (activity === undefined || activity.uid === '') return undefined;
  if (!canBeTheSame(refused, data, ledger)) return undefined;
  const seen = looked && activityIn(looked, activity.uid);
  const record = seen ?? (await asShown(intent.about, activity, client, deps));
  if (by === undefined && why !== 'paid' && mismatchesOf(record.value, data)) return undefined;
  if (seen === undefined && isOver(record, deps.io.clock.now())) return { kind: 'over', record };
  await deps.notice(`Reusing ${by?.id ?? activity.uid}; no new charge.`);
  return { kind: 'reused', record };
};

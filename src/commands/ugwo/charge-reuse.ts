import type { RowDeps } from '../../bulk/kind.ts';
import type { Data } from '../../charge/mediums.ts';
import { PAYMENTS, paymentShown } from '../../charge/payment.ts';
import { REFUSALS } from '../../charge/refusals.ts';
import type { Client } from '../../client/client.ts';
import type { Resource as Activity } from '../../contract/proof.ts';
import { payableUntil } from '../../core/charge.ts';
import { isRejected, PayError, reasonOf } from '../../core/error.ts';
import { valueAt } from '../../core/json.ts';
import { elementsOf } from '../../core/json-scan.ts';
import { type ApiRecord, earliestServed, madeHere } from '../../core/record.ts';
import { asksTheSame, type KeptActivity } from '../../ledger/entry.ts';
import type { Ledger, Refused } from '../../ledger/ledger.ts';
import { mismatchesOf } from '../../ledger/match.ts';
import { asActivity, type Snapshot, withActivity } from '../../ledger/snapshot.ts';
import type { Run } from '../run.ts';
import type { Looked } from './charge-send.ts';

/** Finds an activity in the answer, with its original text. Undefined if the answer does not show it. */
const activityIn = ({ record, shown }: Looked, uid: string): ApiRecord<Activity> | undefined => {
  const index = (shown.activities ?? []).findIndex((activity) => valueAt(activity, 'uid') === uid);
  const text = index === -1 ? undefined : elementsOf(record.text, 'activities')[index];
  if (text === undefined) return undefined;
  const { servedAt } = record;
  const value = shown.activities?.[index] as Activity;
  return { value, text, ...(servedAt === undefined ? {} : { servedAt }) };
};

/** True if the service showed nothing without denying access. The ledger's copy is then the best source. */
const showsNothing = (error: PayError): boolean =>
  error.kind === 'read_failed' || (isRejected(error) && [404, 405].includes(error.detail.status ?? 0));

/** False for an activity that a person named and that was never read: the ledger has no copy of it. */
const hasCopy = ({ status }: KeptActivity): boolean => status !== '';

const asShown = async (ugwo: string, known: KeptActivity, client: Client, run: Run): Promise<ApiRecord<Activity>> => {
  try {
    const record = await client.call('activity.get', { params: { ugwoUid: ugwo, activityUid: known.uid } });
    await run.observe('activity', record);
    return record;
  } catch (thrown) {
    if (!(thrown instanceof PayError) || !showsNothing(thrown) || !hasCopy(known)) throw thrown;
    await run.say(`Shown from the ledger, since the service can't show it: ${reasonOf(thrown)}`);
    return madeHere(asActivity(known)) as ApiRecord<Activity>;
  }
};

/** True if the customer can't pay it any more: it has failed, or its account has expired by the service's clock. */
const isOver = (record: ApiRecord<Activity>, now: number): boolean => {
  if (PAYMENTS[paymentShown(record.value)].frees) return true;
  const until = payableUntil(record.value);
  return until !== undefined && until <= (earliestServed(record) ?? now);
};

/** True if the blocking charge can equal this one. For an activity of another sender see `mismatchesOf`. */
const canBeTheSame = ({ by, why }: Refused, data: Data, ledger: Ledger): boolean => {
  if (REFUSALS[why].isReusable !== true) return false;
  return why === 'paid' || by === undefined || asksTheSame(by, data, ledger.digest);
};

/** Outcome of --reuse: the activity. `isOver` if it can't be paid any more. */
interface Found {
  readonly record: ApiRecord<Activity>;
  readonly isOver: boolean;
}

/**
 * Finds the activity that --reuse returns: one of an earlier charge with the same terms, or one that was paid. It is
 * the service's current answer, or the ledger's copy if the service shows none. Undefined if there is none to reuse.
 */
const reusedFor = async (
  refused: Refused,
  data: Data,
  looked: Looked | undefined,
  { ledger, client }: Pick<RowDeps, 'ledger' | 'client'>,
  run: Run,
): Promise<Found | undefined> => {
  const { intent, why, by, activity } = refused;
  if (activity === undefined || activity.uid === '') return undefined;
  if (!canBeTheSame(refused, data, ledger)) return undefined;
  const seen = looked && activityIn(looked, activity.uid);
  const record = seen ?? (await asShown(intent.about, activity, client, run));
  if (by === undefined && why !== 'paid' && mismatchesOf(record.value, data)) return undefined;
  if (seen === undefined && isOver(record, run.io.clock.now())) return { record, isOver: true };
  await run.say(`Reusing ${by?.id ?? activity.uid}; no new charge.`);
  return { record, isOver: false };
};

/**
 * Looks for the activity that --reuse returns when the guard refuses one try of a charge. `looked` returns the read
 * before it.
 */
export const openReuse = (data: Data, looked: () => Looked | undefined, rowDeps: RowDeps, run: Run) => {
  const tried = new Set<string | undefined>();
  let reused: ApiRecord<Activity> | undefined;
  return {
    /** Resolves to a read in which the activity that blocks the charge is over; undefined if the refusal stands. */
    onRefused: async (refused: Refused): Promise<Snapshot | undefined> => {
      const uid = refused.activity?.uid;
      if (tried.has(uid)) return undefined;
      const found = await reusedFor(refused, data, looked(), rowDeps, run);
      if (found?.isOver !== true) {
        reused = found?.record;
        return undefined;
      }
      // It has failed or expired since the ledger last recorded it, so it no longer blocks the charge.
      tried.add(uid);
      return withActivity(looked()?.shown, found.record);
    },
    /** The activity to reuse; undefined if there is none. */
    reused: (): ApiRecord<Activity> | undefined => reused,
  };
};

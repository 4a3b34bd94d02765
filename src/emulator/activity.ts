import type { Activity } from '../contract/activity.ts';
import type { Ugwo } from '../contract/ugwo.ts';
import type { Handler } from './handler.ts';
import { derivedId } from './ids.ts';
import { present, refusal } from './refusal.ts';

export type Outcome = Pick<Activity, 'status' | 'next_action' | 'error'>;

interface Attempt {
  readonly uid: string;
  readonly medium: string;
  /** The provider's own reference. */
  readonly reference: string | null;
  readonly outcome: Outcome;
  /** ISO 8601 */
  readonly at: string;
}

/** An attempt to charge a payment request (interface.md 2.4), with the fields that public material adds. */
export const activityOn = (ugwo: Ugwo, { uid, medium, reference, outcome, at }: Attempt): Activity => ({
  uid,
  ugwo_uid: ugwo.uid,
  activity_type: 'charge',
  amount: ugwo.amount,
  checkout: ugwo.checkout,
  ugwo_medium: null,
  psp: derivedId('psp', medium),
  psp_external_id: reference,
  ...outcome,
  created_at: at,
  updated_at: at,
});

/** One activity, for polling (public material); a 404 when it is on another payment request. */
export const getActivity: Handler<'activity.get'> = ({ params }, store) => {
  const ugwo = present(store.ugwo(params.ugwoUid), 'ugwo.error.not_found');
  const kept = store.activity(params.activityUid);
  if (kept?.ugwo !== ugwo.uid) throw refusal(404, 'activity.error.not_found');
  return kept.activity;
};

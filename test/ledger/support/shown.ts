import type { KeptActivity, RequestTerms } from '../../../src/ledger/entry.ts';
import { asActivity, type Snapshot, snapshotOf } from '../../../src/ledger/snapshot.ts';

/** A read that shows these activities and terms of their payment request. The first activity has the times of the read. */
/** The activity as the service shows it, with the date and the failure of its facts. */
const inAnswer = (activity: KeptActivity): unknown => ({
  ...asActivity(activity),
  updated_at: activity.facts?.updatedAt === undefined ? null : new Date(activity.facts.updatedAt).toISOString(),
  error: activity.facts?.failureCode === undefined ? null : { code: activity.facts.failureCode },
});

export const shown = (activities: readonly KeptActivity[], asked: RequestTerms = {}): Snapshot => ({
  ...snapshotOf({ activities: activities.map(inAnswer) }, activities[0]),
  facts: undefined,
  asked,
});

import type { KeptActivity, RequestTerms } from '../../../src/ledger/entry.ts';
import { asActivity, type Snapshot, snapshotOf } from '../../../src/ledger/snapshot.ts';

/** A read that shows these activities and terms of their payment request. The first activity has the times of the read. */
export const shown = (activities: readonly KeptActivity[], asked: RequestTerms = {}): Snapshot => ({
  ...snapshotOf({ activities: activities.map(asActivity) }, activities[0]),
  facts: undefined,
  asked,
});

// Ledger protocol, for the commands that get it passed in.

export { isCharge, isIn } from './entry.ts';
export { payableFor } from './guard.ts';
export { rowsBegun } from './jobs.ts';
export { mismatchesOf } from './match.ts';
export { dayOf, mayBeSame, needsApproval, OTHERS, sameHint, sumOf, withRow, worthOf } from './policy.ts';
export { asksTheSame } from './privacy.ts';
export { chargesOf, reconcile, refreshCharge } from './reconcile.ts';
export { refusedError } from './refused.ts';
export { openReport, openSums, PAYMENTS, paymentOf } from './report.ts';
export { chargeOnce, makeOnce, makeRow } from './send.ts';
export { asActivity, keptActivity, showsTheSame, snapshotOf, withActivity } from './snapshot.ts';
export { wasResolved } from './transitions.ts';
export type LedgerRoom = typeof import('./room.ts');

// The ledger's protocol, for the commands that are given it.
export { mayBeSame, needsApproval, sameHint, worthOf } from './approval.ts';
export { chargeOnce } from './charge.ts';
export { isCharge } from './entry.ts';
export { contradictsOf } from './fits.ts';
export { payableFor } from './guard.ts';
export { rowsBegun } from './jobs.ts';
export { asActivity, keptActivity } from './kept-activity.ts';
export { openSums, PAYMENTS, paymentOf } from './payments.ts';
export { dayOf, OTHERS } from './policy.ts';
export { wasResolved } from './precedence.ts';
export { asksTheSame } from './private.ts';
export { reconcile } from './reconcile.ts';
export { chargesOf, refreshCharge } from './refresh.ts';
export { refusedError } from './refused.ts';
export { openReport } from './report.ts';
export { shownOf, withActivity } from './request-seen.ts';
export { makeOnce, makeRow } from './send-once.ts';
export type LedgerRoom = typeof import('./room.ts');

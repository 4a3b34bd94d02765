import { needsApproval, worthOf } from './approval.ts';
import { chargeOnce } from './charge.ts';
import { isCharge } from './entry.ts';
import { contradictsOf } from './fits.ts';
import { payableFor } from './guard.ts';
import { rowsBegun } from './jobs.ts';
import { asActivity, keptActivity } from './kept-activity.ts';
import { openSums, PAYMENTS, paymentOf } from './payments.ts';
import { dayOf, OTHERS } from './policy.ts';
import { wasResolved } from './precedence.ts';
import { asksTheSame } from './private.ts';
import { reconcile } from './reconcile.ts';
import { chargesOf, refreshCharge } from './refresh.ts';
import { refusedError } from './refused.ts';
import { openReport } from './report.ts';
import { shownOf, withActivity } from './request-seen.ts';
import { makeOnce, makeRow } from './send-once.ts';

/** The ledger's protocol, for the commands that are given it. */
export const ledgerRoom = {
  chargeOnce,
  makeOnce,
  makeRow,
  isCharge,
  rowsBegun,
  refusedError,
  shownOf,
  withActivity,
  asActivity,
  keptActivity,
  asksTheSame,
  contradictsOf,
  reconcile,
  refreshCharge,
  chargesOf,
  paymentOf,
  payableFor,
  openSums,
  openReport,
  PAYMENTS,
  wasResolved,
  OTHERS,
  dayOf,
  needsApproval,
  worthOf,
};
export type LedgerRoom = typeof ledgerRoom;

import { chargeOnce } from './charge.ts';
import { rowsBegun } from './jobs.ts';
import { asActivity, keptActivity } from './kept.ts';
import { wasResolved } from './news.ts';
import { asksTheSame } from './private.ts';
import { reconcile } from './reconcile.ts';
import { refusedError } from './refused.ts';

/** The ledger's protocol, for the commands that are given it. */
export const ledgerRoom = {
  chargeOnce,
  rowsBegun,
  refusedError,
  asActivity,
  keptActivity,
  asksTheSame,
  reconcile,
  wasResolved,
};
export type LedgerRoom = typeof ledgerRoom;

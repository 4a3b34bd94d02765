import { chargeOnce } from './charge.ts';
import { asActivity, keptActivity } from './kept.ts';
import { refusedError } from './refused.ts';

/** The ledger's protocol, for the commands that are given it. */
export const ledgerRoom = { chargeOnce, refusedError, asActivity, keptActivity };
export type LedgerRoom = typeof ledgerRoom;

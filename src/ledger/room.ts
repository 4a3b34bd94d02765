/** The ledger's protocol, for the commands that are given it. */
export const ledgerRoom = {};
export type LedgerRoom = typeof ledgerRoom;

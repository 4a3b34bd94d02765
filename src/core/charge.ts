/**
 * What the ledger knows of one charge. `sending`: the intent is on the disk and a process is at it. `unknown`: it may have
 * been made. `not_created`: it was unknown, and the service has shown that it was never made. The others are certain.
 */
export const CHARGE_STATES = ['sending', 'accepted', 'rejected', 'not_sent', 'unknown', 'not_created'] as const;
export type ChargeState = (typeof CHARGE_STATES)[number];

/** How an activity stands, as far as charging again and waiting for it are concerned. */
export type Standing = 'paid' | 'failed' | 'open';

/** Statuses that nothing follows but a refund: interface.md section 3, the later ones from public material. */
const ENDED: Readonly<Record<string, Standing>> = {
  successful: 'paid',
  partially_refunded: 'paid',
  refunded: 'paid',
  failed: 'failed',
  expired: 'failed',
};

/** A status that is not known here is open: it may still become anything. */
export const standingOf = (status: string): Standing =>
  (Object.hasOwn(ENDED, status) ? ENDED[status] : undefined) ?? 'open';

/** The statuses of what has failed. */
export const FAILED_STATUSES: readonly string[] = Object.keys(ENDED).filter((status) => ENDED[status] === 'failed');

/** The ledger's file in the folder for data. */
export const LEDGER_FILE_NAME = 'ledger.sqlite';

import type { Flight } from './io.ts';

/**
 * What a run can end as, and the exit code of each. Scripts branch on these numbers: they never change meaning.
 * A kind is named where the error is known; the number is looked up only where the program ends.
 */
export const EXIT_CODES = {
  internal: 1,
  usage: 2,
  rejected: 3,
  auth: 4,
  not_sent: 5,
  unknown: 6,
  unrecorded: 7,
  read_failed: 8,
  refused: 9,
  ledger: 10,
  charge_failed: 11,
  pending: 12,
  interrupted: 130,
} as const;

export type ErrorKind = keyof typeof EXIT_CODES;

/** Why each code is given, and whether a script may just run the same command again. */
export const EXIT_MEANINGS = {
  internal: ['a bug in paycli', 'no'],
  usage: ['bad arguments or input; nothing was sent', 'no, fix the input'],
  rejected: ['the service said no: 400, 402, 404, 405, 409, 415, 422', 'no'],
  auth: ['no usable profile or key, 401, 403, TLS not trusted, unsafe setting', 'no'],
  not_sent: ['nothing was applied, for certain: no connection, or 429 after all retries', 'yes'],
  unknown: ['the charge, refund or update may have been applied', 'no: `paycli ledger reconcile`'],
  unrecorded: [
    "applied, but the result couldn't be saved or printed, or the next action couldn't be read; keep the line on stderr",
    'no',
  ],
  read_failed: [
    "a read failed after its retries, or its answer couldn't be read; before a charge nothing was sent",
    'yes',
  ],
  refused: [
    "refused by paycli, nothing was sent: an earlier charge or refund is unknown, under way, still payable, paid or made, the payment request can't be charged, or a policy forbids it",
    'reconcile, or `--again`',
  ],
  ledger: ["the ledger can't be used; nothing was sent", 'no'],
  charge_failed: [
    'the charge or refund was made, and its status is `failed` (of a charge after a wait also `refunded`)',
    'charge with another medium',
  ],
  pending: ['`--wait` ended before the payment was paid or failed', 'yes, wait again: `paycli activity wait`'],
  interrupted: [
    'stopped by a signal with nothing in flight (143 for SIGTERM), or by no for an answer',
    'yes; a wait with `paycli activity wait`',
  ],
} as const satisfies Record<ErrorKind, readonly [meaning: string, again: string]>;

/** The exit code of a run that ends without being asked how: no code that invites a repeat while a write is open. */
export const abruptExit = ({ open, accepted }: Flight, otherwise: number): number => {
  if (accepted > 0) return EXIT_CODES.unrecorded;
  return open > 0 ? EXIT_CODES.unknown : otherwise;
};

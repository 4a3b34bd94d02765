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
  internal: ['a defect in paycli', 'no'],
  usage: ['bad arguments or input; nothing was sent', 'no, fix the input'],
  rejected: ['the service said no: 400, 402, 404, 405, 409, 415, 422', 'no'],
  auth: ['no usable profile or key, 401, 403, TLS not trusted, unsafe setting', 'no'],
  not_sent: ['certain that nothing was applied: no connection, or 429 to the end', 'yes'],
  unknown: ['the charge or update may have been applied', 'no: `paycli ledger reconcile`'],
  unrecorded: [
    'applied, but it could not be noted or printed, or what the customer must do could not be read; the line to keep is on stderr',
    'no',
  ],
  read_failed: ['a read failed after its retries, or could not be read; before a charge nothing was sent', 'yes'],
  refused: [
    "refused here, nothing sent: an earlier charge is unresolved, under way, still payable or paid, or the request can't be charged",
    'reconcile, or `--again`',
  ],
  ledger: ['the ledger cannot be used; nothing was sent', 'no'],
  charge_failed: [
    'the activity exists and its status is `failed` (a wait: or `refunded`)',
    'charge with another medium',
  ],
  pending: ['`--wait` ended before the payment did', 'yes, wait again: `paycli activity wait`'],
  interrupted: [
    'stopped by a signal with nothing in flight (143 but for Ctrl-C)',
    'yes; a wait with `paycli activity wait`',
  ],
} as const satisfies Record<ErrorKind, readonly [meaning: string, again: string]>;

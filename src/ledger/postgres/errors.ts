import { PayError, reasonOf } from '../../core/error.ts';

/** The connection is of no use any more, or never was: what was sent last may have been done or not. */
export class Lost extends Error {
  override readonly name = 'Lost';
}

/** What the server calls a fault: five characters (SQLSTATE), one a digit at least, as in no EPIPE; undefined where it did not say. */
export const stateOf = (thrown: unknown): string | undefined => {
  if (thrown instanceof Lost || !(thrown instanceof Error)) return undefined;
  const { code } = thrown as { readonly code?: unknown };
  return typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined;
};

/**
 * The server goes down, is full, in recovery, or did not do it this time: a deadlock, a lock that was not had, a process that
 * stood still in a transaction.
 */
const PASSING = ['08', '40', '53', '55P03', '57', '25006', '25P03'];

/** Whether another try may go better. */
export const isPassing = (thrown: unknown): boolean => {
  const state = stateOf(thrown);
  return thrown instanceof Lost || (state !== undefined && PASSING.some((one) => state.startsWith(one)));
};

/** The same of an error that says so of another one. */
export const isFromPassing = (thrown: unknown): boolean =>
  isPassing(thrown) || (thrown instanceof PayError && thrown.cause !== undefined && isFromPassing(thrown.cause));

/** What it has refused for certain: the rest of its classes may come when it was done already. */
const CERTAIN = ['22', '23', '25', '28', '2F', '40', '42', '55', '0A', '3F', '3D'];

/** Whether nothing was written, for certain. */
export const isUndone = (thrown: unknown): boolean => {
  const state = stateOf(thrown);
  return state !== undefined && CERTAIN.some((one) => state.startsWith(one));
};

const NO_LEDGER = ['3F000', '42P01', '42703'];

/** A certificate that could not be verified. */
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)/;

const isUntrusted = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (UNTRUSTED.test(String((thrown as { readonly code?: unknown }).code)) || isUntrusted(thrown.cause));

const hintOf = (thrown: unknown, state: string | undefined): string => {
  if (isUntrusted(thrown)) {
    return 'check the host in the address; a certificate authority of your own goes into sslrootcert=FILE, or NODE_EXTRA_CA_CERTS';
  }
  if (state?.startsWith('28') === true) {
    return 'check the user and its password: PGPASSFILE, or PAYCLI_LEDGER_PASSWORD_COMMAND';
  }
  if (state === '42501')
    return 'ask whoever set the ledger up for the rights of an operator (`paycli ledger init --operator`)';
  if (state === '42704') return 'make the role first: CREATE ROLE … LOGIN';
  if (state === '3D000') return 'check the name of the database';
  if (state !== undefined && NO_LEDGER.includes(state))
    return 'run `paycli ledger init` once, as the owner of the database';
  return 'check that the database runs and can be reached (`paycli ledger status`), then run the same command again';
};

/** A failure of any kind as a `ledger` error: exit 10, nothing was sent. */
export const sharedError = (thrown: unknown, name: string): PayError => {
  if (thrown instanceof PayError) return thrown;
  const state = stateOf(thrown);
  const missing = state !== undefined && NO_LEDGER.includes(state);
  const what = missing ? 'there is no ledger in this database' : `cannot be used: ${reasonOf(thrown)}`;
  return new PayError('ledger', missing ? `${name}: ${what}` : `the ledger ${name} ${what}`, {
    hint: hintOf(thrown, state),
    cause: thrown,
    ...(state === undefined ? {} : { code: state }),
  });
};

import { PayError } from '../../core/error.ts';
import type { ErrorKind } from '../../core/exit.ts';
import { EXIT_CODES } from '../../core/exit.ts';
import { interrupted } from '../../core/interrupt.ts';
import { shellLine } from '../../core/shell.ts';
import type { Sum } from '../../ledger/payments.ts';
import { countOf, sumsText } from '../sums.ts';
import type { Now } from './tail.ts';

/** What keeps a run from ending with 0, and the code that it stands for. */
const KINDS = {
  unknown: ['unknown'],
  charge_failed: ['failed', 'refunded'],
  rejected: ['rejected'],
  not_sent: ['not_sent', 'not_created'],
  pending: ['open', 'sending', 'expired'],
} as const satisfies Partial<Record<ErrorKind, readonly Now[]>>;

/** Why watching to the end ends with another code than 0; the gravest stands for all. */
export const endFailure = (
  sums: readonly Sum<Now>[],
  gravest: (codes: Iterable<number>) => number,
  place: readonly string[],
): PayError | undefined => {
  const kinds = (Object.keys(KINDS) as (keyof typeof KINDS)[]).filter((kind) =>
    KINDS[kind].some((now) => countOf<Now>(sums, now) > 0),
  );
  const code = gravest(kinds.map((kind) => EXIT_CODES[kind]));
  const kind = kinds.find((one) => EXIT_CODES[one] === code);
  if (kind === undefined) return undefined;
  const hint = `find out: \`${shellLine(['paycli', 'ledger', 'reconcile', ...place])}\``;
  return new PayError(kind, `not every charge is paid: ${sumsText(sums)}`, kind === 'unknown' ? { hint } : {});
};

/** The end of a watch that a signal has stopped. */
export const stoppedBy = (signal: unknown): PayError => {
  const error = interrupted(signal);
  return new PayError('interrupted', 'stopped watching; nothing was changed', error.detail);
};

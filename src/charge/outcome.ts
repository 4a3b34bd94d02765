import { mayBeDone, type WriteKind } from '../core/charge.ts';
import { outcomeOf, PayError, reasonOf } from '../core/error.ts';
import type { ApiRecord } from '../core/record.ts';

/**
 * Outcome of a write (docs/adr/0002-a-marker-decides-what-was-not-sent.md). Only the service's own answer, or the proof that nothing
 * was sent, makes it certain: `rejected` and `not_sent` have applied nothing. Every other case is `unknown`.
 */
export type Outcome = Accepted | Failed;

interface Accepted {
  readonly certain: 'accepted';
  readonly record: ApiRecord;
}

export interface Failed {
  readonly certain: 'rejected' | 'not_sent' | 'unknown';
  readonly error: PayError;
}

export const failedBy = (error: PayError): Failed => ({ certain: outcomeOf(error), error });

/** The outcome of a write that threw instead: unless the error proves something, the write may have been applied. */
export const thrownAs = (thrown: unknown, effect: WriteKind): Failed => {
  const isOurs = thrown instanceof PayError && (thrown.kind === 'unknown' || outcomeOf(thrown) !== 'unknown');
  return failedBy(
    isOurs ? thrown : new PayError('unknown', `${mayBeDone(effect)}: ${reasonOf(thrown)}`, { cause: thrown }),
  );
};

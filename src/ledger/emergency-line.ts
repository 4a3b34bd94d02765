import type { Outcome } from './ledger.ts';

/** One line that can't be lost: what became of a charge that the ledger could not note. */
export interface EmergencyLine extends Outcome {
  readonly ledger_id: string;
  readonly ugwo: string;
  readonly medium: string;
  /** Milliseconds since the epoch. */
  readonly recorded_at: number;
}

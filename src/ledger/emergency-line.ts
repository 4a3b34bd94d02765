import type { Outcome } from './ledger.ts';

/** One line that can't be lost: what became of something that the ledger could not note. */
export interface EmergencyLine extends Outcome {
  readonly ledger_id: string;
  /** Of a charge. */
  readonly ugwo?: string;
  readonly medium?: string;
  /** Of anything else. */
  readonly kind?: string;
  readonly about?: string;
  /** Milliseconds since the epoch. */
  readonly recorded_at: number;
}

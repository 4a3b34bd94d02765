/** What pruning would come to. */
export interface Prunable {
  readonly count: number;
  /** Those that are left as they are, since something may still become of them. */
  readonly open: number;
}

/** What was looked at, and what is wrong, a sentence each. */
export interface Verified {
  readonly entries: number;
  readonly jobs: number;
  readonly faults: readonly string[];
}

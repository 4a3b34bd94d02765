import type { Approval } from './approval.ts';
import type { Allowance, AllowanceOf, KeptPolicy } from './policy.ts';

/** Policies, and what people have approved under them. Failures are those of the ledger itself. */
export interface Policies {
  /** What holds for a profile: its own policy, else that of `OTHERS`; undefined where there is neither. */
  allowance(of: AllowanceOf): Promise<Allowance | undefined>;
  /** Those that hold, by profile. */
  list(): Promise<readonly Allowance['kept'][]>;
  /** Replaces the profile's. */
  set(policy: KeptPolicy): Promise<void>;
  approval(job: string): Promise<Approval | undefined>;
  /** Replaces the job's. */
  approve(approval: Approval): Promise<void>;
}

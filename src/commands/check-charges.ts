import type { RowsRun, Stopped } from '../bulk/pace.ts';
import { endsAll, PayError } from '../core/error.ts';

/** A check of some charges. */
interface Checks<T> extends Omit<RowsRun<T>, 'work' | 'onSettled'> {
  /** Reads the status of a charge and records it. */
  readonly check: (charge: T) => Promise<unknown>;
  /** Called after each check, also a failed one. */
  readonly checked?: (charge: T) => Promise<void>;
}

/**
 * Checks charges in parallel. Resolves to the errors of the failed reads, and to the reason why it left some out. Throws
 * the errors of the ledger.
 */
export const checkCharges = async <T>({
  check,
  checked = async () => undefined,
  ...run
}: Checks<T>): Promise<{ readonly failures: PayError[]; readonly stopped: Stopped | undefined }> => {
  const failures: PayError[] = [];
  const work = async (charge: T) => {
    try {
      await check(charge);
      return {};
    } catch (thrown) {
      if (!(thrown instanceof PayError) || thrown.kind === 'ledger') throw thrown;
      failures.push(thrown);
      return endsAll(thrown) ? { stops: thrown } : { slowDown: 0 };
    }
  };
  const { runRows } = await import('../bulk/pace.ts');
  const { stopped } = await runRows({ ...run, work, onSettled: checked });
  return { failures, stopped };
};

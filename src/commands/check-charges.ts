import type { RowsRun, Stopped } from '../bulk/pace.ts';
import type { Client } from '../client/client.ts';
import { latestActivityOf, machineValue, statusOf } from '../core/charge.ts';
import { endsAll, PayError } from '../core/error.ts';
import { valueAt } from '../core/json.ts';
import { PAGE_MAX } from '../core/record.ts';

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

/** Maximum pages of a walk, as a share of the number of wanted payment requests. */
const PAGES_FOR_EACH = 0.1;

/** The list fields of a payment request that a payment, its failure or its reversal changes. */
export interface Listed {
  readonly status: string;
  /** Received total as the list shows it; empty if it shows none. */
  readonly total: string;
  /** The latest activity according to the service. */
  readonly last: { readonly uid: string; readonly status: string };
}

const listedOf = (ugwo: unknown): Listed => {
  const textAt = (path: string): string => machineValue(valueAt(ugwo, path)) || String(valueAt(ugwo, path) ?? '');
  const last = latestActivityOf(ugwo);
  return {
    status: textAt('status'),
    total: textAt('total_amount_paid'),
    last: { uid: machineValue(valueAt(last, 'uid')), status: statusOf(last) },
  };
};

/** Lists the wanted payment requests with a walk that costs less than reading each. May miss some. */
export const listRequests = async (
  wanted: ReadonlySet<string>,
  client: Client,
  stop: AbortSignal,
): Promise<ReadonlyMap<string, Listed>> => {
  const found = new Map<string, Listed>();
  const pages = Math.ceil(wanted.size * PAGES_FOR_EACH);
  for await (const { records } of client.pages('ugwo.list', { query: { limit: String(PAGE_MAX) } }, { pages })) {
    for (const { value } of records) {
      const uid = machineValue(value['uid']);
      if (wanted.has(uid)) found.set(uid, listedOf(value));
    }
    if (found.size === wanted.size || stop.aborted) break;
  }
  return found;
};

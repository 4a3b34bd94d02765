import type { RowsRun, Stopped } from '../bulk/pace.ts';
import type { Client } from '../client/client.ts';
import { latestActivityOf, machineValue, statusOf } from '../core/charge.ts';
import { endsAll, PayError } from '../core/error.ts';
import type { Io } from '../core/io.ts';
import { valueAt } from '../core/json.ts';
import { PAGE_MAX } from '../core/record.ts';
import { payableFor } from '../ledger/clock.ts';
import type { Charge } from '../ledger/entry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { refreshCharge } from '../ledger/reconcile.ts';

/** The error of a read that failed. Throws any other, such as that of the ledger. */
export const readFailureOf = (thrown: unknown): PayError => {
  if (!(thrown instanceof PayError) || thrown.kind === 'ledger') throw thrown;
  return thrown;
};

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
      const failure = readFailureOf(thrown);
      failures.push(failure);
      return endsAll(failure) ? { stops: failure } : { slowDown: 0 };
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
  const shownAt = (path: string): string => machineValue(valueAt(ugwo, path)) || String(valueAt(ugwo, path) ?? '');
  const last = latestActivityOf(ugwo);
  return {
    status: shownAt('status'),
    total: shownAt('total_amount_paid'),
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

/** Reads up to this many payment requests one by one. For more, a walk over the list finds the changed ones. */
const FEW_CHARGES = 10;
/**
 * Of the payment requests that the list shows as unchanged, each round reads this many one by one, or this share of
 * them if that is more.
 */
const LEAST_READS = 4;
const SHARE_OF_READS = 0.02;
/** Reads at the same time. */
const OPEN_AT_ONCE = 4;

/** A payment made just before expiry appears within LISTED_WITHIN_MS. An expired account is read once per AGAIN_MS. */
const LISTED_WITHIN_MS = 15_000;
const AGAIN_MS = 60_000;

export interface ObserverDeps {
  readonly ledger: Ledger;
  readonly client: Client;
  readonly io: Pick<Io, 'clock' | 'random'>;
  readonly stop: AbortSignal;
}

/** Reads open charges again with as few requests as possible, and records what it sees in the ledger. */
export class Observer {
  readonly #deps: ObserverDeps;
  /** By payment request: its list fields when it was last read by itself, and the time of that read in clock ticks. */
  readonly #traces = new Map<string, string>();
  readonly #readAt = new Map<string, number>();

  constructor(deps: ObserverDeps) {
    this.#deps = deps;
  }

  /** Checks all of them once. Resolves to the error that ended the check, else to the last one of a failed read. */
  async look(charges: readonly Charge[]): Promise<PayError | undefined> {
    if (charges.length <= FEW_CHARGES) return this.#readEach(charges);
    const { client, stop } = this.#deps;
    const wanted = new Set(charges.map(({ about }) => about));
    const listed = await listRequests(wanted, client, stop).catch(readFailureOf);
    if (!(listed instanceof PayError)) return this.#readEach(this.#chosen(charges, listed), listed);
    // A key may lack permission for the list alone, and the list may fail where a read succeeds.
    return listed.detail.retryAt === undefined ? this.#readEach(charges) : listed;
  }

  /** Checks only those whose account has expired. */
  lookAtOverdue(charges: readonly Charge[]): Promise<PayError | undefined> {
    return this.#readEach(charges.filter((charge) => this.#isOverdue(charge)));
  }

  #isOverdue(charge: Charge): boolean {
    const { ledger, io } = this.#deps;
    const left = payableFor(charge, ledger.moment()) ?? 0;
    const since = io.clock.ticks() - (this.#readAt.get(charge.about) ?? Number.NEGATIVE_INFINITY);
    return left <= -LISTED_WITHIN_MS && since >= AGAIN_MS;
  }

  #hasChanged({ about, activity }: Charge, listed: Listed | undefined): boolean {
    if (listed === undefined) return false;
    const before = this.#traces.get(about);
    if (before !== undefined) return before !== JSON.stringify(listed);
    // First time in the list: compared with the ledger.
    this.#traces.set(about, JSON.stringify(listed));
    const isUntouched = ['requires_ugwo', 'processing'].includes(listed.status) && Number(listed.total) === 0;
    return !isUntouched || (listed.last.uid === activity?.uid && listed.last.status !== activity.status);
  }

  /** Chooses the changed ones, those whose account has expired since they were read, and some of the rest in turn. */
  #chosen(charges: readonly Charge[], listed: ReadonlyMap<string, Listed>): Charge[] {
    const [now, later]: [Charge[], Charge[]] = [[], []];
    for (const charge of charges) {
      const isDue = this.#hasChanged(charge, listed.get(charge.about)) || this.#isOverdue(charge);
      (isDue ? now : later).push(charge);
    }
    const inTurn = later
      .sort((a, b) => (this.#readAt.get(a.about) ?? 0) - (this.#readAt.get(b.about) ?? 0))
      .slice(0, Math.max(LEAST_READS, Math.ceil(later.length * SHARE_OF_READS)));
    return [...now, ...inTurn];
  }

  /** Reads each charge by itself. */
  async #readEach(
    charges: readonly Charge[],
    listed: ReadonlyMap<string, Listed> = new Map(),
  ): Promise<PayError | undefined> {
    const { ledger, client, io, stop } = this.#deps;
    const check = async (charge: Charge): Promise<void> => {
      await refreshCharge(ledger, charge, client);
      this.#readAt.set(charge.about, io.clock.ticks());
      const shown = listed.get(charge.about);
      if (shown !== undefined) this.#traces.set(charge.about, JSON.stringify(shown));
    };
    async function* rows() {
      yield* charges;
    }
    const { failures, stopped } = await checkCharges({ ...io, stop, rows: rows(), concurrency: OPEN_AT_ONCE, check });
    return stopped instanceof PayError ? stopped : failures.at(-1);
  }
}

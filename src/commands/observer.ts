import { checkCharges, readFailureOf } from '../bulk/pace.ts';
import { activityFacts, requestFacts } from '../charge/payment.ts';
import type { Client } from '../client/client.ts';
import { latestActivityOf, machineValue } from '../core/charge.ts';
import { PayError } from '../core/error.ts';
import type { Io } from '../core/io.ts';
import { PAGE_MAX } from '../core/record.ts';
import { payableFor } from '../ledger/clock.ts';
import type { Charge } from '../ledger/entry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { refreshCharge } from '../ledger/reconcile.ts';
import { hasMoney, paymentIn } from '../ledger/transitions.ts';

/** A charge as the list shows it while nothing changes after its last reading. */
export interface Listed {
  /** Statuses of its payment request; it shows one of them. */
  readonly statuses: readonly string[];
  /** Received total; undefined if none is known. */
  readonly total: number | undefined;
  readonly activity: Charge['activity'];
}

const UNPAID: readonly string[] = ['requires_ugwo', 'processing'];

export const listedAs = (charge: Charge): Listed => {
  const { activity, money } = charge;
  if (money?.requestStatus) return { statuses: [money.requestStatus], total: money.requestTotal, activity };
  // The status of its payment request is not known. If money came, none is the expected one.
  return { statuses: hasMoney(charge) ? [] : UNPAID, total: 0, activity };
};

/** True unless the list shows a change. A field that it leaves out shows none. */
const showsSame = (ugwo: unknown, { statuses, total: before, activity }: Listed): boolean => {
  const [{ status, total }, last] = [requestFacts(ugwo), activityFacts(latestActivityOf(ugwo))];
  return (
    (status === '' || statuses.includes(status)) &&
    (total === undefined || before === undefined || total === before) &&
    (last.uid !== activity?.uid || last.status === activity.status)
  );
};

/** Maximum pages of a walk, as a share of the number of wanted payment requests. */
const PAGES_FOR_EACH = 0.1;

/** Finds those that the list shows changed, with a walk that costs less than reading each. May miss some. */
export const changedAmong = async <T extends Pick<Charge, 'about'>>(
  charges: readonly T[],
  before: (charge: T) => Listed,
  client: Client,
  stop: AbortSignal,
): Promise<ReadonlySet<T>> => {
  const changed = new Set<T>();
  const wanted = Map.groupBy(charges, ({ about }) => about);
  const pages = Math.ceil(wanted.size * PAGES_FOR_EACH);
  for await (const { records } of client.pages('ugwo.list', { query: { limit: String(PAGE_MAX) } }, { pages })) {
    for (const { value } of records) {
      const uid = machineValue(value['uid']);
      for (const charge of wanted.get(uid) ?? []) if (!showsSame(value, before(charge))) changed.add(charge);
      wanted.delete(uid);
    }
    if (wanted.size === 0 || stop.aborted) break;
  }
  return changed;
};

/** Reads up to this many payment requests one by one. For more, a walk over the list finds the changed ones. */
const FEW_CHARGES = 10;
/**
 * Of the payment requests that the list shows as unchanged, each round reads this many one by one, or this share of
 * them if that is more.
 */
const LEAST_READS = 4;
const SHARE_OF_READS = 0.02;
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
  /** By payment request: the time when it was last read by itself, in clock ticks. */
  readonly #readAt = new Map<string, number>();

  constructor(deps: ObserverDeps) {
    this.#deps = deps;
  }

  /** Checks all of them once. Resolves to the error that ended the check, else to the last one of a failed read. */
  async look(charges: readonly Charge[]): Promise<PayError | undefined> {
    if (charges.length <= FEW_CHARGES) return this.#readEach(charges);
    const { client, stop } = this.#deps;
    const changed = await changedAmong(charges, listedAs, client, stop).catch(readFailureOf);
    if (!(changed instanceof PayError)) return this.#readEach(this.#chosen(charges, changed));
    // A key may lack permission for the list alone, and the list may fail where a read succeeds.
    return changed.detail.retryAt === undefined ? this.#readEach(charges) : changed;
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

  /** Chooses the changed ones, those whose account has expired since they were read, and some of the rest in turn. */
  #chosen(charges: readonly Charge[], changed: ReadonlySet<Charge>): Charge[] {
    const [now, later]: [Charge[], Charge[]] = [[], []];
    for (const charge of charges) {
      (changed.has(charge) || this.#isOverdue(charge) ? now : later).push(charge);
    }
    const inTurn = later
      .sort((a, b) => (this.#readAt.get(a.about) ?? 0) - (this.#readAt.get(b.about) ?? 0))
      .slice(0, Math.max(LEAST_READS, Math.ceil(later.length * SHARE_OF_READS)));
    return [...now, ...inTurn];
  }

  /** Reads each charge by itself. */
  async #readEach(charges: readonly Charge[]): Promise<PayError | undefined> {
    const { ledger, client, io, stop } = this.#deps;
    const check = async (charge: Charge): Promise<void> => {
      // Another read may have found its end.
      if (paymentIn((await ledger.get(charge.id)) ?? charge) !== 'open') return;
      await refreshCharge(ledger, charge, client);
      this.#readAt.set(charge.about, io.clock.ticks());
    };
    const { failures, stopped } = await checkCharges({ ...io, stop, rows: charges, check });
    return stopped instanceof PayError ? stopped : failures.at(-1);
  }
}

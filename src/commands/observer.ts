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

/** The list fields of a payment request that a payment, its failure or its reversal changes. */
export interface Listed {
  readonly status: string;
  /** Received total; undefined if none is shown. */
  readonly total: number | undefined;
  /** The latest activity according to the service. */
  readonly last: { readonly uid: string; readonly status: string } | undefined;
}

/** A charge as the list shows it while nothing changes after its last reading. */
export const listedAs = (charge: Charge): Listed => {
  const { activity: last, money } = charge;
  if (money?.requestStatus) return { status: money.requestStatus, total: money.requestTotal, last };
  // The status of its payment request is not known. If money came, none is the expected one.
  return { status: hasMoney(charge) ? '' : 'requires_ugwo', total: 0, last };
};

const UNPAID: readonly string[] = ['requires_ugwo', 'processing'];

const showsSame = (now: Listed, before: Listed): boolean =>
  (now.status === before.status || [now, before].every(({ status }) => UNPAID.includes(status))) &&
  (now.total === undefined || before.total === undefined || now.total === before.total) &&
  (now.last?.uid !== before.last?.uid || now.last?.status === before.last?.status);

/** Maximum pages of a walk, as a share of the number of wanted payment requests. */
const PAGES_FOR_EACH = 0.1;

/** Finds those that the list shows changed, with a walk that costs less than reading each. May miss some. */
export const changedAmong = async <T extends Pick<Charge, 'about'>>(
  charges: readonly T[],
  before: (charge: T) => Listed,
  client: Client,
  stop: AbortSignal,
): Promise<ReadonlySet<T>> => {
  const wanted = new Set(charges.map(({ about }) => about));
  const found = new Map<string, Listed>();
  const pages = Math.ceil(wanted.size * PAGES_FOR_EACH);
  for await (const { records } of client.pages('ugwo.list', { query: { limit: String(PAGE_MAX) } }, { pages })) {
    for (const { value } of records) {
      const uid = machineValue(value['uid']);
      if (!wanted.has(uid)) continue;
      const { status, total } = requestFacts(value);
      found.set(uid, { status, total, last: activityFacts(latestActivityOf(value)) });
    }
    if (found.size === wanted.size || stop.aborted) break;
  }
  const isChanged = (charge: T): boolean => {
    const listed = found.get(charge.about);
    return listed !== undefined && !showsSame(listed, before(charge));
  };
  return new Set(charges.filter(isChanged));
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

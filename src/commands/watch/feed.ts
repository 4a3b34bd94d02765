import { type Wait, waitForPayments } from '../../charge/wait.ts';
import type { Client } from '../../client/client.ts';
import { memo } from '../../core/async.ts';
import { PayError } from '../../core/error.ts';
import type { Io } from '../../core/io.ts';
import { payableFor } from '../../ledger/clock.ts';
import type { Charge } from '../../ledger/entry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { refreshCharge } from '../../ledger/reconcile.ts';
import { checkCharges, type Listed, listRequests } from '../check-charges.ts';

/** Reads up to this many payment requests one by one. For more, a walk over the list finds the changed ones. */
const FEW_CHARGES = 10;
/**
 * Of the payment requests that the list shows as unchanged, each round reads this many one by one, or this share of
 * them if that is more.
 */
const LEAST_READS = 4;
const SHARE_OF_READS = 0.02;
const POLLS_AT_ONCE = 4;

/** A payment made just before expiry appears within SHOWS_WITHIN_MS. An expired account is read once per AGAIN_MS. */
const LISTED_WITHIN_MS = 15_000;
const AGAIN_MS = 60_000;

interface PollingDeps {
  readonly ledger: Ledger;
  readonly client: Client;
  readonly io: Pick<Io, 'clock' | 'random'>;
  readonly stop: AbortSignal;
}

/** Reads the status of open charges with as few requests as possible and records it in the ledger. */
export class Polling {
  readonly #deps: PollingDeps;
  /** By payment request: its list fields when it was last read by itself, and the time of that read in clock ticks. */
  readonly #traces = new Map<string, string>();
  readonly #readAt = new Map<string, number>();

  constructor(deps: PollingDeps) {
    this.#deps = deps;
  }

  /** Checks all of them once. Resolves to the last error if a read failed. */
  async look(charges: readonly Charge[]): Promise<PayError | undefined> {
    if (charges.length <= FEW_CHARGES) return this.#readEach(charges);
    const { client, stop } = this.#deps;
    const listed = await listRequests(new Set(charges.map(({ about }) => about)), client, stop);
    return this.#readEach(this.#chosen(charges, listed), listed);
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
    const { failures } = await checkCharges({ ...io, stop, rows: rows(), concurrency: POLLS_AT_ONCE, check });
    return failures.at(-1);
  }
}

/** Maximum wait at the end for a check that is still running, in milliseconds. */
const LAST_LOOK_MS = 1000;

type FeedDeps = Omit<PollingDeps, 'client' | 'stop'> & {
  readonly client: () => Promise<Client>;
  /** True while `webhook listen` on this machine records the service's events in the ledger. */
  readonly isListening: () => boolean;
  readonly notice: (line: string) => Promise<void>;
};

/**
 * Keeps the ledger up to date while charges are watched. Polls the service while no webhooks arrive on this machine:
 * often while things change, then more and more slowly. While webhooks arrive it reads only expired charges, since no
 * event may come for those.
 */
export class Feed {
  readonly #deps: FeedDeps;
  readonly #open: () => readonly Charge[];
  readonly #polling: () => Promise<Polling>;
  readonly #over = new AbortController();
  readonly #broken = new AbortController();
  readonly #wait: Wait;
  #isListening = false;
  #failing: PayError | undefined;
  #fault: unknown;
  #running: Promise<void> | undefined;

  /** `open` returns the open charges. */
  constructor(deps: FeedDeps, open: () => readonly Charge[]) {
    this.#deps = deps;
    this.#open = open;
    const stop = this.#over.signal;
    this.#polling = memo(async () => new Polling({ ...deps, client: await deps.client(), stop }));
    this.#wait = {
      pauses: [2000, 30_000],
      polls: 0,
      stop,
      read: () => this.#read(),
      isOver: () => false,
      until: () => Number.POSITIVE_INFINITY,
    };
  }

  /** Aborted once polling has failed for good. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  start(): void {
    this.#running ??= this.#poll();
  }

  /** Call after a change: shortens the pause before the next check. */
  onChange(): void {
    this.#wait.polls = 0;
  }

  /** Status line for people: the source of the changes, and the last error. Undefined once the feed has ended. */
  word(): string | undefined {
    if (this.#over.signal.aborted) return undefined;
    const feed = this.#isListening ? 'updates by webhooks' : 'polling';
    const how = this.#failing === undefined ? feed : `couldn't check: ${this.#failing.message}; trying again`;
    return `${how}; Ctrl-C stops watching`;
  }

  /** Stops polling. Resolves to the error that broke it, if any. */
  async end(): Promise<unknown> {
    this.#over.abort('over');
    const waited = new AbortController();
    const last = this.#deps.io.clock.sleep(LAST_LOOK_MS, waited.signal).catch(() => undefined);
    await Promise.race([this.#running, last]);
    waited.abort('over');
    return this.#fault;
  }

  async #poll(): Promise<void> {
    this.#fault = await waitForPayments(this.#deps.io, this.#wait).catch((thrown: unknown) => thrown);
    if (this.#fault !== undefined) this.#broken.abort('broken');
  }

  async #read(): Promise<PayError | undefined> {
    const { isListening, notice } = this.#deps;
    const polling = await this.#polling();
    this.#isListening = isListening();
    const reading = this.#isListening ? polling.lookAtOverdue(this.#open()) : polling.look(this.#open());
    const before = this.#failing;
    this.#failing = await reading.catch((thrown: unknown) => {
      if (thrown instanceof PayError && thrown.kind !== 'ledger') return thrown;
      throw thrown;
    });
    const isHeld = (failure: PayError | undefined): boolean => failure?.detail.retryAt !== undefined;
    if (isHeld(this.#failing) && !isHeld(before)) await notice(`Not checking: ${this.#failing?.message}.`);
    return this.#failing;
  }
}

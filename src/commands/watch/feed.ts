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

const UNTOUCHED = ['requires_ugwo', 'processing'];

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
    const isUntouched = UNTOUCHED.includes(listed.status) && Number(listed.total) === 0;
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
 * Keeps the ledger up to date while charges are watched. Polls the service while no webhooks arrive on this machine: often while things change, then more and more slowly.
 * While webhooks arrive it reads only expired charges, since no event may come for those.
 */
export const openFeed = (deps: FeedDeps, open: () => readonly Charge[]) => {
  const { clock } = deps.io;
  const [over, broken] = [new AbortController(), new AbortController()];
  let isListening = false;
  let failing: PayError | undefined;
  let isHeld = false;
  let fault: unknown;
  let running: Promise<void> | undefined;

  const polling = memo(async () => new Polling({ ...deps, client: await deps.client(), stop: over.signal }));
  const read = async (): Promise<PayError | undefined> => {
    const reader = await polling();
    isListening = deps.isListening();
    const looking = isListening ? reader.lookAtOverdue(open()) : reader.look(open());
    failing = await looking.catch((thrown: unknown) => {
      if (thrown instanceof PayError && thrown.kind !== 'ledger') return thrown;
      throw thrown;
    });
    const wasHeld = isHeld;
    isHeld = failing?.detail.retryAt !== undefined;
    if (isHeld && !wasHeld) await deps.notice(`Not checking: ${failing?.message}.`);
    return failing;
  };
  const wait: Wait = {
    pauses: [2000, 30_000] as const,
    polls: 0,
    stop: over.signal,
    read,
    isOver: () => false,
    until: () => Number.POSITIVE_INFINITY,
  };
  const poll = async (): Promise<void> => {
    fault = await waitForPayments(deps.io, wait).catch((thrown: unknown) => thrown);
    if (fault !== undefined) broken.abort('broken');
  };

  return {
    /** Aborted once polling has failed for good. */
    broken: broken.signal,
    start: (): void => {
      running ??= poll();
    },
    /** Call after a change: shortens the pause before the next check. */
    onChange: (): void => {
      wait.polls = 0;
    },
    /** Status line for people: the source of the changes, and the last error. Undefined once the feed has ended. */
    word: (): string | undefined => {
      if (over.signal.aborted) return undefined;
      const feed = isListening ? 'updates by webhooks' : 'polling';
      const how = failing === undefined ? feed : `couldn't check: ${failing.message}; trying again`;
      return `${how}; Ctrl-C stops watching`;
    },
    /** Stops polling. Resolves to the error that broke it, if any. */
    end: async (): Promise<unknown> => {
      over.abort('over');
      const waited = new AbortController();
      await Promise.race([running, clock.sleep(LAST_LOOK_MS, waited.signal).catch(() => undefined)]);
      waited.abort('over');
      return fault;
    },
  };
};
export type Feed = ReturnType<typeof openFeed>;

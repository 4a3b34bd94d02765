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

interface Polling {
  readonly ledger: Ledger;
  readonly client: Client;
  readonly io: Pick<Io, 'clock' | 'random'>;
  readonly stop: AbortSignal;
}

const UNTOUCHED = ['requires_ugwo', 'processing'];

const isUntouched = ({ status, total }: Listed): boolean => UNTOUCHED.includes(status) && Number(total) === 0;

/** Reads the status of open charges with as few requests as possible and records it in the ledger. */
export const openPolling = ({ ledger, client, io, stop }: Polling) => {
  /** By payment request: its list fields when it was last read by itself, and the time of that read in clock ticks. */
  const traces = new Map<string, string>();
  const readAt = new Map<string, number>();

  const isOverdue = (charge: Charge): boolean => {
    const left = payableFor(charge, ledger.moment()) ?? 0;
    const since = io.clock.ticks() - (readAt.get(charge.about) ?? Number.NEGATIVE_INFINITY);
    return left <= -LISTED_WITHIN_MS && since >= AGAIN_MS;
  };

  const hasChanged = ({ about, activity }: Charge, listed: Listed | undefined): boolean => {
    if (listed === undefined) return false;
    const before = traces.get(about);
    if (before !== undefined) return before !== JSON.stringify(listed);
    // First time in the list: compared with the ledger.
    traces.set(about, JSON.stringify(listed));
    return !isUntouched(listed) || (listed.last.uid === activity?.uid && listed.last.status !== activity.status);
  };

  /** Chooses the changed ones, those whose account has expired since they were read, and some of the rest in turn. */
  const chosen = (charges: readonly Charge[], listed: ReadonlyMap<string, Listed>): Charge[] => {
    const [now, later]: [Charge[], Charge[]] = [[], []];
    for (const charge of charges) {
      (hasChanged(charge, listed.get(charge.about)) || isOverdue(charge) ? now : later).push(charge);
    }
    const inTurn = later
      .sort((a, b) => (readAt.get(a.about) ?? 0) - (readAt.get(b.about) ?? 0))
      .slice(0, Math.max(LEAST_READS, Math.ceil(later.length * SHARE_OF_READS)));
    return [...now, ...inTurn];
  };

  /** Reads each charge by itself. Resolves to the last error if a read failed. */
  const readEach = async (
    charges: readonly Charge[],
    listed: ReadonlyMap<string, Listed> = new Map(),
  ): Promise<PayError | undefined> => {
    const check = async (charge: Charge): Promise<void> => {
      await refreshCharge(ledger, charge, client);
      readAt.set(charge.about, io.clock.ticks());
      const shown = listed.get(charge.about);
      if (shown !== undefined) traces.set(charge.about, JSON.stringify(shown));
    };
    async function* rows() {
      yield* charges;
    }
    const { failures } = await checkCharges({ ...io, stop, rows: rows(), concurrency: POLLS_AT_ONCE, check });
    return failures.at(-1);
  };

  return {
    /** Checks all of them once. */
    look: async (charges: readonly Charge[]): Promise<PayError | undefined> => {
      if (charges.length <= FEW_CHARGES) return readEach(charges);
      const listed = await listRequests(new Set(charges.map(({ about }) => about)), client, stop);
      return readEach(chosen(charges, listed), listed);
    },
    /** Checks only those whose account has expired. */
    lookAtOverdue: (charges: readonly Charge[]): Promise<PayError | undefined> => readEach(charges.filter(isOverdue)),
  };
};

/** Maximum wait at the end for a check that is still running, in milliseconds. */
const LAST_LOOK_MS = 1000;

type FeedDeps = Omit<Polling, 'client' | 'stop'> & {
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

  const polling = memo(async () => openPolling({ ...deps, client: await deps.client(), stop: over.signal }));
  const read = async (): Promise<PayError | undefined> => {
    const { look, lookAtOverdue } = await polling();
    isListening = deps.isListening();
    const looking = isListening ? lookAtOverdue(open()) : look(open());
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

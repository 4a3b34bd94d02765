import type { BulkRoom } from '../../bulk/room.ts';
import type { Client } from '../../client/client.ts';
import { machineValue } from '../../core/charge.ts';
import { endsAll, PayError } from '../../core/error.ts';
import type { Io } from '../../core/io.ts';
import { valueAt } from '../../core/json.ts';
import { PAGE_MAX } from '../../core/record.ts';
import type { Charge } from '../../ledger/entry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { LedgerRoom } from '../../ledger/room.ts';

/** So many payment requests are read one by one; of more, a walk over the list shows which have changed. */
const FEW = 10;
/** A walk goes on for as many pages as this share of what is looked for, and no further. */
const PAGES_FOR_EACH = 0.1;
/** Of those that a list shows nothing new of, so many are read one by one each time, or this share of them. */
const IN_TURN = 4;
const SHARE_IN_TURN = 0.02;
const AT_ONCE = 4;

/** A payment that was made at the last moment shows within this time, and one read of an expired account is enough for as long. */
const SHOWS_WITHIN_MS = 15_000;
const AGAIN_MS = 60_000;

interface Polling {
  readonly ledger: Ledger;
  readonly protocol: LedgerRoom;
  readonly client: Client;
  readonly bulk: BulkRoom;
  readonly io: Pick<Io, 'clock' | 'random'>;
  readonly stop: AbortSignal;
}

/** What a list says of a payment request, as far as a payment or its failure changes it. */
interface Listed {
  readonly trace: string;
  readonly isUntouched: boolean;
  /** The activity that the service names as the latest. */
  readonly last: { readonly uid: string; readonly status: string };
}

const UNTOUCHED = ['requires_ugwo', 'processing'];

const listedOf = (ugwo: unknown): Listed => {
  const textAt = (path: string): string => machineValue(valueAt(ugwo, path)) || String(valueAt(ugwo, path) ?? '');
  const [status, paid] = [textAt('status'), textAt('total_amount_paid')];
  const [uid, lastStatus] = [textAt('lastest_ugwo_activity.uid'), textAt('lastest_ugwo_activity.status')];
  return {
    trace: JSON.stringify([status, paid, uid, lastStatus]),
    isUntouched: UNTOUCHED.includes(status) && Number(paid) === 0,
    last: { uid, status: lastStatus },
  };
};

/** Reads how open charges stand, as seldom as can be, and tells the ledger. */
export const openPolling = ({ ledger, protocol, client, bulk, io, stop }: Polling) => {
  /** By payment request: what the list said when it was last read by itself, and when that was. */
  const traces = new Map<string, string>();
  const readAt = new Map<string, number>();

  /** What the list says of those that are looked for, as far as a walk finds them that costs less than reading each. */
  const walk = async (wanted: ReadonlySet<string>): Promise<ReadonlyMap<string, Listed>> => {
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

  const isOverdue = (charge: Charge): boolean => {
    const left = protocol.payableFor(charge, ledger.moment()) ?? 0;
    const since = io.clock.ticks() - (readAt.get(charge.about) ?? Number.NEGATIVE_INFINITY);
    return left <= -SHOWS_WITHIN_MS && since >= AGAIN_MS;
  };

  const isNews = ({ about, activity }: Charge, listed: Listed | undefined): boolean => {
    if (listed === undefined) return false;
    const before = traces.get(about);
    if (before !== undefined) return before !== listed.trace;
    // Nothing was heard of it yet: it is read where the list says something else than the ledger.
    traces.set(about, listed.trace);
    return !listed.isUntouched || (listed.last.uid === activity?.uid && listed.last.status !== activity.status);
  };

  /** Those of which the list says something new, those whose account has expired since they were read, and some in turn. */
  const chosen = (charges: readonly Charge[], listed: ReadonlyMap<string, Listed>): Charge[] => {
    const [now, later]: [Charge[], Charge[]] = [[], []];
    for (const charge of charges) {
      (isNews(charge, listed.get(charge.about)) || isOverdue(charge) ? now : later).push(charge);
    }
    const inTurn = later
      .sort((a, b) => (readAt.get(a.about) ?? 0) - (readAt.get(b.about) ?? 0))
      .slice(0, Math.max(IN_TURN, Math.ceil(later.length * SHARE_IN_TURN)));
    return [...now, ...inTurn];
  };

  /** Reads each by itself; gives why one could not be read, where one could not. */
  const readEach = async (
    charges: readonly Charge[],
    listed: ReadonlyMap<string, Listed> = new Map(),
  ): Promise<PayError | undefined> => {
    let failure: PayError | undefined;
    const work = async (charge: Charge) => {
      try {
        await protocol.refreshCharge(ledger, charge, client);
      } catch (thrown) {
        if (!(thrown instanceof PayError) || thrown.kind === 'ledger') throw thrown;
        failure = thrown;
        return endsAll(thrown) ? { stops: thrown } : { slowDown: 0 };
      }
      readAt.set(charge.about, io.clock.ticks());
      const trace = listed.get(charge.about)?.trace;
      if (trace !== undefined) traces.set(charge.about, trace);
      return {};
    };
    async function* rows() {
      yield* charges;
    }
    await bulk.runRows({ ...io, stop, rows: rows(), concurrency: AT_ONCE, work, onSettled: () => undefined });
    return failure;
  };

  return {
    /** Looks at all of them once. */
    look: async (charges: readonly Charge[]): Promise<PayError | undefined> => {
      if (charges.length <= FEW) return readEach(charges);
      const listed = await walk(new Set(charges.map(({ about }) => about)));
      return readEach(chosen(charges, listed), listed);
    },
    /** Looks at those alone whose account has expired. */
    lookAtOverdue: (charges: readonly Charge[]): Promise<PayError | undefined> => readEach(charges.filter(isOverdue)),
  };
};

const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 30_000;
const GROWTH = 1.5;
/** So long a look that is under way is waited for at the end. */
const LAST_LOOK_MS = 1000;

type FeedWorld = Omit<Polling, 'client' | 'stop'> & {
  readonly client: () => Promise<Client>;
  /** Whether somebody on this machine tells the ledger what the service sends. */
  readonly isTold: () => boolean;
  readonly notice: (line: string) => Promise<void>;
};

/** What brings the ledger news of charges while they are watched. */
export interface Feed {
  /** Begins, where it has not. */
  begin(): void;
  /** Something has changed: the next look comes sooner. */
  moved(): void;
  /** Aborted once nothing more can be had of it. */
  readonly broken: AbortSignal;
  /** How it is done, and how well, for people; undefined once it has ended. */
  word(): string | undefined;
  /** Ends it, and gives what it has failed by. */
  end(): Promise<unknown>;
}

/**
 * Polls the service while no webhooks bring news on this machine: soon while things move, and else ever more slowly. While
 * they do, it reads but what has expired, of which no news may come.
 */
export const openFeed = (world: FeedWorld, open: () => readonly Charge[]): Feed => {
  const { clock, random } = world.io;
  const [over, broken] = [new AbortController(), new AbortController()];
  let pause = FIRST_PAUSE_MS;
  let told = false;
  let failing: PayError | undefined;
  let isHeld = false;
  let fault: unknown;
  let running: Promise<void> | undefined;

  const look = async (polling: ReturnType<typeof openPolling>): Promise<void> => {
    told = world.isTold();
    const looking = told ? polling.lookAtOverdue(open()) : polling.look(open());
    failing = await looking.catch((thrown: unknown) => {
      if (thrown instanceof PayError && thrown.kind !== 'ledger') return thrown;
      throw thrown;
    });
    if (failing?.kind === 'auth') throw failing;
    if (failing?.detail.retryAt !== undefined && !isHeld) await world.notice(`Not checking: ${failing.message}.`);
    isHeld = failing?.detail.retryAt !== undefined;
  };
  const poll = async (): Promise<void> => {
    const polling = openPolling({ ...world, client: await world.client(), stop: over.signal });
    while (!over.signal.aborted) {
      await look(polling);
      await clock.sleep(pause * (0.9 + 0.2 * random()), over.signal).catch(() => undefined);
      pause = Math.min(LONGEST_PAUSE_MS, pause * GROWTH);
    }
  };

  return {
    broken: broken.signal,
    begin: () => {
      running ??= poll().catch((thrown: unknown) => {
        fault = thrown;
        broken.abort('broken');
      });
    },
    moved: () => {
      pause = FIRST_PAUSE_MS;
    },
    word: () => {
      if (over.signal.aborted) return undefined;
      const feed = told ? 'news by webhooks' : 'polling';
      const how = failing === undefined ? feed : `couldn't check: ${failing.message}; trying again`;
      return `${how}; Ctrl-C stops watching`;
    },
    end: async () => {
      over.abort('over');
      const waited = new AbortController();
      await Promise.race([running, clock.sleep(LAST_LOOK_MS, waited.signal).catch(() => undefined)]);
      waited.abort('over');
      return fault;
    },
  };
};

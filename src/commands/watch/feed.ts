import type { Client } from '../../client/client.ts';
import { PayError } from '../../core/error.ts';
import type { Charge } from '../../ledger/entry.ts';
import type { Polling } from './poll.ts';
import { openPolling } from './poll.ts';

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

import { backoff } from '../core/backoff.ts';
import type { PayError } from '../core/error.ts';
import { reasonOf } from '../core/error.ts';
import type { Clock } from '../core/io.ts';
import type { KeptEvent } from './kept.ts';
import type { Queue } from './queue.ts';
import type { Wake } from './wake.ts';

/** What came of telling the ledger of an event. */
export interface NewsResult {
  /** Lines for people. */
  readonly said?: readonly string[];
  /** What the run ends with, whenever that is; of several the first. */
  readonly failure?: PayError;
}

/**
 * Is handed each event that is kept, in order, one at a time, at least once: again after a kill, and again, later, where it
 * rejects; so it must not mind a repeat.
 */
export type News = (event: KeptEvent) => Promise<NewsResult | undefined>;

/** Between two tries of one event, in milliseconds. */
const RANGE = { base: 1000, cap: 300_000 };
const AT_ONCE = 50;

/** What handing on the news needs of the world. */
export interface NewsWorld {
  readonly clock: Clock;
  readonly random: () => number;
  readonly news: News;
  readonly say: (text: string) => void;
  readonly failed: (failure: PayError) => void;
}

/** Hands what has come to `news`, until `stop`, at which `wake` is called too. */
export const handOn = async (queue: Queue, wake: Wake, world: NewsWorld, stop: AbortSignal): Promise<void> => {
  const { clock, random, news, say, failed } = world;
  const handOne = async (event: KeptEvent): Promise<void> => {
    for (let tries = 0; !stop.aborted; tries += 1) {
      try {
        const result = await news(event);
        for (const line of result?.said ?? []) say(line);
        if (result?.failure !== undefined) failed(result.failure);
        return await queue.setPlace('news', event.seq);
      } catch (thrown) {
        if (tries === 0) say(`the ledger was not told of ${event.uid} yet: ${reasonOf(thrown)}`);
        await clock.sleep(backoff(tries, random, RANGE), stop).catch(() => undefined);
      }
    }
  };
  while (!stop.aborted) {
    const events = queue.behind(queue.place('news'), AT_ONCE);
    for (const event of events) if (!stop.aborted) await handOne(event);
    if (events.length === 0) await wake.wait();
  }
};

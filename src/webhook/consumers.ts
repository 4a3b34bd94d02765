import { backoff } from '../core/async.ts';
import { textAt } from '../core/charge.ts';
import { type PayError, reasonOf } from '../core/error.ts';
import type { Clock } from '../core/io.ts';
import { parseIfJson } from '../core/json.ts';
import { type Busy, deliverInOrder, dueOf, type Notifier, type Queued, type Step } from './deliver.ts';
import type { KeptEvent } from './event.ts';
import type { Queue } from './queue.ts';

/**
 * The parts of an event that the ledger uses: only the objects that it is about. Its other contents are not trusted, as
 * they may be old.
 */
export interface ConsumedEvent extends Pick<KeptEvent, 'seq' | 'uid' | 'event' | 'activity'> {
  /** Identifier of the refund, in an event that tells how it ended. */
  readonly refund: string | undefined;
}

export interface ConsumerResult {
  readonly said?: readonly string[];
  /** Extra fields to print with an event, by its uid. */
  readonly fields?: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** The failure to end the run with, at whatever time it ends; the first one counts. */
  readonly failure?: PayError;
}

export interface LedgerConsumer {
  /** The service that these events come from. */
  readonly service: string;
  /**
   * Gets all events about one payment request since the last call. Delivery is at least once: the events come again
   * after a crash, and after a pause where it rejects. So it must be idempotent.
   */
  readonly record: (ugwo: string, events: readonly ConsumedEvent[]) => Promise<ConsumerResult | undefined>;
}

/**
 * Milliseconds to collect the events about one payment request, which often come together: one read is enough for all.
 */
const GATHERED_MS = 200;
/** The number of payment requests to read concurrently. */
const READ_AT_ONCE = 4;
/** The maximum number of unfinished events pulled from the queue. */
const MOST_OPEN = 1000;
const EVENTS_AT_ONCE = 50;

interface ConsumerDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly ledger: LedgerConsumer;
  /** Resolves when the text is written. */
  readonly say: (text: string) => Promise<void>;
  readonly failed: (failure: PayError) => void;
}

/** The unreported events about one payment request, its key. `due` is in monotonic ticks. */
interface Batch extends Queued {
  events: ConsumedEvent[];
  tries: number;
  due: number;
}

/** Reports events to the ledger until `stop`; the caller also calls `notifier` then. */
export class Recorder {
  readonly #queue: Queue;
  readonly #deps: ConsumerDeps;
  readonly #stop: AbortSignal;
  readonly #batches = new Map<string, Batch>();
  /** The positions of unfinished events, in order. */
  readonly #open = new Set<number>();
  readonly #fields = new Map<string, Readonly<Record<string, unknown>>>();
  #read: number;
  /** The stored position: the event before the first unfinished one. */
  #kept: number;
  readonly #delivering: ReturnType<typeof deliverInOrder>;
  /** Resolves once it has stopped and the calls in progress have ended. */
  readonly ended: Promise<void>;

  constructor(queue: Queue, notifier: Notifier, deps: ConsumerDeps, stop: AbortSignal) {
    this.#queue = queue;
    this.#deps = deps;
    this.#stop = stop;
    // Findings about events that were not printed were lost with the process: those events are reported again.
    this.#read = Math.min(queue.place('recorded'), queue.place('printed'));
    this.#kept = this.#read;
    const source = { next: (busy: Busy) => this.#next(busy), send: (batch: Batch) => this.#send(batch) };
    this.#delivering = deliverInOrder(source, notifier, stop);
    this.ended = this.#delivering.ended.then(() => this.#keepPlace());
  }

  /** Resolves when every event was reported, or has failed at least once. */
  quiet(): Promise<void> {
    return this.#delivering.until((busy) => this.#isTried(busy));
  }

  /** Resolves when an event was reported, or has failed, with the fields to print with it. */
  async findings({ seq, uid, ugwo }: KeptEvent): Promise<Readonly<Record<string, unknown>> | undefined> {
    const isReported = (busy: Busy): boolean => !this.#open.has(seq) || this.#isTried(busy, ugwo);
    await this.#delivering.until((busy) => this.#read >= seq && isReported(busy));
    const found = this.#fields.get(uid);
    this.#fields.delete(uid);
    return found;
  }

  /** True if the events of every payment request (or the named one) were reported and that failed. */
  #isTried(busy: Busy, ugwo?: string): boolean {
    return [...this.#batches.values()].every(
      ({ key, tries }) => (ugwo !== undefined && key !== ugwo) || (tries > 0 && !busy.has(key)),
    );
  }

  async #next(busy: Busy): Promise<Step<Batch>> {
    this.#pull();
    await this.#keepPlace();
    const waiting = [...this.#batches.values()].sort((a, b) => a.due - b.due);
    return dueOf(waiting, busy, READ_AT_ONCE - busy.size, this.#deps.clock.ticks());
  }

  #pull(): void {
    for (let more = true; more && this.#open.size < MOST_OPEN; ) {
      const events = this.#queue.behind(this.#read, EVENTS_AT_ONCE);
      for (const { seq, uid, event, activity, ugwo, body } of events) {
        this.#read = seq;
        if (ugwo === undefined) continue;
        const refund = event.startsWith('refund.')
          ? textAt(parseIfJson(Buffer.from(body).toString()), 'data.uid')
          : undefined;
        this.#add(ugwo, { seq, uid, event, activity, refund });
        this.#open.add(seq);
      }
      more = events.length > 0;
    }
  }

  #add(key: string, event: ConsumedEvent): void {
    const due = this.#deps.clock.ticks() + GATHERED_MS;
    const batch = this.#batches.get(key) ?? { key, events: [], tries: 0, due };
    batch.events.push(event);
    this.#batches.set(key, batch);
  }

  /** If the position can't be stored, the events are reported once more after a restart, which does no harm. */
  async #keepPlace(): Promise<void> {
    const [first] = this.#open;
    const place = first === undefined ? this.#read : first - 1;
    if (place === this.#kept) return;
    this.#kept = place;
    await this.#queue.setPlace('recorded', place).catch(() => undefined);
  }

  async #send(batch: Batch): Promise<void> {
    const { clock, random, say } = this.#deps;
    const { key: ugwo, events } = batch;
    batch.events = [];
    try {
      await this.#report(ugwo, events);
      [batch.tries, batch.due] = [0, clock.ticks() + GATHERED_MS];
    } catch (thrown) {
      batch.events = [...events, ...batch.events];
      if (batch.tries === 0 && !this.#stop.aborted)
        await say(`couldn't check ${ugwo} yet, trying again: ${reasonOf(thrown)}`);
      batch.due = clock.ticks() + backoff(batch.tries, random, { base: 1000, cap: 300_000 });
      batch.tries += 1;
    }
    if (batch.events.length === 0) this.#batches.delete(ugwo);
  }

  async #report(ugwo: string, events: readonly ConsumedEvent[]): Promise<void> {
    const { ledger, say, failed } = this.#deps;
    const { said = [], fields = [], failure } = (await ledger.record(ugwo, events)) ?? {};
    for (const line of said) await say(line);
    for (const [uid, some] of fields) this.#fields.set(uid, some);
    if (failure !== undefined) failed(failure);
    for (const { seq } of events) this.#open.delete(seq);
  }
}

/** The number of events to read at once. */
const PRINTED_AT_ONCE = 100;

/**
 * Events to print, each at most once: the cursor is stored before an event is printed and again after it. Events that a
 * crash has caught in between are not printed again, since they may have been printed.
 */
export const openPrintCursor = (queue: Queue) => {
  let printed = queue.place('printed');
  return {
    /**
     * Events that may have been printed before a crash. `next` does not return them; they are found again until they
     * are noted as `printed`.
     */
    doubtful: (): readonly KeptEvent[] => {
      const printing = queue.place('printing');
      const found: KeptEvent[] = [];
      while (printed < printing) {
        const some = queue.behind(printed, PRINTED_AT_ONCE).filter(({ seq }) => seq <= printing);
        found.push(...some);
        printed = some.at(-1)?.seq ?? printing;
      }
      return found;
    },
    /** The next events, at most `most`; empty if there are none. */
    next: (most = PRINTED_AT_ONCE): readonly KeptEvent[] => queue.behind(printed, most),
    /** Stores that all events up to this one are about to be printed, or were. */
    note: async (what: 'printing' | 'printed', { seq }: KeptEvent): Promise<void> => {
      await queue.setPlace(what, seq);
      if (what === 'printed') printed = seq;
    },
  };
};

import { backoff } from '../core/async.ts';
import { textAt } from '../core/charge.ts';
import { type PayError, reasonOf } from '../core/error.ts';
import type { Clock } from '../core/io.ts';
import { parseIfJson } from '../core/json.ts';
import { type Busy, consume, dueOf, type QueueItem, type Step } from './consumer.ts';
import type { KeptEvent } from './event.ts';
import type { Queue } from './queue.ts';

/**
 * The parts of an event that the ledger uses: only the objects that it is about. Its other contents are not trusted, as
 * they may be old.
 */
export interface ReportedEvent extends Pick<KeptEvent, 'seq' | 'uid' | 'event' | 'activity'> {
  /** Identifier of the refund, in an event that tells how it ended. */
  readonly refund: string | undefined;
}

export interface EventFindings {
  /** Lines for people. */
  readonly said?: readonly string[];
  /** Extra fields to print with an event, by its uid. */
  readonly fields?: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** The failure to end the run with, at whatever time it ends; the first one counts. */
  readonly failure?: PayError;
}

export interface EventLedger {
  /** The service that these events come from. */
  readonly service: string;
  /**
   * Gets all events about one payment request since the last call. Delivery is at least once: the events come again
   * after a crash, and after a pause where it rejects. So it must be idempotent.
   */
  readonly record: (ugwo: string, events: readonly ReportedEvent[]) => Promise<EventFindings | undefined>;
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

interface RecorderDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly ledger: EventLedger;
  /** Resolves when the text is written. */
  readonly say: (text: string) => Promise<void>;
  readonly failed: (failure: PayError) => void;
}

/** The unreported events about one payment request, its key. `due` is in monotonic ticks. */
interface Batch extends QueueItem {
  events: readonly ReportedEvent[];
  tries: number;
  due: number;
}

/** Reports events to the ledger until `stop`. */
export class Recorder {
  readonly #queue: Queue;
  readonly #deps: RecorderDeps;
  readonly #stop: AbortSignal;
  readonly #batches = new Map<string, Batch>();
  readonly #fields = new Map<string, Readonly<Record<string, unknown>>>();
  #read: number;
  /** The stored position: the event before the first unfinished one. */
  #kept: number;
  readonly #consuming: ReturnType<typeof consume>;
  /** Resolves once it has stopped and the calls in progress have ended. */
  readonly ended: Promise<void>;

  constructor(queue: Queue, deps: RecorderDeps, stop: AbortSignal) {
    this.#queue = queue;
    this.#deps = deps;
    this.#stop = stop;
    // Findings about events that were not printed were lost with the process: those events are reported again.
    this.#read = Math.min(queue.place('recorded'), queue.place('printed'));
    this.#kept = this.#read;
    const consumer = { next: (busy: Busy) => this.#next(busy), handle: (batch: Batch) => this.#handle(batch) };
    this.#consuming = consume(consumer, deps.clock, stop);
    queue.onKept(this.#consuming.notify);
    this.ended = this.#consuming.ended.then(() => this.#keepPlace());
  }

  /** Resolves when every event was reported, or has failed at least once. */
  quiet(): Promise<void> {
    return this.#consuming.until((busy) => this.#isTried(busy));
  }

  /** Resolves when an event was reported, or has failed, with the fields to print with it. */
  async findings({ seq, uid, ugwo }: KeptEvent): Promise<Readonly<Record<string, unknown>> | undefined> {
    const isReported = (busy: Busy): boolean => !this.#open.some((one) => one.seq === seq) || this.#isTried(busy, ugwo);
    await this.#consuming.until((busy) => this.#read >= seq && isReported(busy));
    const found = this.#fields.get(uid);
    // A listener that runs for months would keep them all.
    this.#fields.delete(uid);
    return found;
  }

  /** The unfinished events. */
  get #open(): readonly ReportedEvent[] {
    return [...this.#batches.values()].flatMap(({ events }) => events);
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
    for (let more = true; more && this.#open.length < MOST_OPEN; ) {
      const events = this.#queue.behind(this.#read, EVENTS_AT_ONCE);
      for (const { seq, uid, event, activity, ugwo, body } of events) {
        this.#read = seq;
        if (ugwo === undefined) continue;
        const refund = event.startsWith('refund.')
          ? textAt(parseIfJson(Buffer.from(body).toString()), 'data.uid')
          : undefined;
        this.#add(ugwo, { seq, uid, event, activity, refund });
      }
      more = events.length > 0;
    }
  }

  #add(key: string, event: ReportedEvent): void {
    const due = this.#deps.clock.ticks() + GATHERED_MS;
    const batch = this.#batches.get(key) ?? { key, events: [], tries: 0, due };
    batch.events = [...batch.events, event];
    this.#batches.set(key, batch);
  }

  /** If the position can't be stored, the events are reported once more after a restart, which does no harm. */
  async #keepPlace(): Promise<void> {
    const place = Math.min(this.#read, ...this.#open.map(({ seq }) => seq - 1));
    if (place === this.#kept) return;
    this.#kept = place;
    await this.#queue.setPlace('recorded', place).catch(() => undefined);
  }

  async #handle(batch: Batch): Promise<void> {
    const { clock, random, say } = this.#deps;
    // More may come meanwhile.
    const { key: ugwo, events } = batch;
    try {
      await this.#report(ugwo, events);
      batch.events = batch.events.slice(events.length);
      [batch.tries, batch.due] = [0, clock.ticks() + GATHERED_MS];
    } catch (thrown) {
      if (batch.tries === 0 && !this.#stop.aborted)
        await say(`couldn't check ${ugwo} yet, trying again: ${reasonOf(thrown)}`);
      batch.due = clock.ticks() + backoff(batch.tries, random, { base: 1000, cap: 300_000 });
      batch.tries += 1;
    }
    if (batch.events.length === 0) this.#batches.delete(ugwo);
  }

  async #report(ugwo: string, events: readonly ReportedEvent[]): Promise<void> {
    const { ledger, say, failed } = this.#deps;
    const { said = [], fields = [], failure } = (await ledger.record(ugwo, events)) ?? {};
    for (const line of said) await say(line);
    for (const [uid, some] of fields) this.#fields.set(uid, some);
    if (failure !== undefined) failed(failure);
  }
}

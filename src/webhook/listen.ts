import type { FileHandle } from 'node:fs/promises';
import { openChange } from '../core/async.ts';
import { interrupted, PayError, reasonOf, signalWord, usageError } from '../core/error.ts';
import { type Clock, withTimeout } from '../core/io.ts';
import { type Exec, execute, openProgramInput } from '../core/program.ts';
import { shellLine } from '../core/shell.ts';
import { DAY_MS, SECOND_MS } from '../core/time.ts';
import { DOUBLE_CHARGE, isWanted } from '../core/webhook-event.ts';
import { holdLock } from '../database/open.ts';
import { retryUntilWritten, steadyTime } from './consumer.ts';
import { type KeptEvent, OTHER_BODY, type Secrets, verifiedDelivery } from './event.ts';
import { forward, forwardOnce } from './forward.ts';
import type { DeliveryTarget, PostResult } from './post.ts';
import { holdQueue, type Queue, recorderLockPath } from './queue.ts';
import { type EventLedger, Recorder } from './recorder.ts';
import { type DeliveryAnswer, type OnDelivery, receive } from './server.ts';

export interface ListenOptions {
  readonly folder: string;
  readonly port: number;
  readonly host: string;
  readonly secrets: Secrets;
  readonly target: DeliveryTarget | undefined;
  /** The names of events to print and forward; empty for all. */
  readonly only: readonly string[];
  /** Prints and forwards repeats, too. */
  readonly duplicates: boolean;
  readonly until: { readonly count: number } | { readonly event: string } | undefined;
  readonly exec: Exec | undefined;
  readonly ledger: EventLedger | undefined;
  /** The days to store a finished event. */
  readonly keepDays: number;
}

export interface ListenDeps {
  readonly clock: Clock;
  readonly random: () => number;
  /** Aborted by the first and the second signal. */
  readonly stop: AbortSignal;
  readonly leave: AbortSignal;
  /** The uid of this user; undefined on a system without uids. */
  readonly uid: number | undefined;
  /** Resolves when the text is written. */
  readonly say: (text: string) => Promise<void>;
}

/** An event to print, with the findings about it. */
export interface PrintedEvent extends KeptEvent {
  readonly fields?: Readonly<Record<string, unknown>>;
}

/**
 * Limits against hostile senders: the notices and the refused deliveries to store in each span of SPAN_MS milliseconds.
 */
const [SAID_AT_ONCE, KEPT_AT_ONCE, SPAN_MS] = [5, 100, 10 * SECOND_MS];
const REFUSED_BODY = 4096;
/** Milliseconds that the end of the run waits for forwarding in progress. */
const END_MS = 5000;
/** Milliseconds that printing an event waits for the service's data about it. */
const SERVICE_READ_LIMIT_MS = 10 * SECOND_MS;

/** Allows at most `most` calls in a span; reports the number of the others at the first call after it. */
const throttle = (most: number, clock: Clock, more: (count: number) => void) => {
  let [from, count] = [clock.ticks(), 0];
  return (): boolean => {
    if (clock.ticks() - from > SPAN_MS) {
      if (count > most) more(count - most);
      [from, count] = [clock.ticks(), 0];
    }
    count += 1;
    return count <= most;
  };
};

/** Answers deliveries: stores those with a valid signature, and notes the others. */
const deliveryHandler = (queue: Queue, options: ListenOptions, deps: ListenDeps, steady: () => number): OnDelivery => {
  const { secrets, target, only, duplicates } = options;
  const { clock, say } = deps;
  const maySay = throttle(SAID_AT_ONCE, clock, (count) => say(`${count} more deliveries were refused`));
  const mayNote = throttle(KEPT_AT_ONCE, clock, () => undefined);
  const mayWarn = throttle(SAID_AT_ONCE, clock, (count) => say(`${count} more events came again with another body`));
  const mayComplain = throttle(1, clock, () => undefined);

  const failed = (thrown: unknown): DeliveryAnswer => {
    if (mayComplain()) say(`an event couldn't be stored, so paycli answered 503: ${reasonOf(thrown)}`);
    return 503;
  };

  const sayOther = (uid: string, kept: string): void => {
    const show = shellLine(['paycli', 'webhook', 'events', 'show', kept]);
    say(
      `${uid} came again with another body. It is stored${duplicates ? '' : ', but not printed or forwarded'}. See: ${show}`,
    );
  };

  return async ({ headers, body }) => {
    const receivedAt = clock.now();
    const read = verifiedDelivery(secrets, { headers, body, receivedAt });
    if ('problem' in read) {
      if (maySay()) say(`refused a delivery (401): ${read.problem}`);
      const part = body.subarray(0, REFUSED_BODY);
      const refused = { receivedAt, why: read.problem, deliveryId: read.deliveryId, size: body.byteLength, body: part };
      if (mayNote()) await queue.refuse({ ...refused, signature: read.signature.slice(0, 200) }).catch(() => undefined);
      return 401;
    }
    const { delivery } = read;
    const wanted = only.length === 0 || isWanted(delivery.event, only);
    try {
      const state = target !== undefined && wanted ? 'waiting' : 'kept';
      const found = await queue.keep(delivery, { state, duplicates, due: steady() });
      if (found.kind === 'other' && mayWarn()) sayOther(delivery.uid, found.uid);
    } catch (thrown) {
      return failed(thrown);
    }
    return { kept: delivery.uid };
  };
};

/** The number of events to print at once. */
const PRINTED_AT_ONCE = 100;

/** The number of these events up to the requested end; undefined if the end is not among them. */
const countAtEnd = (
  until: ListenOptions['until'],
  events: readonly KeptEvent[],
  isShown: (event: KeptEvent) => boolean,
  before: number,
): number | undefined => {
  if (until === undefined) return undefined;
  let count = before;
  const index = events.findIndex((one) => {
    if (!isShown(one)) return false;
    count += 1;
    return 'count' in until ? count >= until.count : isWanted(one.event, [until.event]);
  });
  return index === -1 ? undefined : index + 1;
};

/** One run of the listener: the queue, what fills it, and what empties it. */
class Listening {
  readonly #options: ListenOptions;
  readonly #deps: ListenDeps;
  readonly #queue: Queue;
  readonly #steady: () => number;
  /** Wakes the printer. */
  readonly #change = openChange();
  /** Stops new forwarding. */
  readonly #finish = new AbortController();
  /** Aborts the requests in progress. */
  readonly #abandon = new AbortController();
  /** Releases the lock of the process that reports to the ledger. */
  #releaseLedger: (() => void) | undefined;
  #receiver: Awaited<ReturnType<typeof receive>> | undefined;
  #forwarder: ReturnType<typeof forward> | undefined;
  #recorder: Recorder | undefined;
  #pruning: Promise<void> | undefined;
  /** The failure to end the run with. */
  #failure: PayError | undefined;

  constructor(queue: Queue, options: ListenOptions, deps: ListenDeps) {
    this.#queue = queue;
    this.#options = options;
    this.#deps = deps;
    this.#steady = steadyTime(deps.clock);
  }

  /** `http://127.0.0.1:PORT` */
  get origin(): string {
    const { host } = this.#options;
    return `http://${host.includes(':') ? `[${host}]` : host}:${this.#receiver?.port}`;
  }

  /** Rejects where the port can't be opened; nothing is left running then. */
  async start(): Promise<void> {
    const { port, host, target, ledger } = this.#options;
    const { stop } = this.#deps;
    const queue = this.#queue;
    stop.addEventListener('abort', this.#change.notify, { once: true });
    queue.onKept(this.#change.notify);
    const handler = deliveryHandler(queue, this.#options, this.#deps, this.#steady);
    const receiver = await receive(port, host, handler).catch((thrown: unknown) => {
      queue.close();
      throw thrown;
    });
    this.#receiver = receiver;
    // At the first signal, also while a command of --exec or the output holds up the end.
    stop.addEventListener('abort', receiver.close, { once: true });
    if (stop.aborted) void receiver.close();
    if (target !== undefined) await queue.set('target', target.url.href);
    if (target !== undefined) this.#startForwarding(target);
    if (ledger !== undefined) this.#startRecording(ledger);
    this.#pruning = this.#prune();
  }

  #startForwarding(target: DeliveryTarget): void {
    const send = (event: KeptEvent): Promise<PostResult> => forwardOnce(target, event, this.#abandon.signal);
    const deps = { ...this.#deps, steady: this.#steady, send };
    this.#forwarder = forward(this.#queue, deps, this.#finish.signal);
  }

  #startRecording(ledger: EventLedger): void {
    this.#releaseLedger = holdLock(recorderLockPath(this.#options.folder, ledger.service));
    const failed = (failure: PayError): void => {
      this.#failure ??= failure;
    };
    const deps = { ...this.#deps, ledger, failed };
    this.#recorder = new Recorder(this.#queue, deps, this.#finish.signal);
  }

  async #prune(): Promise<void> {
    const { clock } = this.#deps;
    const { signal } = this.#finish;
    while (!signal.aborted) {
      // A failed pruning is repeated the next day.
      await this.#queue.prune(clock.now() - this.#options.keepDays * DAY_MS, signal).catch(() => undefined);
      await clock.sleep(DAY_MS, signal).catch(() => undefined);
    }
  }

  /**
   * New events, without those that were printed before. Ends when `until` is reached and rejects at a signal; either
   * way only after deliveries in progress are stored and answered.
   */
  async *events(): AsyncGenerator<readonly PrintedEvent[]> {
    const { stop } = this.#deps;
    let isOver = false;
    try {
      isOver = yield* this.#untilOver();
    } finally {
      await this.#end();
    }
    if (this.#failure !== undefined) throw this.#failure;
    if (isOver) return;
    const { exitCode = 130 } = interrupted(stop.reason).detail;
    const what = `stopped by ${signalWord(stop.reason)}; every acknowledged event is stored`;
    throw new PayError('interrupted', what, { exitCode });
  }

  /**
   * Prints each event at most once: its place is stored before it is printed, and again after it. Events that a kill has
   * caught in between are named, since they may have been printed. Returns true if `until` was reached, and false at a signal
   * or if the queue could not be written to.
   */
  async *#untilOver(): AsyncGenerator<readonly PrintedEvent[], boolean> {
    const { exec, folder, until } = this.#options;
    const { stop } = this.#deps;
    const queue = this.#queue;
    const isShown = (event: KeptEvent): boolean => this.#isShown(event);
    await this.#sayDoubtful();
    for (let count = 0; !stop.aborted; ) {
      // With --exec, one event at a time: a crash leaves at most one command in doubt.
      const found = queue.behind(queue.place('printed'), exec === undefined ? PRINTED_AT_ONCE : 1);
      const reached = countAtEnd(until, found, isShown, count);
      const some = found.slice(0, reached);
      const last = some.at(-1);
      if (last === undefined) {
        await this.#change.changed();
        continue;
      }
      const wanted = some.filter(isShown);
      // While the disk is full nothing is printed: it would be printed again. Nor does a command start without its input.
      let input: FileHandle | undefined;
      const prepare = async (): Promise<void> => {
        if (exec !== undefined && wanted[0] !== undefined) input ??= await openProgramInput(folder, wanted[0].body);
        await queue.setPlace('printing', last.seq);
      };
      if (!(await retryUntilWritten(prepare, this.#deps, stop))) {
        await input?.close();
        return false;
      }
      if (input !== undefined) await this.#runFor(last, input);
      if (wanted.length > 0) yield await this.#withFields(wanted);
      await this.#notePrinted(last);
      count += wanted.length;
      if (reached !== undefined) return true;
    }
    return false;
  }

  /** Resolves to false if the run ends first. */
  #notePrinted({ seq }: KeptEvent): Promise<boolean> {
    return retryUntilWritten(() => this.#queue.setPlace('printed', seq), this.#deps, this.#deps.stop);
  }

  /** Names the events that a kill has caught while they were printed. */
  async #sayDoubtful(): Promise<void> {
    const queue = this.#queue;
    const printing = queue.place('printing');
    for (let isNoted = true; isNoted; ) {
      const events = queue.behind(queue.place('printed'), PRINTED_AT_ONCE);
      const caught = events.filter(({ seq }) => seq <= printing);
      for (const { uid } of caught) {
        const show = shellLine(['paycli', 'webhook', 'events', 'show', uid]);
        await this.#deps.say(`${uid} may not have been printed: paycli was killed at that moment. See: ${show}`);
      }
      // Stored after the notices: a crash in between repeats them, and never loses them.
      const last = caught.at(-1);
      isNoted = last !== undefined && (await this.#notePrinted(last));
    }
  }

  #isShown({ event, again }: KeptEvent): boolean {
    const { only, duplicates } = this.#options;
    return (again !== OTHER_BODY || duplicates) && (only.length === 0 || isWanted(event, only));
  }

  async #runFor({ uid }: KeptEvent, input: FileHandle): Promise<void> {
    const { exec } = this.#options;
    const failed = exec && (await execute(exec, input, this.#deps));
    if (failed !== undefined) await this.#deps.say(`--exec failed for ${uid}: ${failed.why}`);
  }

  /** Adds the findings about events, for those where it waits for them. */
  #withFields(events: readonly KeptEvent[]): Promise<readonly PrintedEvent[]> {
    const recorder = this.#recorder;
    const addTo = async (event: KeptEvent): Promise<PrintedEvent> => {
      if (recorder === undefined || event.event !== DOUBLE_CHARGE) return event;
      const fields = await withTimeout(recorder.findings(event), SERVICE_READ_LIMIT_MS, this.#deps.clock);
      return fields === undefined ? event : { ...event, fields };
    };
    return Promise.all(events.map(addTo));
  }

  async #end(): Promise<void> {
    const { clock, stop } = this.#deps;
    const [forwarder, recorder] = [this.#forwarder, this.#recorder];
    await this.#receiver?.close();
    if (!stop.aborted) await withTimeout(Promise.all([forwarder?.quiet(), recorder?.quiet()]), 30 * SECOND_MS, clock);
    this.#finish.abort();
    await withTimeout(Promise.all([forwarder?.ended, recorder?.ended]), END_MS, clock);
    this.#abandon.abort();
    await forwarder?.ended;
    await this.#pruning;
    this.#releaseLedger?.();
    this.#queue.close();
  }
}

/** Listens on a port; stores, prints and forwards events. */
export const openListening = async (options: ListenOptions, deps: ListenDeps) => {
  const queue = holdQueue(options.folder, deps.uid);
  if (queue === undefined) {
    throw usageError('another `paycli webhook listen` is running on this machine', {
      hint: 'stop it, or set PAYCLI_HOME to another folder',
    });
  }
  const listening = new Listening(queue, options, deps);
  await listening.start();
  return { origin: listening.origin, events: listening.events() };
};

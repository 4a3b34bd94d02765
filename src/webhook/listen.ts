import { memo } from '../core/async.ts';
import { interrupted, PayError, reasonOf, signalWord, usageError } from '../core/error.ts';
import { type Clock, withTimeout } from '../core/io.ts';
import { shellLine } from '../core/shell.ts';
import { DAY_MS, SECOND_MS } from '../core/time.ts';
import { DOUBLE_CHARGE, isWanted } from '../core/webhook-event.ts';
import { holdLock } from '../database/open.ts';
import { consume, type Exec, execute, type LedgerConsumer, openPrintCursor } from './consumers.ts';
import { type DeliveryTarget, openNotifier, retryUntilWritten } from './deliver.ts';
import { type KeptEvent, OTHER_BODY, type Secrets, verifiedDelivery } from './event.ts';
import { forward, forwardOnce } from './forward.ts';
import { consumerLockPath, holdQueue, type Queue } from './queue.ts';
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
  readonly ledger: LedgerConsumer | undefined;
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
const deliveryHandler = (
  queue: Queue,
  options: ListenOptions,
  deps: ListenDeps,
  steady: () => number,
  kept: () => void,
): OnDelivery => {
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
    const at = clock.now();
    const read = verifiedDelivery(secrets, { headers, body, receivedAt: at });
    if ('problem' in read) {
      if (maySay()) say(`refused a delivery (401): ${read.problem}`);
      const part = body.subarray(0, REFUSED_BODY);
      const refused = { at, why: read.problem, delivery: read.delivery, size: body.byteLength, body: part };
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
    kept();
    return { kept: delivery.uid };
  };
};

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

/** Listens on a port; stores, prints and forwards events. */
export const openListening = async (options: ListenOptions, deps: ListenDeps) => {
  const { folder, only, until, exec, target, ledger } = options;
  const { clock, random, stop, say } = deps;
  const held = holdQueue(folder, deps.uid);
  if (held === undefined) {
    throw usageError('another `paycli webhook listen` is running on this machine', {
      hint: 'stop it, or set PAYCLI_HOME to another folder',
    });
  }
  const { queue, release } = held;
  const offset = clock.now() - clock.ticks();
  const steady = (): number => Math.floor(clock.ticks() + offset);
  const [toPrint, toForward, toRecord] = [openNotifier(clock), openNotifier(clock), openNotifier(clock)];
  // `finish` stops new forwarding; `abandon` then aborts the requests in progress.
  const [finish, abandon] = [new AbortController(), new AbortController()];
  let failure: PayError | undefined;
  const callAll = (): void => {
    for (const notifier of [toPrint, toForward, toRecord]) notifier.call();
  };
  stop.addEventListener('abort', callAll, { once: true });

  const receiver = await receive(
    options.port,
    options.host,
    deliveryHandler(queue, options, deps, steady, callAll),
  ).catch((thrown: unknown) => {
    queue.close();
    release();
    throw thrown;
  });
  // At the first signal, also while a command of --exec or the output holds up the end.
  const close = memo(() => receiver.close());
  stop.addEventListener('abort', close, { once: true });
  if (stop.aborted) close();
  if (target !== undefined) await queue.set('target', target.url.href);
  const forwarder =
    target &&
    forward(
      queue,
      toForward,
      { clock, steady, random, say, send: (event) => forwardOnce(target, event, abandon.signal) },
      finish.signal,
    );
  const releaseLedger = ledger && holdLock(consumerLockPath(folder, ledger.service));
  const consumer =
    ledger &&
    consume(queue, toRecord, { clock, random, say, ledger, failed: (found) => (failure ??= found) }, finish.signal);

  const prune = async (): Promise<void> => {
    while (!finish.signal.aborted) {
      // A failed pruning is repeated the next day.
      await queue.prune(clock.now() - options.keepDays * DAY_MS, finish.signal).catch(() => undefined);
      await clock.sleep(DAY_MS, finish.signal).catch(() => undefined);
    }
  };
  const pruning = prune();

  const end = async (): Promise<void> => {
    await close();
    if (!stop.aborted) await withTimeout(Promise.all([forwarder?.quiet(), consumer?.quiet()]), 30 * SECOND_MS, clock);
    finish.abort();
    callAll();
    await withTimeout(Promise.all([forwarder?.ended, consumer?.ended]), END_MS, clock);
    abandon.abort();
    await forwarder?.ended;
    await pruning;
    queue.close();
    releaseLedger?.();
    release();
  };

  /** Adds the findings about events, for those where it waits for them. */
  const withFields = (some: readonly KeptEvent[]): Promise<readonly PrintedEvent[]> =>
    Promise.all(
      some.map(async (event) => {
        if (consumer === undefined || event.event !== DOUBLE_CHARGE) return event;
        const fields = await withTimeout(consumer.findings(event), SERVICE_READ_LIMIT_MS, clock);
        return fields === undefined ? event : { ...event, fields };
      }),
    );

  const isShown = ({ event, again }: KeptEvent): boolean =>
    (again !== OTHER_BODY || options.duplicates) && (only.length === 0 || isWanted(event, only));

  async function* events(): AsyncGenerator<readonly KeptEvent[]> {
    const cursor = openPrintCursor(queue);
    let [count, isOver] = [0, false];
    try {
      const doubtful = cursor.doubtful();
      for (const { uid } of doubtful) {
        const show = shellLine(['paycli', 'webhook', 'events', 'show', uid]);
        await say(`${uid} may not have been printed: paycli was killed at that moment. See: ${show}`);
      }
      // Stored after the notices: a crash in between repeats them, and never loses them.
      const named = doubtful.at(-1);
      if (named !== undefined) await retryUntilWritten(() => cursor.note('printed', named), deps, stop);
      while (!isOver && !stop.aborted) {
        // With --exec, one event at a time: a crash leaves at most one command in doubt.
        const found = cursor.next(exec === undefined ? undefined : 1);
        const reached = countAtEnd(until, found, isShown, count);
        const some = found.slice(0, reached);
        const last = some.at(-1);
        if (last === undefined) {
          await toPrint.wait();
          continue;
        }
        const wanted = some.filter(isShown);
        // While the disk is full nothing is printed: it would be printed again.
        if (!(await retryUntilWritten(() => cursor.note('printing', last), deps, stop))) break;
        for (const event of wanted) {
          const failed = exec && (await execute(exec, event, deps));
          if (failed !== undefined) await say(`--exec failed for ${event.uid}: ${failed.why}`);
        }
        if (wanted.length > 0) yield await withFields(wanted);
        await retryUntilWritten(() => cursor.note('printed', last), deps, stop);
        count += wanted.length;
        isOver = reached !== undefined;
      }
    } finally {
      await end();
    }
    if (failure !== undefined) throw failure;
    if (isOver) return;
    const { exitCode = 130 } = interrupted(stop.reason).detail;
    const what = `stopped by ${signalWord(stop.reason)}; every acknowledged event is stored`;
    throw new PayError('interrupted', what, { exitCode });
  }

  return {
    /** `http://127.0.0.1:PORT` */
    origin: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${receiver.port}`,
    /**
     * New events, without those that were printed before. Ends when `until` is reached and rejects at a signal; either
     * way only after deliveries in progress are stored and answered.
     */
    events: events(),
  };
};

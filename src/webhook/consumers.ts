import type { ChildProcess } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { attempt, backoff, isDoneOrLeft } from '../core/async.ts';
import { textAt } from '../core/charge.ts';
import { type PayError, reasonOf } from '../core/error.ts';
import { makeNameless, startProgram } from '../core/files.ts';
import { type Clock, type Env, withTimeout } from '../core/io.ts';
import { parseIfJson } from '../core/json.ts';
import { MINUTE_MS } from '../core/time.ts';
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

/** The command to run for each event. */
export interface Exec {
  /** The program's path and its arguments. */
  readonly words: readonly string[];
  /** The environment, without any secret. */
  readonly env: Env;
  /** Opens the printer of one of its streams, which gets the text in pieces, and at the end none. */
  readonly openPrint: () => (text?: string) => Promise<void>;
  /** Sends a signal to a process group; undefined on a system without groups. */
  readonly signalGroup: ((pid: number, name: NodeJS.Signals) => void) | undefined;
}

interface ExecDeps {
  readonly clock: Pick<Clock, 'sleep'>;
  /** Aborted by the first and the second signal. */
  readonly stop: AbortSignal;
  readonly leave: AbortSignal;
}

/** The time limit of a command, and its limit once the run is to end, in milliseconds. */
const [LIMIT_MS, STOP_MS] = [5 * MINUTE_MS, 3000];
/** Milliseconds between SIGTERM and SIGKILL. */
const KILL_MS = 2000;

const signalTo = (child: ChildProcess, { signalGroup }: Exec, name: NodeJS.Signals): void => {
  const { pid } = child;
  if (pid === undefined || signalGroup === undefined) child.kill(name);
  else attempt(() => signalGroup(pid, name));
};

/** Resolves when the command has ended, or must be ended. */
const patience = async (ended: Promise<unknown>, { clock, stop, leave }: ExecDeps): Promise<void> => {
  const over = new AbortController();
  const aborted = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { signal: over.signal });
    });
  await withTimeout(Promise.race([ended, aborted(stop)]), LIMIT_MS, clock);
  if (stop.aborted) await withTimeout(Promise.race([ended, aborted(leave)]), STOP_MS, clock);
  over.abort();
};

/** Milliseconds that the stream of a command that has exited may be silent: a child of it may hold it open. */
const SILENT_MS = 1000;

/**
 * Passes on a stream. Reads more only when what came is printed, so that a command can't fill the memory; after the
 * second signal, waits for nobody. Closes it if it is silent once the command has `exited`.
 */
const passStream = async (
  stream: Readable,
  { openPrint }: Exec,
  deps: ExecDeps,
  exited: Promise<void>,
): Promise<void> => {
  const { clock, leave } = deps;
  const print = openPrint();
  const pieces: AsyncIterator<string> = stream.setEncoding('utf8')[Symbol.asyncIterator]();
  try {
    for (let isDone = false; !isDone; ) {
      const read = new AbortController();
      const silent = exited.then(() => clock.sleep(SILENT_MS, read.signal));
      const piece = await Promise.race([pieces.next(), silent]);
      read.abort();
      isDone = !piece || piece.done === true;
      if (piece && !isDone && !(await isDoneOrLeft(print(piece.value), leave))) return void stream.destroy();
    }
  } catch {
    // It was destroyed with its command.
  }
  stream.destroy();
  await isDoneOrLeft(print(), leave);
};

/** Ends the command with SIGTERM, and with SIGKILL if it does not exit. */
const end = async (child: ChildProcess, ended: Promise<unknown>, exec: Exec, { clock }: ExecDeps): Promise<void> => {
  signalTo(child, exec, 'SIGTERM');
  await withTimeout(ended, KILL_MS, clock);
  signalTo(child, exec, 'SIGKILL');
  // A child that left the group may still hold the streams open.
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
};

/** Failure of a command. `isKilled`: it may have done its work before it was ended. */
export interface ExecFailure {
  readonly why: string;
  readonly isKilled?: boolean;
}

/**
 * Opens the input of a command: a nameless file with the body, which the command reads whole or does not start, also if
 * paycli is killed now. `folder` is one that the run writes to anyhow.
 */
export const openProgramInput = async (folder: string, body: Uint8Array): Promise<FileHandle> => {
  const file = await makeNameless(folder);
  try {
    const { bytesWritten } = await file.write(body, 0, body.length, 0);
    if (bytesWritten !== body.length) throw new Error(`no space left in ${folder}`);
    return file;
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
};

/**
 * Runs the command with the input, which it closes, until its output is passed on. Ends it at the time limit, and soon
 * after the first signal. Resolves to the reason of a failure. Never rejects.
 */
export const execute = async (exec: Exec, input: FileHandle, deps: ExecDeps): Promise<ExecFailure | undefined> => {
  const { promise: ended, resolve } = Promise.withResolvers<ExecFailure | undefined>();
  const notStarted = (thrown: unknown) => ({ why: `couldn't be started: ${reasonOf(thrown)}` });
  let child: ChildProcess;
  try {
    const stdio = [input.fd, 'pipe' as const, 'pipe' as const];
    const env = exec.env as NodeJS.ProcessEnv;
    // It leads a process group of its own, so that its children end with it.
    child = startProgram(exec.words, { env, detached: exec.signalGroup !== undefined, stdio });
  } catch (thrown) {
    return notStarted(thrown);
  } finally {
    // Not awaited: the command may end before.
    void input.close();
  }
  let isOver = false;
  const over = (failed: ExecFailure | undefined): void => {
    isOver = true;
    resolve(failed);
  };
  child.on('error', (thrown) => over(notStarted(thrown)));
  child.on('close', (code, signal) =>
    over(code === 0 ? undefined : { why: signal ?? `exit code ${code}`, isKilled: signal !== null }),
  );
  const exited = new Promise<void>((done) => void child.once('exit', () => done()));
  const printed = [child.stdout, child.stderr].map((stream) => stream && passStream(stream, exec, deps, exited));
  await patience(ended, deps);
  // A command that has exited said its own code; a child of it may hold the streams open.
  const isKilled = !isOver && child.exitCode === null;
  const isLate = isKilled && !deps.stop.aborted;
  if (!isOver) await end(child, ended, exec, deps);
  const failed = await ended;
  await Promise.all(printed);
  if (isLate) return { why: `took longer than ${LIMIT_MS / MINUTE_MS} minutes and was ended`, isKilled };
  return failed && { ...failed, isKilled: failed.isKilled || isKilled };
};

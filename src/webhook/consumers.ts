import { type ChildProcess, spawn } from 'node:child_process';
import { attempt, backoff } from '../core/async.ts';
import { type PayError, reasonOf } from '../core/error.ts';
import { type Clock, type Env, withTimeout } from '../core/io.ts';
import type { Notifier } from './deliver.ts';
import type { KeptEvent } from './event.ts';
import type { Queue } from './queue.ts';

/** An event, as far as it is news: it says of what, and nothing more of it is believed. */
export type ConsumedEvent = Pick<KeptEvent, 'seq' | 'uid' | 'event' | 'activity'>;

/** What came of telling the ledger of events. */
export interface ConsumerResult {
  /** Lines for people. */
  readonly said?: readonly string[];
  /** What is printed with an event, by its uid. */
  readonly fields?: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** What the run ends with, whenever that is; of several the first. */
  readonly failure?: PayError;
}

/** Who is told of what is kept. */
export interface LedgerConsumer {
  /** The service whose events these are. */
  readonly service: string;
  /**
   * Is handed the events about one payment request, all that have come since it was asked last, at least once: again after a
   * kill, and again, later, where it rejects; so it must not mind a repeat.
   */
  readonly tell: (ugwo: string, events: readonly ConsumedEvent[]) => Promise<ConsumerResult | undefined>;
}

/** Between two tries, in milliseconds. */
const RANGE = { base: 1000, cap: 300_000 };
/** So long the events about one payment request are gathered, which often come together: one look is enough for all. */
const GATHERED_MS = 200;
/** Payment requests that are looked at side by side. */
const LANES_AT_ONCE = 4;
/** So many events are taken from the queue before the first of them is done with. */
const MOST_OPEN = 1000;
const AT_ONCE = 50;

/** What handing on the news needs of the world. */
interface ConsumerDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly news: LedgerConsumer;
  /** Resolves when it is written. */
  readonly say: (text: string) => Promise<void>;
  readonly failed: (failure: PayError) => void;
}

/** The events about one payment request that nobody was told of yet. */
interface Lane {
  events: ConsumedEvent[];
  tries: number;
  /** By the clock that nobody sets. */
  due: number;
  busy: boolean;
}

/** The events that nobody was told of, by payment request. `due` is by the clock that nobody sets. */
const openLanes = (clock: Pick<Clock, 'ticks'>) => {
  const lanes = new Map<string, Lane>();
  return {
    add: (ugwo: string, event: ConsumedEvent): void => {
      const lane = lanes.get(ugwo) ?? { events: [], tries: 0, due: clock.ticks() + GATHERED_MS, busy: false };
      lane.events.push(event);
      lanes.set(ugwo, lane);
    },
    drop: (ugwo: string): void => void lanes.delete(ugwo),
    /** Those that nobody is at, the first in turn first, and how many more may be begun. */
    idle: () => {
      const all = [...lanes].sort(([, a], [, b]) => a.due - b.due);
      const idle = all.filter(([, { busy }]) => !busy);
      return { idle, room: LANES_AT_ONCE - (all.length - idle.length) };
    },
    /** Whether each of them was tried, and failed. */
    isTried: (ugwo?: string): boolean =>
      [...lanes].every(([name, { tries, busy }]) => (ugwo !== undefined && name !== ugwo) || (tries > 0 && !busy)),
  };
};

/**
 * Hands what has come on to `news`, until `stop`, at which `wake` is called too. How far it has come is kept: up to the first
 * event that is not done with.
 */
export const consume = (queue: Queue, wake: Notifier, world: ConsumerDeps, stop: AbortSignal) => {
  const { clock, random, news, say, failed } = world;
  const lanes = openLanes(clock);
  /** The places of events that are not done with, in their order. */
  const open = new Set<number>();
  const fields = new Map<string, Readonly<Record<string, unknown>>>();
  /** What is waited for, and what is called once that has come. */
  const waiting = new Map<() => boolean, () => void>();
  const busy = new Set<Promise<void>>();
  // What was found of an event that was not told went with the process: it is asked for again.
  let read = Math.min(queue.place('news'), queue.place('told'));
  let kept = read;

  /** Takes what has come from the queue. */
  const pull = (): void => {
    for (let more = true; more && open.size < MOST_OPEN; ) {
      const events = queue.behind(read, AT_ONCE);
      for (const { seq, uid, event, activity, ugwo } of events) {
        read = seq;
        if (ugwo === undefined) continue;
        lanes.add(ugwo, { seq, uid, event, activity });
        open.add(seq);
      }
      more = events.length > 0;
    }
  };

  const tell = async (ugwo: string, lane: Lane): Promise<void> => {
    const { events } = lane;
    lane.events = [];
    try {
      const result = await news.tell(ugwo, events);
      for (const line of result?.said ?? []) await say(line);
      for (const [uid, some] of result?.fields ?? []) fields.set(uid, some);
      if (result?.failure !== undefined) failed(result.failure);
      for (const { seq } of events) open.delete(seq);
      [lane.tries, lane.due] = [0, clock.ticks() + GATHERED_MS];
    } catch (thrown) {
      lane.events = [...events, ...lane.events];
      if (lane.tries === 0 && !stop.aborted) await say(`couldn't check ${ugwo} yet, trying again: ${reasonOf(thrown)}`);
      lane.due = clock.ticks() + backoff(lane.tries, random, RANGE);
      lane.tries += 1;
    }
    lane.busy = false;
    if (lane.events.length === 0) lanes.drop(ugwo);
  };

  /** What can't be kept is told of once more after a restart, which does no harm. */
  const keepPlace = async (): Promise<void> => {
    const [first] = open;
    const place = first === undefined ? read : first - 1;
    if (place === kept) return;
    kept = place;
    await queue.setPlace('news', place).catch(() => undefined);
  };

  /** Begins what can be, and says how long nothing more can; undefined until something happens. */
  const step = (): number | undefined => {
    const now = clock.ticks();
    const { idle, room } = lanes.idle();
    for (const [ugwo, lane] of idle.slice(0, room)) {
      if (lane.due > now) return lane.due - now;
      lane.busy = true;
      const one = tell(ugwo, lane).finally(() => {
        busy.delete(one);
        wake.call();
      });
      busy.add(one);
    }
    return undefined;
  };

  const run = async (): Promise<void> => {
    while (!stop.aborted) {
      pull();
      const wait = step();
      await keepPlace();
      for (const [isOver, done] of waiting) if (isOver() && waiting.delete(isOver)) done();
      await wake.wait(wait);
    }
    await Promise.all(busy);
    await keepPlace();
    for (const done of waiting.values()) done();
  };
  const until = (isOver: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      waiting.set(isOver, resolve);
      wake.call();
    });

  return {
    /** Resolves once it has stopped, and what was under way has ended. */
    ended: run(),
    /** Resolves when of all that came somebody was told, or could not be. */
    quiet: (): Promise<void> => until(() => lanes.isTried()),
    /** Resolves when somebody was told of an event, or could not be, with what is printed with it. */
    heard: async ({ seq, uid, ugwo }: KeptEvent) => {
      await until(() => read >= seq && (!open.has(seq) || lanes.isTried(ugwo)));
      const found = fields.get(uid);
      fields.delete(uid);
      return found;
    },
  };
};

/** So many are read in one go. */
const PRINTED_AT_ONCE = 100;

/**
 * Events to be told, each once for good: it is noted before that they are about to be, and after that they were. Those that a
 * kill has caught in between are told no more, since they may have been.
 */
export const openPrintCursor = (queue: Queue) => {
  let told = queue.place('told');
  return {
    /** What a kill has caught: they are no next ones, and found again until they are noted as told. */
    doubtful: (): readonly KeptEvent[] => {
      const telling = queue.place('telling');
      const found: KeptEvent[] = [];
      while (told < telling) {
        const some = queue.behind(told, PRINTED_AT_ONCE).filter(({ seq }) => seq <= telling);
        found.push(...some);
        told = some.at(-1)?.seq ?? telling;
      }
      return found;
    },
    /** What comes next, at most so many; empty where nothing does. */
    next: (most = PRINTED_AT_ONCE): readonly KeptEvent[] => queue.behind(told, most),
    /** All up to this one are about to be told, or were. */
    note: async (what: 'telling' | 'told', { seq }: KeptEvent): Promise<void> => {
      await queue.setPlace(what, seq);
      if (what === 'told') told = seq;
    },
  };
};

/** A command that is run for each event. */
export interface Exec {
  /** The program's path, and its arguments. */
  readonly words: readonly string[];
  /** Without any secret. */
  readonly env: Env;
  /** What it prints, on whichever stream. */
  readonly print: (text: string) => Promise<void>;
  readonly say: (text: string) => Promise<void>;
  /** Sends a signal to all of a group; undefined on a system without groups. */
  readonly signalGroup: ((pid: number, name: NodeJS.Signals) => void) | undefined;
}

/** What running it needs of the world. */
interface ExecWorld {
  readonly clock: Pick<Clock, 'sleep'>;
  /** The first signal, and the second. */
  readonly stop: AbortSignal;
  readonly leave: AbortSignal;
}

const MINUTE_MS = 60_000;
/** So long a command may take, and so long once all is to end, in milliseconds. */
const [LIMIT_MS, STOP_MS] = [5 * MINUTE_MS, 3000];
/** Between the request to end and the kill. */
const KILL_MS = 2000;

const start = ({ words, env, signalGroup }: Exec): ChildProcess => {
  const [program = '', ...args] = words;
  // It leads a group of its own, so that what it has started ends with it.
  const options = {
    env: env as NodeJS.ProcessEnv,
    shell: false,
    windowsHide: true,
    detached: signalGroup !== undefined,
  };
  return spawn(program, args, { ...options, stdio: 'pipe' });
};

/** Ends a command with all that it has started, or asks it to end. */
const signalTo = (child: ChildProcess, { signalGroup }: Exec, name: NodeJS.Signals): void => {
  const { pid } = child;
  if (pid === undefined || signalGroup === undefined) child.kill(name);
  else attempt(() => signalGroup(pid, name));
};

/** Resolves when the command has ended, or is to be ended. */
const patience = async (ended: Promise<unknown>, { clock, stop, leave }: ExecWorld): Promise<void> => {
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

/** Ends the command: by a request, and where it does not heed that by a kill. */
const end = async (child: ChildProcess, ended: Promise<unknown>, exec: Exec, { clock }: ExecWorld): Promise<void> => {
  signalTo(child, exec, 'SIGTERM');
  await withTimeout(ended, KILL_MS, clock);
  signalTo(child, exec, 'SIGKILL');
  // Whoever left its group may still hold them.
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
};

/**
 * Runs the command with the event's body on its standard input, until what it printed is passed on. Ends it where it takes too
 * long, and soon after the first signal. Never rejects.
 */
export const execute = async (exec: Exec, { uid, body }: KeptEvent, world: ExecWorld): Promise<void> => {
  const { promise: ended, resolve } = Promise.withResolvers<string | undefined>();
  let child: ChildProcess;
  try {
    child = start(exec);
  } catch (thrown) {
    return await exec.say(`--exec couldn't be started for ${uid}: ${reasonOf(thrown)}`);
  }
  let isOver = false;
  const over = (failed: string | undefined): void => {
    isOver = true;
    resolve(failed);
  };
  child.on('error', (thrown) => over(`couldn't be started for ${uid}: ${reasonOf(thrown)}`));
  child.on('close', (code, signal) => {
    over(code === 0 ? undefined : `failed for ${uid}: ${signal ?? `exit code ${code}`}`);
  });
  let printed = Promise.resolve();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed = printed.then(() => exec.print(text));
    });
  }
  // One that reads nothing, or has ended, is no fault.
  child.stdin?.on('error', () => undefined).end(body);
  await patience(ended, world);
  const isLate = !isOver && !world.stop.aborted;
  if (!isOver) await end(child, ended, exec, world);
  const failed = await ended;
  await printed;
  if (isLate) await exec.say(`--exec took longer than ${LIMIT_MS / MINUTE_MS} minutes for ${uid} and was ended`);
  else if (failed !== undefined) await exec.say(`--exec ${failed}`);
};

import { setTimeout as wait } from 'node:timers/promises';
import { type Counting, type Fate, type Post, serveCounting } from './counting.ts';
import type { Traced } from './strace.ts';
import { chance, drawn } from './torture.ts';

export interface Size {
  readonly rows: number;
  readonly kills: number;
  readonly processes: number;
  readonly concurrency: number;
  /** An answer takes up to so many milliseconds. */
  readonly latency: number;
  /** Charges what can still be paid, too: then only its row keeps a row from being charged twice. */
  readonly again: boolean;
}

/** Kills fall before this share of the rows has been sent, so that there is one left to be killed. */
const LAST_KILL = 0.95;
/** When a POST has come, when an activity was made of it, when it was answered. */
const MOMENTS = 3;

/** What ends a process before its time, and says whether there was one. */
type Strike = (draw: number) => boolean;

/** A service whose POSTs now and then set off a kill. */
export const serveKilling = (size: Size, strike: Strike): Promise<Counting> => {
  const share = size.rows * LAST_KILL;
  const due = Array.from({ length: size.kills }, (_, number) => Math.ceil(share * chance(`kill ${number}`))).sort(
    (a, b) => a - b,
  );
  let posts = 0;
  const kill = (): void => {
    // All of them may have been killed a moment ago: then a later POST does it.
    if (!strike(drawn(`victim ${due.length}`))) due.unshift(posts);
  };
  const decide = ({ ugwo, nth }: Post): Fate => {
    posts += 1;
    const moment = (due[0] ?? Number.POSITIVE_INFINITY) <= posts ? drawn(`moment ${due.length}`) % MOMENTS : undefined;
    if (moment !== undefined) due.shift();
    if (moment === 0) kill();
    const before = wait(size.latency * chance(`latency ${ugwo} ${nth}`)).then(() => {
      if (moment === 1) kill();
      if (moment === 2) setImmediate(kill);
    });
    return { makes: true, answer: { status: 200 }, before };
  };
  return serveCounting(decide);
};

/** A place for one process at a time. */
export interface Slot {
  life: AbortController | undefined;
  kills: number;
}

export const killOne = (slots: readonly Slot[], draw: number): boolean => {
  const alive = slots.filter(({ life }) => life?.signal.aborted === false);
  const victim = alive[draw % alive.length];
  victim?.life?.abort();
  return victim !== undefined;
};

/** Starts a process in the place of each that was killed, until one comes to its own end. */
export const keepRunning = async (slot: Slot, start: (kill: AbortSignal) => Promise<Traced>): Promise<Traced> => {
  for (;;) {
    const life = new AbortController();
    slot.life = life;
    const ended = await start(life.signal);
    slot.life = undefined;
    if (ended.signal !== 'SIGKILL' || !life.signal.aborted) return ended;
    slot.kills += 1;
  }
};

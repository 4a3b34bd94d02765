import { setTimeout as wait } from 'node:timers/promises';
import { type Counting, type Fate, type Post, serveCounting } from './counting.ts';
import type { Traced } from './strace.ts';
import { chance, drawn } from './torture.ts';

export interface Size {
  readonly rows: number;
  readonly kills: number;
  readonly processes: number;
  readonly concurrency: number;
  /** The longest time of an answer, in milliseconds. */
  readonly latency: number;
  /** Also charges payment requests that can still be paid: then only the row prevents a second charge. */
  readonly again: boolean;
}

/** No kill after this share of the rows, so that there is a process left to kill. */
const LAST_KILL = 0.95;
/** A POST arrives, its activity is created, it is answered. */
const MOMENTS = 3;

/** Kills a process early, and returns whether there was one. */
type Strike = (draw: number) => boolean;

/** A service whose POSTs sometimes trigger a kill. */
export const serveKilling = (size: Size, strike: Strike): Promise<Counting> => {
  const share = size.rows * LAST_KILL;
  const due = Array.from({ length: size.kills }, (_, number) => Math.ceil(share * chance(`kill ${number}`))).sort(
    (a, b) => a - b,
  );
  let posts = 0;
  const kill = (): void => {
    // All of them may have just been killed: then a later POST triggers it.
    if (!strike(drawn(`victim ${due.length}`))) due.unshift(posts);
  };
  const decide = ({ ugwo, nth }: Post): Fate => {
    posts += 1;
    const isDue = (due[0] ?? Number.POSITIVE_INFINITY) <= posts;
    // The first kill hits for certain: while a POST has no answer, every process waits for its row.
    const drawnMoment = due.length === size.kills ? 0 : drawn(`moment ${due.length}`) % MOMENTS;
    const moment = isDue ? drawnMoment : undefined;
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

/** Replaces each killed process, until one exits on its own. */
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

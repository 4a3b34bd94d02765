import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, type Counting, type Fate, type Post, serveCounting } from './counting.ts';
import { chance } from './torture.ts';

/** How many of all POSTs meet with what, in [0, 1]; the rest are executed and answered. */
export interface Shares {
  /** Executed, and the connection is reset. */
  readonly lost?: number;
  /** Executed, and answered with a 5xx, of the service or of a gateway. */
  readonly broken?: number;
  /** Answered 429, with and without a Retry-After. */
  readonly slowDown?: number;
  /** Executed or not, and never answered. */
  readonly hung?: number;
  /** Not executed, and the connection is reset. */
  readonly dropped?: number;
  /** Refused in the service's own words. */
  readonly refused?: number;
}

export interface Faults {
  readonly shares: Shares;
  /** An answer takes up to so many milliseconds. */
  readonly latency?: number;
}

const RETRY_AFTERS = [undefined, undefined, 0, 1];

/** What is done to a POST of each kind; `draw` is its luck in what is left open. */
const KINDS: Readonly<Record<keyof Shares, (draw: number) => Fate>> = {
  lost: () => ({ makes: true, answer: 'reset' }),
  broken: (draw) => ({ makes: true, answer: { status: draw < 0.5 ? 500 : 502 } }),
  slowDown: (draw) => {
    const retryAfter = RETRY_AFTERS[Math.floor(draw * RETRY_AFTERS.length)];
    return { makes: false, answer: { status: 429, ...(retryAfter === undefined ? {} : { retryAfter }) } };
  },
  hung: (draw) => ({ makes: draw < 0.5, answer: 'silence' }),
  dropped: () => ({ makes: false, answer: 'reset' }),
  refused: () => ({ makes: false, answer: { status: 422 } }),
};

/** Whether who sent it can't know from such an answer if it was executed. */
export const saysNothing = (answer: Answer): boolean => typeof answer === 'string' || answer.status >= 500;

const kindOf = (shares: Shares, draw: number): keyof Shares | undefined => {
  let below = 0;
  for (const [kind, share] of Object.entries(shares)) {
    below += share;
    if (draw < below) return kind as keyof Shares;
  }
  return undefined;
};

const EXECUTE: Fate = { makes: true, answer: { status: 200 } };

/** What the seed has in store for a POST. */
const fateOf = ({ shares, latency = 0 }: Faults, { ugwo, nth }: Pick<Post, 'ugwo' | 'nth'>): Fate => {
  const name = `${ugwo} ${nth}`;
  const kind = kindOf(shares, chance(`${name} kind`));
  const fate = kind === undefined ? EXECUTE : KINDS[kind](chance(`${name} ${kind}`));
  return latency === 0 ? fate : { ...fate, before: wait(latency * chance(`${name} latency`)) };
};

/** A service with faults, the same ones in every run with one seed. */
export const serveFaults = (faults: Faults): Promise<Counting> => serveCounting((post) => fateOf(faults, post));

import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, type Counting, type Fate, type Post, serveCounting } from './counting.ts';
import { chance } from './torture.ts';

/** The shares in [0, 1] of POSTs that meet each fault; the rest is executed and answered. */
export interface Shares {
  /** Executed, and the connection is reset. */
  readonly lost?: number;
  /** Executed, and answered with a 5xx of the service or of a gateway. */
  readonly broken?: number;
  /** Answered with 429, with and without a Retry-After. */
  readonly slowDown?: number;
  /** Executed or not, and never answered. */
  readonly hung?: number;
  /** Not executed, and the connection is reset. */
  readonly dropped?: number;
  /** Rejected with the service's error document. */
  readonly refused?: number;
}

export interface Faults {
  readonly shares: Shares;
  /** The longest time of an answer, in milliseconds. */
  readonly latency?: number;
}

const RETRY_AFTERS = [undefined, undefined, 0, 1];

/** The fate of a POST of each kind; `draw` decides random details. */
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

/** Whether such an answer leaves open if the request was executed. */
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

/** The fate of a POST according to the seed. */
const fateOf = ({ shares, latency = 0 }: Faults, { ugwo, nth }: Pick<Post, 'ugwo' | 'nth'>): Fate => {
  const name = `${ugwo} ${nth}`;
  const kind = kindOf(shares, chance(`${name} kind`));
  const fate = kind === undefined ? EXECUTE : KINDS[kind](chance(`${name} ${kind}`));
  return latency === 0 ? fate : { ...fate, before: wait(latency * chance(`${name} latency`)) };
};

/** A service with faults that are the same in each run with one seed. */
export const serveFaults = (faults: Faults): Promise<Counting> => serveCounting((post) => fateOf(faults, post));

/** How long is waited for what, in milliseconds. */
export interface Limits {
  /** A connection, and the first words on it, each. */
  readonly connect: number;
  /** The end of a connection. */
  readonly close: number;
  /** The answer to a message that changes something. */
  readonly answer: number;
  /** The answer to one that only reads. */
  readonly read: number;
  /** The same where nobody has asked for it. */
  readonly glance: number;
  /** A lock that somebody keeps for longer is asked for again. */
  readonly lock: number;
  /** Who does nothing in a transaction for so long loses it. */
  readonly idle: number;
  /** For so long is tried what is to be sent, or kept. */
  readonly patience: number;
  /** The same for what was done, which is worth a longer wait. */
  readonly outcome: number;
}

export const LIMITS: Limits = {
  connect: 10_000,
  close: 1000,
  answer: 15_000,
  read: 20_000,
  glance: 2000,
  lock: 4000,
  idle: 10_000,
  patience: 20_000,
  outcome: 60_000,
};

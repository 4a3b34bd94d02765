import { type Wait, waitForPayments } from '../../charge/wait.ts';
import type { Client } from '../../client/client.ts';
import { memo } from '../../core/async.ts';
import type { PayError } from '../../core/error.ts';
import { withTimeout } from '../../core/io.ts';
import type { Charge } from '../../ledger/entry.ts';
import { Observer, type ObserverDeps } from '../observer.ts';

/** Maximum wait at the end for a check that is still running, in milliseconds. */
const LAST_LOOK_MS = 1000;

type FeedDeps = Omit<ObserverDeps, 'client' | 'stop'> & {
  readonly client: () => Promise<Client>;
  /** True while `webhook listen` on this machine records the service's events in the ledger. */
  readonly isListening: () => boolean;
  readonly notice: (line: string) => Promise<void>;
};

/**
 * Keeps the ledger up to date while charges are watched. Polls the service while no webhooks arrive on this machine:
 * often while things change, then more and more slowly. While webhooks arrive it reads only expired charges, since no
 * event may come for those.
 */
export class Feed {
  readonly #deps: FeedDeps;
  readonly #open: () => readonly Charge[];
  readonly #observer: () => Promise<Observer>;
  readonly #over = new AbortController();
  readonly #broken = new AbortController();
  readonly #wait: Wait;
  #isListening = false;
  #failing: PayError | undefined;
  #fault: unknown;
  #running: Promise<void> | undefined;

  /** `open` returns the open charges. */
  constructor(deps: FeedDeps, open: () => readonly Charge[]) {
    this.#deps = deps;
    this.#open = open;
    const stop = this.#over.signal;
    this.#observer = memo(async () => new Observer({ ...deps, client: await deps.client(), stop }));
    this.#wait = {
      pauses: [2000, 30_000],
      polls: 0,
      stop,
      read: () => this.#read(),
      isOver: () => false,
      until: () => Number.POSITIVE_INFINITY,
    };
  }

  /** Aborted once polling has failed for good. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  start(): void {
    this.#running ??= this.#poll();
  }

  /** Call after a change: shortens the pause before the next check. */
  onChange(): void {
    this.#wait.polls = 0;
  }

  /** Status line for people: the source of the changes, and the last error. Undefined once the feed has ended. */
  statusLine(): string | undefined {
    if (this.#over.signal.aborted) return undefined;
    const feed = this.#isListening ? 'updates by webhooks' : 'polling';
    const how = this.#failing === undefined ? feed : `couldn't check: ${this.#failing.message}; trying again`;
    return `${how}; Ctrl-C stops watching`;
  }

  /** Stops polling. Resolves to the error that broke it, if any. */
  async end(): Promise<unknown> {
    this.#over.abort('over');
    if (this.#running) await withTimeout(this.#running, LAST_LOOK_MS, this.#deps.io.clock);
    return this.#fault;
  }

  async #poll(): Promise<void> {
    this.#fault = await waitForPayments(this.#deps.io, this.#wait).catch((thrown: unknown) => thrown);
    if (this.#fault !== undefined) this.#broken.abort('broken');
  }

  async #read(): Promise<PayError | undefined> {
    const { isListening, notice } = this.#deps;
    const observer = await this.#observer();
    this.#isListening = isListening();
    const before = this.#failing;
    this.#failing = await (this.#isListening ? observer.lookAtOverdue(this.#open()) : observer.look(this.#open()));
    const isHeld = (failure: PayError | undefined): boolean => failure?.detail.retryAt !== undefined;
    if (isHeld(this.#failing) && !isHeld(before)) await notice(`Not checking: ${this.#failing?.message}.`);
    return this.#failing;
  }
}

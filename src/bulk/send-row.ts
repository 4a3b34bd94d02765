import { sendAnew } from '../charge/age.ts';
import type { ChargeRequest } from '../charge/request.ts';
import type { Client } from '../client/client.ts';
import { isTakenUp } from '../core/charge.ts';
import { EXIT_CODES, PayError, reasonOf } from '../core/error.ts';
import type { Entry } from '../ledger/entry.ts';
import type { Update, UpdateOutcome } from '../ledger/job.ts';
import type { PlannedRows } from '../ledger/ledger.ts';
import type { RowItem, RowJob, RowKind, RowSender, RowWork } from './kind.ts';
import type { RowSignals } from './pace.ts';
import { type RowEnd, rowEndOf } from './row-end.ts';

export interface RowAttempt {
  readonly row: NonNullable<ChargeRequest['row']>;
  /** Keeps the requests of the row to the pace of the run. */
  readonly client: Client;
  /** Number of earlier tries in this run. */
  readonly tries: number;
}

/** The client for one row: the next row may start when a write of this one is answered. */
const clientFor = (client: Client, { turn, slowDown, landed }: RowSignals): Client => {
  // A row whose read got too old while it waited for its turn reads again, and keeps the turn.
  let mine: Promise<void> | undefined;
  return client.paced({
    turn: () => (mine ??= turn()),
    slowDown: (ms) => {
      mine = undefined;
      slowDown(ms);
    },
    answered: (outcome) => {
      mine = undefined;
      if (outcome.certain === 'accepted') return landed(undefined);
      // A row keeps its place until it is sent anew.
      if (outcome.error.detail.resendAfter !== undefined) return;
      const { state, stops } = rowEndOf(outcome.error, { started: true });
      // An unknown row is checked before it frees its place: if the next row were sent meanwhile, too many would be in
      // doubt.
      if (state !== 'unknown') landed(stops);
    },
  });
};

/** The result of a row under the ledger's protocol. */
type Done =
  | {
      readonly kind: 'made';
      readonly end: RowEnd;
      /** Oddities to report, a sentence each. */
      readonly odd: readonly string[];
      /** The failure to write the result to the ledger. */
      readonly unrecorded?: PayError | undefined;
    }
  /** An earlier attempt has done the row. */
  | { readonly kind: 'kept'; readonly entry: Entry };

/** Rows that must never be sent twice. */
export interface Protected<T> {
  /** The report column for the ledger id. */
  readonly idColumn: string;
  /**
   * Judges rows as `once` would start them, and sends nothing (--dry-run). Resolves to the entry of an earlier attempt
   * that has done the row; throws a refusal. Adds a row that would be sent to the plan.
   */
  readonly judge?: (
    planned: PlannedRows,
  ) => (item: T, attempt: Pick<RowAttempt, 'row' | 'client'>) => Promise<Entry | undefined>;
  /**
   * Returns what reads for a row ahead of its turn; undefined if rows need no read before they are sent. The read is
   * kept for `once`, with its error.
   */
  readonly openReadAhead?: () => ((item: T, client: Client) => Promise<void>) | undefined;
  /** Sends one row under the ledger's protocol, like a single command. Throws the guard's refusal. */
  readonly once: (item: T, attempt: RowAttempt) => Promise<Done>;
  /**
   * Checks an unknown row once against the service and returns its updated entry; undefined if the service offers no
   * way to check.
   */
  readonly settle?: (id: string) => Promise<Entry | undefined>;
  /** Converts a ledger entry to the result of its row. */
  readonly kept: (entry: Entry) => RowEnd;
}

/** Sends rows under the ledger's protocol, each like a single command. */
export class ProtectedRows<T> implements RowSender<T> {
  readonly kind = 'charge';
  readonly judge: RowSender<T>['judge'];
  readonly #rows: Protected<T>;
  readonly #job: RowJob<T>;

  constructor(rows: Protected<T>, job: RowJob<T>) {
    this.#rows = rows;
    this.#job = job;
    const { judge } = rows;
    this.judge = judge && ((planned) => this.#judging(judge(planned)));
  }

  readonly earlier: RowSender<T>['earlier'] = async (first, last) => {
    const { kept } = this.#rows;
    const entries = await this.#job.ledger.jobs.entries(this.#job.job, first, last);
    // Entries come in order of creation: the last entry of a row wins.
    return new Map(entries.map((entry) => [entry.row ?? 0, { ...kept(entry), about: entry.about }]));
  };

  readonly takesUp: RowSender<T>['takesUp'] = (end) => isTakenUp(end.state, this.#job.retry);

  readonly lease: RowSender<T>['lease'] = (slice) => this.#job.ledger.jobs.lease(this.#job.job, slice);

  readonly openReadAhead: NonNullable<RowSender<T>['openReadAhead']> = () => {
    const read = this.#rows.openReadAhead?.();
    return read && (({ item }, slowDown) => read(item, this.#job.client.paced({ slowDown })));
  };

  readonly send: RowWork<T> = async ({ item }, number, signals) => {
    const left: Pick<RowEnd, 'before'> = {};
    try {
      return await this.#attempt(item, this.#attemptOf(item, number, signals), left);
    } catch (thrown) {
      const id = thrown instanceof PayError ? thrown.detail.ledgerId : undefined;
      const end = { ...rowEndOf(this.#job.named(thrown, item)), ...left };
      if (id === undefined) return { ...end, fields: {} };
      return this.#settled({ ...end, fields: { [this.#rows.idColumn]: id } }, id);
    }
  };

  #attemptOf(item: T, number: number, signals: RowSignals): Pick<RowAttempt, 'row' | 'client'> {
    const { job, retry, client, named } = this.#job;
    const worded = (error: PayError): string | undefined => rowEndOf(named(error, item)).error;
    return { row: { job, number, retry, worded }, client: clientFor(client, signals) };
  }

  #judging(judge: ReturnType<NonNullable<Protected<T>['judge']>>): RowWork<T> {
    return async ({ item }, number, signals) => {
      try {
        const entry = await judge(item, this.#attemptOf(item, number, signals));
        return entry && { ...this.#rows.kept(entry), kept: 'elsewhere' };
      } catch (thrown) {
        return rowEndOf(this.#job.named(thrown, item));
      }
    };
  }

  /** `left` gets the state of the entry that an earlier try of this run has left. */
  async #attempt(
    item: T,
    attempt: Pick<RowAttempt, 'row' | 'client'>,
    left: { before?: RowEnd['state'] },
  ): Promise<RowEnd> {
    const { once, kept } = this.#rows;
    const { job, io, tellOnce } = this.#job;
    const done = await sendAnew(async (tries) => {
      try {
        return await once(item, { ...attempt, tries });
      } catch (thrown) {
        const { resendAfter, ledgerId } = thrown instanceof PayError ? thrown.detail : {};
        if (resendAfter !== undefined && ledgerId !== undefined) left.before = 'not_sent';
        throw thrown;
      }
    }, io);
    if (done.kind === 'kept') {
      return { ...kept(done.entry), ...left, kept: done.entry.job === job ? 'here' : 'elsewhere' };
    }
    const { end, odd, unrecorded } = done;
    if (odd[0] !== undefined) await tellOnce('odd', `note: row ${attempt.row.number}: ${odd[0]}`);
    if (unrecorded !== undefined) return { ...end, stops: unrecorded, unrecorded };
    io.flight.accepted -= 1;
    return end;
  }

  /** Checks an unknown row once against the service. Returns the result unchanged if that shows nothing. */
  async #settled(end: RowEnd, id: string): Promise<RowEnd> {
    const { settle, kept } = this.#rows;
    if (end.state !== 'unknown' || end.stops !== undefined || settle === undefined) return end;
    try {
      const entry = await settle(id);
      return entry?.state === 'accepted' ? kept(entry) : end;
    } catch (thrown) {
      if (!(thrown instanceof PayError)) throw thrown;
      return end;
    }
  }
}

const storedEnd = ({ state, exitCode, message }: Update): RowEnd => ({ state, exitCode, error: message });

const isUnknownEnd = ({ state }: Pick<RowEnd, 'state'>): boolean => state === 'unknown';

/** Another process is sending the row. */
const SENT_ELSEWHERE: RowEnd = { state: 'sending' };
const ACCEPTED: UpdateOutcome = { state: 'accepted', exitCode: 0 };
const SEEN: UpdateOutcome = { ...ACCEPTED, message: 'seen in a read' };
const NOTHING: UpdateOutcome = { ...ACCEPTED, message: 'nothing to change' };

/**
 * The error for a result that could not be written to the ledger. The next run reads the row's object again, so nothing
 * is lost.
 */
const unnoted = (thrown: unknown): PayError =>
  new PayError('unrecorded', `couldn't save the result of a row in the ledger: ${reasonOf(thrown)}`, {
    hint: 'fix the ledger, then run the same command again: it checks rows whose result is unknown',
    cause: thrown,
  });

/** Rows that set absolute values. They are sent again if a read shows that nothing of them was applied. */
export interface Repeatable<T> extends Pick<RowKind<T>, 'request'> {
  /** True if the request depends on a read before it. */
  readonly readsFirst: (item: T) => boolean;
  /**
   * Reads the current state: `applied` if the row is in effect already; `item` is the rest to send, undefined if
   * nothing would change.
   */
  readonly look: (item: T) => Promise<{ readonly applied: boolean; readonly item: T | undefined }>;
}

/**
 * Sends rows of absolute values. A row is sent again only if nothing of it was sent, or if a read shows that it was not
 * applied (docs/protocol.md, Answers). A read that the request depends on comes before the row is started, so that a
 * failed read leaves no trace.
 */
export class RepeatableRows<T> implements RowSender<T> {
  readonly kind = 'update';
  readonly #rows: Repeatable<T>;
  readonly #job: RowJob<T>;

  constructor(rows: Repeatable<T>, job: RowJob<T>) {
    this.#rows = rows;
    this.#job = job;
  }

  readonly earlier: RowSender<T>['earlier'] = async (first, last) => {
    const updates = await this.#job.ledger.jobs.updates(this.#job.job, first, last);
    return new Map(updates.map((one) => [one.row, { ...storedEnd(one), about: one.onye }]));
  };

  readonly takesUp: RowSender<T>['takesUp'] = (end) => isUnknownEnd(end) || isTakenUp(end.state, this.#job.retry);

  readonly lease: RowSender<T>['lease'] = (slice) => this.#job.ledger.jobs.lease(this.#job.job, slice);

  readonly send: RowWork<T> = async (asked, row, signals) => {
    try {
      return await this.#update(asked, row, signals);
    } catch (thrown) {
      return rowEndOf(this.#job.named(thrown, asked.item));
    }
  };

  async #update({ key, item }: RowItem<T>, row: number, signals: RowSignals): Promise<RowEnd> {
    const { job, ledger } = this.#job;
    const reads = this.#rows.readsFirst(item);
    if (!reads && (await this.#begin(key, row, false))) return this.#write(item, item, row, signals);
    const [before] = await ledger.jobs.updates(job, row, row);
    const wasUnknown = before !== undefined && isUnknownEnd(before);
    if (!reads && !wasUnknown) return before === undefined ? SENT_ELSEWHERE : storedEnd(before);
    let looked: Awaited<ReturnType<Repeatable<T>['look']>>;
    try {
      looked = await this.#rows.look(item);
    } catch (thrown) {
      const end = rowEndOf(thrown);
      // A failed read proves nothing, whatever the service answered.
      return wasUnknown ? { ...end, state: 'unknown' } : end;
    }
    if (wasUnknown && looked.applied) return this.#settle(row, SEEN);
    if (!(await this.#begin(key, row, wasUnknown))) return SENT_ELSEWHERE;
    return looked.item === undefined ? this.#settle(row, NOTHING) : this.#write(looked.item, item, row, signals);
  }

  #begin(key: string, row: number, looked: boolean): Promise<boolean> {
    const { job, retry, client, ledger } = this.#job;
    return ledger.jobs.beginUpdate({ job, row, onye: key, bound: client.longestWrite }, { retry, looked });
  }

  /** `asked` is the whole item of the row, and `item` the part left to send. */
  async #write(item: T, asked: T, row: number, signals: RowSignals): Promise<RowEnd> {
    const { client, named, io } = this.#job;
    const { operation, input } = this.#rows.request(item);
    const outcome = await clientFor(client, signals).write(operation, input);
    if (outcome.certain !== 'accepted') {
      const end = rowEndOf(named(outcome.error, item), { started: true });
      const { exitCode = EXIT_CODES.unknown, error: message } = end;
      const noted = { state: outcome.certain, exitCode, ...(message === undefined ? {} : { message }) };
      return this.#seen(asked, row, await this.#settle(row, noted, end));
    }
    const noted = await this.#settle(row, ACCEPTED);
    if (noted.stops === undefined) io.flight.accepted -= 1;
    return noted;
  }

  async #settle(row: number, outcome: UpdateOutcome, end: RowEnd = { state: 'accepted' }): Promise<RowEnd> {
    const { job, ledger } = this.#job;
    try {
      await ledger.jobs.settleUpdate({ job, row }, outcome);
      return end;
    } catch (thrown) {
      const unrecorded = unnoted(thrown);
      return { ...end, stops: unrecorded, unrecorded };
    }
  }

  /** Reads an unknown row once: it is done if the read shows all of it. */
  async #seen(asked: T, row: number, end: RowEnd): Promise<RowEnd> {
    if (!isUnknownEnd(end) || end.stops !== undefined) return end;
    try {
      return (await this.#rows.look(asked)).applied ? await this.#settle(row, SEEN) : end;
    } catch (thrown) {
      if (!(thrown instanceof PayError)) throw thrown;
      return end;
    }
  }
}

import { sendAnew } from '../charge/charge.ts';
import type { Client } from '../client/client.ts';
import { isTakenUp } from '../core/charge.ts';
import { EXIT_CODES, PayError, reasonOf } from '../core/error.ts';
import type { Entry } from '../ledger/entry.ts';
import type { Update, UpdateOutcome } from '../ledger/job.ts';
import type { PlannedRows } from '../ledger/ledger.ts';
import type { RowItem, RowJob, RowKind, RowSender } from './kind.ts';
import type { RowSignals } from './pace.ts';
import { type RowEnd, rowEndOf } from './row-end.ts';

export interface RowAttempt {
  readonly row: { readonly job: string; readonly number: number; readonly retry: boolean };
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
      if (state !== 'unknown' || stops !== undefined) landed(stops);
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
export const protectedRows = <T>(
  { openReadAhead, judge, once, kept, settle, idColumn }: Protected<T>,
  { job, retry, client, ledger, named, io, tellOnce }: RowJob<T>,
): RowSender<T> => {
  const attempt = async (
    item: T,
    { row, client }: Pick<RowAttempt, 'row' | 'client'>,
    left: { before?: RowEnd['state'] },
  ): Promise<RowEnd> => {
    const done = await sendAnew(async (tries) => {
      try {
        return await once(item, { row, client, tries });
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
    if (odd[0] !== undefined) await tellOnce('odd', `note: row ${row.number}: ${odd[0]}`);
    if (unrecorded !== undefined) return { ...end, stops: unrecorded, unrecorded };
    io.flight.accepted -= 1;
    return end;
  };

  /** Checks an unknown row once against the service. Returns the result unchanged if that shows nothing. */
  const settled = async (end: RowEnd, id: string): Promise<RowEnd> => {
    if (end.state !== 'unknown' || end.stops !== undefined || settle === undefined) return end;
    try {
      const entry = await settle(id);
      return entry?.state === 'accepted' ? kept(entry) : end;
    } catch (thrown) {
      if (!(thrown instanceof PayError)) throw thrown;
      return end;
    }
  };

  return {
    kind: 'charge',
    // Entries come in order of creation: the last entry of a row wins.
    earlier: async (first, last) =>
      new Map(
        (await ledger.jobs.entries(job, first, last)).map((entry) => [
          entry.row ?? 0,
          { ...kept(entry), about: entry.about },
        ]),
      ),
    takesUp: (end) => isTakenUp(end.state, retry),
    lease: (slice) => ledger.jobs.lease(job, slice),
    openReadAhead: () => {
      const read = openReadAhead?.();
      return read && (({ item }, slowDown) => read(item, client.paced({ slowDown })));
    },
    judge:
      judge &&
      ((planned) => {
        const judged = judge(planned);
        return async ({ item }, number, signals) => {
          try {
            const entry = await judged(item, { row: { job, number, retry }, client: clientFor(client, signals) });
            return entry && { ...kept(entry), kept: 'elsewhere' };
          } catch (thrown) {
            return rowEndOf(named(thrown, item));
          }
        };
      }),
    send: async ({ item }, number, signals) => {
      const left: Parameters<typeof attempt>[2] = {};
      try {
        return await attempt(item, { row: { job, number, retry }, client: clientFor(client, signals) }, left);
      } catch (thrown) {
        const id = thrown instanceof PayError ? thrown.detail.ledgerId : undefined;
        const end = rowEndOf(named(thrown, item));
        return id === undefined ? { ...end, ...left, fields: {} } : settled({ ...end, fields: { [idColumn]: id } }, id);
      }
    },
  };
};

const kept = ({ state, exitCode, message }: Update): RowEnd => ({ state, exitCode, error: message });

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
 * Sends rows of absolute values. A row is sent again only if nothing of it was sent, or if a read shows that it
 * was not applied (charge-protocol, What proves that nothing was sent). A read that the request depends on comes before
 * the row is started, so that a failed read leaves no trace.
 */
export const repeatableRows = <T>(
  { request, readsFirst, look }: Repeatable<T>,
  { job, retry, client, ledger: { jobs }, named, io }: RowJob<T>,
): RowSender<T> => {
  const begin = (key: string, row: number, looked: boolean): Promise<boolean> =>
    jobs.beginUpdate({ job, row, onye: key, bound: client.longestWrite }, { retry, looked });

  const settle = async (row: number, outcome: UpdateOutcome, end: RowEnd = { state: 'accepted' }): Promise<RowEnd> => {
    try {
      await jobs.settleUpdate({ job, row }, outcome);
      return end;
    } catch (thrown) {
      const unrecorded = unnoted(thrown);
      return { ...end, stops: unrecorded, unrecorded };
    }
  };

  /** Reads an unknown row once: it is done if the read shows all of it. */
  const seen = async (asked: T, row: number, end: RowEnd): Promise<RowEnd> => {
    if (!isUnknownEnd(end) || end.stops !== undefined) return end;
    try {
      return (await look(asked)).applied ? await settle(row, SEEN) : end;
    } catch (thrown) {
      if (!(thrown instanceof PayError)) throw thrown;
      return end;
    }
  };

  /** `asked` is the whole item of the row, and `item` the part left to send. */
  const send = async (item: T, asked: T, row: number, signals: RowSignals): Promise<RowEnd> => {
    const { operation, input } = request(item);
    const outcome = await clientFor(client, signals).write(operation, input);
    if (outcome.certain !== 'accepted') {
      const end = rowEndOf(named(outcome.error, item), { started: true });
      const { exitCode = EXIT_CODES.unknown, error: message } = end;
      const noted = { state: outcome.certain, exitCode, ...(message === undefined ? {} : { message }) };
      return seen(asked, row, await settle(row, noted, end));
    }
    const noted = await settle(row, ACCEPTED);
    if (noted.stops === undefined) io.flight.accepted -= 1;
    return noted;
  };

  const update = async ({ key, item }: RowItem<T>, row: number, signals: RowSignals): Promise<RowEnd> => {
    const reads = readsFirst(item);
    if (!reads && (await begin(key, row, false))) return send(item, item, row, signals);
    const [before] = await jobs.updates(job, row, row);
    const wasUnknown = before !== undefined && isUnknownEnd(before);
    if (!reads && !wasUnknown) return before === undefined ? SENT_ELSEWHERE : kept(before);
    let looked: Awaited<ReturnType<typeof look>>;
    try {
      looked = await look(item);
    } catch (thrown) {
      const end = rowEndOf(thrown);
      // A failed read proves nothing, whatever the service answered.
      return wasUnknown && end.untouched !== true ? { ...end, state: 'unknown' } : end;
    }
    if (wasUnknown && looked.applied) return settle(row, SEEN);
    if (!(await begin(key, row, wasUnknown))) return SENT_ELSEWHERE;
    return looked.item === undefined ? settle(row, NOTHING) : send(looked.item, item, row, signals);
  };

  return {
    kind: 'update',
    earlier: async (first, last) =>
      new Map((await jobs.updates(job, first, last)).map((one) => [one.row, { ...kept(one), about: one.onye }])),
    takesUp: (end) => isUnknownEnd(end) || isTakenUp(end.state, retry),
    lease: (slice) => jobs.lease(job, slice),
    send: async (asked, row, signals) => {
      try {
        return await update(asked, row, signals);
      } catch (thrown) {
        return rowEndOf(named(thrown, asked.item));
      }
    },
  };
};

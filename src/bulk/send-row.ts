import { isTakenUp } from '../core/charge.ts';
import { EXIT_CODES, PayError, reasonOf } from '../core/error.ts';
import type { Update, UpdateOutcome } from '../ledger/job.ts';
import type { PlannedRows } from '../ledger/ledger.ts';
import { sendAnew } from '../ledger/send.ts';
import type { FileRun, Protected, Repeatable, RowAttempt, RowDeps, RowKind } from './kind.ts';
import type { RowSignals } from './pace.ts';
import { endOf, type RowEnd } from './row-end.ts';
import type { RowItem, RowReader } from './rows.ts';
import type { JobRows, Walk } from './walk.ts';

/** Sends the rows of a job, each once over any number of runs. */
export interface RowSender<T> extends JobRows<T> {
  readonly send: Walk<T>['work'];
  /** Judges rows as `send` would start them, and adds those that it would send to the plan; undefined if it can't. */
  readonly judge?: (planned: PlannedRows) => Walk<T>['work'];
}

/** The job whose rows are sent. */
interface SendingJob {
  readonly job: string;
  /** --retry-failed. */
  readonly retry: boolean;
}

type SendingFor<T> = Pick<RowReader<T>, 'named'> & { readonly run: Pick<FileRun, 'io' | 'say'> };

/** Prints a notice once in a run, however many rows cause it. */
const tellingOnce = (say: FileRun['say']): RowAttempt['tellOnce'] => {
  const told = new Set<string>();
  return async (what, text) => {
    if (told.has(what)) return;
    told.add(what);
    await say(text);
  };
};

/** Sends rows under the ledger's protocol, each like a single command. */
export const protectedRows = <T>(
  { ahead, judge, once, kept, settle, idColumn }: Protected<T>,
  sending: SendingJob,
  rowDeps: RowDeps,
  { named, run: { io, say } }: SendingFor<T>,
): RowSender<T> => {
  const { ledger } = rowDeps;
  const { job, retry } = sending;
  const tellOnce = tellingOnce(say);

  const attempt = async (
    item: T,
    { row, signals }: Pick<RowAttempt, 'row' | 'signals'>,
    left: { before?: RowEnd['state'] },
  ): Promise<RowEnd> => {
    // A row whose read got too old while it waited for its turn reads again, and keeps the turn.
    let turn: Promise<void> | undefined;
    const own: RowSignals = { ...signals, turn: () => (turn ??= signals.turn()) };
    const judged: RowAttempt['judged'] = (error) => {
      turn = undefined;
      // A row keeps its place until it is sent anew.
      if (error instanceof PayError && error.detail.resendAfter !== undefined) {
        left.before = 'not_sent';
        return;
      }
      const end = error === undefined ? undefined : endOf(error, { begun: true });
      // An unknown row is checked before it frees its place: if the next row were sent meanwhile, too many would be in
      // doubt.
      if (end?.state !== 'unknown' || end.stops !== undefined) signals.landed(end?.stops);
    };
    const done = await sendAnew((tries) => once(item, { row, signals: own, tries, judged, tellOnce }, rowDeps), io);
    if (done.kind === 'kept') {
      return { ...kept(done.entry, rowDeps), ...left, kept: done.entry.job === job ? 'here' : 'elsewhere' };
    }
    const { end, odd, unrecorded } = done;
    if (odd[0] !== undefined) await tellOnce('odd', `note: row ${row.number}: ${odd[0]}`);
    if (unrecorded !== undefined) return { ...end, stops: unrecorded, unrecorded };
    io.flight.accepted -= 1;
    return end;
  };

  /** Checks an unknown row once against the service. Returns the result unchanged where that shows nothing. */
  const settled = async (end: RowEnd, id: string): Promise<RowEnd> => {
    if (end.state !== 'unknown' || end.stops !== undefined || settle === undefined) return end;
    try {
      const entry = await settle(id, rowDeps);
      return entry?.state === 'accepted' ? kept(entry, rowDeps) : end;
    } catch (thrown) {
      if (!(thrown instanceof PayError)) throw thrown;
      return end;
    }
  };

  return {
    // Entries come in order of creation: the last entry of a row wins.
    earlier: async (first, last) =>
      new Map((await ledger.jobs.entries(job, first, last)).map((entry) => [entry.row ?? 0, kept(entry, rowDeps)])),
    takesUp: (end) => isTakenUp(end.state, retry),
    lease: (slice) => ledger.jobs.lease(job, slice),
    openReadAhead: () => {
      const read = ahead?.();
      return read && (({ item }, slowDown) => read(item, { slowDown, tellOnce }, rowDeps));
    },
    ...(judge && {
      judge:
        (planned) =>
        async ({ item }, number, signals) => {
          try {
            const entry = await judge(item, { row: { job, number, retry }, signals, tellOnce }, rowDeps, planned);
            return entry && { ...kept(entry, rowDeps), kept: 'elsewhere' };
          } catch (thrown) {
            return endOf(named(thrown, item));
          }
        },
    }),
    send: async ({ item }, number, signals) => {
      const left: Parameters<typeof attempt>[2] = {};
      try {
        return await attempt(item, { row: { job, number, retry }, signals }, left);
      } catch (thrown) {
        const id = thrown instanceof PayError ? thrown.detail.ledgerId : undefined;
        const end = endOf(named(thrown, item));
        return id === undefined ? { ...end, ...left, fields: {} } : settled({ ...end, fields: { [idColumn]: id } }, id);
      }
    },
  };
};

const kept = ({ state, exitCode, message }: Update): RowEnd => ({ state, exitCode, error: message });

const isUnknown = ({ state }: Pick<RowEnd, 'state'>): boolean => state === 'unknown';

/** Another process is sending the row. */
const ELSEWHERE: RowEnd = { state: 'sending' };
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

/**
 * Sends rows of absolute values. A row is sent again only where nothing of it was sent, or where a read shows that it
 * was not applied (charge-protocol, What proves that nothing was sent). A read that the request depends on comes before
 * the row is started, so that a failed read leaves no trace.
 */
export const repeatableRows = <T>(
  { request, sending: { readsFirst, look } }: Pick<RowKind<T>, 'request'> & { readonly sending: Repeatable<T> },
  sending: SendingJob,
  { client, ledger: { jobs } }: RowDeps,
  { named, run: { io } }: SendingFor<T>,
): RowSender<T> => {
  const { job, retry } = sending;

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

  /** Reads an unknown row once: it is done where the read shows all of it. */
  const seen = async (asked: T, row: number, end: RowEnd): Promise<RowEnd> => {
    if (!isUnknown(end) || end.stops !== undefined) return end;
    try {
      return (await look(asked)).applied ? await settle(row, SEEN) : end;
    } catch (thrown) {
      if (!(thrown instanceof PayError)) throw thrown;
      return end;
    }
  };

  /** `asked` is the whole item of the row, and `item` the part left to send. */
  const send = async (item: T, asked: T, row: number, { slowDown, landed, turn }: RowSignals): Promise<RowEnd> => {
    const { operation, input } = request(item);
    const outcome = await client.write(operation, { ...input, slowDown, turn });
    if (outcome.certain !== 'accepted') {
      const end = endOf(named(outcome.error, item), { begun: true });
      if (!isUnknown(end)) landed(end.stops);
      const { exitCode = EXIT_CODES.unknown, error: message } = end;
      const noted = { state: outcome.certain, exitCode, ...(message === undefined ? {} : { message }) };
      return seen(asked, row, await settle(row, noted, end));
    }
    landed(undefined);
    const noted = await settle(row, ACCEPTED);
    if (noted.stops === undefined) io.flight.accepted -= 1;
    return noted;
  };

  const update = async ({ key, item }: RowItem<T>, row: number, signals: RowSignals): Promise<RowEnd> => {
    const reads = readsFirst(item);
    if (!reads && (await begin(key, row, false))) return send(item, item, row, signals);
    const [before] = await jobs.updates(job, row, row);
    const wasUnknown = before !== undefined && isUnknown(before);
    if (!reads && !wasUnknown) return before === undefined ? ELSEWHERE : kept(before);
    let looked: Awaited<ReturnType<typeof look>>;
    try {
      looked = await look(item);
    } catch (thrown) {
      const end = endOf(thrown);
      // A failed read proves nothing, whatever the service answered.
      return wasUnknown && end.untouched !== true ? { ...end, state: 'unknown' } : end;
    }
    if (wasUnknown && looked.applied) return settle(row, SEEN);
    if (!(await begin(key, row, wasUnknown))) return ELSEWHERE;
    return looked.item === undefined ? settle(row, NOTHING) : send(looked.item, item, row, signals);
  };

  return {
    earlier: async (first, last) =>
      new Map((await jobs.updates(job, first, last)).map((before) => [before.row, kept(before)])),
    takesUp: (end) => isUnknown(end) || isTakenUp(end.state, retry),
    lease: (slice) => jobs.lease(job, slice),
    send: async (asked, row, signals) => {
      try {
        return await update(asked, row, signals);
      } catch (thrown) {
        return endOf(named(thrown, asked.item));
      }
    },
  };
};

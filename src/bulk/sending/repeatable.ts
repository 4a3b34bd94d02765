import { PayError, reasonOf } from '../../core/error.ts';
import { EXIT_CODES } from '../../core/exit.ts';
import { provedBy } from '../../core/proved.ts';
import { isTakenUp } from '../../core/row.ts';
import type { Update, UpdateOutcome } from '../../ledger/job.ts';
import type { Repeatable, RowKind } from '../kind.ts';
import type { RowSignals } from '../pacing/run.ts';
import type { RowItem, RowReader } from '../reading/rows.ts';
import { endOf, type RowEnd } from '../row-end.ts';
import type { Doors, FileDeps } from '../world.ts';
import type { Sender, Sending } from './sender.ts';

const kept = ({ state, exitCode, message }: Update): RowEnd => ({ state, exitCode, error: message });

const isUnknown = ({ state }: Pick<RowEnd, 'state'>): boolean => state === 'unknown';

/** Another process has taken it up. */
const ELSEWHERE: RowEnd = { state: 'sending' };
const ACCEPTED: UpdateOutcome = { state: 'accepted', exitCode: 0 };
const SEEN: UpdateOutcome = { ...ACCEPTED, message: 'seen in a read' };
const NOTHING: UpdateOutcome = { ...ACCEPTED, message: 'nothing to change' };

/** What the ledger could not take; the next run looks at what the row is about, so that nothing is lost. */
const unnoted = (thrown: unknown): PayError =>
  new PayError('unrecorded', `couldn't save the result of a row in the ledger: ${reasonOf(thrown)}`, {
    hint: 'fix the ledger, then run the same command again: it checks rows whose result is unknown',
    cause: thrown,
  });

/**
 * Sends rows of absolute values: again only where nothing of them was sent, or where a read shows that they were not applied
 * (charge-protocol, What proves that nothing was sent). What depends on a read has it before the row is begun, so that one
 * that fails leaves no trace.
 */
export const repeatableRows = <T>(
  { request, sending: { readsFirst, look } }: Pick<RowKind<T>, 'request'> & { readonly sending: Repeatable<T> },
  sending: Sending,
  { client, ledger: { jobs } }: Doors,
  { named, io }: Pick<RowReader<T>, 'named'> & Pick<FileDeps, 'io'>,
): Sender<T> => {
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

  /** One look at what nobody knows the end of: it is done where the look shows all of it. */
  const seen = async (asked: T, row: number, end: RowEnd): Promise<RowEnd> => {
    if (!isUnknown(end) || end.stops !== undefined) return end;
    try {
      return (await look(asked)).applied ? await settle(row, SEEN) : end;
    } catch (thrown) {
      if (!(thrown instanceof PayError)) throw thrown;
      return end;
    }
  };

  /** `asked` is what the row asks for, of which `item` is what is left to be sent. */
  const send = async (item: T, asked: T, row: number, { slowDown, landed }: RowSignals): Promise<RowEnd> => {
    const { operation, input } = request(item);
    try {
      await client.call(operation, { ...input, slowDown });
    } catch (thrown) {
      const end = endOf(named(thrown, item), { begun: true });
      if (!isUnknown(end)) landed(end.stops);
      const { exitCode = EXIT_CODES.unknown, error: message } = end;
      const state = provedBy(thrown as PayError);
      return seen(
        asked,
        row,
        await settle(row, { state, exitCode, ...(message === undefined ? {} : { message }) }, end),
      );
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
      // A look that failed says nothing, whatever the service answered.
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

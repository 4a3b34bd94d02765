import { PayError } from '../../core/error.ts';
import { isTakenUp } from '../../core/row.ts';
import type { Attempt, Protected } from '../kind.ts';
import type { RowReader } from '../reading/rows.ts';
import { endOf, type RowEnd } from '../row-end.ts';
import type { Doors, FileDeps, JobWorld } from '../world.ts';
import type { Sender, Sending } from './sender.ts';

/** Sends rows under the ledger's protocol, each as one that is sent by itself. */
export const protectedRows = <T>(
  { once, kept, idColumn }: Protected<T>,
  sending: Sending,
  doors: Doors,
  { named, io, notice }: Pick<RowReader<T>, 'named'> & Pick<FileDeps, 'io'> & Pick<JobWorld, 'notice'>,
): Sender<T> => {
  const { ledger } = doors;
  const { job, retry } = sending;
  const told = new Set<string>();
  const tellOnce: Attempt['tellOnce'] = async (what, text) => {
    if (told.has(what)) return;
    told.add(what);
    await notice(text);
  };

  const attempt = async (item: T, { row, signals }: Pick<Attempt, 'row' | 'signals'>): Promise<RowEnd> => {
    const judged: Attempt['judged'] = (error) =>
      signals.landed(error === undefined ? undefined : endOf(error, { ...sending, begun: true }).stops);
    const done = await once(item, { row, signals, judged, tellOnce }, doors);
    if (done.kind === 'kept') {
      const end = kept(done.entry, doors);
      return done.entry.job === job ? end : { ...end, elsewhere: true };
    }
    const { end, odd, unrecorded } = done;
    if (odd[0] !== undefined) await tellOnce('odd', `note: row ${row.number}: ${odd[0]}`);
    if (unrecorded !== undefined) return { ...end, stops: unrecorded, unrecorded };
    io.flight.accepted -= 1;
    return end;
  };

  return {
    // In the order of creation: the last entry of a row is the one that counts.
    earlier: async (first, last) =>
      new Map((await ledger.jobs.entries(job, first, last)).map((entry) => [entry.row ?? 0, kept(entry, doors)])),
    takesUp: (end) => isTakenUp(end.state, retry),
    lease: (slice) => ledger.jobs.lease(job, slice),
    send: async ({ item }, number, signals) => {
      try {
        return await attempt(item, { row: { job, number, retry }, signals });
      } catch (thrown) {
        const id = thrown instanceof PayError ? thrown.detail.ledgerId : undefined;
        return { ...endOf(named(thrown, item), sending), fields: id === undefined ? {} : { [idColumn]: id } };
      }
    },
  };
};

import { PayError } from '../../core/error.ts';
import { isTakenUp } from '../../core/row.ts';
import type { Attempt, Protected } from '../kind.ts';
import type { RowReader } from '../reading/rows.ts';
import { endOf, type RowEnd } from '../row-end.ts';
import type { Doors, FileDeps, JobWorld } from '../world.ts';
import type { Sender, Sending } from './sender.ts';

/** Sends rows under the ledger's protocol, each as one that is sent by itself. */
export const protectedRows = <T>(
  { once, kept, settle, idColumn }: Protected<T>,
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
    const judged: Attempt['judged'] = (error) => {
      const end = error === undefined ? undefined : endOf(error, { begun: true });
      // What is unknown is looked at first: were the next row sent meanwhile, too many would be in doubt.
      if (end?.state !== 'unknown' || end.stops !== undefined) signals.landed(end?.stops);
    };
    const done = await once(item, { row, signals, judged, tellOnce }, doors);
    if (done.kind === 'kept') {
      return { ...kept(done.entry, doors), kept: done.entry.job === job ? 'here' : 'elsewhere' };
    }
    const { end, odd, unrecorded } = done;
    if (odd[0] !== undefined) await tellOnce('odd', `note: row ${row.number}: ${odd[0]}`);
    if (unrecorded !== undefined) return { ...end, stops: unrecorded, unrecorded };
    io.flight.accepted -= 1;
    return end;
  };

  /** How a row stands that was sent, after one look at what became of it where nobody knows; as it was where that says nothing. */
  const settled = async (end: RowEnd, id: string): Promise<RowEnd> => {
    if (end.state !== 'unknown' || end.stops !== undefined || settle === undefined) return end;
    try {
      const entry = await settle(id, doors);
      return entry?.state === 'accepted' ? kept(entry, doors) : end;
    } catch (thrown) {
      if (!(thrown instanceof PayError)) throw thrown;
      return end;
    }
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
        const end = endOf(named(thrown, item));
        return id === undefined ? { ...end, fields: {} } : settled({ ...end, fields: { [idColumn]: id } }, id);
      }
    },
  };
};

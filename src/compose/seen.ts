import type { Deps, SeenBefore } from '../commands/deps.ts';
import { SEEN_FILE_NAME } from '../core/data-files.ts';
import type { SeenRecords } from '../database/seen-records.ts';
import type { LedgerTarget } from '../ledger/entry.ts';
import type { Rooms, RunContext } from './run.ts';

const pathOf = async (rooms: Rooms): Promise<string> => `${(await rooms.folders()).data}/${SEEN_FILE_NAME}`;

const isSet = (text: string | undefined): boolean => text !== undefined && text !== '';

/**
 * False with CI or PAYCLI_NO_INDEX, since build machines are temporary or shared, and with --local, whose small data
 * needs no index.
 */
const isKept = ({ io: { env }, globals }: RunContext): boolean =>
  !globals.local && !isSet(env['CI']) && !isSet(env['PAYCLI_NO_INDEX']);

/** After the first failure, does nothing more. The index is not important enough to report or retry. */
const quietly = (records: SeenRecords, { service, workspace }: LedgerTarget): SeenBefore => {
  let failed = false;
  const tried = <T>(act: () => T, otherwise: T): T => {
    if (failed) return otherwise;
    try {
      return act();
    } catch {
      failed = true;
      return otherwise;
    }
  };
  const whereOf = (list: string, field: string): string => JSON.stringify([service, workspace ?? '', list, field]);
  return {
    note: (list, seen) =>
      tried(
        () => records.note(seen.map(({ field, ...trace }) => ({ where: whereOf(list, field), ...trace }))),
        undefined,
      ),
    find: (list, field, text) => tried(() => records.find(whereOf(list, field), text), []),
  };
};

/** Opens the search index of this machine. Undefined if this run must not, or can't, remember searches. */
export const openSeenBefore =
  (run: RunContext, rooms: Rooms, place: Deps['place']): Deps['seenBefore'] =>
  async () => {
    if (!isKept(run)) return undefined;
    const at = await place();
    try {
      const { openSeenRecords } = await import('../database/seen-records.ts');
      const records = openSeenRecords(await pathOf(rooms));
      run.closing.push(async () => records.close());
      return quietly(records, at);
    } catch {
      return undefined;
    }
  };

/** Removes the search index. */
export const forgetSeen =
  (rooms: Rooms): Deps['forgetSeen'] =>
  async () => {
    const { forgetSeenRecords } = await import('../database/seen-records.ts');
    const file = await pathOf(rooms);
    return { file, removed: forgetSeenRecords(file) };
  };

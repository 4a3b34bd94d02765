import type { Protected, RowKind } from '../bulk/kind.ts';
import type { RowEnd } from '../bulk/row-end.ts';
import type { Client } from '../client/client.ts';
import { PayError } from '../core/error.ts';
import { EXIT_CODES } from '../core/exit.ts';
import { machineValue } from '../core/medium.ts';
import { valueAt } from '../core/path.ts';
import { placeWords } from '../core/place-words.ts';
import type { Received } from '../core/received.ts';
import { shellLine } from '../core/shell.ts';
import type { Entry } from '../ledger/entry.ts';
import type { Deps } from './deps.ts';
import type { Find, Unique } from './taken.ts';
import { existing, openFind, uniqueIn } from './taken.ts';

/** How the rows of a file are made that must not be made twice, and are no charges. */
export interface Making<T> {
  readonly request: RowKind<T>['request'];
  /** What a row is about: while one is unknown, no other is sent. */
  readonly about: (item: T) => string;
  /** One that was made stands in the way of another, unless `again`. */
  readonly once?: boolean;
  readonly again?: boolean;
  /** Throws what keeps a row from being sent. */
  readonly look?: (item: T) => Promise<void>;
  /** A field by which what was made before is found and compared. */
  readonly unique?: Unique;
  /** Whether an answer says that nothing came of it, and its words. */
  readonly failure?: (value: unknown) => string | undefined;
  /** The column of the report for what was made. */
  readonly uidColumn: string;
}

/** The columns of the report. */
export const madeColumns = (uidColumn: string): readonly string[] => [uidColumn, 'status', 'entry'];

/** What to do about rows that are unknown: the service shows nobody but a person what became of them. */
export const findOutByHand = (globals: Deps['globals']): string =>
  `look for each unknown row at the service, then record what you found: \`${shellLine(['paycli', 'ledger', 'list', '--state', 'unknown', ...placeWords(globals)])}\` names them, \`paycli ledger resolve\` records it`;

/** What was last said of an entry; undefined where nothing was. */
export const lastWord = ({ evidence }: Entry): string | undefined => {
  const word = evidence.findLast(({ message, why }) => message !== undefined || why !== undefined);
  return word === undefined ? undefined : String(word['message'] ?? word['why']);
};

/** What has a unique field that is taken, where that is what a row asks for; else throws. */
const found = async (
  unique: Unique | undefined,
  body: Readonly<Record<string, unknown>>,
  thrown: unknown,
  find: Find,
): Promise<Received> => {
  const isTaken =
    unique !== undefined && thrown instanceof PayError && thrown.kind === 'rejected' && unique.isTaken(thrown);
  if (!isTaken || uniqueIn(unique, body) === undefined) throw thrown;
  try {
    return await existing(unique, body, thrown, find);
  } catch (other) {
    // The service's no stays one, whatever keeps us from looking.
    if (other instanceof PayError && other.kind === 'rejected') throw other;
    throw thrown.with({ hint: `what has this ${unique.word} couldn't be read; run again with --retry-failed` });
  }
};

/** Rows that are sent under the ledger's protocol, each once over any number of runs. */
export const rowsMade = <T>(
  { request, about, once = false, again = false, look, unique, failure, uidColumn }: Making<T>,
  client: Client,
  { io, globals }: Deps,
): Protected<T> => {
  const find: Find = unique === undefined ? async () => undefined : openFind(unique, client);
  const clean = (text: string): string => io.redactor.cleanAll(text);

  const madeNow = (value: unknown, entry: string): RowEnd => {
    const uid = machineValue(valueAt(value, 'uid'));
    const fields = { [uidColumn]: uid, status: machineValue(valueAt(value, 'status')), entry };
    const why = failure?.(value);
    if (why === undefined) return { state: 'accepted', exitCode: 0, fields };
    return { state: 'failed', exitCode: EXIT_CODES.charge_failed, fields, error: why };
  };

  return {
    kind: 'protected',
    idColumn: 'entry',
    once: async (item, { row, signals, judged, tellOnce }, { ledger, protocol, place }) => {
      const since = ledger.moment();
      await look?.(item);
      const { operation, input } = request(item);
      const send = async (overdue: () => boolean): Promise<Received> => {
        try {
          return await client.call(operation, { ...input, overdue, slowDown: signals.slowDown });
        } catch (thrown) {
          const record = await found(unique, input.body ?? {}, thrown, find);
          // It counts as an answer that is still to be told, as one of its own would.
          io.flight.accepted += 1;
          return record;
        }
      };
      const made = await protocol.makeRow(
        ledger,
        {
          ...client.check(operation, input),
          ...{ place, bound: client.longestWrite, attempt: client.longestAttempt, words: placeWords(globals) },
          ...{ about: about(item), once, again, row, since },
          isFailed: (value) => failure?.(value) !== undefined,
        },
        {
          ...{ now: io.clock.now, clean, judged, send },
          elsewhere: ({ id, origin }) =>
            tellOnce('elsewhere', `Row ${row.number}: there is an earlier one of the same at ${origin} (${id}).`),
        },
      );
      if (made.kind === 'kept') return made;
      const { record, id, unrecorded } = made;
      return { kind: 'made', end: madeNow(record.value, id), odd: [], unrecorded };
    },
    kept: (entry) => {
      const { id, state, exitCode, evidence } = entry;
      const made = evidence.findLast(({ uid }) => uid !== undefined);
      const fields = { entry: id, [uidColumn]: made?.['uid'], status: made?.['status'] };
      if (state === 'accepted' && exitCode === EXIT_CODES.charge_failed) {
        return { state: 'failed', exitCode, fields, error: lastWord(entry) };
      }
      if (state === 'accepted' || state === 'sending') return { state, exitCode, fields };
      return { state, exitCode, fields, error: lastWord(entry) ?? state.replaceAll('_', ' ') };
    },
  };
};

import type { Attempt } from '../../bulk/kind.ts';
import type { Doors } from '../../bulk/world.ts';
import type { PayError } from '../../core/error.ts';
import { placeWords } from '../../core/place-words.ts';
import type { Charged } from '../../ledger/charge.ts';
import type { Entry, Moment } from '../../ledger/entry.ts';
import type { Refused } from '../../ledger/ledger.ts';
import type { RequestSeen } from '../../ledger/request-seen.ts';
import type { Deps } from '../deps.ts';
import { showsNothingNew } from './charge-look.ts';

type Data = Readonly<Record<string, unknown>>;

/** A charge that is to be made, by itself or for a row of a file. */
export interface Once extends Partial<Pick<Attempt, 'row' | 'judged'>> {
  readonly ugwo: string;
  readonly data: Data;
  readonly again: boolean;
  /** What a look has shown, and when that was asked for. */
  readonly shown: RequestSeen | undefined;
  readonly since: Moment;
  /** Told of a charge at another origin; what it throws keeps this one from being sent. */
  readonly elsewhere: (charge: Entry) => Promise<void>;
  /** Told when nothing stands in the way. */
  readonly sends?: () => Promise<void>;
  readonly slowDown?: (ms: number) => void;
}

/** Charges once, under the ledger's protocol. */
export const chargeOnce = async (
  { elsewhere, judged, sends, slowDown, ...charge }: Once,
  doors: Doors,
  { io, globals }: Deps,
): Promise<Charged> => {
  const { client, ledger, protocol, place } = doors;
  const { clock, redactor } = io;
  const call = { params: { ugwoUid: charge.ugwo }, body: { type: 'charge', data: charge.data } };
  return protocol.chargeOnce(
    ledger,
    { ...charge, place, bound: client.longestWrite, attempt: client.longestAttempt, words: placeWords(globals) },
    {
      now: clock.now,
      elsewhere,
      clean: (text) => redactor.cleanAll(text),
      send: async (overdue) => {
        await sends?.();
        const isNothing = async (): Promise<boolean> =>
          !overdue() && (await showsNothingNew(charge.ugwo, charge.shown, doors, io));
        return client.call('ugwo.charge', {
          ...call,
          overdue,
          isNothing,
          ...(slowDown === undefined ? {} : { slowDown }),
        });
      },
      ...(judged === undefined ? {} : { judged }),
    },
  );
};

/** The guard's no, as an error. */
export const refusal = (refused: Refused, data: Data, { ledger, protocol }: Doors, { globals }: Deps): PayError => {
  const { by } = refused;
  const isSame = by !== undefined && protocol.asksTheSame(by, data, ledger.digest);
  return protocol.refusedError(refused, placeWords(globals), isSame);
};

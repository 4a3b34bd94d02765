import type { RowAttempt } from '../../bulk/kind.ts';
import type { Doors } from '../../bulk/world.ts';
import type { CallInput, Client } from '../../client/client.ts';
import type { Activity } from '../../contract/activity.ts';
import { PayError } from '../../core/error.ts';
import { targetFlags } from '../../core/input.ts';
import { valueAt } from '../../core/json.ts';
import { elementsOf } from '../../core/json-scan.ts';
import { formatMoney } from '../../core/money.ts';
import type { ApiRecord } from '../../core/record.ts';
import type { Entry, Moment } from '../../ledger/entry.ts';
import type { Refused } from '../../ledger/ledger.ts';
import type { Charged } from '../../ledger/send.ts';
import type { Snapshot } from '../../ledger/snapshot.ts';
import type { Deps } from '../deps.ts';

/** What a look at a payment request has shown before it is charged. */
export interface Looked {
  readonly shown: Snapshot;
  readonly record: ApiRecord;
}

/** A key that is not taken, and a payment request that is not there, are what they are; else the read failed. */
const failed = (ugwo: string, thrown: PayError): PayError => {
  const { message, detail } = thrown;
  const isNo = thrown.kind === 'auth' || detail.isMissing === true;
  return new PayError(isNo ? thrown.kind : 'read_failed', `${ugwo} was not charged: ${message}`, {
    ...detail,
    hint: (isNo || detail.retryAt !== undefined) && detail.hint !== undefined ? detail.hint : AGAIN,
    cause: thrown,
  });
};
const AGAIN = 'nothing was sent; run the same command again, or skip this check with --no-preflight';

/** An answer that is older than this, in milliseconds, is a cache's, and not how the payment request stands now. */
const MOST_AGE_MS = 1000;

/**
 * Looks at a payment request before it is charged (charge-protocol, step 0). Undefined where the service can't show it, and
 * `unseen` is told so. Throws where the read failed: `auth`, `interrupted`, else `read_failed`,
 * and `rejected` where the service says that it is not there; nothing was sent then.
 */
export const lookFirst = async (
  ugwo: string,
  client: Pick<Client, 'look'>,
  deps: Pick<Deps, 'protocol' | 'observe'>,
  unseen: (text: string) => Promise<void>,
  pace: Pick<CallInput, 'slowDown'> = {},
): Promise<Looked | undefined> => {
  try {
    const record = await client.look('ugwo.get', { params: { uid: ugwo }, ...pace }, { mustExist: true });
    if (record === undefined) {
      await unseen(`The service can't show ${ugwo}, so it was not checked before the charge.`);
      return undefined;
    }
    const { snapshotOf } = await deps.protocol();
    const shown = snapshotOf(record.value, record);
    if ((shown.age ?? 0) > MOST_AGE_MS) throw new PayError('read_failed', 'the answer came from a cache');
    if ((shown.activities ?? []).length > 0) await deps.observe(shown.activities ?? [], record, shown.asked);
    return { shown, record };
  } catch (thrown) {
    if (!(thrown instanceof PayError) || thrown.kind === 'interrupted') throw thrown;
    throw failed(ugwo, thrown);
  }
};

/** So long the service is left alone before the read that settles a 429: it is given to the second when an answer was made. */
const LEFT_ALONE_MS = 1100;

/**
 * Whether a read behind a charge shows no activity beside those that the look before it has shown. It takes no longer than one
 * attempt of the charge; false where it can't be told.
 */
const showsNothingNew = async (
  ugwo: string,
  before: Snapshot | undefined,
  { client, protocol }: Pick<Doors, 'client' | 'protocol'>,
  { clock, signals }: Deps['io'],
): Promise<boolean> => {
  if (before?.activities === undefined) return false;
  try {
    const until = AbortSignal.timeout(client.longestAttempt);
    await clock.sleep(LEFT_ALONE_MS, signals.stop);
    const record = await client.call('ugwo.get', { params: { uid: ugwo } }, until);
    const after = protocol.snapshotOf(record.value, record);
    return (after.age ?? 0) <= MOST_AGE_MS && protocol.showsTheSame(before, after);
  } catch {
    return false;
  }
};

/** What is about to be charged, in one line. */
export const aboutToCharge = (ugwo: string, { asked, description, email }: Snapshot): string => {
  const { amount, currency, ref, customer } = asked;
  const money = amount === undefined ? undefined : formatMoney(amount, currency ?? '');
  const parts = [money, ref, description, email ?? customer].filter((part) => part !== undefined);
  return `Charging ${ugwo}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
};

/** An activity of a look, with the text that it came as; undefined where the look does not show it. */
export const activityIn = ({ record, shown }: Looked, uid: string): ApiRecord<Activity> | undefined => {
  const index = (shown.activities ?? []).findIndex((activity) => valueAt(activity, 'uid') === uid);
  const text = index === -1 ? undefined : elementsOf(record.text, 'activities')[index];
  if (text === undefined) return undefined;
  const { servedAt } = record;
  const value = shown.activities?.[index] as Activity;
  return { value, text, ...(servedAt === undefined ? {} : { servedAt }) };
};

type Data = Readonly<Record<string, unknown>>;

/** A charge that is to be made, by itself or for a row of a file. */
interface ChargeOnce extends Partial<Pick<RowAttempt, 'row' | 'judged'>> {
  readonly ugwo: string;
  readonly data: Data;
  readonly again: boolean;
  /** What a look has shown, and when that was asked for. */
  readonly shown: Snapshot | undefined;
  readonly since: Moment;
  /** Told of a charge at another origin; what it throws keeps this one from being sent. */
  readonly elsewhere: (charge: Entry) => Promise<void>;
  /** Told when nothing stands in the way. */
  readonly sends?: () => Promise<void>;
  readonly slowDown?: (ms: number) => void;
}

/** Charges once, under the ledger's protocol. */
export const chargeOnce = async (
  { elsewhere, judged, sends, slowDown, ...charge }: ChargeOnce,
  doors: Doors,
  { io, globals }: Deps,
): Promise<Charged> => {
  const { client, ledger, protocol, place } = doors;
  const { clock, redactor } = io;
  const call = { params: { ugwoUid: charge.ugwo }, body: { type: 'charge', data: charge.data } };
  return protocol.chargeOnce(
    ledger,
    { ...charge, place, bound: client.longestWrite, attempt: client.longestAttempt, words: targetFlags(globals) },
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
  return protocol.refusedError(refused, targetFlags(globals), isSame);
};

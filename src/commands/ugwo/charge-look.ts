import type { RowAttempt } from '../../bulk/kind.ts';
import type { RowDeps } from '../../bulk/world.ts';
import type { CallInput, Client } from '../../client/client.ts';
import type { Activity } from '../../contract/activity.ts';
import { PayError } from '../../core/error.ts';
import { valueAt } from '../../core/json.ts';
import { elementsOf } from '../../core/json-scan.ts';
import { formatMoney } from '../../core/money.ts';
import type { ApiRecord } from '../../core/record.ts';
import type { Entry, Moment } from '../../ledger/entry.ts';
import type { Refused } from '../../ledger/ledger.ts';
import { asksTheSame } from '../../ledger/privacy.ts';
import { refusedError } from '../../ledger/refused.ts';
import { type Sent, sendOnce } from '../../ledger/send.ts';
import type { Snapshot } from '../../ledger/snapshot.ts';
import { showsTheSame, snapshotOf } from '../../ledger/snapshot.ts';
import type { Deps } from '../deps.ts';

/** The payment request as read before its charge. */
export interface Looked {
  readonly shown: Snapshot;
  readonly record: ApiRecord;
}

/**
 * Keeps the kind of the error for a rejected key and a missing payment request. Any other error becomes `read_failed`.
 */
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

/** Maximum age of an answer, in milliseconds. An older one comes from a cache and may not show the current state. */
const MOST_AGE_MS = 1000;

/**
 * Reads a payment request before its charge (charge-protocol, step 0). Resolves to undefined after calling `unseen` if
 * the service can't show it. Throws if the read failed: `auth`, `interrupted`, else `read_failed`, and `rejected` if
 * the service says that it does not exist. Nothing was sent in those cases.
 */
export const lookFirst = async (
  ugwo: string,
  client: Pick<Client, 'look'>,
  deps: Pick<Deps, 'observe'>,
  unseen: (text: string) => Promise<void>,
  pace: Pick<CallInput, 'slowDown'> = {},
): Promise<Looked | undefined> => {
  try {
    const record = await client.look('ugwo.get', { params: { uid: ugwo }, ...pace }, { mustExist: true });
    if (record === undefined) {
      await unseen(`The service can't show ${ugwo}, so it was not checked before the charge.`);
      return undefined;
    }
    const shown = snapshotOf(record.value, record);
    if ((shown.age ?? 0) > MOST_AGE_MS) throw new PayError('read_failed', 'the answer came from a cache');
    if ((shown.activities ?? []).length > 0) await deps.observe(shown.activities ?? [], record, shown.asked);
    return { shown, record };
  } catch (thrown) {
    if (!(thrown instanceof PayError) || thrown.kind === 'interrupted') throw thrown;
    throw failed(ugwo, thrown);
  }
};

/**
 * Pause before the read that settles a 429, in milliseconds. Over one second, since answers are dated to the second.
 */
const LEFT_ALONE_MS = 1100;

/**
 * True if a read after a charge attempt shows no new activity since `before`. Takes no longer than one attempt. False
 * if it can't tell.
 */
const showsNothingNew = async (
  ugwo: string,
  before: Snapshot | undefined,
  { client }: Pick<RowDeps, 'client'>,
  { clock, signals }: Deps['io'],
): Promise<boolean> => {
  if (before?.activities === undefined) return false;
  try {
    const until = AbortSignal.timeout(client.longestAttempt);
    await clock.sleep(LEFT_ALONE_MS, signals.stop);
    const record = await client.call('ugwo.get', { params: { uid: ugwo } }, until);
    const after = snapshotOf(record.value, record);
    return (after.age ?? 0) <= MOST_AGE_MS && showsTheSame(before, after);
  } catch {
    return false;
  }
};

/** Describes the coming charge in one line. */
export const aboutToCharge = (ugwo: string, { asked, description, email }: Snapshot): string => {
  const { amount, currency, ref, customer } = asked;
  const money = amount === undefined ? undefined : formatMoney(amount, currency ?? '');
  const parts = [money, ref, description, email ?? customer].filter((part) => part !== undefined);
  return `Charging ${ugwo}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
};

/** Finds an activity in the answer, with its original text. Undefined if the answer does not show it. */
export const activityIn = ({ record, shown }: Looked, uid: string): ApiRecord<Activity> | undefined => {
  const index = (shown.activities ?? []).findIndex((activity) => valueAt(activity, 'uid') === uid);
  const text = index === -1 ? undefined : elementsOf(record.text, 'activities')[index];
  if (text === undefined) return undefined;
  const { servedAt } = record;
  const value = shown.activities?.[index] as Activity;
  return { value, text, ...(servedAt === undefined ? {} : { servedAt }) };
};

type Data = Readonly<Record<string, unknown>>;

/** A charge to send, by itself or for a row of a file. */
interface ChargeOnce extends Partial<Pick<RowAttempt, 'row' | 'judged'>> {
  readonly ugwo: string;
  readonly data: Data;
  readonly again: boolean;
  /** The payment request as read, and the time before that read (`since`). */
  readonly shown: Snapshot | undefined;
  readonly since: Moment;
  /** Called with a charge of the same payment request at another origin. If it throws, nothing is sent. */
  readonly elsewhere: (charge: Entry) => Promise<void>;
  /** Called just before sending, once no earlier charge blocks it. */
  readonly sends?: () => Promise<void>;
  readonly slowDown?: (ms: number) => void;
}

/** Charges once, under the ledger protocol. */
export const sendCharge = async (
  { elsewhere, judged, sends, slowDown, ...charge }: ChargeOnce,
  rowDeps: RowDeps,
  { io }: Pick<Deps, 'io'>,
): Promise<Sent | Refused> => {
  const { client } = rowDeps;
  const call = { params: { ugwoUid: charge.ugwo }, body: { type: 'charge', data: charge.data } };
  return sendOnce(rowDeps, charge, {
    now: io.clock.now,
    elsewhere,
    send: async (overdue) => {
      await sends?.();
      const isNothing = async (): Promise<boolean> =>
        !overdue() && (await showsNothingNew(charge.ugwo, charge.shown, rowDeps, io));
      return client.call('ugwo.charge', {
        ...call,
        overdue,
        isNothing,
        ...(slowDown === undefined ? {} : { slowDown }),
      });
    },
    ...(judged === undefined ? {} : { judged }),
  });
};

/** Error of a charge that the guard refused. */
export const refusal = (refused: Refused, data: Data, { ledger, words }: RowDeps): PayError => {
  const { by } = refused;
  const isSame = by !== undefined && asksTheSame(by, data, ledger.digest);
  return refusedError(refused, words, isSame);
};

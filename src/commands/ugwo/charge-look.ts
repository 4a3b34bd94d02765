import type { Doors } from '../../bulk/world.ts';
import type { CallInput, Client } from '../../client/client.ts';
import type { Activity } from '../../contract/activity.ts';
import { PayError } from '../../core/error.ts';
import { elementsOf } from '../../core/json-scan.ts';
import { formatMoney } from '../../core/money.ts';
import { valueAt } from '../../core/path.ts';
import type { Received } from '../../core/received.ts';
import type { RequestSeen } from '../../ledger/request-seen.ts';
import type { Deps } from '../deps.ts';

/** What a look at a payment request has shown before it is charged. */
export interface Looked {
  readonly shown: RequestSeen;
  readonly record: Received;
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
    const { shownOf } = await deps.protocol();
    const shown = shownOf(record.value, record);
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
export const showsNothingNew = async (
  ugwo: string,
  before: RequestSeen | undefined,
  { client, protocol }: Pick<Doors, 'client' | 'protocol'>,
  { clock, signals }: Deps['io'],
): Promise<boolean> => {
  if (before?.activities === undefined) return false;
  try {
    const until = AbortSignal.timeout(client.longestAttempt);
    await clock.sleep(LEFT_ALONE_MS, signals.stop);
    const record = await client.call('ugwo.get', { params: { uid: ugwo } }, until);
    const after = protocol.shownOf(record.value, record);
    return (after.age ?? 0) <= MOST_AGE_MS && protocol.showsTheSame(before, after);
  } catch {
    return false;
  }
};

/** What is about to be charged, in one line. */
export const aboutToCharge = (ugwo: string, { asked, description, email }: RequestSeen): string => {
  const { amount, currency, ref, customer } = asked;
  const money = amount === undefined ? undefined : formatMoney(amount, currency ?? '');
  const parts = [money, ref, description, email ?? customer].filter((part) => part !== undefined);
  return `Charging ${ugwo}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
};

/** An activity of a look, with the text that it came as; undefined where the look does not show it. */
export const activityIn = ({ record, shown }: Looked, uid: string): Received<Activity> | undefined => {
  const index = (shown.activities ?? []).findIndex((activity) => valueAt(activity, 'uid') === uid);
  const text = index === -1 ? undefined : elementsOf(record.text, 'activities')[index];
  if (text === undefined) return undefined;
  const { servedAt } = record;
  const value = shown.activities?.[index] as Activity;
  return { value, text, ...(servedAt === undefined ? {} : { servedAt }) };
};

import type { RowDeps } from '../../bulk/kind.ts';
import {
  buildData,
  type ChargeField,
  type Data,
  MEDIUM_FIELD_NAMES,
  MEDIUM_FIELDS,
  MEDIUM_NAMES,
  mediumNamed,
  propertyOf,
} from '../../charge/mediums.ts';
import { balanceOf, missingPart } from '../../charge/payment.ts';
import { REFUSALS } from '../../charge/refusals.ts';
import { refusedError } from '../../charge/refused.ts';
import type { ChargeRequest } from '../../charge/request.ts';
import type { Client } from '../../client/client.ts';
import { bankMeant } from '../../core/banks.ts';
import { tellsActivities } from '../../core/charge.ts';
import { PayError, usageError } from '../../core/error.ts';
import { asFlag, type FlagOf, type Guess, pairsToObject } from '../../core/input.ts';
import { namesAlong } from '../../core/json.ts';
import { formatMoney } from '../../core/money.ts';
import type { ApiRecord } from '../../core/record.ts';
import type { View } from '../../core/result.ts';
import { didYouMean } from '../../core/text.ts';
import { formatDuration } from '../../core/time.ts';
import { provenServiceTime } from '../../ledger/clock.ts';
import { asksTheSame, type Entry } from '../../ledger/entry.ts';
import type { Refused } from '../../ledger/ledger.ts';
import { activitiesIn, MOST_AGE_MS, type Snapshot, snapshotOf } from '../../ledger/snapshot.ts';
import { activityView } from '../activity/view.ts';
import type { Run } from '../run.ts';
import type { OneCharge } from './charge-spec.ts';

type ChargeParams = Pick<OneCharge, 'fields' | 'params'>;

/** Beginning of the columns that set parameters. */
export const PARAM = 'param';

/**
 * The column that sets a property of the body; for a parameter, `param.k`. Without a leading `data`, the path must name
 * a field, or a parameter that was given.
 */
export const fieldOf =
  ({ fields, params }: ChargeParams): FlagOf =>
  (path) => {
    const known = [...MEDIUM_FIELD_NAMES, ...params.map(([name]) => name)];
    const [first, second] = namesAlong(path, ['data', ...known]);
    const name = first === 'data' ? second : second === undefined && known.includes(first ?? '') ? first : undefined;
    const setting = MEDIUM_FIELDS.find((field) => propertyOf(field) === name && fields[field.name] !== undefined);
    if (setting !== undefined) return setting.name;
    return name === undefined || MEDIUM_FIELD_NAMES.includes(name) ? name : `${PARAM}.${name}`;
  };

/** The flag that set a property of the body. */
export const flagOf =
  (input: ChargeParams): FlagOf =>
  (path) => {
    const field = fieldOf(input)(path);
    const param = input.params.find(([name]) => field === name || field === `${PARAM}.${name}`);
    if (param !== undefined) return `--param ${param[0]}`;
    return field?.startsWith(`${PARAM}.`) ? undefined : field && asFlag(field);
  };

/** The field of a medium that takes the code of a bank. */
export const bankFieldOf = (medium: unknown): ChargeField | undefined =>
  mediumNamed(medium)?.fields.find(({ bank }) => bank);

/** Suggests another bank or medium. */
export const guessFor =
  (data: Readonly<Record<string, unknown>>): Guess =>
  (path) => {
    const [name = '', ...more] = namesAlong(path, Object.keys(data)).filter((one) => one !== 'data');
    const isBank = bankFieldOf(data['medium'])?.name === name;
    if (more.length > 0 || (name !== 'medium' && !isBank)) return undefined;
    const typed = String(data[name]);
    const meant = isBank ? bankMeant(typed) : didYouMean(typed, MEDIUM_NAMES);
    return meant === typed ? undefined : meant;
  };

/** Builds `data` of the body (docs/service.md, Activities). `now` is in milliseconds. */
export const chargeData = (input: ChargeParams, now: number): Record<string, unknown> => {
  const params = pairsToObject(input.params, '--param');
  const own = buildData(input.fields, now);
  const twice = Object.keys(params).find((name) => name in own);
  if (twice !== undefined) throw usageError(`--param ${twice} is already set by another option`);
  return { ...params, ...own };
};

/** Difference of two clocks above which a note names it, in milliseconds. */
const SAID_MS = 30_000;

/** Note about an expiry where the service's clock differs from this machine's; undefined if there is none. */
export const clockNote = ({ fields }: ChargeParams, shown: Snapshot | undefined, now: number): string | undefined => {
  const ahead = (provenServiceTime(shown, now) ?? now) - now;
  if (fields['expires_in'] === undefined || Math.abs(ahead) <= SAID_MS) return undefined;
  const far = `${formatDuration(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'}`;
  return `The service's clock is ${far} this machine's. The account expires by the service's.`;
};

/** The payment request as read before its charge. */
export interface Looked {
  readonly shown: Snapshot;
  readonly record: ApiRecord;
}

/**
 * Keeps the kind of the error for a rejected key and a missing payment request. Any other error becomes `read_failed`.
 */
const unreadRequest = (ugwo: string, thrown: PayError): PayError => {
  const { message, detail } = thrown;
  const isNo = thrown.kind === 'auth' || detail.isMissing === true;
  return new PayError(isNo ? thrown.kind : 'read_failed', `${ugwo} was not charged: ${message}`, {
    ...detail,
    hint:
      (isNo || detail.retryAt !== undefined) && detail.hint !== undefined
        ? detail.hint
        : 'nothing was sent; run the same command again, or skip this check with --no-preflight',
    cause: thrown,
  });
};

/**
 * Reads a payment request before its charge (docs/protocol.md, Order). Calls `unseen` if charges made elsewhere can't be
 * seen. Resolves to undefined if the service can't show the payment request. Throws if the read failed: the error of a
 * rejected key, of a signal, or of a missing payment request, else `read_failed`.
 */
export const lookBeforeCharge = async (
  ugwo: string,
  client: Pick<Client, 'look'>,
  run: Pick<Run, 'observe'>,
  unseen: (text: string) => Promise<void>,
): Promise<Looked | undefined> => {
  try {
    const record = await client.look('ugwo.get', { params: { uid: ugwo } }, { mustExist: true });
    if (record === undefined) {
      await unseen(`The service can't show ${ugwo}, so it was not checked before the charge.`);
      return undefined;
    }
    const shown = snapshotOf(record.value, record);
    if ((shown.age ?? 0) > MOST_AGE_MS) throw new PayError('read_failed', 'the answer came from a cache');
    if (!tellsActivities(record.value)) {
      await unseen("The service's answer names no activities, so charges made elsewhere can't be seen.");
    }
    if (activitiesIn(shown).length > 0) await run.observe('request', record);
    return { shown, record };
  } catch (thrown) {
    if (!(thrown instanceof PayError) || thrown.kind === 'interrupted') throw thrown;
    throw unreadRequest(ugwo, thrown);
  }
};

/** View of the activity. It may ask for the whole sum where only a part is missing. */
export const viewOf = ({ facts, asked = {} }: Partial<Snapshot> = {}): View => {
  const missing = missingPart(facts);
  return { ...activityView, amount: missing ? formatMoney(missing, asked.currency ?? '') : undefined, ref: asked.ref };
};

/**
 * Note about a payment request that shows no checkout. The service's documentation says that these are rejected, and
 * shows some that were charged.
 */
export const NO_CHECKOUT = 'no checkout shown; the service may refuse';

/** Describes a charge in one line: the payment request, and what it lacks, its reference, description and customer. */
export const describedCharge = (ugwo: string, shown: Snapshot | undefined): string => {
  const { asked = {}, description, facts } = shown ?? {};
  const missing = facts && balanceOf(facts).missing;
  const money = missing === undefined ? '' : formatMoney(missing, asked.currency ?? '');
  const parts = [money, asked.ref, description, asked.email ?? asked.customer].filter(Boolean);
  return `${ugwo}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
};

/** Options of the guard for a reaction to an earlier charge. */
export const guardedBy = (earlier: OneCharge['earlier']): Required<Pick<ChargeRequest, 'again' | 'remaining'>> => ({
  again: earlier === 'again',
  remaining: earlier === 'remaining',
});

export const refusedCharge = (refused: Refused, data: Data, { ledger }: RowDeps): PayError => {
  const { by } = refused;
  const isSame = by !== undefined && asksTheSame(by, data, ledger.digest);
  return refusedError(refused, isSame);
};

/**
 * True if the row already has its charge: from an earlier run, or from another file of this ledger with the same terms.
 */
export const isMadeHere = (
  by: Entry,
  { why, intent, ledger: other }: Refused,
  data: Data,
  { ledger }: RowDeps,
): boolean =>
  why === 'done' ||
  (other === undefined &&
    by.job !== intent.job &&
    REFUSALS[why].isReusable === true &&
    asksTheSame(by, data, ledger.digest));

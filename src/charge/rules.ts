import { CHARGE_WRITE, statusOf, textAt, type WriteKind } from '../core/charge.ts';
import { EXIT_CODES } from '../core/error.ts';
import { definedIn, valueAt } from '../core/json.ts';
import { formatMoney } from '../core/money.ts';
import type { ApiRecord } from '../core/record.ts';
import { parseInstant, utcAtom } from '../core/time.ts';
import { FAR_CREATED_MS, provenServiceTime } from '../ledger/clock.ts';
import { digestOf, evidenceOf, type Intent, type LedgerTarget, readTerm, type StoredOutcome } from '../ledger/entry.ts';
import type { BeginOptions } from '../ledger/ledger.ts';
import { hasSameActivities, keptActivity, MOST_AGE_MS, type Snapshot, snapshotOf } from '../ledger/snapshot.ts';
import { type Data, findOtherTerms, isOtherMedium, withoutPrivate } from './mediums.ts';
import type { Outcome } from './outcome.ts';
import { activityFacts, amountAt, isStepUnreadable, missingPart, PAYMENTS, paymentShown, positive } from './payment.ts';
import type { ChargeRequest, ChargeRun, MakeRequest, Reading } from './request.ts';
import { otherSumText } from './words.ts';

/** The part of a request that depends on its kind. */
interface Rules {
  readonly effect: WriteKind;
  readonly intent: Omit<Intent, 'bound' | 'kind' | 'job' | 'row' | keyof LedgerTarget>;
  readonly how: Pick<BeginOptions, 'once' | 'equalSince' | 'shown' | 'remaining' | 'beside'>;
  readonly send: (isOverdue: () => boolean) => Promise<Outcome>;
  /** The outcome to store for an answer. */
  readonly accepted: (record: ApiRecord) => StoredOutcome;
}

const makeRules = (request: MakeRequest, { asked, paid }: Reading, now: () => number): Rules => {
  const { effect, about, path, body, once, equalSince, send, failure } = request;
  const sent = JSON.parse(body ?? '{}');
  return {
    effect,
    intent: {
      about,
      path,
      body,
      digest: digestOf(sent),
      ...(asked && { asked }),
      ...(paid && { evidence: [evidenceOf('paid', now(), { status: paid })] }),
    },
    how: { once, equalSince },
    send,
    accepted: ({ value }) => {
      const [uid, status] = [String(valueAt(value, 'uid')), statusOf(value)];
      const [amount, wanted] = [positive(amountAt(value, 'amount')), amountAt(sent, 'amount')];
      const answered = textAt(value, 'currency').toUpperCase();
      const known = textAt(sent, 'currency').toUpperCase() || (asked?.currency ?? answered);
      const came = amount && formatMoney(amount, answered || known);
      const asks = wanted && formatMoney(wanted, known);
      const why = failure?.(value);
      const evidence = {
        message: why ?? `${effect.done}: ${uid}`,
        uid,
        ...definedIn({ status: status || undefined, amount }),
      };
      return {
        state: 'accepted',
        exitCode: why === undefined ? 0 : EXIT_CODES.charge_failed,
        evidence: evidenceOf('answer', now(), evidence),
        odd: came && asks && came !== asks ? [`the answer shows ${came}, not ${asks}`] : [],
      };
    },
  };
};

const acceptedOutcome = ({ value, servedAt, askedAt }: ApiRecord): StoredOutcome => {
  // Without a `Date`, the creation time of the new activity stands in for the service's clock.
  const serviceTime = servedAt ?? parseInstant(String(valueAt(value, 'created_at')))?.ms;
  const activity = keptActivity(value, definedIn({ servedAt: serviceTime, askedAt }));
  const failed = PAYMENTS[paymentShown(value)].frees;
  const exitCode = isStepUnreadable(value) ? EXIT_CODES.unrecorded : 0;
  return { state: 'accepted', exitCode: failed ? EXIT_CODES.charge_failed : exitCode, activity };
};

/** Oddities of the activity in the answer. They don't make it another charge's. */
const oddities = ({ value, servedAt }: ApiRecord, data: Data, missing: number | undefined, currency = ''): string[] => {
  const created = parseInstant(String(valueAt(value, 'created_at')))?.ms;
  const { amount } = activityFacts(value);
  return [
    ...(missing !== undefined && amount !== missing ? [otherSumText(missing, amount, currency)] : []),
    ...(isOtherMedium(value, String(data['medium']))
      ? [`the answer looks like another medium than ${String(data['medium'])}`]
      : []),
    ...(servedAt !== undefined && created !== undefined && Math.abs(created - servedAt) > FAR_CREATED_MS
      ? [`the activity says it was made at ${utcAtom(created)}, not now`]
      : []),
  ];
};

/**
 * Pause before the read that settles a 429, in milliseconds. Over one second, since answers are dated to the second.
 */
const LEFT_ALONE_MS = 1100;

/**
 * True if a read after a charge attempt shows no new activity since `before`. Takes no longer than one attempt. False
 * if it can't tell. Stores what the read shows: the next one may show less.
 */
const showsNothingNew = async (
  ugwo: string,
  before: Snapshot | undefined,
  { client, ledger, io: { clock, signals } }: ChargeRun,
): Promise<boolean> => {
  if (before?.activities === undefined) return false;
  try {
    const until = AbortSignal.timeout(client.longestAttempt);
    await clock.sleep(LEFT_ALONE_MS, signals.stop);
    const record = await client.call('ugwo.get', { params: { uid: ugwo } }, until);
    const after = snapshotOf(record.value, record);
    await ledger.observe(after, true);
    return (after.age ?? 0) <= MOST_AGE_MS && hasSameActivities(before, after);
  } catch {
    return false;
  }
};

const chargeRules = (request: ChargeRequest, reading: Reading, run: ChargeRun): Rules => {
  const { ugwo, tries = 0, remaining = false, beside = [] } = request;
  const { shown } = reading;
  const missing = missingPart(shown?.facts);
  const here = run.io.clock.now();
  const now = provenServiceTime(shown, here);
  const data = request.data(now ?? here);
  return {
    effect: CHARGE_WRITE,
    intent: {
      about: ugwo,
      medium: readTerm(data['medium']) ?? '',
      provider: readTerm(data['provider']),
      phone: readTerm(data['phone']),
      otherTerms: findOtherTerms(data),
      expiresAt: parseInstant(readTerm(data['expires_at']) ?? '')?.ms,
      digest: digestOf(withoutPrivate(data)),
      asked: shown?.asked ?? {},
      evidence: [
        ...(request.evidence ?? []),
        ...(missing === undefined ? [] : [evidenceOf('remaining', here, { missing })]),
      ],
    },
    how: { shown, remaining, beside },
    send: async (isOverdue) => {
      const isNothing = (): Promise<boolean> => showsNothingNew(ugwo, shown, run);
      const body = { type: 'charge', data };
      return run.client.write('ugwo.charge', { params: { ugwoUid: ugwo }, body, now, isOverdue, tries, isNothing });
    },
    accepted: (record) => ({
      ...acceptedOutcome(record),
      odd: oddities(record, data, missing, shown?.asked.currency),
    }),
  };
};

/** The rules of a request, from what was read before it. */
export const rulesFor = (request: ChargeRequest | MakeRequest, reading: Reading, run: ChargeRun): Rules =>
  'ugwo' in request ? chargeRules(request, reading, run) : makeRules(request, reading, run.io.clock.now);

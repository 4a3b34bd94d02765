import { amountAt, isUndecided } from '../charge/payment.ts';
import { afterActivity, afterRecord, isWhole, type RefundState, sumOfRefunds } from '../charge/refund.ts';
import { REFUND } from '../core/charge.ts';
import { isId } from '../core/ids.ts';
import { parseIfJson } from '../core/json.ts';
import type { Backend, Decision, EmergencyLine, Query } from './backend.ts';
import { elapsed } from './clock.ts';
import {
  type Entry,
  type Evidence,
  evidenceOf,
  type KeptActivity,
  type Moment,
  type RequestTerms,
  type Resolution,
  type StoredOutcome,
  type UptimeReading,
  withEvidence,
} from './entry.ts';
import { resolveStale } from './guard.ts';
import type { Observed } from './ledger.ts';
import { activitiesIn, keptActivity, type Snapshot } from './snapshot.ts';
import {
  type ActivityReading,
  addsTo,
  asking,
  changesState,
  isRefundUnsettled,
  keepsActivity,
  lateAnswer,
  latest,
  mayCorrect,
  moneyKnown,
  paymentIn,
  wasSeenExpired,
  withMore,
  withReading,
  withState,
  withWord,
} from './transitions.ts';

type Writes<T> = Decision<readonly Entry[], T>;

const NO_ENTRIES: readonly Entry[] = [];

/** True if an outcome turns a resolved entry back into an unknown one. */
const reopens = ({ state }: Pick<Entry, 'state'>, outcome: Pick<StoredOutcome, 'state'>): boolean =>
  outcome.state === 'unknown' && state === 'not_created';

/** True if another charge of the payment request is open. Then this one can't be reopened. */
const hasSuccessor = ({ id, service }: Entry, earlier: readonly Entry[]): boolean =>
  earlier.some((other) => other.service === service && other.id !== id && isUndecided(other.state));

/** Applies the outcome that a charge's own process reports. */
const withOutcome = (charge: Entry, outcome: StoredOutcome, earlier: readonly Entry[], now: Moment): Entry => {
  const word = lateAnswer(charge, outcome, now.at);
  const odd = outcome.odd ?? [];
  const oddEvidence = odd.length === 0 ? undefined : evidenceOf('odd', now.at, { message: odd.join('; ') });
  const seen = withMore(withMore(charge, word), oddEvidence);
  if (!changesState(charge, outcome) || (reopens(charge, outcome) && hasSuccessor(charge, earlier))) return seen;
  const activity = outcome.activity && latest(charge, outcome.activity, now);
  const took = elapsed(charge.begun, now.mark) ?? now.at - charge.createdAt;
  return withState(seen, { ...outcome, activity, moment: now, took, evidence: seen.evidence });
};

/** Writes the outcome of a charge. Returns the other charge that already owns its activity, if any. */
export const record = (
  backend: Backend,
  id: string,
  thing: string,
  outcome: StoredOutcome,
): Promise<Entry | undefined> => {
  const uid = outcome.activity?.uid;
  // Only an unknown outcome can reopen a charge.
  const beside = outcome.state === 'unknown' ? [{ earlier: thing }] : [];
  const about = [{ id }, { activities: uid === undefined ? [] : [uid] }, ...beside];
  return backend.change(
    'outcome',
    about,
    ([[charge] = NO_ENTRIES, owners = [], earlier = []]): Writes<Entry | undefined> => {
      if (charge === undefined) throw new Error(`there is no charge ${id}`);
      const owner = owners.find((other) => other.id !== id);
      const shared = owner === undefined ? [] : [`${uid} is the activity of ${owner.id}, too`];
      const odd = [...(outcome.odd ?? []), ...shared];
      return { write: [withOutcome(charge, { ...outcome, odd }, earlier, backend.moment())], result: owner };
    },
  );
};

/** An unknown charge can be resolved, and a person can correct a person's earlier resolution. */
const mayResolve = (charge: Entry, { state, activity, evidence }: Resolution): boolean =>
  charge.state === 'unknown' || (evidence.kind === 'resolved' && mayCorrect(charge, state, activity?.uid));

/**
 * Resolves an unknown charge. Returns false if it is no longer unknown, or if another charge owns the activity. `kept`
 * returns the part of the activity that may be stored.
 */
export const resolveCharge = (
  backend: Backend,
  id: string,
  resolution: Resolution,
  kept: (charge: Entry) => Resolution['activity'],
): Promise<boolean> => {
  const { state, activity, request, evidence } = resolution;
  const about = [{ id }, { activities: activity === undefined ? [] : [activity.uid] }];
  return backend.change('note', about, ([[found] = NO_ENTRIES, owners = []]): Writes<boolean> => {
    const charge = found && resolveStale(found, backend);
    if (charge === undefined || !mayResolve(charge, resolution) || owners.some((owner) => owner.id !== id)) {
      return { result: false };
    }
    const { took, exitCode } = charge;
    // Readings of an activity outlive another word that the charge was made.
    const known = keepsActivity(charge, state, activity?.uid) ? charge.activity : undefined;
    const change = { state, took, exitCode, moment: backend.moment(), activity: known ?? kept(charge), request };
    return {
      write: [withState(charge, { ...change, evidence: withEvidence(charge.evidence, evidence) })],
      result: true,
    };
  });
};

/** Applies a person's word about a disputed charge. Returns false if the charge is no longer disputed. */
export const settleCharge = (
  backend: Backend,
  id: string,
  as: 'paid' | 'reversed',
  evidence: Evidence,
): Promise<boolean> =>
  backend.change('note', [{ id }], ([[charge] = NO_ENTRIES]) =>
    charge?.money?.disputed === undefined
      ? { result: false }
      : { write: [withWord(charge, as, evidence, backend.moment())], result: true },
  );

/** Adds evidence to a charge without changing its state, if the rule allows it. */
export const noteEvidence = (
  backend: Backend,
  id: string,
  evidence: Evidence,
  may: (charge: Entry) => boolean = () => true,
): Promise<boolean> =>
  backend.change('note', [{ id }], ([[charge] = NO_ENTRIES]) =>
    charge !== undefined && may(charge) ? { write: [withMore(charge, evidence)], result: true } : { result: false },
  );

/**
 * Age up to which the last stored status is fresh enough, in milliseconds. A wait then need not write after each read.
 */
const FRESH_STATUS_MS = 60_000;

/** Tolerance for the service's clock, which has a resolution of one second. In milliseconds. */
const SAME_READING_MS = 2000;

/** True if the stored reading is fresh and the service's clock shows the expected time. */
const isFresh = ({ told }: Entry, { servedAt }: KeptActivity, { mark }: Moment): boolean => {
  const age = told === undefined ? undefined : elapsed(told.mark, mark);
  if (told === undefined || age === undefined || age >= FRESH_STATUS_MS) return false;
  return servedAt === undefined || Math.abs(servedAt - told.service - age) < SAME_READING_MS;
};

const MONEY_FIELDS = [
  'received',
  'refunded',
  'updatedAt',
  'failureCode',
  'pspReference',
  'accountDigest',
  'requestStatus',
  'requestTotal',
  'excess',
  'disputed',
] as const;

const isWorthNoting = (charge: Entry, next: Entry, seen: KeptActivity, moment: Moment): boolean => {
  const { activity, money } = charge;
  if (!isFresh(charge, seen, moment) || paymentIn(charge) !== paymentIn(next)) return true;
  if (activity?.status !== next.activity?.status || MONEY_FIELDS.some((name) => money?.[name] !== next.money?.[name]))
    return true;
  if (activity?.nextAction === null && next.activity?.nextAction !== null) return true;
  if (activity?.createdAt === undefined && next.activity?.createdAt !== undefined) return true;
  // It shows that the charge was not paid before its account expired.
  return !wasSeenExpired(charge) && wasSeenExpired(next);
};

/**
 * Applies a read of a charge's activity and of its payment request's terms. Returns the same object if nothing is new.
 */
const later = (charge: Entry, reading: ActivityReading, asked: RequestTerms): Entry => {
  const termed = addsTo(charge, asked) ? asking(charge, asked) : charge;
  const next = withReading(termed, reading);
  return isWorthNoting(termed, next, reading.activity, reading.moment) ? next : termed;
};

/** A refund as `charge/refund.ts` judges it. */
const refundIn = ({ refund, asked, body, evidence }: Entry) => {
  const isFirst = evidence.some(({ kind, status }) => kind === 'paid' && isWhole(String(status)));
  const answer = evidence.findLast(({ amount }) => amount !== undefined);
  // The answer says how much the service pays back: without an amount, what is left.
  const amount = amountAt(answer, 'amount') ?? amountAt(parseIfJson(body ?? ''), 'amount');
  return { state: refund?.state ?? 'refund_open', amount: amount ?? (isFirst ? asked?.amount : undefined), isFirst };
};

const withRefund = (entry: Entry, state: RefundState, at: number, found: string): Entry =>
  entry.refund === undefined || entry.refund.state === state
    ? entry
    : withMore(
        { ...entry, refund: { ...entry.refund, state, at } },
        evidenceOf('refund', at, { status: state, found }),
      );

/** Returns the refunds as an activity's reading leaves them. A person's word about one stays. */
const refundsAfter = (
  refunds: readonly Entry[],
  { facts, status, uid }: KeptActivity,
  at: number,
): readonly Entry[] => {
  const states = afterActivity(status, facts?.charged ?? facts?.amount, refunds.map(refundIn));
  return refunds.map((one, place) =>
    one.evidence.some(({ kind }) => kind === 'settled')
      ? one
      : withRefund(one, states[place] ?? 'refund_open', at, `${uid} is ${status}`),
  );
};

/** Sum that was paid back, of an activity that is refunded in part; undefined if none of its refunds is known to be. */
const paidBackBy = (refunds: readonly Entry[]): number | undefined => {
  const back = refunds.map(refundIn).filter(({ state }) => state === 'paid_back');
  return back.length === 0 ? undefined : sumOfRefunds(back);
};

/** Stores a person's word about a refund. Returns false if its end is known by now. */
export const settleRefund = (backend: Backend, id: string, state: RefundState, said: Evidence): Promise<boolean> =>
  backend.change('note', [{ id }], ([[entry] = NO_ENTRIES]): Writes<boolean> => {
    if (entry?.refund === undefined || !isRefundUnsettled(entry)) return { result: false };
    const refund = { ...entry.refund, state, at: backend.moment().at };
    return { write: [withMore({ ...entry, refund }, said)], result: true };
  });

/** Stores what a refund's own record shows. */
export const observeRefund = (
  backend: Backend,
  about: string,
  uid: string,
  service: string,
  shown: RefundState,
): Promise<void> =>
  backend.change(
    'note',
    [
      { about, service, kind: REFUND },
      { activities: [about], service },
    ],
    ([refunds = [], [charge] = NO_ENTRIES]) => {
      const { at } = backend.moment();
      const write = refunds.flatMap((one) => {
        if (one.refund?.uid !== uid) return [];
        const others = refunds.filter((other) => other !== one).map(refundIn);
        const state = afterRecord(refundIn(one), shown, others, charge && moneyKnown(charge)?.received);
        const next = withRefund(one, state, at, `${uid} is shown as ${shown}`);
        return next === one ? [] : [next];
      });
      return { write, result: undefined };
    },
  );

/**
 * Stores what a read shows of the charges that own its activities. `kept` returns the part of an activity that may be
 * stored.
 */
export const observe = (
  backend: Backend,
  shown: Snapshot,
  kept: (activity: KeptActivity, charge: Entry) => KeptActivity,
  wait: boolean,
): Promise<Observed> => {
  // Skips an activity without a readable status: the stored one says more.
  const activities = activitiesIn(shown)
    .map((raw) => keptActivity(raw, shown))
    .filter(({ uid, status }) => isId('act', uid) && status !== '');
  if (activities.length === 0) return Promise.resolve({ paidBack: new Map(), charges: [] });
  const returned = activities.filter(({ status }) => status === 'partially_refunded' || status === 'refunded');
  const about: readonly Query[] = [
    { activities: activities.map(({ uid }) => uid) },
    ...returned.map(({ uid }) => ({
      about: uid,
      kind: REFUND,
      states: ['accepted'] as const,
      order: 'oldest' as const,
    })),
  ];
  return backend.change(wait ? 'note' : 'glance', about, ([charges = [], ...found]) => {
    const moment = backend.moment();
    const refunds = returned.map((activity, at) => refundsAfter(found[at] ?? [], activity, moment.at));
    const sums = returned.map(({ uid }, at) => [uid, paidBackBy(refunds[at] ?? [])] as const);
    const paidBack = new Map(sums.flatMap(([uid, sum]) => (sum === undefined ? [] : [[uid, sum]])));
    const read = charges.map((charge) => {
      const of = activities.filter(({ uid }) => uid === charge.activity?.uid);
      return of.reduce((before, activity) => {
        const reading = { activity: kept(activity, before), request: shown.facts, paidBack, moment };
        return later(before, reading, shown.asked);
      }, charge);
    });
    const before = new Set([...charges, ...found.flat()]);
    const write = [...read, ...refunds.flat()].filter((one) => !before.has(one));
    return { write, result: { paidBack, charges: read } };
  });
};

/** Converts an emergency line to evidence of its charge. */
const asEvidence = ({ evidence, ...line }: EmergencyLine): Evidence =>
  evidenceOf('emergency_line', line.recorded_at, { ...evidence, line });

const isKnown = (charge: Entry, { recorded_at: recordedAt }: EmergencyLine): boolean =>
  charge.evidence.some(({ line }) => (line as Partial<EmergencyLine> | undefined)?.recorded_at === recordedAt);

/** An emergency line has a wall-clock time only. */
const UNMARKED: UptimeReading = { boot: '', uptime: 0 };

/**
 * Applies an emergency line to its charge. The line holds the service's answer, so it overrides conclusions made
 * without it.
 */
const afterLine = (charge: Entry, line: EmergencyLine, earlier: readonly Entry[]): Entry => {
  if (isKnown(charge, line)) return charge;
  const seen = withMore(charge, asEvidence(line));
  if (!changesState(charge, line) || (reopens(charge, line) && hasSuccessor(charge, earlier))) return seen;
  const { state, exitCode, activity } = line;
  const moment = { at: line.recorded_at, mark: UNMARKED };
  const known = activity && latest(charge, activity, moment);
  return withState(seen, { state, exitCode, activity: known, moment, took: charge.took, evidence: seen.evidence });
};

/**
 * Imports emergency lines that processes could not write into the ledger, each line once. Returns the ids of the
 * charges that the ledger knows.
 */
export const takeIn = async (backend: Backend, lines: readonly EmergencyLine[]): Promise<ReadonlySet<string>> => {
  if (lines.length === 0) return new Set();
  const doubts = lines.filter(({ state }) => state === 'unknown').map(({ ugwo, about = ugwo }) => about ?? '');
  const about = [
    ...lines.map(({ ledger_id: id }) => ({ id })),
    // Only an unknown outcome can reopen a charge.
    ...[...new Set(doubts)].map((thing) => ({ earlier: thing })),
  ];
  return backend.change('note', about, (found) => {
    const charges = new Map(
      found
        .slice(0, lines.length)
        .flat()
        .map((charge) => [charge.id, charge]),
    );
    const earlier = found.slice(lines.length).flat();
    const before = new Set(charges.values());
    for (const line of lines) {
      const charge = charges.get(line.ledger_id);
      if (charge !== undefined) charges.set(charge.id, afterLine(charge, line, earlier));
    }
    const write = [...charges.values()].filter((charge) => !before.has(charge));
    return { write, result: new Set(charges.keys()) };
  });
};

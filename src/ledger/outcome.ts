import type { Backend, Decision, EmergencyLine } from './backend.ts';
import { resolveStale } from './begin.ts';
import { elapsed } from './clock.ts';
import {
  type Entry,
  type Evidence,
  evidenceOf,
  type KeptActivity,
  type Moment,
  type Outcome,
  type RequestTerms,
  type Resolution,
  type UptimeMark,
  withEvidence,
} from './entry.ts';
import { asShown, wasSeenExpired } from './guard.ts';
import {
  addsTo,
  asking,
  changed,
  changesState,
  lateAnswer,
  latest,
  observed,
  wasResolved,
  withMore,
} from './transitions.ts';

type Writes<T> = Decision<readonly Entry[], T>;

const NONE: readonly Entry[] = [];

const isOpen = ({ state }: Entry): boolean => state === 'sending' || state === 'unknown';

/** Whether an outcome makes a doubt of what had an end. */
const reopens = ({ state }: Pick<Entry, 'state'>, outcome: Pick<Outcome, 'state'>): boolean =>
  outcome.state === 'unknown' && state === 'not_created';

/** Whether another charge of the payment request is open, beside which this one can't be open again. */
const isTaken = ({ id, service }: Entry, standing: readonly Entry[]): boolean =>
  standing.some((other) => other.service === service && other.id !== id && isOpen(other));

/** A charge after what its process says of it. */
const withOutcome = (charge: Entry, outcome: Outcome, standing: readonly Entry[], now: Moment): Entry => {
  const word = lateAnswer(charge, outcome, now.at);
  const odd = outcome.odd ?? [];
  const marks = odd.length === 0 ? undefined : evidenceOf('odd', now.at, { message: odd.join('; ') });
  const seen = withMore(withMore(charge, word), marks);
  if (!changesState(charge, outcome) || (reopens(charge, outcome) && isTaken(charge, standing))) return seen;
  const activity = outcome.activity && latest(charge.activity, outcome.activity);
  const took = elapsed(charge.begun, now.mark) ?? now.at - charge.createdAt;
  return changed(seen, { ...outcome, activity, moment: now, took, evidence: seen.evidence });
};

/** Writes what became of a charge; gives the other one that owns its activity already. */
export const record = (backend: Backend, id: string, thing: string, outcome: Outcome): Promise<Entry | undefined> => {
  const uid = outcome.activity?.uid;
  // Only a doubt can open a charge again.
  const beside = outcome.state === 'unknown' ? [{ standing: thing }] : [];
  const about = [{ id }, { activities: uid === undefined ? [] : [uid] }, ...beside];
  return backend.change(
    'outcome',
    about,
    ([[charge] = NONE, owners = [], standing = []]): Writes<Entry | undefined> => {
      if (charge === undefined) throw new Error(`there is no charge ${id}`);
      const owner = owners.find((other) => other.id !== id);
      const shared = owner === undefined ? [] : [`${uid} is the activity of ${owner.id}, too`];
      const odd = [...(outcome.odd ?? []), ...shared];
      return { write: [withOutcome(charge, { ...outcome, odd }, standing, backend.moment())], result: owner };
    },
  );
};

/** An unknown charge can be resolved; what a person has said of one, a person can correct. */
const mayResolve = (charge: Entry, { kind }: Evidence): boolean =>
  charge.state === 'unknown' || (kind === 'resolved' && wasResolved(charge));

/** Ends a doubt; false where there is none any more, or the activity has an owner. `kept` says what may be kept of the activity. */
export const resolve = (
  backend: Backend,
  id: string,
  { state, activity, evidence }: Resolution,
  kept: (charge: Entry) => Resolution['activity'],
): Promise<boolean> => {
  const about = [{ id }, { activities: activity === undefined ? [] : [activity.uid] }];
  return backend.change('note', about, ([[found] = NONE, owners = []]): Writes<boolean> => {
    const charge = found && resolveStale(found, backend);
    if (charge === undefined || !mayResolve(charge, evidence) || owners.some((owner) => owner.id !== id)) {
      return { result: false };
    }
    const { took, exitCode } = charge;
    const change = { state, took, exitCode, moment: backend.moment(), activity: kept(charge) };
    return { write: [changed(charge, { ...change, evidence: withEvidence(charge.evidence, evidence) })], result: true };
  });
};

/** Adds what was seen of a charge, which stays as it is. */
export const note = (backend: Backend, id: string, evidence: Evidence): Promise<void> =>
  backend.change('note', [{ id }], ([[charge] = NONE]) => ({
    write: charge === undefined ? [] : [withMore(charge, evidence)],
    result: undefined,
  }));

/** So long what the service told last is good enough, in milliseconds: a wait need not write at each of its looks. */
const FRESH_MS = 60_000;

/** The service tells its time to the second. */
const SAME_MS = 2000;

/** Whether what the service's clock shows was to be expected. */
const isFresh = ({ told }: Entry, { servedAt }: KeptActivity, { mark }: Moment): boolean => {
  const age = told === undefined ? undefined : elapsed(told.mark, mark);
  if (told === undefined || age === undefined || age >= FRESH_MS) return false;
  return servedAt === undefined || Math.abs(servedAt - told.service - age) < SAME_MS;
};

const isWorthNoting = (charge: Entry, now: KeptActivity, moment: Moment): boolean => {
  const { activity } = charge;
  if (!isFresh(charge, now, moment) || activity?.status !== now.status) return true;
  if (activity.nextAction === null && now.nextAction !== null) return true;
  if (activity.createdAt === undefined && now.createdAt !== undefined) return true;
  // That nothing came of it before its account expired.
  return !wasSeenExpired(charge) && wasSeenExpired(asShown(charge, now, moment));
};

/** A charge after a read has shown its activity, and what its payment request asks for; the same one where that says nothing new. */
const later = (charge: Entry, seen: KeptActivity, asked: RequestTerms, moment: Moment): Entry => {
  const now = latest(charge.activity, seen);
  const standing = isWorthNoting(charge, now, moment) ? observed(charge, now, moment) : charge;
  return addsTo(standing, asked) ? asking(standing, asked) : standing;
};

/** Notes how activities stand by now. `kept` says what may be kept of one. */
export const observe = (
  backend: Backend,
  activities: readonly KeptActivity[],
  asked: RequestTerms,
  kept: (activity: KeptActivity, charge: Entry) => KeptActivity,
  wait: boolean,
): Promise<void> => {
  const about = [{ activities: activities.map(({ uid }) => uid) }];
  return backend.change(wait ? 'note' : 'glance', about, ([charges = []]) => {
    const moment = backend.moment();
    const write = charges.flatMap((charge) => {
      const of = activities.filter(({ uid }) => uid === charge.activity?.uid);
      const now = of.reduce((before, activity) => later(before, kept(activity, before), asked, moment), charge);
      return now === charge ? [] : [now];
    });
    return { write, result: undefined };
  });
};

/** An older paycli called the moment otherwise. */
type OldLine = EmergencyLine & { readonly settled_at?: number };

const asLine = ({ settled_at: old, ...line }: OldLine): EmergencyLine => ({
  ...line,
  recorded_at: line.recorded_at ?? old ?? 0,
});

/** The line as something that was seen of its charge. */
const asEvidence = ({ evidence, ...line }: EmergencyLine): Evidence => ({
  kind: 'emergency_line',
  at: evidence?.at ?? new Date(line.recorded_at).toISOString(),
  ...evidence,
  line,
});

const isKnown = (charge: Entry, { recorded_at: recordedAt }: EmergencyLine): boolean =>
  charge.evidence.some(({ line }) => (line as Partial<EmergencyLine> | undefined)?.recorded_at === recordedAt);

/** When a line was written is known by the machine's clock alone. */
const UNMARKED: UptimeMark = { boot: '', uptime: 0 };

/** A charge after a line about it: the line is what the service said, so it holds whatever was concluded without it. */
const after = (charge: Entry, line: EmergencyLine, standing: readonly Entry[]): Entry => {
  if (isKnown(charge, line)) return charge;
  const seen = withMore(charge, asEvidence(line));
  if (!changesState(charge, line) || (reopens(charge, line) && isTaken(charge, standing))) return seen;
  const { state, exitCode, activity } = line;
  const moment = { at: line.recorded_at, mark: UNMARKED };
  const known = activity && latest(charge.activity, activity);
  return changed(seen, { state, exitCode, activity: known, moment, took: charge.took, evidence: seen.evidence });
};

/** Takes in what processes could not write into the ledger itself, each line once. Gives the charges that it knows. */
export const takeIn = async (backend: Backend, given: readonly EmergencyLine[]): Promise<ReadonlySet<string>> => {
  const lines = given.map(asLine);
  if (lines.length === 0) return new Set();
  const doubts = lines.filter(({ state }) => state === 'unknown').map(({ ugwo, about = ugwo }) => about ?? '');
  const about = [
    ...lines.map(({ ledger_id: id }) => ({ id })),
    // Only a doubt can open a charge again.
    ...[...new Set(doubts)].map((thing) => ({ standing: thing })),
  ];
  return backend.change('note', about, (found) => {
    const charges = new Map(
      found
        .slice(0, lines.length)
        .flat()
        .map((charge) => [charge.id, charge]),
    );
    const standing = found.slice(lines.length).flat();
    const before = new Set(charges.values());
    for (const line of lines) {
      const charge = charges.get(line.ledger_id);
      if (charge !== undefined) charges.set(charge.id, after(charge, line, standing));
    }
    const write = [...charges.values()].filter((charge) => !before.has(charge));
    return { write, result: new Set(charges.keys()) };
  });
};

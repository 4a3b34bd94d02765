import type { Backend, Decision } from './backend.ts';
import { elapsed } from './clock.ts';
import type { Entry, Evidence, Moment, Outcome, Resolution } from './entry.ts';
import { evidenceOf, withEvidence } from './evidence.ts';
import { asItStands } from './gone.ts';
import { changesState, latest, lateWord, wasResolved } from './precedence.ts';
import { changed, withMore } from './transitions.ts';

type Writes<T> = Decision<readonly Entry[], T>;

const NONE: readonly Entry[] = [];

const isOpen = ({ state }: Entry): boolean => state === 'sending' || state === 'unknown';

/** Whether an outcome makes a doubt of what had an end. */
export const reopens = ({ state }: Pick<Entry, 'state'>, outcome: Pick<Outcome, 'state'>): boolean =>
  outcome.state === 'unknown' && state === 'not_created';

/** Whether another charge of the payment request is open, beside which this one can't be open again. */
export const isTaken = ({ id, service }: Entry, standing: readonly Entry[]): boolean =>
  standing.some((other) => other.service === service && other.id !== id && isOpen(other));

/** A charge after what its process says of it. */
const withOutcome = (charge: Entry, outcome: Outcome, standing: readonly Entry[], now: Moment): Entry => {
  const word = lateWord(charge, outcome, now.at);
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
    const charge = found && asItStands(found, backend);
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

import { type ChargeState, paymentStatusOf } from '../core/charge.ts';
import {
  type Entry,
  type Evidence,
  evidenceOf,
  type Intent,
  type KeptActivity,
  type Moment,
  type Outcome,
  type RequestTerms,
  type Sender,
  type ServiceTime,
  withEvidence,
} from './entry.ts';

/** New entry for a charge about to be sent. The backend assigns its place (`seq`). */
export const started = (id: string, { bound, ...intent }: Intent, sender: Sender, { at, mark }: Moment): Entry => ({
  ...intent,
  id,
  deadline: at + bound,
  seq: 0,
  state: 'sending',
  sender,
  createdAt: at,
  begun: mark,
  took: undefined,
  told: undefined,
  recordedAt: undefined,
  exitCode: undefined,
  activity: undefined,
  evidence: [],
});

/** New state of a charge, with the fields that change with it. */
interface StateChange {
  readonly state: ChargeState;
  readonly moment: Moment;
  /** Duration of the sending, in milliseconds; undefined if its process died before storing it. */
  readonly took: number | undefined;
  readonly exitCode: number | undefined;
  readonly activity: KeptActivity | undefined;
  readonly evidence: readonly Evidence[];
}

const serviceTimeBy = (activity: KeptActivity | undefined, { at, mark }: Moment): ServiceTime | undefined =>
  activity?.servedAt === undefined ? undefined : { service: activity.servedAt, at, mark };

/** Activity for storage. The service's time is stored in `told`, with the moment of that reading. */
const withoutTime = ({ uid, status, nextAction, createdAt }: KeptActivity): KeptActivity => ({
  uid,
  status,
  nextAction: nextAction ?? null,
  createdAt,
});

export const changed = (charge: Entry, change: StateChange): Entry => {
  const { state, moment, took, exitCode, activity, evidence } = change;
  const told = serviceTimeBy(activity, moment);
  return {
    ...charge,
    ...{ state, took, exitCode, told, evidence },
    recordedAt: moment.at,
    activity: activity && withoutTime(activity),
  };
};

export const withMore = (charge: Entry, evidence: Evidence | undefined): Entry => ({
  ...charge,
  evidence: withEvidence(charge.evidence, evidence),
});

/** Explains why the outcome of a charge or an update is unknown. */
export const STALE = 'its process ended before it could save the result';

/** Marks a charge as unknown because its process has died. */
export const markStale = (charge: Entry, moment: Moment): Entry => {
  const gone = evidenceOf('process_gone', moment.at, { pid: charge.sender.pid, why: STALE });
  const evidence = withEvidence(charge.evidence, gone);
  return changed(charge, { ...charge, state: 'unknown', moment, evidence });
};

/** Applies a new status of the activity. The last next action stays stored when the service no longer shows one. */
export const observed = (charge: Entry, activity: KeptActivity, moment: Moment): Entry => ({
  ...charge,
  told: serviceTimeBy(activity, moment) ?? charge.told,
  activity: {
    ...withoutTime(activity),
    nextAction: activity.nextAction ?? charge.activity?.nextAction ?? null,
    createdAt: charge.activity?.createdAt ?? activity.createdAt,
  },
});

const ASKED = ['amount', 'currency', 'ref', 'customer'] as const;

/** True if a read has shown more of the payment request's terms than is stored. */
export const addsTo = ({ asked = {} }: Entry, shown: RequestTerms): boolean =>
  ASKED.some((name) => asked[name] === undefined && shown[name] !== undefined);

/** Adds missing terms. The first known value of each stays. */
export const asking = (charge: Entry, shown: RequestTerms): Entry => ({
  ...charge,
  asked: Object.fromEntries(ASKED.map((name) => [name, charge.asked?.[name] ?? shown[name]])),
});

/** Kinds of evidence that can decide a charge's state. */
export const DECISIVE: readonly string[] = ['resolved', 'answer', 'emergency_line'];

/** True if a person made the last decision about a charge. */
export const wasResolved = ({ evidence }: Pick<Entry, 'evidence'>): boolean =>
  evidence.findLast(({ kind }) => DECISIVE.includes(kind))?.kind === 'resolved';

/**
 * True if a process's outcome for its own charge overrides a state that others have set meanwhile. Acceptance by the
 * service always does. An unknown outcome overrides `not_created`, which was then concluded too soon.
 */
export const changesState = ({ state }: Entry, said: Pick<Outcome, 'state'>): boolean =>
  state === 'sending' ||
  state === 'unknown' ||
  said.state === 'accepted' ||
  (state === 'not_created' && said.state === 'unknown');

/** Keeps `paid` when an answer or a read shows an earlier status: it may be older than the stored one. */
export const latest = (known: KeptActivity | undefined, told: KeptActivity): KeptActivity => {
  const isOlder =
    known?.uid === told.uid && paymentStatusOf(known.status) === 'paid' && paymentStatusOf(told.status) !== 'paid';
  return isOlder ? { ...told, status: known.status } : told;
};

/** Evidence for an outcome that arrived after the charge was no longer `sending`. The history must show it. */
export const lateAnswer = ({ state }: Entry, { evidence }: Outcome, at: number): Evidence | undefined =>
  evidence ?? (state === 'sending' ? undefined : evidenceOf('answer', at, { message: 'the answer came after all' }));

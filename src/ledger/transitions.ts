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

/** A charge that is about to be sent; its place is the backend's to say. */
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

/** A charge's new state and what goes with it. */
interface StateChange {
  readonly state: ChargeState;
  readonly moment: Moment;
  /** How long the sending took, in milliseconds; undefined where it did not live to say. */
  readonly took: number | undefined;
  readonly exitCode: number | undefined;
  readonly activity: KeptActivity | undefined;
  readonly evidence: readonly Evidence[];
}

const toldBy = (activity: KeptActivity | undefined, { at, mark }: Moment): ServiceTime | undefined =>
  activity?.servedAt === undefined ? undefined : { service: activity.servedAt, at, mark };

/** As it is kept: the service's time goes with the moment at which it was told. */
const withoutTime = ({ uid, status, nextAction, createdAt }: KeptActivity): KeptActivity => ({
  uid,
  status,
  nextAction: nextAction ?? null,
  createdAt,
});

export const changed = (charge: Entry, change: StateChange): Entry => {
  const { state, moment, took, exitCode, activity, evidence } = change;
  const told = toldBy(activity, moment);
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

/** Why nobody knows what became of a charge or an update. */
export const STALE = 'its process ended before it could save the result';

/** Its process has gone: nobody knows any more what became of it. */
export const markStale = (charge: Entry, moment: Moment): Entry => {
  const gone = evidenceOf('process_gone', moment.at, { pid: charge.sender.pid, why: STALE });
  const evidence = withEvidence(charge.evidence, gone);
  return changed(charge, { ...charge, state: 'unknown', moment, evidence });
};

/** How its activity stands by now. What needs nothing more of the customer has no next action; what it was stays known. */
export const observed = (charge: Entry, activity: KeptActivity, moment: Moment): Entry => ({
  ...charge,
  told: toldBy(activity, moment) ?? charge.told,
  activity: {
    ...withoutTime(activity),
    nextAction: activity.nextAction ?? charge.activity?.nextAction ?? null,
    createdAt: charge.activity?.createdAt ?? activity.createdAt,
  },
});

const ASKED = ['amount', 'currency', 'ref', 'customer'] as const;

/** Whether a look has shown more of what the payment request asks for than is known. */
export const addsTo = ({ asked = {} }: Entry, shown: RequestTerms): boolean =>
  ASKED.some((name) => asked[name] === undefined && shown[name] !== undefined);

/** The first word about each stays. */
export const asking = (charge: Entry, shown: RequestTerms): Entry => ({
  ...charge,
  asked: Object.fromEntries(ASKED.map((name) => [name, charge.asked?.[name] ?? shown[name]])),
});

/** What can decide how a charge stands, in the order of the evidence. */
export const DECISIVE: readonly string[] = ['resolved', 'answer', 'emergency_line'];

/** Whether the last word on a charge is a person's. */
export const wasResolved = ({ evidence }: Pick<Entry, 'evidence'>): boolean =>
  evidence.findLast(({ kind }) => DECISIVE.includes(kind))?.kind === 'resolved';

/**
 * Whether what a process says of its own charge changes a row that others may have resolved meanwhile: that the service
 * accepted it always does, and a doubt counts for more than a "not created" that nobody should have said so soon.
 */
export const changesState = ({ state }: Entry, said: Pick<Outcome, 'state'>): boolean =>
  state === 'sending' ||
  state === 'unknown' ||
  said.state === 'accepted' ||
  (state === 'not_created' && said.state === 'unknown');

/** An answer or a read may be older than what is known: what was paid stays paid. */
export const latest = (known: KeptActivity | undefined, told: KeptActivity): KeptActivity => {
  const isOlder =
    known?.uid === told.uid && paymentStatusOf(known.status) === 'paid' && paymentStatusOf(told.status) !== 'paid';
  return isOlder ? { ...told, status: known.status } : told;
};

/** The word of a process that came when its charge was not its own any more: it must be seen in the evidence. */
export const lateAnswer = ({ state }: Entry, { evidence }: Outcome, at: number): Evidence | undefined =>
  evidence ?? (state === 'sending' ? undefined : evidenceOf('answer', at, { message: 'the answer came after all' }));

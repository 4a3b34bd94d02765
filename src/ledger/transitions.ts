import type { ChargeState } from '../core/charge.ts';
import type { Entry, Evidence, Intent, KeptActivity, Moment, RequestTerms, Sender, ServiceTime } from './entry.ts';
import { evidenceOf, withEvidence } from './evidence.ts';

/** A charge that is about to be sent; its place is the backend's to say. */
export const begun = (id: string, { bound, ...intent }: Intent, sender: Sender, { at, mark }: Moment): Entry => ({
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
export interface Change {
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

export const changed = (charge: Entry, change: Change): Entry => {
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
export const GONE = 'its process ended before it could save the result';

/** Its process has gone: nobody knows any more what became of it. */
export const lost = (charge: Entry, moment: Moment): Entry => {
  const gone = evidenceOf('process_gone', moment.at, { pid: charge.sender.pid, why: GONE });
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

import { CHARGE } from '../core/effect.ts';
import { EXIT_CODES } from '../core/exit.ts';
import { isTakenUp, rowStateOf } from '../core/row.ts';
import type { Backend } from './backend.ts';
import type { Entry, Intent, Moment } from './entry.ts';
import { asItStands, lostAmong } from './gone.ts';
import { elsewhereOf, guard } from './guard.ts';
import { newId } from './id.ts';
import type { BeginOptions, Begun, Obstacle } from './ledger.ts';
import { isEmulator } from './place.ts';
import { type Allowance, dayOf, forbids } from './policy.ts';
import { begun } from './transitions.ts';

/** How it stands, where it was made; what is no charge says at once that nothing came of it. */
const statusOf = ({ kind, activity, exitCode }: Entry): string | undefined =>
  kind !== CHARGE && exitCode === EXIT_CODES.charge_failed ? 'failed' : activity?.status;

/** Whether what the row of a job had last keeps it from being begun again. */
const isDone = (entry: Entry, retry: boolean): boolean => !isTakenUp(rowStateOf(entry.state, statusOf(entry)), retry);

/** What stands in the way of an intent, by what is known of the thing that it is about, and of its row. */
const obstacleOf = (
  intent: Intent,
  how: BeginOptions,
  standing: readonly Entry[],
  ofRow: Entry | undefined,
  now: Moment,
): Obstacle | undefined => {
  if (ofRow !== undefined && isDone(ofRow, how.retry === true)) {
    return { why: 'done', by: ofRow, activity: ofRow.activity };
  }
  const here = standing.filter(({ service }) => service === intent.service);
  return guard(here, intent, how, now);
};

/** What a policy has against it, which nothing overrides. */
const policyObstacle = (allowance: Allowance | undefined, intent: Intent): Obstacle | undefined => {
  if (allowance === undefined) return undefined;
  const forbidden = forbids(allowance, intent);
  if (forbidden === undefined) return undefined;
  return { why: 'policy', by: undefined, activity: undefined, policy: { profile: allowance.kept.profile, forbidden } };
};

/** The guard and the intent in one step (charge-protocol, steps 1 and 2). */
export const begin = (backend: Backend, intent: Intent, how: BeginOptions): Promise<Begun> => {
  const { service, about, job, row = 0 } = intent;
  // It stays the same when the rule is asked again.
  const id = newId(intent.kind);
  const decide: Parameters<typeof backend.change<Begun>>[2] = ([standing = [], ofRow = []], allowance) => {
    const now = backend.moment();
    // The row's last one may be among those that stand.
    const found = new Map([...standing, ...ofRow].map((charge) => [charge.id, charge]));
    const lost = lostAmong([...found.values()], backend);
    const [last] = ofRow.map((charge) => asItStands(charge, backend));
    const known = standing.map((charge) => asItStands(charge, backend));
    const obstacle = obstacleOf(intent, how, known, last, now) ?? policyObstacle(allowance, intent);
    if (obstacle !== undefined) {
      return { write: lost, result: { kind: 'refused', intent, moment: now, ...obstacle } };
    }
    const others = isEmulator(service) ? [] : known.filter((charge) => charge.service !== service);
    const elsewhere = elsewhereOf(others, intent, now);
    return {
      write: [...lost, begun(id, { ...intent, bound: intent.bound + backend.slack }, backend.self, now)],
      result: { kind: 'begun', id, elsewhere },
    };
  };
  const queries = [
    { standing: about },
    ...(job === undefined ? [] : [{ job, rows: [row, row], order: 'newest' } as const]),
  ];
  // What waits beyond midnight counts the day before, too: never too little.
  const of = intent.kind === CHARGE ? { profile: intent.profile, since: dayOf(backend.now()) } : undefined;
  return backend.change('intent', queries, decide, of);
};

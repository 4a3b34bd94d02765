import { randomInt } from 'node:crypto';
import { isTakenUp, rowStateOf } from '../core/row.ts';
import type { Backend, Decision } from './backend.ts';
import { asItStands, lostAmong } from './gone.ts';
import { elsewhereOf, guard } from './guard.ts';
import type { BeginOptions, Begun, Charge, Intent, Moment, Obstacle } from './ledger.ts';
import { isEmulator } from './place.ts';
import { begun } from './transitions.ts';

const ID_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_LENGTH = 12;

/** A name that can be read out over the phone: no letters that look alike. There are 32 of them. */
const newId = (): string =>
  `chg-${Array.from({ length: ID_LENGTH }, () => ID_ALPHABET.charAt(randomInt(ID_ALPHABET.length))).join('')}`;

/** Whether the charge that the row of a job had last keeps it from being charged again. */
const isDone = ({ state, activity, exitCode }: Charge, retry: boolean): boolean =>
  !isTakenUp({ state: rowStateOf(state, activity?.status), exitCode }, retry);

/** What stands in the way of an intent, by what is known of its payment request and of its row. */
const obstacleOf = (
  { service, medium }: Intent,
  how: BeginOptions,
  standing: readonly Charge[],
  ofRow: Charge | undefined,
  now: Moment,
): Obstacle | undefined => {
  if (ofRow !== undefined && isDone(ofRow, how.retry === true)) {
    return { why: 'done', by: ofRow, activity: ofRow.activity };
  }
  const here = standing.filter((charge) => charge.service === service);
  return guard(here, medium, how, now);
};

/** The guard and the intent in one step (charge-protocol, steps 1 and 2). */
export const begin = (backend: Backend, intent: Intent, how: BeginOptions): Promise<Begun> => {
  const { service, ugwo, medium, job, row = 0 } = intent;
  // It stays the same when the rule is asked again.
  const id = newId();
  const decide = (
    standing: readonly Charge[] = [],
    ofRow: readonly Charge[] = [],
  ): Decision<readonly Charge[], Begun> => {
    const now = backend.moment();
    // The row's last charge may be among those that stand.
    const found = new Map([...standing, ...ofRow].map((charge) => [charge.id, charge]));
    const lost = lostAmong([...found.values()], backend);
    const [last] = ofRow.map((charge) => asItStands(charge, backend));
    const known = standing.map((charge) => asItStands(charge, backend));
    const obstacle = obstacleOf(intent, how, known, last, now);
    if (obstacle !== undefined) {
      return { write: lost, result: { kind: 'refused', ugwo, moment: now, ...obstacle } };
    }
    const others = isEmulator(service) ? [] : known.filter((charge) => charge.service !== service);
    const elsewhere = elsewhereOf(others, medium, now);
    return { write: [...lost, begun(id, intent, backend.self, now)], result: { kind: 'begun', id, elsewhere } };
  };
  const about = [
    { standing: ugwo },
    ...(job === undefined ? [] : [{ job, rows: [row, row], order: 'newest' } as const]),
  ];
  return backend.change('intent', about, decide);
};

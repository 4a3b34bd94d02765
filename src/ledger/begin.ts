import { randomInt } from 'node:crypto';
import { memo } from '../core/async.ts';
import { CHARGE, isTakenUp, rowStateOf } from '../core/charge.ts';
import { EXIT_CODES } from '../core/error.ts';
import type { Backend, Query } from './backend.ts';
import { type Entry, type Intent, isEmulator, type Moment, type Sender } from './entry.ts';
import { elsewhereOf, guard } from './guard.ts';
import type { BeginOptions, Begun, Obstacle } from './ledger.ts';
import { type Allowance, dayOf, forbids } from './policy.ts';
import { markStale, started } from './transitions.ts';

type World = Pick<Backend, 'isGone' | 'moment'>;

/** True if the process that was sending a charge or an update has died. */
export const isStale = (
  {
    state,
    sender,
    deadline,
    id,
  }: { readonly state: string; readonly sender: Sender; readonly deadline: number; readonly id?: string },
  { isGone, moment }: World,
): boolean => state === 'sending' && isGone(sender, moment().at > deadline, id);

/** A `sending` charge whose process has died counts as `unknown`. */
export const resolveStale = (charge: Entry, world: World): Entry =>
  isStale(charge, world) ? markStale(charge, world.moment()) : charge;

/** Stale ones among some charges, in the state to be written. */
export const staleAmong = (charges: readonly Entry[], world: World): Entry[] =>
  charges.filter((charge) => isStale(charge, world)).map((charge) => markStale(charge, world.moment()));

const SENDING = { states: ['sending'] } as const;

/** Writes `unknown` for all `sending` charges whose process has died. */
export const expireStale = async (backend: Backend): Promise<void> => {
  const sending = await backend.read(SENDING);
  if (!sending.some((charge) => isStale(charge, backend))) return;
  await backend.change('note', [SENDING], ([found = []]) => ({ write: staleAmong(found, backend), result: undefined }));
};

/** Reads charges after marking those of dead processes as unknown. */
export const readResolved = async (backend: Backend, query: Query): Promise<readonly Entry[]> => {
  await expireStale(backend);
  return backend.read(query);
};

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const HALF = 2 ** 30;

/** Half of an id, in 32 letters that can be read out over the phone: no two look alike. */
const sixLetters = (half: number): string =>
  [25, 20, 15, 10, 5, 0].map((shift) => LETTERS.charAt((half >> shift) % LETTERS.length)).join('');

/**
 * Odd, so that the sequence visits all numbers before it repeats. Large, so that neighbours differ in several letters.
 */
const STEP = 20_706_943;

/**
 * Ids for one process, ascending from a random start. Ids of one file are then neighbours in the index: random ones
 * would touch an index page each.
 */
export const idsFrom = (first: number, second: number): ((kind: string) => string) => {
  let [high, low] = [first, second];
  return (kind) => {
    low += STEP;
    if (low >= HALF) [high, low] = [(high + 1) % HALF, low - HALF];
    return `${kind === CHARGE ? 'chg' : kind}-${sixLetters(high)}${sixLetters(low)}`;
  };
};

const ids = memo(() => idsFrom(randomInt(HALF), randomInt(HALF)));

/** Returns an id that is unique in all ledgers. */
export const newId = (kind: string): string => ids()(kind);

/** Status of an accepted entry. Entries other than charges know at once, by their exit code, whether they failed. */
const statusOf = ({ kind, activity, exitCode }: Entry): string | undefined =>
  kind !== CHARGE && exitCode === EXIT_CODES.charge_failed ? 'failed' : activity?.status;

/** True if the last entry of a job's row keeps the row from being started again. */
const isDone = (entry: Entry, retry: boolean): boolean => !isTakenUp(rowStateOf(entry.state, statusOf(entry)), retry);

/** Finds an obstacle to an intent, among the entries about the same thing and the last entry of its row. */
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

/** Obstacle from a policy, which no option overrides. */
const policyObstacle = (allowance: Allowance | undefined, intent: Intent): Obstacle | undefined => {
  if (allowance === undefined) return undefined;
  const forbidden = forbids(allowance, intent);
  if (forbidden === undefined) return undefined;
  return { why: 'policy', by: undefined, activity: undefined, policy: { profile: allowance.kept.profile, forbidden } };
};

/** Runs the guard and stores the intent in one transaction (charge-protocol, steps 1 and 2). */
export const begin = (backend: Backend, intent: Intent, how: BeginOptions): Promise<Begun> => {
  const { service, about, job, row = 0 } = intent;
  // Created outside the rule, so that it stays the same when the rule runs again.
  const id = newId(intent.kind);
  const decide: Parameters<typeof backend.change<Begun>>[2] = ([standing = [], ofRow = []], allowance) => {
    const now = backend.moment();
    // The row's last entry may also be among the standing ones.
    const found = new Map([...standing, ...ofRow].map((charge) => [charge.id, charge]));
    const lost = staleAmong([...found.values()], backend);
    const [last] = ofRow.map((charge) => resolveStale(charge, backend));
    const known = standing.map((charge) => resolveStale(charge, backend));
    const obstacle = obstacleOf(intent, how, known, last, now) ?? policyObstacle(allowance, intent);
    if (obstacle !== undefined) {
      return { write: lost, result: { kind: 'refused', intent, moment: now, ...obstacle } };
    }
    const others = isEmulator(service) ? [] : known.filter((charge) => charge.service !== service);
    const elsewhere = elsewhereOf(others, intent, now);
    return {
      write: [...lost, started(id, { ...intent, bound: intent.bound + backend.slack }, backend.self, now)],
      result: { kind: 'begun', id, elsewhere },
    };
  };
  const queries = [
    { standing: about },
    ...(job === undefined ? [] : [{ job, rows: [row, row], order: 'newest' } as const]),
  ];
  // An intent that waits beyond midnight also counts the charges of the day before. It never counts too few.
  const of = intent.kind === CHARGE ? { profile: intent.profile, since: dayOf(backend.now()) } : undefined;
  return backend.change('intent', queries, decide, of);
};

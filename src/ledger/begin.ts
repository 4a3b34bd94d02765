import { randomInt } from 'node:crypto';
import { memo } from '../core/async.ts';
import { CHARGE } from '../core/charge.ts';
import { EXIT_CODES } from '../core/error.ts';
import { isTakenUp, rowStateOf } from '../core/row.ts';
import type { Backend, Query } from './backend.ts';
import { type Entry, type Intent, isEmulator, type Moment, type Sender } from './entry.ts';
import { elsewhereOf, guard } from './guard.ts';
import type { BeginOptions, Begun, Obstacle } from './ledger.ts';
import { type Allowance, dayOf, forbids } from './policy.ts';
import { markStale, started } from './transitions.ts';

type World = Pick<Backend, 'isGone' | 'moment'>;

/** Whether the process died that was sending a charge or an update. */
export const isStale = (
  {
    state,
    sender,
    deadline,
    id,
  }: { readonly state: string; readonly sender: Sender; readonly deadline: number; readonly id?: string },
  { isGone, moment }: World,
): boolean => state === 'sending' && isGone(sender, moment().at > deadline, id);

/** A charge as it stands: unknown, where its process died while it was sending. */
export const resolveStale = (charge: Entry, world: World): Entry =>
  isStale(charge, world) ? markStale(charge, world.moment()) : charge;

/** Those of some charges whose process died, as they are to be written. */
export const staleAmong = (charges: readonly Entry[], world: World): Entry[] =>
  charges.filter((charge) => isStale(charge, world)).map((charge) => markStale(charge, world.moment()));

const SENDING = { states: ['sending'] } as const;

/** Writes so of all charges that are being sent, where one is lost. */
export const expireStale = async (backend: Backend): Promise<void> => {
  const sending = await backend.read(SENDING);
  if (!sending.some((charge) => isStale(charge, backend))) return;
  await backend.change('note', [SENDING], ([found = []]) => ({ write: staleAmong(found, backend), result: undefined }));
};

/** Reads charges as they stand: those of dead processes are swept up first. */
export const readResolved = async (backend: Backend, query: Query): Promise<readonly Entry[]> => {
  await expireStale(backend);
  return backend.read(query);
};

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const HALF = 2 ** 30;

/** Half of an id, in letters that can be read out over the phone: none look alike. There are 32 of them. */
const sixLetters = (half: number): string =>
  [25, 20, 15, 10, 5, 0].map((shift) => LETTERS.charAt((half >> shift) % LETTERS.length)).join('');

/** Odd, so that all numbers come before one comes again, and so large that neighbours differ in several letters. */
const STEP = 20_706_943;

/**
 * The ids of what one process sends, from a drawn one on. They ascend, so that those of a file lie side by side in an index:
 * drawn each by itself they would touch a page of it each.
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

/** An id that nothing else in any ledger has. */
export const newId = (kind: string): string => ids()(kind);

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
  // What waits beyond midnight counts the day before, too: never too little.
  const of = intent.kind === CHARGE ? { profile: intent.profile, since: dayOf(backend.now()) } : undefined;
  return backend.change('intent', queries, decide, of);
};

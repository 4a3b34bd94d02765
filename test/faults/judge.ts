import type { ChargeEnd } from './charger.ts';
import { activityOf } from './counting.ts';

/*
 * What must hold of a charge at which something struck, whatever struck, whichever program charged, and wherever its
 * ledger is.
 */

/** A charge in the ledger. */
export interface Row {
  readonly id: string;
  readonly state: string;
  /** The exit code of the run that recorded its outcome. */
  readonly exit: number | null;
  /** The activity's UID. */
  readonly activity: string | null;
}

/** Selects charges as rows, oldest first, from the table of either database. */
export const rowsFrom = (table: string): string =>
  `SELECT id, ugwo, state, CAST(exit_code AS integer) AS exit, activity FROM ${table} ORDER BY seq`;

/** How a run that was killed ended. */
export const KILLED: ChargeEnd = { kind: 'killed', exitCode: -1, id: undefined, message: '' };

/** What must hold of a run with this end. */
interface Rule {
  readonly exit: number;
  /** How often the service may have executed its charge. */
  readonly executed: readonly number[];
  /** The possible states of its charge in the ledger; undefined: it is not there. */
  readonly states: readonly (string | undefined)[];
}

const RULES: Readonly<Record<string, Rule>> = {
  accepted: { exit: 0, executed: [1], states: ['accepted'] },
  rejected: { exit: 3, executed: [0], states: ['rejected'] },
  auth: { exit: 4, executed: [0], states: [undefined, 'not_sent'] },
  not_sent: { exit: 5, executed: [0], states: ['not_sent'] },
  unknown: { exit: 6, executed: [0, 1], states: ['unknown'] },
  unrecorded: { exit: 7, executed: [1], states: ['accepted'] },
  read_failed: { exit: 8, executed: [0], states: [undefined] },
  refused: { exit: 9, executed: [0], states: [undefined] },
  // What it has begun may be in doubt.
  ledger: { exit: 10, executed: [0], states: [undefined, 'sending', 'unknown'] },
  killed: { exit: KILLED.exitCode, executed: [0, 1], states: [undefined, 'sending', 'unknown', 'accepted'] },
};

/** In place of the ID of a charge whose run does not tell it. */
const UNTOLD = 'untold';

/** The end of a run of the program, which tells it by its exit code. */
export const endOfRun = (code: number | null, signal: string | null, message: string): ChargeEnd => {
  const [kind] = Object.entries(RULES).find(([, { exit }]) => exit === code) ?? [`exit ${code ?? signal}`];
  return { kind, exitCode: code ?? -1, id: UNTOLD, message };
};

/** Whether a run exits with the code of its end. */
export const hasItsExit = ({ kind, exitCode }: ChargeEnd): boolean => RULES[kind]?.exit === exitCode;

/** A payment request that was charged once with a fault, and once more without. */
export interface Struck {
  readonly ugwo: string;
  readonly first: ChargeEnd;
  /** How often the service had executed it when the first run had ended. */
  readonly executed: number;
  /** Undefined: it was charged only once. */
  readonly second?: { readonly end: ChargeEnd; readonly executed: number } | undefined;
  /** Whether the second run did not have the local files of the first one. */
  readonly isElsewhere?: boolean;
  /** Its charges in the ledger in the end, oldest first. */
  readonly rows: readonly Row[];
}

/** The fault unless it is so. */
export const check = (isSo: boolean, fault: string): string[] => (isSo ? [] : [fault]);

/** The states in which a charge prevents another. */
const BLOCKING: readonly (string | undefined)[] = ['accepted', 'sending', 'unknown'];

const isOf = ({ id }: Row, end: ChargeEnd): boolean => end.id === UNTOLD || end.id === id;

const faultsOfFirst = ({ ugwo, first, executed, isElsewhere }: Struck, rule: Rule, row: Row | undefined): string[] => {
  // What only local files tell is still open for others, and in doubt once its deadline is over.
  const open = first.kind === 'unrecorded' && isElsewhere ? ['sending', 'unknown'] : [];
  const states = [...rule.states, ...open];
  const isCertain = rule.states.length === 1 && row !== undefined;
  // Saved later, it still has the exit code of its state.
  const exit = isCertain && !open.includes(row.state) ? RULES[row.state]?.exit : undefined;
  return [
    ...check(hasItsExit(first), `exit ${first.exitCode}`),
    ...check(rule.executed.includes(executed), `it was executed ${executed} times`),
    // A process never blocks itself.
    ...check(!/duplicate key/.test(first.message), 'it met its own intent'),
    ...check(
      states.includes(row?.state) && (!isCertain || isOf(row, first)),
      `the ledger says ${row?.id} ${row?.state}`,
    ),
    ...check(exit === undefined || row?.exit === exit, `the ledger says exit ${row?.exit}`),
    ...check(executed === 0 || BLOCKING.includes(row?.state), `the charge was lost: the ledger says ${row?.state}`),
    ...check(row?.state !== 'accepted' || row.activity === activityOf(ugwo), `its activity is ${row?.activity}`),
  ];
};

/** A charge in the ledger prevents the second, and nothing else does. */
const faultsOfSecond = ({ ugwo, executed, second }: Struck, row: Row | undefined, made: Row | undefined): string[] => {
  if (second === undefined) return [];
  const { end } = second;
  const isDue = BLOCKING.includes(row?.state) ? 'refused' : 'accepted';
  const wrong = check(
    end.kind === isDue && hasItsExit(end),
    `the second was ${end.kind}, not ${isDue}: ${end.message}`,
  );
  if (made === undefined) {
    return [...wrong, ...check(second.executed === executed, `the second charged, ${second.executed} in all`)];
  }
  const isNoted = made.state === 'accepted' && made.activity === activityOf(ugwo);
  return [
    ...wrong,
    ...check(second.executed === 1, `${second.executed} were charged in all`),
    ...check(isNoted && isOf(made, end), `the ledger says ${made.id} ${made.state}`),
  ];
};

/**
 * The faults of a charge: it was executed at most once, the result of each run agrees with what the service did, the
 * ledger holds the charge or its doubt, and the second run neither repeats it nor loses it. `may`: the ends that the
 * first run may have.
 */
export const faultsOfStruck = (struck: Struck, may: readonly string[] = Object.keys(RULES)): string[] => {
  const { first, second, rows } = struck;
  const rule = may.includes(first.kind) ? RULES[first.kind] : undefined;
  if (rule === undefined) return [`it ended as ${first.kind}: ${first.message}`];
  const made = second?.end.kind === 'accepted' ? rows.at(-1) : undefined;
  const [row, ...more] = made === undefined ? rows : rows.slice(0, -1);
  return [
    ...check(more.length === 0, `it has ${rows.length} rows`),
    ...faultsOfFirst(struck, rule, row),
    ...faultsOfSecond(struck, row, made),
  ];
};

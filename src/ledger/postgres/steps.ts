import { NEXT_STEP } from '../../charge/words.ts';
import { countText } from '../../core/charge.ts';
import { handleSignals, PayError } from '../../core/error.ts';
import { commandLine, ownerTarget } from '../../core/input.ts';
import type { Decision, JobsBackend, LockPolicy, Query } from '../backend.ts';
import type { Entry } from '../entry.ts';
import type { JobRow, KeptUpdate } from '../job.ts';
import {
  chargedOfJob,
  chargedTotal,
  ENTRY_STATE,
  jobStatements,
  UPDATE_COLUMNS,
  updateOf,
  updateValues,
} from '../job-sql.ts';
import type { Reducer } from '../ledger.ts';
import {
  type Allowance,
  type AllowanceOf,
  isCounted,
  limitsOf,
  NO_TOTAL,
  OTHER_PROFILES,
  type Total,
} from '../policy.ts';
import { approvalBy, approvalIn, POLICY, policyOf } from '../policy-sql.ts';
import type { Row } from '../rows.ts';
import { countingOf, placesFor, type Statement } from '../sql.ts';
import { checkVersion, INTENT_LOOKS } from './schema.ts';
import type { Session, StatementResult } from './session.ts';
import {
  entriesOf,
  findStatement,
  inlined,
  insertStatement,
  listLiteral,
  literal,
  SELECT_ENTRY,
  touchStatement,
  updateStatement,
  writtenStatement,
} from './statements.ts';

/** Decision of a step after its reads. */
export interface Written<T> {
  readonly result: T;
  /** Statements; empty if nothing is written. */
  readonly writes: readonly string[];
  /** Query that tells afterwards if they were committed, and a statement that writes the same again. */
  readonly proof?: { readonly ask: string; readonly again: string };
  /** New entries, which this machine must copy after the commit, before the caller gets the result. */
  readonly started?: readonly Entry[];
}

/** One change of the ledger. It reads, decides and writes, exclusively among all users with a common key. */
export interface UnitOfWork<T> {
  readonly purpose: LockPolicy;
  /** Lock keys. No two steps with a common key run at once, on any machine. */
  readonly keys: readonly string[];
  /** Such a step may touch anything, so it shares its transaction with no other. */
  readonly alone: boolean;
  readonly looks: readonly string[];
  /** Pure. Runs again if the transaction has to be repeated. */
  readonly decide: (found: readonly StatementResult[]) => Written<T>;
}

/** Step of any result type, for code that only passes it on. */
// biome-ignore lint/suspicious/noExplicitAny: the result goes back to whoever brought the step.
export type AnyUnit = UnitOfWork<any>;

/** Step with one look at most. Its statement is built once the server's clock is known. */
export const writeUnit = (
  about: string,
  statement: (found: readonly Row[]) => Statement,
  look?: Statement,
): UnitOfWork<void> => ({
  purpose: 'note',
  keys: [about],
  alone: false,
  looks: look === undefined ? [] : [inlined(look)],
  decide: ([found]) => ({ result: undefined, writes: [inlined(statement(rowsIn(found)))] }),
});

/** Selects the policies in force that may apply: a profile's own, and the one for all others. */
const heldPolicy = ({ profile = OTHER_PROFILES }: AllowanceOf): string =>
  `profile IN ${listLiteral([profile, OTHER_PROFILES])} AND policy IS NOT NULL`;

/** Query for the policy of a profile. Its own comes first, since `OTHER_PROFILES` sorts before every profile name. */
const heldStatement = (of: AllowanceOf): string => `SELECT ${POLICY} FROM paycli.policy
  WHERE ${heldPolicy(of)} ORDER BY profile COLLATE "C" DESC LIMIT 1`;

/**
 * Start of the day by the server's clock at the start of the transaction. The machine's clock may have been set since
 * it was last compared.
 */
const DAY_BEGAN = '(floor(extract(epoch FROM now()) / 86400::numeric) * 86400000::numeric)::bigint';

/**
 * Query for the use of a profile's allowance, by currency. It counts nothing if there is no policy. Sums are texts,
 * since they may exceed a JavaScript number.
 */
const spentStatement = (of: AllowanceOf): string => {
  const { kind, profile, since } = of;
  return `SELECT currency, count(*), sum(amount)::text,
  count(*) FILTER (WHERE amount IS NULL OR currency IS NULL) FROM paycli.charge
  WHERE profile ${profile === undefined ? 'IS NULL' : `= ${literal(profile)}`} AND created_at >= LEAST(${since}, ${DAY_BEGAN}) AND ${countingOf(kind)}
  AND EXISTS (SELECT 1 FROM paycli.policy WHERE ${heldPolicy(of)})
  GROUP BY currency`;
};

/** Queries for the charges of a file and its approval. They find nothing if no policy wants approvals. */
const fileStatements = ({ profile, job }: AllowanceOf): readonly string[] => {
  if (job === undefined) return [];
  const [charged, approval] = [inlined(chargedOfJob('paycli.', job)), inlined(approvalBy('paycli.', job))];
  const wanted = `EXISTS (SELECT 1 FROM paycli.policy WHERE profile IN ${listLiteral([profile ?? OTHER_PROFILES, OTHER_PROFILES])} AND policy LIKE '%"approveAbove"%')`;
  return [charged.replace(' GROUP BY', ` AND ${wanted} GROUP BY`), approval];
};

export const allowanceLooks = (of: AllowanceOf): readonly string[] => [
  heldStatement(of),
  spentStatement(of),
  ...fileStatements(of),
];

const sumColumn = (rows: StatementResult['rows'], at: number): number =>
  rows.reduce((sum, row) => sum + Number(row[at]), 0);

const spentOf = ({ rows }: StatementResult, currencies: readonly string[]): Total => {
  const amounts = new Map(rows.map(([currency, , amount]) => [currency, BigInt(String(amount ?? 0))]));
  return {
    rows: sumColumn(rows, 1),
    unknown: sumColumn(rows, 3),
    amounts: new Map(currencies.map((currency) => [currency, amounts.get(currency) ?? 0n])),
  };
};

const rowsIn = (answer: StatementResult | undefined): readonly Row[] => (answer?.rows ?? []) as readonly Row[];

/** Parses the answers to `allowanceLooks`. */
export const allowanceOf = (
  { kind, job }: AllowanceOf,
  [held, spent, charged, approval]: readonly StatementResult[],
): Allowance | undefined => {
  const [found] = rowsIn(held);
  if (found === undefined) return undefined;
  const kept = policyOf(found);
  const { policy } = kept;
  const counted = spent !== undefined && isCounted(policy, kind);
  const file =
    job === undefined || policy.approveAbove === undefined
      ? undefined
      : { charged: chargedTotal(rowsIn(charged)), approval: approvalIn(rowsIn(approval)) };
  return {
    kept,
    spent: counted ? spentOf(spent, Object.keys(limitsOf(policy, kind).sums ?? {})) : NO_TOTAL,
    file,
  };
};

/** Lock keys for charges that count against a policy or for a file with an approval. They run one at a time. */
const allowanceKeys = ({ profile, job }: AllowanceOf): readonly string[] => [
  `spends ${profile ?? ''}`,
  ...(job === undefined ? [] : [`file ${job}`]),
];

/** Lock keys of a query; undefined if they can't be known beforehand. */
const lockKeys = ({ earlier, job, rows, activities, id }: Query): readonly string[] | undefined => {
  if (earlier !== undefined) return [`about ${earlier}`];
  if (job !== undefined && rows !== undefined && rows[0] === rows[1]) return [`row ${job} ${rows[0]}`];
  if (activities !== undefined) return activities.map((uid) => `activity ${uid}`);
  return id === undefined ? undefined : [`id ${id}`];
};

const NOT_RECONCILED = `${SELECT_ENTRY} WHERE put_back AND state = 'unknown' ORDER BY seq`;

/** Refuses new intents while intents that the database had lost are still unknown. */
const refuseLost = (lost: readonly Entry[]): void => {
  const [first] = lost;
  if (first === undefined) return;
  throw new PayError('ledger', `the ledger's database had lost ${countText(lost)}, which may have been made`, {
    hint: `find out first: \`${commandLine(ownerTarget(first), 'ledger', 'sync')}\``,
  });
};

/** Thrown when a counting policy turns up without its lock. The caller must retry with the lock. */
export class Uncounted extends Error {
  override readonly name = 'Uncounted';
}

/**
 * Step that runs a rule of the ledger. If `spending` asks for an allowance, `alone` says that the step holds its lock, so
 * that no other step spends from it meanwhile.
 */
export const changeStep = <T>(
  purpose: LockPolicy,
  about: readonly Query[],
  decide: (found: readonly (readonly Entry[])[], allowance?: Allowance) => Decision<readonly Entry[], T>,
  spending: { readonly of: AllowanceOf; readonly alone: boolean } | undefined,
): UnitOfWork<T> => {
  const keys = about.map(lockKeys);
  const asked = about.filter(({ activities }) => activities?.length !== 0);
  return {
    purpose,
    keys: [...keys.flatMap((some) => some ?? []), ...(spending?.alone === true ? allowanceKeys(spending.of) : [])],
    alone: keys.includes(undefined),
    looks: [
      ...asked.map((query) => findStatement(query, true)),
      ...(spending === undefined ? [] : allowanceLooks(spending.of)),
      ...(purpose === 'intent' ? [NOT_RECONCILED] : []),
    ],
    decide: (answers: readonly StatementResult[]) => {
      if (purpose === 'intent') refuseLost(entriesOf(answers.at(-1) as StatementResult));
      let at = 0;
      const found = about.map((query) => (asked.includes(query) ? entriesOf(answers[at++] as StatementResult) : []));
      const allowance = spending && allowanceOf(spending.of, answers.slice(at));
      const counts =
        allowance !== undefined &&
        (isCounted(allowance.kept.policy, spending?.of.kind) || allowance.file !== undefined);
      if (counts && spending?.alone === false) throw new Uncounted();
      const { result, write = [] } = decide(found, allowance);
      return {
        result,
        started: write.filter(({ seq }) => seq === 0),
        writes: write.map((entry) =>
          entry.seq === 0 ? insertStatement(entry) : updateStatement(entry, purpose === 'prune'),
        ),
        ...(write.length === 0 ? {} : { proof: { ask: writtenStatement(write), again: touchStatement(write) } }),
      };
    },
  };
};

/** Lets a step begin an intent only in a ledger of this version that nobody is migrating. */
export const checkedIntent = <T>(one: UnitOfWork<T>, name: string): UnitOfWork<T> => ({
  ...one,
  looks: [...one.looks, ...INTENT_LOOKS],
  decide: (answers) => {
    const [isFree, version] = answers.slice(-INTENT_LOOKS.length).map(({ rows }) => rows[0]?.[0]);
    if (isFree !== true) {
      throw new PayError('ledger', `the ledger ${name} is being upgraded`, { hint: NEXT_STEP.awaitMigration });
    }
    checkVersion(name, Number(version));
    return one.decide(answers.slice(0, -INTENT_LOOKS.length));
  },
});

export const SHARED_JOBS = jobStatements('paycli.');

/** Query for the state of the last entry of each row of a job. */
export const LAST_SHARED_ENTRIES = `SELECT DISTINCT ON ("row") ${ENTRY_STATE} FROM paycli.charge WHERE job = ?
  ORDER BY "row", created_at DESC, seq DESC`;

const IS_WRITTEN = `SELECT EXISTS (SELECT 1 FROM paycli.onye_update
  WHERE (${UPDATE_COLUMNS}) IS NOT DISTINCT FROM (${placesFor(UPDATE_COLUMNS)}))`;

/** Step that runs a rule about one update of a customer. */
export const updateStep = <T>(
  purpose: LockPolicy,
  of: JobRow,
  decide: (found: KeptUpdate | undefined) => Decision<KeptUpdate, T>,
): UnitOfWork<T> => ({
  purpose,
  keys: [`row ${of.job} ${of.row}`],
  alone: false,
  looks: [inlined(SHARED_JOBS.findUpdate(of))],
  decide: ([found]) => {
    const { result, write } = decide((found?.rows as readonly Row[] | undefined)?.map(updateOf)[0]);
    if (write === undefined) return { result, writes: [] };
    const statement = inlined(SHARED_JOBS.writeUpdate(write));
    const ask = inlined([IS_WRITTEN, ...updateValues(write)]);
    return { result, writes: [statement], proof: { ask, again: statement } };
  },
});

/** Duration of a lease on a slice. Leases only save work: the intent is what claims a row. */
const LEASE = "interval '60 s'";

/** Leases on slices of jobs, each held by one worker. */
export const leases = (
  worker: string,
  read: (statement: string) => Promise<StatementResult>,
): Required<Pick<JobsBackend, 'lease' | 'release' | 'workers'>> => ({
  lease: async (job, slice) => {
    const values = [literal(job), slice, literal(worker), 1, `clock_timestamp() + ${LEASE}`];
    const { rows } =
      await read(`INSERT INTO paycli.slice AS s (job, slice, owner, epoch, until) VALUES (${values.join()})
      ON CONFLICT (job, slice) DO UPDATE SET owner = excluded.owner, epoch = s.epoch + 1, until = excluded.until
      WHERE s.owner = excluded.owner OR s.until < clock_timestamp() RETURNING epoch`);
    return rows.length > 0;
  },
  release: async (job) => {
    await read(`UPDATE paycli.slice SET until = clock_timestamp()
      WHERE job = ${literal(job)} AND owner = ${literal(worker)} AND until > clock_timestamp()`);
  },
  workers: async (job) => {
    const { rows } = await read(`SELECT owner, count(*) FROM paycli.slice
      WHERE job = ${literal(job)} AND until > clock_timestamp() GROUP BY owner ORDER BY owner`);
    return rows.map(([owner, slices]) => ({ worker: String(owner), slices: Number(slices) }));
  },
});

const ENTRIES_AT_ONCE = 1000;

/** Runs `work` in a transaction that sees the whole ledger as of one moment. */
export const asOfOneMoment = async <T>(session: Session, limit: number, work: () => Promise<T>): Promise<T> => {
  try {
    await session.run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', limit);
    const result = await work();
    await session.run('COMMIT', limit);
    return result;
  } catch (thrown) {
    // Nothing else may run in its transaction.
    await session.close();
    throw thrown;
  }
};

/**
 * Walks over all entries with a server-side cursor, so that neither side holds all of them at once. The first signal
 * ends the walk.
 */
export const walkIn = <T>(
  session: Session,
  entriesIn: (answer: StatementResult) => readonly Entry[],
  begin: () => Reducer<T>,
  limit: number,
  stop: AbortSignal,
): Promise<T> =>
  asOfOneMoment(session, limit, async () => {
    const taker = begin();
    await session.run(`DECLARE walk NO SCROLL CURSOR FOR ${findStatement({}, false)}`, limit);
    for (;;) {
      const { answers } = await session.run(`FETCH ${ENTRIES_AT_ONCE} FROM walk`, limit);
      const some = answers[0] as StatementResult;
      taker.take(entriesIn(some));
      if (some.rows.length < ENTRIES_AT_ONCE) return taker.end();
      await handleSignals(stop);
    }
  });

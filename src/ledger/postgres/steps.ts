import { countText } from '../../core/charge.ts';
import { PayError } from '../../core/error.ts';
import type { Decision, JobsBackend, LockPolicy, Query } from '../backend.ts';
import type { Entry } from '../entry.ts';
import type { JobRow, KeptUpdate } from '../job.ts';
import type { Reducer } from '../ledger.ts';
import { type Allowance, type AllowanceOf, isCounted, NOTHING_SPENT, OTHERS, type Spent } from '../policy.ts';
import type { Row } from '../rows.ts';
import {
  ENTRY_STATE,
  jobStatements,
  POLICY,
  placesFor,
  policyOf,
  type Statement,
  UPDATE,
  updateOf,
  updateValues,
} from '../sql.ts';
import { COUNTING } from '../sqlite/schema.ts';
import type { Session, StatementResult } from './session.ts';
import {
  entriesOf,
  findStatement,
  inlined,
  insertStatement,
  list,
  literal,
  touchStatement,
  updateStatement,
  writtenStatement,
} from './statements.ts';

/** What a step writes, once it has seen what there is. */
export interface Written<T> {
  readonly result: T;
  /** Statements; none where nothing is to be written. */
  readonly writes: readonly string[];
  /** A question that says afterwards whether they were committed, and a statement that writes the same again. */
  readonly proof?: { readonly ask: string; readonly again: string };
}

/** One change of the ledger: it looks, decides, and writes, alone among all who share what it is about. */
export interface UnitOfWork<T> {
  readonly purpose: LockPolicy;
  /** What it is about: no two steps with one of these in common go on at once, here or anywhere. */
  readonly keys: readonly string[];
  /** It may be about anything, so nothing else shares its transaction. */
  readonly alone: boolean;
  readonly looks: readonly string[];
  /** Pure; asked again where the transaction has to be repeated. */
  readonly decide: (found: readonly StatementResult[]) => Written<T>;
  /** Once it is decided: what of it this machine keeps a copy of when it is committed, and before anybody hears of it. */
  readonly toKeep?: () => readonly Entry[];
}

/** A step of any kind, for those who only pass it on. */
// biome-ignore lint/suspicious/noExplicitAny: the result goes back to whoever brought the step.
export type AnyUnit = UnitOfWork<any>;

/** A step that looks at nothing; what it writes is asked for when the server's clock is known. */
export const writeUnit = (about: string, statement: () => Statement): UnitOfWork<void> => ({
  purpose: 'note',
  keys: [about],
  alone: false,
  looks: [],
  decide: () => ({ result: undefined, writes: [inlined(statement())] }),
});

/** The policy that holds for a profile: its own first, since `OTHERS` comes before all that a profile can be called. */
const heldStatement = ({ profile }: AllowanceOf): string => `SELECT ${POLICY} FROM paycli.policy
  WHERE profile IN ${list([profile ?? OTHERS, OTHERS])} AND policy IS NOT NULL ORDER BY profile COLLATE "C" DESC LIMIT 1`;

/** By the server's clock as the transaction began: the machine's may have been set since it was last compared. */
const DAY_BEGAN = '(floor(extract(epoch FROM now()) / 86400::numeric) * 86400000::numeric)::bigint';

/** What the profile has spent, by currency; nothing is counted where there is no policy. Sums may be more than a number can hold. */
const spentStatement = ({ profile, since }: AllowanceOf): string => `SELECT currency, count(*), sum(amount)::text,
  count(*) FILTER (WHERE amount IS NULL OR currency IS NULL) FROM paycli.charge
  WHERE profile ${profile === undefined ? 'IS NULL' : `= ${literal(profile)}`} AND created_at >= LEAST(${since}, ${DAY_BEGAN}) AND ${COUNTING}
  AND EXISTS (SELECT 1 FROM paycli.policy WHERE profile IN ${list([profile ?? OTHERS, OTHERS])} AND policy IS NOT NULL)
  GROUP BY currency`;

export const allowanceLooks = (of: AllowanceOf): readonly string[] => [heldStatement(of), spentStatement(of)];

const sumOf = (rows: StatementResult['rows'], at: number): number =>
  rows.reduce((sum, row) => sum + Number(row[at]), 0);

const spentOf = ({ rows }: StatementResult, currencies: readonly string[]): Spent => {
  const amounts = new Map(rows.map(([currency, , amount]) => [currency, BigInt(String(amount ?? 0))]));
  return {
    count: sumOf(rows, 1),
    unknown: sumOf(rows, 3),
    amounts: new Map(currencies.map((currency) => [currency, amounts.get(currency) ?? 0n])),
  };
};

/** What the answers to `allowanceLooks` say. */
export const allowanceOf = ([held, spent]: readonly StatementResult[]): Allowance | undefined => {
  const found = held?.rows[0];
  if (found === undefined) return undefined;
  const kept = policyOf(found as Row);
  const counted = spent !== undefined && isCounted(kept.policy);
  return { kept, spent: counted ? spentOf(spent, Object.keys(kept.policy.maxAmount ?? {})) : NOTHING_SPENT };
};

/** Whoever charges under a policy that counts does so alone. */
const allowanceKey = ({ profile }: AllowanceOf): string => `spends ${profile ?? ''}`;

/** What a query is about, as far as that can be said of it beforehand. */
const keysOf = ({ standing, job, rows, activities, id }: Query): readonly string[] | undefined => {
  if (standing !== undefined) return [`about ${standing}`];
  if (job !== undefined && rows !== undefined && rows[0] === rows[1]) return [`row ${job} ${rows[0]}`];
  if (activities !== undefined) return activities.map((uid) => `activity ${uid}`);
  return id === undefined ? undefined : [`id ${id}`];
};

const NOT_RECONCILED = "SELECT count(*) FROM paycli.charge WHERE put_back AND state = 'unknown'";

/** Intents that the database had lost, and that are still unknown. */
const refuseLost = (count: number): void => {
  if (count === 0) return;
  const lost = countText(Array.from({ length: count }, () => ({ kind: 'charge' })));
  throw new PayError('ledger', `the ledger's database had lost ${lost}, which may have been made`, {
    hint: 'nothing is charged until you know: `paycli ledger reconcile`',
  });
};

/** A policy that counts was found, and nobody else was kept from spending meanwhile: it has to be asked for alone. */
export class Uncounted extends Error {
  override readonly name = 'Uncounted';
}

/** An allowance that a change asks for. */
interface AllowanceRequest {
  readonly of: AllowanceOf;
  /** Whether it is asked for alone: no other spends of it meanwhile. */
  readonly alone: boolean;
}

/** A rule of the ledger as a step. */
export const changeStep = <T>(
  purpose: LockPolicy,
  about: readonly Query[],
  decide: (found: readonly (readonly Entry[])[], allowance?: Allowance) => Decision<readonly Entry[], T>,
  spending: AllowanceRequest | undefined,
): UnitOfWork<T> => {
  const keys = about.map(keysOf);
  const asked = about.filter(({ activities }) => activities?.length !== 0);
  let begun: readonly Entry[] = [];
  return {
    purpose,
    keys: [...keys.flatMap((some) => some ?? []), ...(spending?.alone === true ? [allowanceKey(spending.of)] : [])],
    alone: keys.includes(undefined),
    looks: [
      ...asked.map((query) => findStatement(query, true)),
      ...(spending === undefined ? [] : allowanceLooks(spending.of)),
      ...(purpose === 'intent' ? [NOT_RECONCILED] : []),
    ],
    decide: (answers: readonly StatementResult[]) => {
      if (purpose === 'intent') refuseLost(Number(answers.at(-1)?.rows[0]?.[0]));
      let at = 0;
      const found = about.map((query) => (asked.includes(query) ? entriesOf(answers[at++] as StatementResult) : []));
      const allowance = spending && allowanceOf(answers.slice(at));
      if (allowance !== undefined && isCounted(allowance.kept.policy) && spending?.alone === false)
        throw new Uncounted();
      const { result, write = [] } = decide(found, allowance);
      begun = write.filter(({ seq }) => seq === 0);
      return {
        result,
        writes: write.map((entry) =>
          entry.seq === 0 ? insertStatement(entry) : updateStatement(entry, purpose === 'prune'),
        ),
        ...(write.length === 0 ? {} : { proof: { ask: writtenStatement(write), again: touchStatement(write) } }),
      };
    },
    toKeep: () => begun,
  };
};

export const JOBS = jobStatements('paycli.');

/** How the last entry of each row of a job stands. */
export const LAST_ENTRIES = `SELECT DISTINCT ON ("row") ${ENTRY_STATE} FROM paycli.charge WHERE job = ?
  ORDER BY "row", created_at DESC, seq DESC`;

const WRITTEN = `SELECT EXISTS (SELECT 1 FROM paycli.onye_update
  WHERE (${UPDATE}) IS NOT DISTINCT FROM (${placesFor(UPDATE)}))`;

/** A rule about one update of a customer as a step. */
export const updateStep = <T>(
  purpose: LockPolicy,
  of: JobRow,
  decide: (found: KeptUpdate | undefined) => Decision<KeptUpdate, T>,
): UnitOfWork<T> => ({
  purpose,
  keys: [`row ${of.job} ${of.row}`],
  alone: false,
  looks: [inlined(JOBS.findUpdate(of))],
  decide: ([found]) => {
    const { result, write } = decide((found?.rows as readonly Row[] | undefined)?.map(updateOf)[0]);
    if (write === undefined) return { result, writes: [] };
    const statement = inlined(JOBS.writeUpdate(write));
    const ask = inlined([WRITTEN, ...updateValues(write)]);
    return { result, writes: [statement], proof: { ask, again: statement } };
  },
});

/** For so long a slice is left to whoever has taken it; it only saves work: a row is claimed by its intent. */
const LEASE = "interval '60 s'";

/** Slices of jobs, each with one who works at it. */
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

const AT_ONCE = 1000;

/** A transaction that sees the ledger as it was when it began, and so all of it as of one moment. */
const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** Walks through what a query finds with a cursor of the server's: neither it nor this machine has all of it at once. */
export const walkIn = async <T>(
  session: Session,
  query: Query,
  entriesIn: (answer: StatementResult) => readonly Entry[],
  begin: () => Reducer<T>,
  limit: number,
): Promise<T> => {
  const taker = begin();
  try {
    await session.run(`${BEGIN}; DECLARE walk NO SCROLL CURSOR FOR ${findStatement(query, false)}`, limit);
    for (;;) {
      const { answers } = await session.run(`FETCH ${AT_ONCE} FROM walk`, limit);
      const some = answers[0] as StatementResult;
      taker.take(entriesIn(some));
      if (some.rows.length < AT_ONCE) break;
    }
    await session.run('COMMIT', limit);
    return taker.end();
  } catch (thrown) {
    // Nothing else may go on in its transaction.
    await session.close();
    throw thrown;
  }
};

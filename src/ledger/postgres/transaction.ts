import { createHash } from 'node:crypto';
import { Lost } from './errors.ts';
import type { Limits } from './limits.ts';
import type { Answer, Session } from './session.ts';
import { literal } from './sql.ts';
import { knowsAllStatement } from './statements.ts';
import type { AnyStep, Written } from './step.ts';

/**
 * Each statement sees what was committed before it began, so that what is looked at behind the lock is as it stands. The
 * commit waits for the disk, and for the standby where one must have it, whatever the settings of the role say. Looks are for few
 * rows: in a large ledger the planner would compile them, or start workers for them, which takes far longer than they do.
 */
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL synchronous_commit = 'on';
SET LOCAL jit = off;
SET LOCAL max_parallel_workers_per_gather = 0;`;

const beginning = ({ lock, idle }: Limits): string => `${BEGIN}
SET LOCAL lock_timeout = ${lock};
SET LOCAL idle_in_transaction_session_timeout = ${idle};`;

/** The lock of a key: a number of 64 bits, the same for all who know the key. */
const lockOf = (key: string): bigint => createHash('sha256').update(`paycli ${key}`).digest().readBigInt64BE();

/** One after the other, in one order for all: two that want the same never wait for each other. */
const lockStatement = (keys: readonly string[]): string => {
  const locks = [...new Set(keys.map(lockOf))].sort((a, b) => (a < b ? -1 : 1));
  return `SELECT pg_advisory_xact_lock(k) FROM pg_catalog.unnest(ARRAY[${locks.join()}]::bigint[]) AS k`;
};

/** The server's clock, in milliseconds since the epoch. */
export const CLOCK = '(extract(epoch FROM clock_timestamp()) * 1000::numeric)::bigint';

/**
 * Which server this is, and since when: one that was restored, promoted after a start as a standby, or put in another's place has
 * started at another moment, and so has another timeline of the same server. A ledger that was loaded into a running server has other numbers.
 */
export const SERVER = `(extract(epoch FROM pg_postmaster_start_time())::text || ' ' ||
  (SELECT oid::text FROM pg_database WHERE datname = current_database()) || ' ' || 'paycli.charge'::regclass::oid::text)`;

/** What was about to be committed when the answer was lost, for each step. */
export type Attempt = ReadonlyMap<AnyStep, Written<unknown>>;

export interface Told {
  readonly limits: Limits;
  /** Told what the server's clock shows, before anything is decided. */
  readonly clock: (at: number) => void;
  /** The server that this connection led to when it was opened, as `SERVER` gives it. */
  readonly server: () => string;
  /** What this machine has begun last: a database that doesn't know all of it has forgotten something. */
  readonly newest: () => Promise<readonly string[]>;
  /** What gives the server's clock, in SQL. */
  readonly clockSql: () => string;
  /** Told what is sent to be committed, in case that no answer comes. */
  readonly about: (attempt: Attempt) => void;
}

/** What a step has come to. */
export type Decided = { readonly written: Written<unknown> } | { readonly thrown: unknown };

/** What a step makes of its answers; of one whose earlier commit has gone through, nothing is decided again. */
const decided = (step: AnyStep, answers: readonly Answer[], before: Written<unknown> | undefined): Decided => {
  const [proved, ...found] = before?.proof === undefined ? [undefined, ...answers] : answers;
  if (before?.proof !== undefined && proved?.rows[0]?.[0] === true) {
    return { written: { ...before, writes: [before.proof.again] } };
  }
  try {
    return { written: step.decide(found as readonly Answer[]) };
  } catch (thrown) {
    return { thrown };
  }
};

const attemptOf = (steps: readonly AnyStep[], done: readonly Decided[]): Attempt => {
  const attempt = new Map<AnyStep, Written<unknown>>();
  for (const [index, one] of done.entries()) if ('written' in one) attempt.set(steps[index] as AnyStep, one.written);
  return attempt;
};

const looksOf = (step: AnyStep, before: Written<unknown> | undefined): readonly string[] =>
  before?.proof === undefined ? step.looks : [before.proof.ask, ...step.looks];

/** Sends what was decided, and the commit; only its own word, without a warning, says that it is done. */
const commit = async (session: Session, writes: readonly string[], limit: number): Promise<readonly Answer[]> => {
  const { answers, warnings } = await session.run([...writes, 'COMMIT'].join(';\n'), limit);
  const said = answers.at(-1)?.command;
  if (said !== 'COMMIT') throw new Lost(`the server answered ${said} to COMMIT`);
  if (warnings.length > 0 && writes.length > 0) throw new Lost(warnings.join('; '));
  return answers;
};

/** Writes what needs no look, in a transaction as good as any. */
export const commitAll = (session: Session, [first = '', ...rest]: readonly string[], limit: number) =>
  commit(session, [`${BEGIN}\n${first}`, ...rest], limit);

/**
 * Steps in one transaction: lock, then look, then write. Two messages go to the server. `earlier` is what an attempt had
 * written whose commit was not answered: behind the same locks, which that attempt has kept until it ended, is seen what
 * became of it.
 */
export const transact = async (
  session: Session,
  steps: readonly AnyStep[],
  earlier: Attempt,
  { limits, server, newest, clock, clockSql, about }: Told,
): Promise<readonly Decided[]> => {
  const keys = steps.flatMap((step) => step.keys);
  const looks = steps.map((step) => looksOf(step, earlier.get(step)));
  const whole = `${SERVER} = ${literal(server())} AND ${knowsAllStatement(await newest())}`;
  const statements = [
    ...(keys.length === 0 ? [] : [lockStatement(keys)]),
    `SELECT ${clockSql()}, ${whole}`,
    ...looks.flat(),
  ];
  const { answers } = await session.run(`${beginning(limits)}\n${statements.join(';\n')}`, limits.answer);
  // What stands before the looks: BEGIN, the settings, the lock.
  const own = answers.slice(answers.length - looks.flat().length);
  const [now, isWhole] = answers[answers.length - own.length - 1]?.rows[0] ?? [];
  if (isWhole !== true) {
    // Behind a pool another server may have taken over: the next connection looks what is missing.
    await session.close();
    throw new Lost('the server is another one, or has forgotten what was begun');
  }
  clock(Number(now));
  let at = 0;
  const done = steps.map((step, index) => {
    const count = looks[index]?.length ?? 0;
    at += count;
    return decided(step, own.slice(at - count, at), earlier.get(step));
  });
  const writes = done.flatMap((one) => ('written' in one ? one.written.writes : []));
  if (writes.length > 0) about(attemptOf(steps, done));
  await commit(session, writes, limits.answer);
  return done;
};

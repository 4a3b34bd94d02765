import { createHash } from 'node:crypto';
import { batching } from '../../core/async.ts';
import { interrupted } from '../../core/error.ts';
import { withTimeout } from '../../core/io.ts';
import type { LockPolicy } from '../backend.ts';
import type { Entry } from '../entry.ts';
import type { LockWait } from '../local/file.ts';
import { type DatabaseLimits, isPassing, isUndone, Lost, type Session, type StatementResult } from './session.ts';
import { knowsAllStatement, literal } from './statements.ts';
import type { AnyUnit, UnitOfWork, Written } from './steps.ts';

/**
 * READ COMMITTED lets each statement see what was committed before it, so that reads after the lock are current. The
 * commit waits for the disk, and for a required standby, and the server warns if the standby lacks it, whatever the
 * role's settings. JIT and parallel workers are off: reads return few rows, and in a large ledger the planner would
 * spend far longer on these than on the reads.
 */
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL synchronous_commit = 'on';
SET LOCAL client_min_messages = 'notice';
SET LOCAL jit = off;
SET LOCAL max_parallel_workers_per_gather = 0;`;

const beginning = ({ lock, idle }: DatabaseLimits): string => `${BEGIN}
SET LOCAL lock_timeout = ${lock};
SET LOCAL idle_in_transaction_session_timeout = ${idle};`;

/** Lock number of a key: 64 bits, the same for everybody who knows the key. */
const lockOf = (key: string): bigint => createHash('sha256').update(`paycli ${key}`).digest().readBigInt64BE();

/** Takes the locks one by one, in the same order everywhere, so that two transactions never deadlock. */
const lockStatement = (keys: readonly string[]): string => {
  const locks = keys.map(lockOf).sort((a, b) => (a < b ? -1 : 1));
  return `SELECT pg_advisory_xact_lock(k) FROM pg_catalog.unnest(ARRAY[${locks.join()}]::bigint[]) AS k`;
};

/** Server's clock, in milliseconds since the epoch. */
export const CLOCK = '(extract(epoch FROM clock_timestamp()) * 1000::numeric)::bigint';

/**
 * Identity of the server, by its start time and object ids. A restored server, a replacement, or a standby promoted
 * after its start has another start time, and so has another timeline of the same server. A ledger that was loaded into
 * a running server has other object ids.
 */
export const SERVER = `(extract(epoch FROM pg_postmaster_start_time())::text || ' ' ||
  (SELECT oid::text FROM pg_database WHERE datname = current_database()) || ' ' || 'paycli.charge'::regclass::oid::text)`;

/** Decisions of each step whose commit was not answered. */
type LostCommit = ReadonlyMap<AnyUnit, Written<unknown>>;

interface TransactionOptions {
  readonly limits: DatabaseLimits;
  /** Called with the server's clock before any decision. */
  readonly clock: (at: number) => void;
  /** Server that this connection led to when it was opened (see `SERVER`). */
  readonly server: () => string;
  /** This machine's last intents. A database that doesn't know all of them has lost data. */
  readonly newest: () => Promise<readonly string[]>;
  /** SQL expression for the server's clock. */
  readonly clockSql: () => string;
  /** Called with the decisions before they are committed, in case no answer arrives. */
  readonly beforeCommit: (attempt: LostCommit) => void;
}

/** Result or error of a step. */
type Decided = { readonly written: Written<unknown> } | { readonly thrown: unknown };

/** Decides a step by its answers. If its earlier commit went through, the earlier decision stands. */
const decideStep = (
  step: AnyUnit,
  answers: readonly StatementResult[],
  before: Written<unknown> | undefined,
): Decided => {
  const [proved, ...found] = before?.proof === undefined ? [undefined, ...answers] : answers;
  if (before?.proof !== undefined && proved?.rows[0]?.[0] === true) {
    return { written: { ...before, writes: [before.proof.again] } };
  }
  try {
    return { written: step.decide(found as readonly StatementResult[]) };
  } catch (thrown) {
    return { thrown };
  }
};

const attemptOf = (steps: readonly AnyUnit[], done: readonly Decided[]): LostCommit => {
  const attempt = new Map<AnyUnit, Written<unknown>>();
  for (const [index, one] of done.entries()) if ('written' in one) attempt.set(steps[index] as AnyUnit, one.written);
  return attempt;
};

const looksOf = (step: AnyUnit, before: Written<unknown> | undefined): readonly string[] =>
  before?.proof === undefined ? step.looks : [before.proof.ask, ...step.looks];

/** Sends the writes and the commit. Only a `COMMIT` answer without a warning counts as success. */
const commit = async (
  session: Session,
  writes: readonly string[],
  limit: number,
): Promise<readonly StatementResult[]> => {
  const { answers, warnings } = await session.run([...writes, 'COMMIT'].join(';\n'), limit);
  const said = answers.at(-1)?.command;
  if (said !== 'COMMIT') throw new Lost(`the server answered ${said} to COMMIT`);
  // The commit of a decision without writes may warn, too, since it locks rows. Nothing is lost by that.
  if (warnings.length > 0 && writes.length > 0) throw new Lost(warnings.join('; '));
  return answers;
};

/** Runs writes that need no reads, in a transaction with the same guarantees. */
export const commitAll = (session: Session, [first = '', ...rest]: readonly string[], limit: number) =>
  commit(session, [`${BEGIN}\n${first}`, ...rest], limit);

/**
 * Runs steps in one transaction and two messages: lock and read, then write. `earlier` holds the decisions of an
 * attempt whose commit was not answered. That attempt held the same locks until it ended, so behind them its fate is
 * visible.
 */
const runTransaction = async (
  session: Session,
  steps: readonly AnyUnit[],
  earlier: LostCommit,
  { limits, server, newest, clock, clockSql, beforeCommit }: TransactionOptions,
): Promise<readonly Decided[]> => {
  const keys = steps.flatMap((step) => step.keys);
  const looks = steps.map((step) => looksOf(step, earlier.get(step)));
  // Intents have common looks, about the policy for example. Each is sent once, since planning costs most.
  const texts = [...new Set(looks.flat())];
  const isWholeSql = `${SERVER} = ${literal(server())} AND ${knowsAllStatement(await newest())}`;
  const statements = [
    ...(keys.length === 0 ? [] : [lockStatement(keys)]),
    `SELECT ${clockSql()}, ${isWholeSql}`,
    ...texts,
  ];
  const { answers } = await session.run(`${beginning(limits)}\n${statements.join(';\n')}`, limits.answer);
  // Skip the answers to BEGIN, the settings and the lock, which come before those to the reads.
  const own = answers.slice(answers.length - texts.length);
  const [now, isWhole] = answers[answers.length - own.length - 1]?.rows[0] ?? [];
  if (isWhole !== true) {
    // Behind a pool, another server may have taken over. The next connection checks for lost intents.
    await session.close();
    throw new Lost('it is another server, or it has lost charges');
  }
  clock(Number(now));
  const answerTo = new Map(texts.map((text, at) => [text, own[at] as StatementResult]));
  const found = looks.map((some) => some.map((text) => answerTo.get(text) as StatementResult));
  const done = steps.map((step, index) => decideStep(step, found[index] ?? [], earlier.get(step)));
  const writes = done.flatMap((one) => ('written' in one ? one.written.writes : []));
  beforeCommit(attemptOf(steps, done));
  await commit(session, writes, limits.answer);
  return done;
};

/** Time limit of retries in milliseconds, and the signal that ends them. */
export interface Patience {
  readonly limit: number;
  readonly until: AbortSignal;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;
/** Time that `close` waits for work in progress, in milliseconds. */
const CLOSE_MS = 1000;

/**
 * The process's only connection. It is opened on first use, and again after it was lost. `open` returns a verified
 * connection.
 */
export const connectionBy = (open: () => Promise<Session>, wait: LockWait) => {
  let session: Session | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isOver = false;

  const ready = async (): Promise<Session> => {
    if (session?.isOpen() !== true) session = await open();
    return session;
  };

  /** Retries until success or a permanent failure. */
  const withRetries = async <T>(work: (session: Session) => Promise<T>, { limit, until }: Patience): Promise<T> => {
    const started = wait.ticks();
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        return await work(await ready());
      } catch (thrown) {
        if (isOver || !isPassing(thrown) || wait.ticks() - started + pause > limit) throw thrown;
        await wait.sleep(pause, until).catch(() => undefined);
        if (until.aborted) throw until === wait.stop ? interrupted(until.reason) : thrown;
      }
    }
  };

  return {
    /** Runs one piece of work at a time, so that messages of two never mix. */
    use: <T>(work: (session: Session) => Promise<T>, patience: Patience): Promise<T> => {
      const mine = last.then(() => withRetries(work, patience));
      last = mine.catch(() => undefined);
      return mine;
    },
    close: async (): Promise<void> => {
      await withTimeout(last, CLOSE_MS, wait);
      isOver = true;
      await session?.close();
    },
  };
};
export type Connection = ReturnType<typeof connectionBy>;

/** Maximum number of steps per transaction. Each holds locks, and a server has room for some thousands. */
const MOST_STEPS = 64;

interface Waiting {
  readonly step: AnyUnit;
  readonly resolve: (result: unknown) => void;
  readonly reject: (thrown: unknown) => void;
}

/**
 * Takes steps from `waiting` that can share a transaction: no two with a common key, and an `alone` step only by
 * itself.
 */
const takeFrom = (waiting: Waiting[]): Waiting[] => {
  const first = waiting[0];
  if (first === undefined || first.step.alone) return waiting.splice(0, 1);
  const keys = new Set<string>();
  const [batch, rest]: [Waiting[], Waiting[]] = [[], []];
  for (const one of waiting) {
    const fits = batch.length < MOST_STEPS && !one.step.alone && !one.step.keys.some((key) => keys.has(key));
    (fits ? batch : rest).push(one);
    // A waiting step keeps its turn before later ones with the same key.
    for (const key of one.step.keys) keys.add(key);
  }
  waiting.splice(0, waiting.length, ...rest);
  return batch;
};

interface Grouping extends Omit<TransactionOptions, 'beforeCommit'> {
  readonly connection: Connection;
  readonly patience: (purposes: readonly LockPolicy[]) => Patience;
  /** Copies new intents. If it throws, they are not sent. */
  readonly keep: (intents: readonly Entry[]) => Promise<void>;
}

/** New entries of a committed step. */
const newEntriesOf = (end: Decided | undefined): readonly Entry[] =>
  end !== undefined && 'written' in end ? (end.written.started ?? []) : [];

/** Steps of one event loop turn share a transaction and its round trips. */
export const groupedSteps = ({ connection, patience, keep, ...options }: Grouping) => {
  const run = async (batch: readonly Waiting[], before: LostCommit = new Map()): Promise<void> => {
    let earlier = before;
    const beforeCommit = (attempt: LostCommit): void => {
      earlier = attempt;
    };
    const steps = batch.map(({ step }) => step);
    try {
      const done = await connection.use(
        (session) => runTransaction(session, steps, earlier, { ...options, beforeCommit }),
        patience(steps.map(({ purpose }) => purpose)),
      );
      const ended = batch.map((one, index) => ({
        ...one,
        end: done[index],
        newEntries: newEntriesOf(done[index]),
      }));
      for (const { end, newEntries, resolve, reject } of ended) {
        if (end === undefined || 'thrown' in end) reject(end?.thrown);
        else if (newEntries.length === 0) resolve(end.written.result);
      }
      // Copy all at once: the copy is on the disk before any request is sent.
      const toSend = ended.filter(({ newEntries }) => newEntries.length > 0);
      if (toSend.length > 0) await keep(toSend.flatMap(({ newEntries }) => newEntries));
      for (const { end, resolve } of toSend) if (end !== undefined && 'written' in end) resolve(end.written.result);
    } catch (thrown) {
      // One step may have caused a certain refusal, so each one is retried alone. An earlier commit may still be
      // unanswered.
      if (batch.length > 1 && isUndone(thrown)) for (const one of batch) await run([one], earlier);
      else for (const { reject } of batch) reject(thrown);
    }
  };

  const add = batching<Waiting>((waiting) => run(takeFrom(waiting)));

  return <T>(step: UnitOfWork<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      add({ step, resolve: resolve as (result: unknown) => void, reject });
    });
};

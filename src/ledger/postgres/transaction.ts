import { createHash } from 'node:crypto';
import { batching } from '../../core/async.ts';
import { interrupted } from '../../core/error.ts';
import { withTimeout } from '../../core/io.ts';
import type { LockPolicy } from '../backend.ts';
import type { Entry } from '../entry.ts';
import type { LockWait } from '../sqlite/file.ts';
import { type DatabaseLimits, isPassing, isUndone, Lost, type Session, type StatementResult } from './session.ts';
import { knowsAllStatement, literal } from './statements.ts';
import type { AnyUnit, UnitOfWork, Written } from './steps.ts';

/**
 * Each statement sees what was committed before it began, so that what is looked at behind the lock is as it stands. The
 * commit waits for the disk, and for the standby where one must have it, whatever the settings of the role say. Looks are for few
 * rows: in a large ledger the planner would compile them, or start workers for them, which takes far longer than they do.
 */
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL synchronous_commit = 'on';
SET LOCAL jit = off;
SET LOCAL max_parallel_workers_per_gather = 0;`;

const beginning = ({ lock, idle }: DatabaseLimits): string => `${BEGIN}
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
type LostCommit = ReadonlyMap<AnyUnit, Written<unknown>>;

interface TransactionOptions {
  readonly limits: DatabaseLimits;
  /** Told what the server's clock shows, before anything is decided. */
  readonly clock: (at: number) => void;
  /** The server that this connection led to when it was opened, as `SERVER` gives it. */
  readonly server: () => string;
  /** What this machine has begun last: a database that doesn't know all of it has forgotten something. */
  readonly newest: () => Promise<readonly string[]>;
  /** What gives the server's clock, in SQL. */
  readonly clockSql: () => string;
  /** Told what is sent to be committed, in case that no answer comes. */
  readonly about: (attempt: LostCommit) => void;
}

/** What a step has come to. */
type Decided = { readonly written: Written<unknown> } | { readonly thrown: unknown };

/** What a step makes of its answers; of one whose earlier commit has gone through, nothing is decided again. */
const decided = (step: AnyUnit, answers: readonly StatementResult[], before: Written<unknown> | undefined): Decided => {
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

/** Sends what was decided, and the commit; only its own word, without a warning, says that it is done. */
const commit = async (
  session: Session,
  writes: readonly string[],
  limit: number,
): Promise<readonly StatementResult[]> => {
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
const transact = async (
  session: Session,
  steps: readonly AnyUnit[],
  earlier: LostCommit,
  { limits, server, newest, clock, clockSql, about }: TransactionOptions,
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

/** How long something is tried, in milliseconds, and what ends that. */
export interface Patience {
  readonly limit: number;
  readonly until: AbortSignal;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;
/** What nobody waits for any more is left after so long, in milliseconds. */
const CLOSE_MS = 1000;

/**
 * The one connection of a process: opened when it is first wanted, and again when it was lost. `open` gives one that was
 * looked at and can be used.
 */
export const connectionBy = (open: () => Promise<Session>, wait: LockWait) => {
  let session: Session | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isOver = false;

  const ready = async (): Promise<Session> => {
    if (session?.isOpen() !== true) session = await open();
    return session;
  };

  /** Tries until it is done, or fails for good. */
  const persistently = async <T>(work: (session: Session) => Promise<T>, { limit, until }: Patience): Promise<T> => {
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
    /** One piece of work at a time: nothing of another comes between its messages. */
    use: <T>(work: (session: Session) => Promise<T>, patience: Patience): Promise<T> => {
      const mine = last.then(() => persistently(work, patience));
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

/** So many steps share a transaction at most: each holds locks, of which a server has room for some thousands. */
const MOST = 64;

interface Waiting {
  readonly step: AnyUnit;
  readonly resolve: (result: unknown) => void;
  readonly reject: (thrown: unknown) => void;
}

/** Takes from `waiting` what can share a transaction: nothing that is about the same, and what may be about anything by itself. */
const takeFrom = (waiting: Waiting[]): Waiting[] => {
  const first = waiting[0];
  if (first === undefined || first.step.alone) return waiting.splice(0, 1);
  const keys = new Set<string>();
  const [batch, rest]: [Waiting[], Waiting[]] = [[], []];
  for (const one of waiting) {
    const fits = batch.length < MOST && !one.step.alone && !one.step.keys.some((key) => keys.has(key));
    (fits ? batch : rest).push(one);
    // What waits keeps its turn before others that are about the same.
    for (const key of one.step.keys) keys.add(key);
  }
  waiting.splice(0, waiting.length, ...rest);
  return batch;
};

interface Grouping extends Omit<TransactionOptions, 'about'> {
  readonly connection: Connection;
  readonly patience: (purposes: readonly LockPolicy[]) => Patience;
  /** Takes a copy of what is begun; what it throws keeps that from being sent. */
  readonly keep: (intents: readonly Entry[]) => Promise<void>;
}

/** What a step has begun that is committed. */
const begunBy = (step: AnyUnit, end: Decided | undefined): readonly Entry[] =>
  end !== undefined && 'written' in end ? (step.toKeep?.() ?? []) : [];

/** Steps that are asked for in one turn share a transaction, and so its round trips. */
export const groupedSteps = ({ connection, patience, keep, ...told }: Grouping) => {
  const run = async (batch: readonly Waiting[], before: LostCommit = new Map()): Promise<void> => {
    let earlier = before;
    const about = (attempt: LostCommit): void => {
      earlier = attempt;
    };
    const steps = batch.map(({ step }) => step);
    try {
      const done = await connection.use(
        (session) => transact(session, steps, earlier, { ...told, about }),
        patience(steps.map(({ purpose }) => purpose)),
      );
      const ended = batch.map((one, index) => ({ ...one, end: done[index], begun: begunBy(one.step, done[index]) }));
      for (const { end, begun, resolve, reject } of ended) {
        if (end === undefined || 'thrown' in end) reject(end?.thrown);
        else if (begun.length === 0) resolve(end.written.result);
      }
      // In one go: the copy is on the disk before a byte is sent.
      const toSend = ended.filter(({ begun }) => begun.length > 0);
      if (toSend.length > 0) await keep(toSend.flatMap(({ begun }) => begun));
      for (const { end, resolve } of toSend) if (end !== undefined && 'written' in end) resolve(end.written.result);
    } catch (thrown) {
      // What the server has refused for certain may be one step's fault; an earlier commit may not have been answered.
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

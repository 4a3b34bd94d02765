import { gathering } from '../../core/gathered.ts';
import type { Purpose } from '../backend.ts';
import type { Entry } from '../entry.ts';
import type { Connection, Patience } from './connection.ts';
import { isUndone } from './errors.ts';
import type { AnyStep, Step } from './step.ts';
import { type Attempt, type Decided, type Told, transact } from './transaction.ts';

/** So many steps share a transaction at most: each holds locks, of which a server has room for some thousands. */
const MOST = 64;

interface Waiting {
  readonly step: AnyStep;
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

export interface Grouping extends Omit<Told, 'about'> {
  readonly connection: Connection;
  readonly patience: (purposes: readonly Purpose[]) => Patience;
  /** Takes a copy of what is begun; what it throws keeps that from being sent. */
  readonly keep: (intents: readonly Entry[]) => Promise<void>;
}

/** What a step has begun that is committed. */
const begunBy = (step: AnyStep, end: Decided | undefined): readonly Entry[] =>
  end !== undefined && 'written' in end ? (step.toKeep?.() ?? []) : [];

/** Steps that are asked for in one turn share a transaction, and so its round trips. */
export const groupedSteps = ({ connection, patience, keep, ...told }: Grouping) => {
  const run = async (batch: readonly Waiting[], before: Attempt = new Map()): Promise<void> => {
    let earlier = before;
    const about = (attempt: Attempt): void => {
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

  const add = gathering<Waiting>((waiting) => run(takeFrom(waiting)));

  return <T>(step: Step<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      add({ step, resolve: resolve as (result: unknown) => void, reject });
    });
};

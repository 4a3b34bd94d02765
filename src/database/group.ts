import type { DatabaseSync } from 'node:sqlite';
import { batching } from '../core/async.ts';
import { transact } from './connect.ts';

type Done = { readonly value: unknown } | { readonly thrown: unknown };

interface Waiting {
  readonly work: () => unknown;
  /** Ends the wait for a locked file. */
  readonly until: AbortSignal;
  readonly settle: (done: Done) => void;
}

/** Runs the work of a transaction; throws if it must not be committed. */
type Within = <T>(work: () => T) => T;

/**
 * The transaction of several writes. A savepoint per write costs as much as the write, so the first try has none. If a
 * write throws, all are rolled back and repeated, each in its own savepoint.
 */
const transactionOver = (db: DatabaseSync, within: Within) => {
  const [begin, end] = [db.prepare('SAVEPOINT one_write'), db.prepare('RELEASE one_write')];
  const inSavepoint = ({ work }: Waiting): Done => {
    begin.run();
    try {
      const value = work();
      end.run();
      return { value };
    } catch (thrown) {
      // Some errors, a full disk for example, have ended the whole transaction already.
      if (!db.isTransaction) throw thrown;
      db.exec('ROLLBACK TO one_write; RELEASE one_write');
      return { thrown };
    }
  };

  return (batch: readonly Waiting[]): Done[] => {
    const all = (each: (one: Waiting) => Done): Done[] => transact(db, () => within(() => batch.map(each)));
    let isFaultOfOne = false;
    const together = ({ work }: Waiting): Done => {
      try {
        return { value: work() };
      } catch (thrown) {
        isFaultOfOne = db.isTransaction;
        throw thrown;
      }
    };
    try {
      return all(together);
    } catch (thrown) {
      if (!isFaultOfOne || batch.length === 1) throw thrown;
      return all(inSavepoint);
    }
  };
};

/**
 * Writes requested in the same turn or in consecutive turns share one transaction, and so one sync: each is on the
 * disk when its promise resolves. A `work` may run twice, so it must do nothing that a rollback does not undo.
 * `commit` runs the transaction, which may fail as a whole. It waits for a locked file until one signal for the whole
 * group: of the signals that its writes have, the last one in `signals`.
 */
export const groupCommit = (
  db: DatabaseSync,
  commit: (transaction: () => Done[], until: AbortSignal) => Promise<Done[]>,
  signals: readonly AbortSignal[],
  within: Within = (work) => work(),
): (<T>(work: () => T, until: AbortSignal) => Promise<T>) => {
  const transaction = transactionOver(db, within);
  const add = batching<Waiting>(async (waiting) => {
    const batch = waiting.splice(0);
    const until = signals.findLast((signal) => batch.some((one) => one.until === signal)) ?? AbortSignal.abort();
    const done = await commit(() => transaction(batch), until).catch((thrown: unknown): Done[] =>
      batch.map(() => ({ thrown })),
    );
    for (const [index, one] of batch.entries()) one.settle(done[index] ?? { thrown: new Error('no result') });
  });

  return <T>(work: () => T, until: AbortSignal): Promise<T> =>
    new Promise((resolve, reject) => {
      add({
        work,
        until,
        settle: (done) => ('thrown' in done ? reject(done.thrown) : resolve(done.value as T)),
      });
    });
};

import type { DatabaseSync } from 'node:sqlite';
import { gathered } from '../core/gathered.ts';
import { transact } from './transact.ts';

/** How `work` runs inside the transaction that is open; what it alone wrote is undone when it throws. */
const aparter = (db: DatabaseSync) => {
  const [begin, end] = [db.prepare('SAVEPOINT apart'), db.prepare('RELEASE apart')];
  return ({ work }: Waiting): Done => {
    begin.run();
    try {
      const value = work();
      end.run();
      return { value };
    } catch (thrown) {
      // A full disk, say, has ended the whole transaction already.
      if (!db.isTransaction) throw thrown;
      db.exec('ROLLBACK TO apart; RELEASE apart');
      return { thrown };
    }
  };
};

type Done = { readonly value: unknown } | { readonly thrown: unknown };

interface Waiting {
  readonly work: () => unknown;
  /** What ends its waiting for a locked file. */
  readonly until: AbortSignal;
  readonly settle: (done: Done) => void;
}

/**
 * The transactions of some writes. To keep them apart costs as much again as what they do, so they are only where one of them
 * throws: then all are done anew, and what decides them may be asked again.
 */
const transactions = (db: DatabaseSync, check: () => void) => {
  const apart = aparter(db);
  const all = (batch: readonly Waiting[], each: (one: Waiting) => Done): Done[] =>
    transact(db, () => {
      const done = batch.map(each);
      check();
      return done;
    });
  return (batch: readonly Waiting[]): Done[] => {
    let failed = false;
    const asOne = ({ work }: Waiting): Done => {
      try {
        return { value: work() };
      } catch (thrown) {
        failed = true;
        throw thrown;
      }
    };
    try {
      return all(batch, asOne);
    } catch (thrown) {
      if (!failed || batch.length === 1) throw thrown;
      return all(batch, apart);
    }
  };
};

/**
 * Writes that are asked for in one turn of the program, or in turns that follow one another, share one transaction, and so one sync: each is on the disk when
 * its promise resolves. `commit` runs the transaction, which may fail as a whole, and waits for a locked file until a signal
 * that is every one's of the group: the later ones of `signals` count for more.
 */
export const groupCommit = (
  db: DatabaseSync,
  commit: (transaction: () => Done[], until: AbortSignal) => Promise<Done[]>,
  signals: readonly AbortSignal[],
  /** Throws where nothing may be committed. */
  check: () => void = () => undefined,
): (<T>(work: () => T, until: AbortSignal) => Promise<T>) => {
  const inOne = transactions(db, check);
  let waiting: Waiting[] = [];
  let _running: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      await gathered(() => waiting.length);
      const batch = waiting;
      waiting = [];
      const until = signals.findLast((signal) => batch.some((one) => one.until === signal)) ?? AbortSignal.abort();
      const done = await commit(() => inOne(batch), until).catch((thrown: unknown): Done[] =>
        batch.map(() => ({ thrown })),
      );
      for (const [index, one] of batch.entries()) one.settle(done[index] ?? { thrown: new Error('no result') });
    }
    _running = undefined;
  };

  return <T>(work: () => T, until: AbortSignal): Promise<T> =>
    new Promise((resolve, reject) => {
      waiting.push({
        work,
        until,
        settle: (done) => ('thrown' in done ? reject(done.thrown) : resolve(done.value as T)),
      });
      _running ??= flush();
    });
};

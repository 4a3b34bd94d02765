import type { DatabaseSync } from 'node:sqlite';
import { gathered } from '../core/gathered.ts';
import { transact } from './transact.ts';

/** How `work` runs inside the transaction that is open; what it alone wrote is undone when it throws. */
const aparter = (db: DatabaseSync) => {
  const [begin, end] = [db.prepare('SAVEPOINT apart'), db.prepare('RELEASE apart')];
  return <T>(work: () => T): T => {
    begin.run();
    try {
      const result = work();
      end.run();
      return result;
    } catch (thrown) {
      // A full disk, say, has ended the whole transaction already.
      if (db.isTransaction) db.exec('ROLLBACK TO apart; RELEASE apart');
      throw thrown;
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

type Apart = ReturnType<typeof aparter>;

const tryOne = (db: DatabaseSync, apart: Apart, { work }: Waiting): Done => {
  try {
    return { value: apart(work) };
  } catch (thrown) {
    if (!db.isTransaction) throw thrown;
    return { thrown };
  }
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
  const apart = aparter(db);
  let waiting: Waiting[] = [];
  let _running: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      await gathered(() => waiting.length);
      const batch = waiting;
      waiting = [];
      const until = signals.findLast((signal) => batch.some((one) => one.until === signal)) ?? AbortSignal.abort();
      const work = (): Done[] => {
        const done = batch.map((one) => tryOne(db, apart, one));
        check();
        return done;
      };
      const done = await commit(() => transact(db, work), until).catch((thrown: unknown): Done[] =>
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

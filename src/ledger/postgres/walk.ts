import type { Query } from '../backend.ts';
import type { Entry } from '../entry.ts';
import type { Taker } from '../walk.ts';
import type { Answer, Session } from './session.ts';
import { findStatement } from './statements.ts';

const AT_ONCE = 1000;

/** A transaction that sees the ledger as it was when it began, and so all of it as of one moment. */
const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** Walks through what a query finds with a cursor of the server's: neither it nor this machine has all of it at once. */
export const walkIn = async <T>(
  session: Session,
  query: Query,
  entriesIn: (answer: Answer) => readonly Entry[],
  begin: () => Taker<T>,
  limit: number,
): Promise<T> => {
  const taker = begin();
  try {
    await session.run(`${BEGIN}; DECLARE walk NO SCROLL CURSOR FOR ${findStatement(query, false)}`, limit);
    for (;;) {
      const { answers } = await session.run(`FETCH ${AT_ONCE} FROM walk`, limit);
      const some = answers[0] as Answer;
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

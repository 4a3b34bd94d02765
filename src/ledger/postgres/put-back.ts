import type { Entry } from '../entry.ts';
import { evidenceOf, withEvidence } from '../evidence.ts';
import { changed } from '../transitions.ts';
import { isUndone } from './errors.ts';
import type { Session } from './session.ts';
import { list } from './sql.ts';
import { insertStatement } from './statements.ts';
import { commitAll } from './transaction.ts';

const LIMIT_MS = 30_000;
const AT_ONCE = 500;

/** An intent that the database has lost: nobody knows any more what became of it. */
const asLost = (entry: Entry, at: number): Entry => {
  const evidence = evidenceOf('ledger_lost', at, { why: 'the shared ledger did not know of it any more' });
  return changed(entry, {
    ...entry,
    state: 'unknown',
    moment: { at, mark: entry.begun },
    evidence: withEvidence(entry.evidence, evidence),
  });
};

const unknownTo = async (session: Session, entries: readonly Entry[]): Promise<Entry[]> => {
  const missing: Entry[] = [];
  for (let from = 0; from < entries.length; from += AT_ONCE) {
    const some = entries.slice(from, from + AT_ONCE);
    const { answers } = await session.run(
      `SELECT id FROM paycli.charge WHERE id IN ${list(some.map(({ id }) => id))}`,
      LIMIT_MS,
    );
    const known = new Set((answers[0]?.rows ?? []).map(([id]) => id));
    missing.push(...some.filter(({ id }) => !known.has(id)));
  }
  return missing;
};

/**
 * Brings back what this machine has begun and the database has lost, as unknown. One whose payment request has another open
 * charge by now stays out until that has its end: it is in the way of any other meanwhile.
 */
export const putBack = async (open: () => Promise<Session>, mine: readonly Entry[], at: number): Promise<void> => {
  let session = await open();
  for (const entry of await unknownTo(session, mine)) {
    try {
      await commitAll(session, [`${insertStatement(asLost(entry, at), true)} ON CONFLICT (id) DO NOTHING`], LIMIT_MS);
    } catch (thrown) {
      if (!isUndone(thrown)) throw thrown;
      session = await open();
    }
  }
  await session.close();
};

import type { Entry } from '../entry.ts';
import { evidenceOf, withEvidence } from '../evidence.ts';
import { changed } from '../transitions.ts';
import type { Answer, Session } from './session.ts';
import { idsOf, insertStatement, knownStatement } from './statements.ts';
import { commitAll } from './transaction.ts';

/** A night's charges may be many. */
const LIMIT_MS = 5 * 60_000;
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

/** Those of some entries that the database does not have. */
export const unknownTo = async (session: Session, entries: readonly Entry[], limit: number): Promise<Entry[]> => {
  const missing: Entry[] = [];
  for (let from = 0; from < entries.length; from += AT_ONCE) {
    const some = entries.slice(from, from + AT_ONCE);
    const { answers } = await session.run(knownStatement(some.map(({ id }) => id)), limit);
    const known = idsOf(answers[0] as Answer);
    missing.push(...some.filter(({ id }) => !known.has(id)));
  }
  return missing;
};

/**
 * Brings back what this machine has begun and the database has lost, as unknown, oldest first; beside what else is open of the
 * same payment request by now. All of it in one transaction: what is half brought back would not be missed again.
 */
export const putBack = async (session: Session, mine: readonly Entry[], at: number): Promise<void> => {
  const lost = (await unknownTo(session, mine, LIMIT_MS)).map((entry) => asLost(entry, at));
  const statements = lost.map((entry) => `${insertStatement(entry, true)} ON CONFLICT (id) DO NOTHING`);
  if (statements.length > 0) await commitAll(session, statements, LIMIT_MS);
};

import type { Entry } from '../entry.ts';
import type { Job, KeptUpdate } from '../job.ts';
import { JOBS } from './job-steps.ts';
import type { Answer, Session } from './session.ts';
import { inlined } from './sql.ts';
import { idsOf, insertStatement, knownStatement } from './statements.ts';
import { commitAll } from './transaction.ts';

const LIMIT_MS = 60_000;

/** Runs statements that each give a row for what they have written, in a transaction; gives how many did. */
const written = async (session: Session, statements: readonly string[]): Promise<number> => {
  if (statements.length === 0) return 0;
  const answers = await commitAll(session, statements, LIMIT_MS);
  return answers.reduce((sum, { rows }) => sum + rows.length, 0);
};

/** Writes entries of another ledger under their own names; gives how many are new, and which found another open one in their way. */
export const pushEntries = async (
  session: Session,
  entries: readonly Entry[],
): Promise<{ readonly added: number; readonly kept: readonly string[] }> => {
  const added = await written(
    session,
    entries.map((entry) => `${insertStatement(entry)} ON CONFLICT DO NOTHING RETURNING id`),
  );
  if (added === entries.length) return { added, kept: [] };
  const ids = entries.map(({ id }) => id);
  const { answers } = await session.run(knownStatement(ids), LIMIT_MS);
  const there = idsOf(answers[0] as Answer);
  return { added, kept: ids.filter((id) => !there.has(id)) };
};

export const pushJobs = (session: Session, jobs: readonly Job[]): Promise<number> =>
  written(
    session,
    jobs.map((job) => `${inlined(JOBS.addJob(job))} ON CONFLICT DO NOTHING RETURNING id`),
  );

export const pushUpdates = (session: Session, updates: readonly KeptUpdate[]): Promise<number> =>
  written(
    session,
    updates.map((update) => `${inlined(JOBS.addUpdate(update))} ON CONFLICT DO NOTHING RETURNING job`),
  );

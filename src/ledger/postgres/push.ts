import type { Entry } from '../entry.ts';
import type { Job, KeptUpdate } from '../job.ts';
import { JOBS } from './job-steps.ts';
import { unknownTo } from './put-back.ts';
import type { Session } from './session.ts';
import { inlined } from './sql.ts';
import { insertStatement } from './statements.ts';
import { commitAll } from './transaction.ts';

const LIMIT_MS = 60_000;

/** Writes rows in a transaction, those that are not there; gives how many that were. */
const written = async (session: Session, inserts: readonly string[]): Promise<number> => {
  if (inserts.length === 0) return 0;
  const statements = inserts.map((insert) => `${insert} ON CONFLICT DO NOTHING RETURNING 1`);
  const answers = await commitAll(session, statements, LIMIT_MS);
  return answers.reduce((sum, { rows }) => sum + rows.length, 0);
};

/** Writes entries of another ledger under their own names; gives how many are new, and which found another open one in their way. */
export const pushEntries = async (
  session: Session,
  entries: readonly Entry[],
): Promise<{ readonly added: number; readonly kept: readonly string[] }> => {
  const inserts = entries.map((entry) => insertStatement(entry));
  const added = await written(session, inserts);
  if (added === entries.length) return { added, kept: [] };
  const kept = await unknownTo(session, entries, LIMIT_MS);
  return { added, kept: kept.map(({ id }) => id) };
};

export const pushJobs = (session: Session, jobs: readonly Job[]): Promise<number> =>
  written(session, jobs.map(JOBS.addJob).map(inlined));

export const pushUpdates = (session: Session, updates: readonly KeptUpdate[]): Promise<number> =>
  written(session, updates.map(JOBS.addUpdate).map(inlined));

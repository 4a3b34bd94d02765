import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { ChargeState } from '../core/charge.ts';
import type { Charge, Intent, KeptActivity, ListFilter, Sender } from './ledger.ts';
import { activityColumns, chargeOf } from './rows.ts';

/** A charge's new state and what goes with it. */
export interface Change {
  readonly state: ChargeState;
  readonly settledAt: number;
  readonly exitCode: number | undefined;
  readonly activity: KeptActivity | undefined;
  readonly evidence: Charge['evidence'];
}

const COLUMNS = [
  'id',
  'state',
  'service',
  'origin',
  'workspace',
  'profile',
  'ugwo',
  'medium',
  'provider',
  'phone',
  'digest',
  'deadline',
  'created_at',
  'pid',
  'boot',
  'started',
];

const listWhere = ({ states, ugwo, before, after }: ListFilter): [conditions: string[], values: SQLInputValue[]] => {
  const parts: [condition: string, values: SQLInputValue[]][] = [];
  if (states !== undefined) parts.push([`state IN (${states.map(() => '?').join()})`, [...states]]);
  if (ugwo !== undefined) parts.push(['ugwo = ?', [ugwo]]);
  if (before !== undefined) parts.push(['seq < ?', [before]]);
  if (after !== undefined) parts.push(['seq > ?', [after]]);
  return [parts.map(([condition]) => condition), parts.flatMap(([, values]) => values)];
};

/** The ledger's SQL, prepared when it is first used. Everything runs in the transaction of whoever calls. */
export const statements = (db: DatabaseSync) => {
  const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  const sql = (text: string): ReturnType<DatabaseSync['prepare']> => {
    const found = prepared.get(text) ?? db.prepare(text);
    prepared.set(text, found);
    return found;
  };
  return {
    insert: (id: string, intent: Intent, self: Sender, now: number): void => {
      const values = { ...intent, ...self, id, state: 'sending', created_at: now } as Record<string, unknown>;
      sql(`INSERT INTO charge (${COLUMNS.join()}) VALUES (${COLUMNS.map(() => '?').join()})`).run(
        ...COLUMNS.map((name) => (values[name] ?? null) as SQLInputValue),
      );
    },
    change: (id: string, { state, settledAt, exitCode, activity, evidence }: Change): void => {
      sql(`UPDATE charge SET state = :state, settled_at = :settledAt, exit_code = :exitCode, evidence = :evidence,
        activity = :activity, status = :status, next_action = :next_action, activity_created_at = :activity_created_at
        WHERE id = :id`).run({
        id,
        state,
        settledAt,
        exitCode: exitCode ?? null,
        evidence: JSON.stringify(evidence),
        ...activityColumns(activity),
      });
    },
    keepEvidence: (id: string, evidence: Charge['evidence']): void => {
      sql('UPDATE charge SET evidence = ? WHERE id = ?').run(JSON.stringify(evidence), id);
    },
    stand: (activity: KeptActivity): void => {
      const { status, next_action, activity: uid } = activityColumns(activity);
      // An activity that needs nothing more of the customer has no next action; what it was stays known.
      sql(`UPDATE charge SET status = ?1, next_action = coalesce(?2, next_action)
        WHERE activity = ?3 AND (status IS NOT ?1 OR next_action IS NOT coalesce(?2, next_action))`).run(
        status ?? null,
        next_action ?? null,
        uid ?? null,
      );
    },
    get: (id: string) => sql('SELECT * FROM charge WHERE id = ?').get(id),
    sending: () => sql("SELECT * FROM charge WHERE state = 'sending' ORDER BY seq").all(),
    standing: (service: string, ugwo: string) =>
      sql(`SELECT * FROM charge WHERE service = ? AND ugwo = ? AND state IN ('sending', 'unknown', 'accepted')
        ORDER BY seq`).all(service, ugwo),
    count: (state: ChargeState): number =>
      Number(sql('SELECT count(*) AS n FROM charge WHERE state = ?').get(state)?.['n']),
    list: (filter: ListFilter): Charge[] => {
      const [conditions, values] = listWhere(filter);
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
      const order = filter.oldestFirst === true ? 'ASC' : 'DESC';
      return sql(`SELECT * FROM charge ${where} ORDER BY seq ${order} LIMIT ?`)
        .all(...values, filter.limit)
        .map(chargeOf);
    },
    owned: (activities: readonly string[]): string[] =>
      sql('SELECT activity FROM charge WHERE activity IN (SELECT value FROM json_each(?))')
        .all(JSON.stringify(activities))
        .map((row) => String(row['activity'])),
  };
};

import type { Query } from '../backend.ts';
import type { Scope } from '../place.ts';
import { UNFINISHED } from '../sqlite/schema.ts';
import type { Statement } from './statement.ts';

/** One row is an equation, which leaves its charges in order: sorting costs more than finding them. */
const amongRows = ([first, last]: readonly [number, number]): Statement =>
  first === last ? ['"row" = ?', first] : ['"row" BETWEEN ? AND ?', first, last];

/** What a scope says of the rows of any table, but for the workspace. */
export const scopeConditions = ({ service, profile, otherThan }: Scope): Statement[] => [
  ...(service === undefined ? [] : [['service = ?', service] as const]),
  ...(profile === undefined ? [] : [['profile = ?', profile] as const]),
  ...(otherThan === undefined ? [] : [["COALESCE(profile, '') <> ?", otherThan] as const]),
];

/** What a query asks for besides `id` and `standing`, which each database has a way of its own to find. */
export const conditionsOf = (
  { activities, states, unfinished, job, rows, about, before, after, begun, workspace, ...scope }: Query,
  among: (activities: readonly string[]) => Statement,
  state = 'state',
): Statement[] => [
  ...(activities === undefined ? [] : [among(activities)]),
  ...(states === undefined ? [] : [[`${state} IN (${states.map(() => '?').join() || 'NULL'})`, ...states] as const]),
  ...(unfinished === true ? [[`${UNFINISHED} AND kind = 'charge'`] as const] : []),
  ...scopeConditions(scope),
  ...(workspace === undefined ? [] : [['COALESCE(workspace, ?) = ?', workspace, workspace] as const]),
  ...(job === undefined ? [] : [['job = ?', job] as const]),
  ...(rows === undefined ? [] : [amongRows(rows)]),
  ...(about === undefined ? [] : [['ugwo = ?', about] as const]),
  ...(begun?.since === undefined ? [] : [['created_at >= ?', begun.since] as const]),
  ...(begun?.until === undefined ? [] : [['created_at < ?', begun.until] as const]),
  ...(before === undefined ? [] : [['seq < ?', before] as const]),
  ...(after === undefined ? [] : [['seq > ?', after] as const]),
];

/** All of these conditions; nothing where there are none. */
export const whereOf = (conditions: readonly Statement[]): Statement => [
  conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`,
  ...conditions.flatMap(([, ...values]) => values),
];

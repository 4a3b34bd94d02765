import type * as zod from 'zod';
import { machineValue } from '../core/charge.ts';
import { nounOf } from '../core/ids.ts';
import { valueAt } from '../core/json.ts';
import { readInstant } from '../core/time.ts';
import type { Operation } from './operations.ts';
import type { Params } from './proof.ts';

type Issue = zod.core.$ZodIssue;

/** True when the issue is a missing object or list: these are read by their members, which a text does not have. */
const wantsMembers = (issue: Issue): boolean => {
  if (issue.code === 'custom') return issue.params?.['byMembers'] === true;
  return (
    issue.code === 'invalid_union' || (issue.code === 'invalid_type' && !['string', 'number'].includes(issue.expected))
  );
};

/**
 * True for a value that is not as documented but still readable: one that the service's language writes in another
 * form.
 */
const isRead = (issue: Issue, value: unknown): boolean => {
  if (Array.isArray(value) && value.length === 0) return true;
  if (wantsMembers(issue)) return false;
  // A number is not a readable activity type.
  if (issue.path.at(-1) === 'activity_type') return /^[a-z]/i.test(machineValue(value));
  if (issue.code === 'invalid_type' && issue.expected === 'number')
    return typeof value === 'string' && /^-?\d+(?:\.0+)?$/.test(value);
  return String(issue.path.at(-1)).endsWith('_at') ? readInstant(value) !== undefined : machineValue(value) !== '';
};

/** The dotted path without the indexes of lists. */
const nameOf = (path: readonly PropertyKey[]): string =>
  path
    .filter((name) => typeof name !== 'number')
    .map(String)
    .join('.');

/** The path inside its record. The envelope of a list has been proven; a bare array has none. */
const inRecord = ({ path }: Issue): PropertyKey[] => path.slice(typeof path[0] === 'number' ? 1 : 2);

const sayOf = (name: string, value: unknown): string =>
  value === undefined
    ? `the answer has no "${name}"`
    : `the answer's "${name}" could not be read; it is shown as received`;

/** Sentences about undocumented and unreadable values in a proven answer, one for each top-level field. */
const unread = ({ success, query }: Operation, answer: unknown): string[] => {
  const said = new Map<string, string>();
  for (const issue of success.schema().safeParse(answer).error?.issues ?? []) {
    const value = valueAt(answer, issue.path.join('.'));
    if (isRead(issue, value)) continue;
    const name = nameOf(query === undefined ? issue.path : inRecord(issue));
    const [field = name] = name.split('.', 1);
    if (!said.has(field)) said.set(field, sayOf(name, value));
  }
  return [...said.values()];
};

/** Sentence about a write to one object whose answer contains another object. */
const other = ({ safety, params }: Operation, answer: unknown, given: Params): string[] => {
  const { uid: prefix } = params;
  const uid = valueAt(answer, 'uid');
  if (safety === 'safe' || prefix === undefined || prefix === 'text' || uid === given['uid']) return [];
  return [`the service answered with another ${nounOf(prefix)}, ${uid}`];
};

/** Notes for people on a proven answer. None of them invalidates the answer. */
export const oddities = (operation: Operation, answer: unknown, params: Params): readonly string[] => [
  ...other(operation, answer, params),
  ...unread(operation, answer),
];

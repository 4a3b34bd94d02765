import type * as z from 'zod';
import { machineValue } from '../core/charge.ts';
import { nounOf } from '../core/ids.ts';
import { valueAt } from '../core/json.ts';
import { readInstant } from '../core/time.ts';
import type { Operation } from './operations.ts';
import type { Params } from './proof.ts';

type Issue = z.core.$ZodIssue;

/** A list, and an object, are read by their members: a text in their place is not. */
const wantsMembers = (issue: Issue): boolean => {
  if (issue.code === 'custom') return issue.params?.['byMembers'] === true;
  return (
    issue.code === 'invalid_union' || (issue.code === 'invalid_type' && !['string', 'number'].includes(issue.expected))
  );
};

const wantsNumber = (issue: Issue): boolean => issue.code === 'invalid_type' && issue.expected === 'number';

/** Whether a value that is not as documented is read all the same: what the service's language makes of such a value. */
const isRead = (issue: Issue, value: unknown): boolean => {
  if (Array.isArray(value) && value.length === 0) return true;
  if (wantsMembers(issue)) return false;
  // A number says nothing of what it is.
  if (issue.path.at(-1) === 'activity_type') return /^[a-z]/i.test(machineValue(value));
  if (wantsNumber(issue)) return typeof value === 'string' && /^-?\d+(?:\.0+)?$/.test(value);
  return String(issue.path.at(-1)).endsWith('_at') ? readInstant(value) !== undefined : machineValue(value) !== '';
};

/** Where it stands, without the places in lists. */
const nameOf = (path: readonly PropertyKey[]): string =>
  path
    .filter((name) => typeof name !== 'number')
    .map(String)
    .join('.');

/** As in its record: the envelope of a list has been proven, and a bare array has none. */
const inRecord = ({ path }: Issue): PropertyKey[] => path.slice(typeof path[0] === 'number' ? 1 : 2);

const sayOf = (name: string, value: unknown): string =>
  value === undefined
    ? `the answer has no "${name}"`
    : `the answer's "${name}" could not be read; it is shown as received`;

/** What of a proven answer is not as documented and can't be read: a sentence for each of its fields. */
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

/** A write to one thing that is answered with another than the one that was asked for. */
const other = ({ safety, params }: Operation, answer: unknown, given: Params): string[] => {
  const { uid: prefix } = params;
  const uid = valueAt(answer, 'uid');
  if (safety === 'safe' || prefix === undefined || prefix === 'text' || uid === given['uid']) return [];
  return [`the service answered with another ${nounOf(prefix)}, ${uid}`];
};

/** What people should be told of an answer that is proven, in sentences; nothing of it speaks against the answer. */
export const oddities = (operation: Operation, answer: unknown, params: Params): readonly string[] => [
  ...other(operation, answer, params),
  ...unread(operation, answer),
];

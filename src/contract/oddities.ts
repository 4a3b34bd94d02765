import type * as zod from 'zod';
import { nounOf } from '../core/ids.ts';
import { valueAt } from '../core/json.ts';
import type { Operation } from './operations.ts';
import type { Params } from './proof.ts';

/** The dotted path without the indexes of lists. */
const dottedName = (path: readonly PropertyKey[]): string =>
  path
    .filter((name) => typeof name !== 'number')
    .map(String)
    .join('.');

/** The path inside its record. The envelope of a list has been proven; a bare array has none. */
const inRecord = ({ path }: zod.core.$ZodIssue): PropertyKey[] => path.slice(typeof path[0] === 'number' ? 1 : 2);

const sayOf = (name: string, value: unknown): string =>
  value === undefined
    ? `the answer has no "${name}"`
    : `the answer's "${name}" could not be read; it is shown as received`;

/** Sentences about unreadable values in a proven answer, one for each top-level field. */
const unread = ({ success, query }: Operation, answer: unknown): string[] => {
  const said = new Map<string, string>();
  for (const issue of success.schema().safeParse(answer).error?.issues ?? []) {
    const name = dottedName(query === undefined ? issue.path : inRecord(issue));
    const [field = name] = name.split('.', 1);
    if (!said.has(field)) said.set(field, sayOf(name, valueAt(answer, issue.path.join('.'))));
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
export const oddMembers = (operation: Operation, answer: unknown, params: Params): readonly string[] => [
  ...other(operation, answer, params),
  ...unread(operation, answer),
];

import { parseExact } from '../../core/json.ts';
import { machineValue } from '../../core/medium.ts';
import { valueAt } from '../../core/path.ts';
import type { Difference, Unique } from '../taken.ts';
import { said } from '../taken.ts';
import { differing } from './update-seen.ts';

export type Body = Readonly<Record<string, unknown>>;

/** How the service says that an address has a customer: by its code, or by other words (public material). */
const TAKEN = /email_already_exists|e-?mail.*\b(?:taken|in use|used|exists|registered|not unique)\b/is;

const thereOf = (customer: unknown, name: string): string => {
  const value = valueAt(customer, name);
  if (value === undefined || value === null || value === '') return 'is not there';
  return typeof value === 'object' ? 'is another there' : `is ${machineValue(value)} there`;
};

const differences = (customer: unknown, body: Body): readonly Difference[] =>
  differing(customer as Body, body).map((name) => ({ name, there: thereOf(customer, name) }));

/** An e-mail address belongs to one customer, in whatever case it is written. */
export const BY_EMAIL: Unique = {
  field: 'email',
  word: 'e-mail address',
  one: 'customer',
  list: 'onye.list',
  get: 'onye.get',
  isTaken: (thrown) => thrown.detail.status === 409 || TAKEN.test(said(thrown)),
  folded: (text) => text.trim().toLowerCase(),
  differences: ({ text }, body) => differences(parseExact(text), body),
  conflict: (email, { value }) => ({
    message: `the e-mail address ${email} belongs to a customer with other fields`,
    hint: `use another --email, or change the customer: \`paycli onye update ${machineValue(valueAt(value, 'uid'))} …\``,
  }),
};

import { openRowServices } from '../../compose/run.ts';
import { machineValue, textAt } from '../../core/charge.ts';
import { namingFlags } from '../../core/input.ts';
import { parseExact, valueAt } from '../../core/json.ts';
import type { Result, View } from '../../core/result.ts';
import { shellLine } from '../../core/shell.ts';
import { findFlag } from '../fields.ts';
import { previewCall } from '../record.ts';
import type { Run } from '../run.ts';
import { allTitles, createUnique, type Difference, type UniqueKey } from '../unique.ts';
import { type CustomerBody, type GivenFields, readCustomerBody } from './fields.ts';
import { NEW_FIELDS } from './fields-shared.ts';
import type { OnyeCreateInput } from './spec.ts';
import { differing } from './update-seen.ts';
import { customersCreatedView, onyeView } from './view.ts';

/**
 * Messages of the service for an address that already has a customer: its error code, or other wordings (public
 * material).
 */
const TAKEN = /email_already_exists|e-?mail.*\b(?:taken|in use|used|exists|registered|not unique)\b/is;

const existingText = (customer: unknown, name: string): string => {
  const value = valueAt(customer, name);
  if (value === undefined || value === null || value === '') return 'is not there';
  return typeof value === 'object' ? 'is another there' : `is ${machineValue(value)} there`;
};

const customerDifferences = (customer: unknown, body: CustomerBody): readonly Difference[] =>
  differing(customer as CustomerBody, body).map((name) => ({ name, there: existingText(customer, name) }));

/** An e-mail address belongs to one customer, regardless of case. */
export const BY_EMAIL: UniqueKey = {
  field: 'email',
  word: 'e-mail address',
  one: 'customer',
  list: 'onye.list',
  get: 'onye.get',
  isTaken: (thrown) => thrown.detail.status === 409 || TAKEN.test(allTitles(thrown)),
  folded: (text) => text.trim().toLowerCase(),
  differences: ({ text }, body) => customerDifferences(parseExact(text), body),
  conflict: (email, { value }) => ({
    message: `the e-mail address ${email} belongs to a customer with other fields`,
    hint: `use another --email, or change the customer: \`${shellLine(['paycli', 'onye', 'update', textAt(value, 'uid')])} …\``,
  }),
};

const createCustomer = async ({ given, body }: GivenFields, run: Run): Promise<Result> => {
  const operation = 'onye.create';
  try {
    if (run.globals.dryRun) return await previewCall(operation, { body }, run);
    const saying = `Creating a customer: ${machineValue(body['email'])}`;
    return await createUnique({ operation, body, unique: BY_EMAIL, saying, view: onyeView }, run);
  } catch (thrown) {
    throw namingFlags(thrown, findFlag(NEW_FIELDS, given, body));
  }
};

export const createdCustomersView = ({ kind }: OnyeCreateInput): View =>
  kind === 'one' ? onyeView : customersCreatedView;

/** Creates a customer, or a file of them (docs/service.md, Customers). */
export const createCustomers = async (input: OnyeCreateInput, run: Run): Promise<Result> => {
  const fields = {
    given: input.given,
    body: await readCustomerBody(input.given, run),
    change: undefined,
    replaceMeta: true,
  };
  if (input.kind === 'one') return createCustomer(fields, run);
  const [{ customersKind }, { runFile }] = [await import('./kinds.ts'), await import('../../bulk/run-file.ts')];
  return runFile(input.bulk, customersKind(fields), customersCreatedView, run, await openRowServices(run));
};

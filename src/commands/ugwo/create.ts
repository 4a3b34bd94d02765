import type { Client } from '../../client/client.ts';
import { machineValue } from '../../core/charge.ts';
import { usageError } from '../../core/error.ts';
import { idIn, isId } from '../../core/ids.ts';
import { namingFlags, pairsToObject, readJsonObject } from '../../core/input.ts';
import { definedIn, namesAlong, valueAt } from '../../core/json.ts';
import { formatMoney, readGiven } from '../../core/money.ts';
import type { Result, View } from '../../core/result.ts';
import { flagBy } from '../fields.ts';
import { makeOnce } from '../make.ts';
import { described, previewCall } from '../record.ts';
import type { Run } from '../run.ts';
import { createUnique, type Difference, said, type UniqueKey, uniqueIn } from '../unique.ts';
import type { OneRequest, RequestFields, UgwoCreateInput } from './spec.ts';
import { createdView, wholeUgwoView } from './view.ts';

export type UgwoBody = Readonly<Record<string, unknown>>;

/** The field for a customer: an identifier, or an e-mail address. */
const customerField = (customer: string | undefined): UgwoBody => {
  if (customer === undefined) return {};
  const onye = idIn('ony', customer);
  return isId('ony', onye) || !customer.includes('@') ? { onye } : { onye_email: customer };
};

/** Body that creates a payment request. `amount` is in the minor unit. */
export const bodyOf = (
  amount: number,
  { currency, customer, metadata = [], ref, description, checkout }: RequestFields,
): UgwoBody => ({
  amount,
  currency,
  ...customerField(customer),
  ...definedIn({ ref, description, checkout: checkout && idIn('chk', checkout) }),
  ...(metadata.length === 0 ? {} : { metadata: pairsToObject(metadata, '--metadata') }),
});

const PROPERTIES = ['amount', 'currency', 'onye', 'onye_email', 'ref', 'description', 'checkout', 'metadata'];

/** The column or option that sets a property of the body; undefined if none can. */
export const fieldOf = (propertyPath: string): string | undefined => {
  const [first = '', ...rest] = namesAlong(propertyPath, PROPERTIES);
  if (!PROPERTIES.includes(first)) return undefined;
  return [first.startsWith('onye') ? 'customer' : first, ...rest].join('.');
};

const SHOWN_AT = new Map([
  ['onye', ['onye.uid', 'onye']],
  ['onye_email', ['onye.email', 'onye_nzube.email']],
  ['checkout', ['checkout.uid', 'checkout']],
]);

/** The value of a field that a create can set, as the payment request shows it; undefined if it shows none. */
const shownAs = (request: unknown, name: string): string | undefined => {
  const values = (SHOWN_AT.get(name) ?? [name]).map((path) => machineValue(valueAt(request, path)));
  return values.find((value) => value !== '');
};

/** True if the metadata differs. The service returns it as `metadata` or `meta`, and an empty one as a list. */
const metadataDiffers = (request: unknown, wanted: object): boolean => {
  const shown = valueAt(request, 'metadata') ?? valueAt(request, 'meta') ?? {};
  return Object.entries(wanted).some(([key, value]) => (shown as Record<string, unknown>)[key] !== value);
};

/** Lists the fields in which a payment request differs from the body. */
const differences = (request: unknown, body: UgwoBody): readonly Difference[] =>
  Object.entries(body).flatMap(([name, value]) => {
    if (typeof value === 'object' && value !== null) {
      return metadataDiffers(request, value) ? [{ name, there: 'is another there' }] : [];
    }
    const there = shownAs(request, name);
    const isSame =
      there !== undefined &&
      (name === 'onye_email' ? there.toLowerCase() === String(value).toLowerCase() : there === String(value));
    if (isSame) return [];
    const said =
      name === 'amount' && there !== undefined ? formatMoney(there, shownAs(request, 'currency') ?? '') : there;
    return [{ name, there: said === undefined ? 'is not there' : `is ${said} there` }];
  });

/** A workspace has at most one payment request with a reference (public material). */
export const BY_REF: UniqueKey = {
  field: 'ref',
  word: 'reference',
  one: 'payment request',
  list: 'ugwo.list',
  get: 'ugwo.get',
  isTaken: (thrown) => said(thrown).includes('ref_already_exists'),
  folded: (text) => text,
  differences: ({ value }, body) => differences(value, body),
  conflict: (ref) => ({
    message: `the reference ${ref} belongs to another payment request`,
    hint: 'use another --ref, or ask for the same',
  }),
};

const createOne = async ({ amount, fields }: OneRequest, given: UgwoBody, run: Run): Promise<Result> => {
  const read = readGiven(amount, fields.currency);
  if ('problem' in read) throw usageError(`${amount.flag}: ${read.problem}`, { hint: read.hint });
  const body: UgwoBody = { ...given, ...bodyOf(read.minor, fields) };
  const operation = 'ugwo.create';
  try {
    if (run.globals.dryRun) return await previewCall(operation, { body }, run);
    const about = described(body);
    const saying = `Creating a payment request: ${about}`;
    if (uniqueIn(BY_REF, body) !== undefined) {
      return await createUnique({ operation, body, unique: BY_REF, saying, view: wholeUgwoView }, run);
    }
    return { kind: 'record', view: wholeUgwoView, ...(await makeOnce(operation, { body }, { about, saying }, run)) };
  } catch (thrown) {
    throw namingFlags(thrown, flagBy(fieldOf, amount), undefined, fields.currency);
  }
};

export const view = ({ kind }: UgwoCreateInput): View => (kind === 'one' ? wholeUgwoView : createdView);

/** Creates a payment request, or a file of them (public material, Payment requests). */
export const create = async (input: UgwoCreateInput, run: Run): Promise<Result> => {
  const { data } = input;
  const given = data === undefined ? {} : await readJsonObject(run.source, data, '--data');
  if (input.kind === 'one') return createOne(input, given, run);
  const [{ createKind }, { runFile }] = [await import('./create-kind.ts'), await import('../../bulk/run-file.ts')];
  const kindOf = (client: Client) => createKind(input, given, client, run);
  return runFile({ bulk: input.bulk, kindOf, view: createdView }, run);
};

import { openRowServices, sourceOf } from '../../compose/run.ts';
import { textAt } from '../../core/charge.ts';
import { usageError } from '../../core/error.ts';
import { namingFlags, readJsonObject } from '../../core/input.ts';
import { valueAt } from '../../core/json.ts';
import { formatMoney, readGiven } from '../../core/money.ts';
import type { Result, View } from '../../core/result.ts';
import { buildBody, findFlag } from '../fields.ts';
import { makeOnce } from '../make.ts';
import { previewCall, requestWords } from '../record.ts';
import type { Run } from '../run.ts';
import { allTitles, createUnique, type Difference, type UniqueKey, uniqueIn } from '../unique.ts';
import { REQUEST_FIELDS } from './create-shared.ts';
import type { UgwoCreateInput } from './spec.ts';
import { requestsCreatedView, wholeUgwoView } from './view.ts';

export type UgwoBody = Readonly<Record<string, unknown>>;

const SHOWN_AT = new Map([
  ['onye', ['onye.uid', 'onye']],
  ['onye_email', ['onye.email', 'onye_nzube.email']],
  ['checkout', ['checkout.uid', 'checkout']],
]);

/** The value of a field that a create can set, as the payment request shows it; undefined if it shows none. */
const shownAs = (request: unknown, name: string): string | undefined => {
  const values = (SHOWN_AT.get(name) ?? [name]).map((path) => textAt(request, path));
  return values.find((value) => value !== '');
};

/** True if the metadata differs. The service returns it as `metadata` or `meta`, and an empty one as a list. */
const metadataDiffers = (request: unknown, wanted: object): boolean => {
  const shown = valueAt(request, 'metadata') ?? valueAt(request, 'meta') ?? {};
  return Object.entries(wanted).some(([key, value]) => (shown as Record<string, unknown>)[key] !== value);
};

const requestDifferences = (request: unknown, body: UgwoBody): readonly Difference[] =>
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

/** A workspace has at most one payment request with a reference (docs/service.md, Payment requests). */
export const BY_REF: UniqueKey = {
  field: 'ref',
  word: 'reference',
  one: 'payment request',
  list: 'ugwo.list',
  get: 'ugwo.get',
  isTaken: (thrown) => allTitles(thrown).includes('ref_already_exists'),
  folded: (text) => text,
  differences: ({ value }, body) => requestDifferences(value, body),
  conflict: (ref) => ({
    message: `the reference ${ref} belongs to another payment request`,
    hint: 'use another --ref, or ask for the same',
  }),
};

const createRequest = async (
  { amount, currency, given }: Extract<UgwoCreateInput, { readonly kind: 'one' }>,
  data: UgwoBody,
  run: Run,
): Promise<Result> => {
  const read = readGiven(amount, currency);
  if ('problem' in read) throw usageError(`${amount.flag}: ${read.problem}`, { hint: read.hint });
  const body: UgwoBody = { ...data, ...buildBody(REQUEST_FIELDS, { ...given, amount: read.minor, currency }) };
  const operation = 'ugwo.create';
  try {
    if (run.globals.dryRun) return await previewCall(operation, { body }, run);
    const about = requestWords(body);
    const saying = `Creating a payment request: ${about}`;
    if (uniqueIn(BY_REF, body) !== undefined) {
      return await createUnique({ operation, body, unique: BY_REF, saying, view: wholeUgwoView }, run);
    }
    return { kind: 'record', view: wholeUgwoView, ...(await makeOnce(operation, { body }, { about, saying }, run)) };
  } catch (thrown) {
    throw namingFlags(thrown, findFlag(REQUEST_FIELDS, given, data), undefined, currency);
  }
};

export const createdRequestsView = ({ kind }: UgwoCreateInput): View =>
  kind === 'one' ? wholeUgwoView : requestsCreatedView;

/** Creates a payment request, or a file of them (docs/service.md, Payment requests). */
export const createRequests = async (input: UgwoCreateInput, run: Run): Promise<Result> => {
  const { given } = input;
  const data = given.data === undefined ? {} : await readJsonObject(sourceOf(run), given.data, '--data');
  if (input.kind === 'one') return createRequest(input, data, run);
  const [{ requestsKind }, { runFile }] = [await import('./create-kind.ts'), await import('../../bulk/run-file.ts')];
  return runFile(input.bulk, requestsKind(given, data), requestsCreatedView, run, await openRowServices(run));
};

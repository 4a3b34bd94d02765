import type { Client } from '../../client/client.ts';
import { bothUnits, readGiven } from '../../core/amount.ts';
import { PayError, usageError } from '../../core/error.ts';
import { namingFlags } from '../../core/flags.ts';
import { formatMoney } from '../../core/money.ts';
import { namesAlong } from '../../core/property-path.ts';
import type { Result, View } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import { previewCall } from '../preview.ts';
import type { Paid } from './paid.ts';
import { failureOf, lookAt } from './paid.ts';
import type { CreateInput, RefundOf } from './spec.ts';
import { refundsView, refundView } from './view.ts';

/** The amount that was asked for, in the minor unit; undefined for all of it. */
const minorOf = ({ amount }: RefundOf, paid: Paid | undefined): number | undefined => {
  if (amount === undefined) return undefined;
  if (paid === undefined && amount.flag === '--amount') {
    throw usageError('--amount: the currency of this activity is not known here', {
      hint: 'give its payment request with --ugwo, or the amount with --amount-minor',
    });
  }
  const read = readGiven(amount, paid?.currency ?? '');
  if ('minor' in read) return read.minor;
  throw usageError(`${amount.flag}: ${read.problem}`, { hint: read.hint });
};

/** What is paid back, of what, and to which account where one is named, in one line. */
const described = ({ activity, destination }: RefundOf, minor: number | undefined, paid: Paid | undefined): string => {
  const sum = minor ?? paid?.amount;
  const all = minor === undefined ? 'all that was paid' : `${minor} in the minor unit`;
  const money = paid === undefined || sum === undefined ? all : bothUnits(sum, paid.currency);
  const to = destination === undefined ? [] : [`to account ${destination.account_number} at ${destination.provider}`];
  return [`${money} of ${activity}`, ...(paid?.words ?? []), ...to].join(', ');
};

/** What is typed before it is paid back: the sum, or where nothing tells it the activity. */
const typedFor = ({ activity }: RefundOf, minor: number | undefined, paid: Paid | undefined): string => {
  const sum = minor ?? paid?.amount;
  return paid === undefined || sum === undefined ? activity : formatMoney(String(sum), paid.currency);
};

const FLAGS = new Map([
  ['amount', '--amount'],
  ['ref', '--ref'],
  ['reason', '--reason'],
  ['provider', '--provider'],
  ['account_number', '--account-number'],
  ['destination', '--provider'],
]);

const flagOf = (propertyPath: string): string | undefined =>
  namesAlong(propertyPath, [...FLAGS.keys()])
    .map((name) => FLAGS.get(name))
    .findLast((flag) => flag !== undefined);

/** A refund can fail at once (public material, Refunds). */
const withFailure = (result: Result): Result => {
  if (result.kind !== 'record' || result.failure !== undefined) return result;
  const why = failureOf(result.record.value);
  if (why === undefined) return result;
  const failure = new PayError('charge_failed', why, {
    hint: 'nothing was paid back; try again with --again, or with another destination',
  });
  return { ...result, failure };
};

const createOne = async (input: RefundOf, deps: Deps): Promise<Result> => {
  const { activity, ref, reason, destination, again } = input;
  const needsLook = !deps.globals.dryRun || input.amount?.flag === '--amount';
  const paid = needsLook ? await lookAt(input, deps) : undefined;
  const amount = minorOf(input, paid);
  const given = Object.entries({ amount, ref, reason, destination }).filter(([, value]) => value !== undefined);
  const body = { ugwo_activity: activity, ...Object.fromEntries(given) };
  try {
    if (deps.globals.dryRun) return await previewCall('refund.create', { body }, deps);
    const [what, typed] = [described(input, amount, paid), typedFor(input, amount, paid)];
    const how = { about: activity, question: [what, 'Pay this back?'], typed, once: true, again, failure: failureOf };
    return withFailure({ kind: 'record', view: refundView, ...(await deps.once('refund.create', { body }, how)) });
  } catch (thrown) {
    const nameOf = (path: string) => {
      const flag = flagOf(path);
      return flag === '--amount' ? (input.amount?.flag ?? flag) : flag;
    };
    throw namingFlags(thrown, nameOf, undefined, paid?.currency);
  }
};

export const view = ({ kind }: CreateInput): View => (kind === 'one' ? refundView : refundsView);

/** Pays back what was paid by an activity, or a file of those (public material, Refunds), under the ledger. */
export const run = async (input: CreateInput, deps: Deps): Promise<Result> => {
  if (input.kind === 'one') return createOne(input, deps);
  const [{ refundKind }, { runFile }] = [await import('./create-kind.ts'), await deps.bulk()];
  const kindOf = (client: Client) => refundKind(input, client, deps);
  return runFile({ bulk: input.bulk, kindOf, view: refundsView }, deps);
};

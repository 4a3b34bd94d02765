import { bothUnits, readGiven } from '../../core/amount.ts';
import { activitiesOf, statusOf } from '../../core/charge.ts';
import { PayError, usageError } from '../../core/error.ts';
import { namingFlags } from '../../core/flags.ts';
import { machineValue } from '../../core/medium.ts';
import { valueAt } from '../../core/path.ts';
import { namesAlong } from '../../core/property-path.ts';
import type { Result } from '../../core/result.ts';
import type { Deps } from '../deps.ts';
import type { CreateInput } from './spec.ts';
import { refundView } from './view.ts';

type Needs = Pick<Deps, 'globals' | 'client' | 'ledger' | 'once' | 'preview'>;

export const view = refundView;

/** What is paid back, as the service shows it. */
interface Paid {
  readonly currency: string;
  /** In the minor unit; undefined where the activity does not say it. */
  readonly amount: number | undefined;
  readonly words: readonly string[];
}

const textAt = (value: unknown, path: string): string => machineValue(valueAt(value, path));

/** The payment request of an activity: as it was given, else the one whose charge the ledger knows. */
const requestOf = async ({ ugwo, activity }: CreateInput, deps: Needs): Promise<string | undefined> => {
  if (ugwo !== undefined) return ugwo;
  const [entry] = await (await deps.ledger()).list({ activities: [activity], limit: 1 });
  return entry?.about;
};

/** Looks at the payment request; undefined where nobody knows which it is. */
const lookAt = async (input: CreateInput, deps: Needs): Promise<Paid | undefined> => {
  const uid = await requestOf(input, deps);
  if (uid === undefined) return undefined;
  const client = await deps.client('read');
  const { value } = await client.call('ugwo.get', { params: { uid } });
  const paid = activitiesOf(value)?.find((one) => valueAt(one, 'uid') === input.activity);
  if (paid === undefined) throw usageError(`${input.activity} is no activity of ${uid}`);
  const amount = textAt(paid, 'charged_amount') || textAt(paid, 'amount') || textAt(value, 'amount');
  return {
    currency: textAt(value, 'currency'),
    amount: /^\d+$/.test(amount) ? Number(amount) : undefined,
    words: [textAt(value, 'ref'), textAt(value, 'description'), textAt(value, 'onye.email')].filter(
      (text) => text !== '',
    ),
  };
};

/** The amount that was asked for, in the minor unit; undefined for all of it. */
const minorOf = ({ amount }: CreateInput, paid: Paid | undefined): number | undefined => {
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

/** What is paid back and to whom, in one line. */
const described = ({ activity }: CreateInput, minor: number | undefined, paid: Paid | undefined): string => {
  const sum = minor ?? paid?.amount;
  const all = minor === undefined ? 'all that was paid' : `${minor} in the minor unit`;
  const money = paid === undefined || sum === undefined ? all : bothUnits(sum, paid.currency);
  return [`${money} of ${activity}`, ...(paid?.words ?? [])].join(', ');
};

const FLAGS: Readonly<Record<string, string>> = {
  amount: '--amount',
  ref: '--ref',
  reason: '--reason',
  provider: '--provider',
  account_number: '--account-number',
  destination: '--provider',
};

const flagOf = (propertyPath: string): string | undefined =>
  namesAlong(propertyPath, Object.keys(FLAGS))
    .map((name) => FLAGS[name])
    .findLast((flag) => flag !== undefined);

/** A refund can fail at once (public material, Refunds). */
const withFailure = (result: Result): Result => {
  if (result.kind !== 'record' || result.failure !== undefined) return result;
  const { value } = result.record;
  if (statusOf(value) !== 'failed') return result;
  const why = textAt(value, 'error.message');
  const failure = new PayError('charge_failed', `the refund failed${why === '' ? '' : `: ${why}`}`, {
    hint: 'nothing was paid back; try again with --again, or with another destination',
  });
  return { ...result, failure };
};

/** Pays back what was paid by an activity (public material, Refunds), under the ledger. */
export const run = async (input: CreateInput, deps: Needs): Promise<Result> => {
  const { activity, ref, reason, destination, again } = input;
  const needsLook = !deps.globals.dryRun || input.amount?.flag === '--amount';
  const paid = needsLook ? await lookAt(input, deps) : undefined;
  const amount = minorOf(input, paid);
  const given = Object.entries({ amount, ref, reason, destination }).filter(([, value]) => value !== undefined);
  const body = { ugwo_activity: activity, ...Object.fromEntries(given) };
  try {
    if (deps.globals.dryRun) return deps.preview((await deps.client('preview')).preview('refund.create', { body }));
    const what = described(input, amount, paid);
    const how = { about: activity, question: [what, 'Pay this back?'], once: true, again };
    return withFailure({ kind: 'record', view, ...(await deps.once('refund.create', { body }, how)) });
  } catch (thrown) {
    throw namingFlags(thrown, flagOf);
  }
};

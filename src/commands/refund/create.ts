import { mediumNamed, mediumShown } from '../../charge/mediums.ts';
import { activityFacts, ownMoney, PAYMENTS, paymentShown } from '../../charge/payment.ts';
import type { Reading } from '../../charge/request.ts';
import { openRowServices } from '../../compose/run.ts';
import { activitiesOf, failureReason, latestActivityOf, statusOf, summaryColumns, textAt } from '../../core/charge.ts';
import { PayError, usageError } from '../../core/error.ts';
import { canBeName } from '../../core/ids.ts';
import { askText, canAsk, namingFlags } from '../../core/input.ts';
import { valueAt } from '../../core/json.ts';
import { bothUnits, formatMoney, readGiven } from '../../core/money.ts';
import { amountColumn, columnsNamed, createdColumn, type Result, type View } from '../../core/result.ts';
import { REFUND_WORDS } from '../../core/status.ts';
import { snapshotOf } from '../../ledger/snapshot.ts';
import { isDisputed } from '../../ledger/transitions.ts';
import { buildBody, findFlag } from '../fields.ts';
import { makeOnce, planOnce } from '../make.ts';
import { type Able, activityNamed } from '../names.ts';
import { findChargeOf, previewCall, refuseDisputed, refuseFor } from '../record.ts';
import type { Run } from '../run.ts';
import { REFUND_FIELDS } from './fields-shared.ts';
import type { RefundCreateInput } from './spec.ts';

type RefundOf = Extract<RefundCreateInput, { readonly kind: 'one' }>;

type Needs = Pick<Run, 'client' | 'ledger' | 'target'>;

/** The activity to refund, and its payment request if --ugwo or the row gives it. */
interface Refunded {
  readonly activity: string;
  readonly ugwo: string | undefined;
}

/** The payment as the service shows it. */
export interface Paid {
  readonly currency: string;
  /** In the minor unit; undefined if the activity does not give it. */
  readonly amount: number | undefined;
  readonly words: readonly string[];
  /** The activity's status; empty if it can't be read. */
  readonly status: string;
  /** The service doesn't know the account that a transfer came from. */
  readonly isTransfer: boolean;
}

/**
 * Reads the payment from its payment request. Resolves to undefined if the payment request is not known. Throws a usage
 * error if it lists its activities, and this one is not among them, and refuses a payment that is disputed.
 */
export const lookAtPaid = async (input: Refunded, run: Needs): Promise<Paid | undefined> => {
  const notDone = `no refund was sent for ${input.activity}`;
  await refuseDisputed({ activities: [input.activity] }, notDone, run);
  const charge = await findChargeOf(input.activity, run);
  const uid = input.ugwo ?? charge?.about;
  if (uid === undefined) return undefined;
  const client = await run.client('read');
  const record = await client.call('ugwo.get', { params: { uid } });
  const { value } = record;
  const shown = snapshotOf(value, record);
  const { charges } = await (await run.ledger()).observe(shown, true);
  const by = charges.find((one) => isDisputed(one) && one.activity?.uid === input.activity);
  if (by !== undefined) await refuseFor(by, notDone);
  const listed = activitiesOf(value);
  const paid = [...(listed ?? []), latestActivityOf(value)].find((one) => valueAt(one, 'uid') === input.activity);
  if (paid === undefined && listed !== undefined) throw usageError(`${input.activity} is no activity of ${uid}`);
  const { asked } = shown;
  return {
    currency: asked.currency ?? '',
    status: statusOf(paid),
    isTransfer: mediumNamed(mediumShown(paid) ?? charge?.medium ?? '')?.step === 'transfer',
    amount: paid === undefined ? undefined : ownMoney(activityFacts(paid), asked.amount).received,
    words: [textAt(value, 'ref'), textAt(value, 'description'), textAt(value, 'onye.email')].filter(
      (text) => text !== '',
    ),
  };
};

/** Reading of the payment, for a refund of `minor`, or of all of it. */
export const refundReading = (minor: number | undefined, paid: Paid | undefined): Reading => ({
  asked: { amount: minor ?? paid?.amount, currency: paid?.currency || undefined },
  paid: paid?.status,
});

/** Reason of a refund that failed at once (docs/service.md, Refunds). Undefined if it did not fail. */
export const refundFailure = (refund: unknown): string | undefined => {
  if (statusOf(refund) !== 'failed') return undefined;
  const why = failureReason(valueAt(refund, 'error'));
  return `the refund failed${why === undefined ? '' : `: ${why}`}`;
};

export const refundView: View = {
  columns: [
    { path: 'uid' },
    { path: 'status', kind: 'state', words: REFUND_WORDS },
    amountColumn,
    { path: 'currency', kind: 'enum', machineOnly: true },
    { path: 'ugwo_activity', flexible: true, label: 'activity' },
    ...columnsNamed('ref reason', { flexible: true }),
    { path: 'error.message', flexible: true, label: 'error' },
    createdColumn,
    { path: 'updated_at', kind: 'time', label: 'updated', peopleOnly: true },
  ],
};

const refundsView: View = { columns: summaryColumns('refunded') };

/**
 * The requested amount in the minor unit; undefined for the whole payment. Throws a usage error if --amount needs a
 * currency that is not known.
 */
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

/** Describes the refund in one line: amount, activity, and destination account if one is given. */
const refundText = ({ activity, given }: RefundOf, minor: number | undefined, paid: Paid | undefined): string => {
  const { provider, account_number } = given;
  const sum = minor ?? paid?.amount;
  const all = minor === undefined ? 'the whole payment' : `${minor} in the minor unit`;
  const money = paid === undefined || sum === undefined ? all : bothUnits(sum, paid.currency);
  const to = provider === undefined ? [] : [`to account ${account_number} at ${provider}`];
  return [`${money} of ${activity}`, ...(paid?.words ?? []), ...to].join(', ');
};

/** Text that the person types to confirm: the sum, or the activity if the sum is not known. */
const typedFor = ({ activity }: RefundOf, minor: number | undefined, paid: Paid | undefined): string => {
  const sum = minor ?? paid?.amount;
  return paid === undefined || sum === undefined ? activity : formatMoney(String(sum), paid.currency);
};

/** Adds the failure of a refund that failed at once (docs/service.md, Refunds). */
const withFailure = (result: Result): Result => {
  if (result.kind !== 'record' || result.failure !== undefined) return result;
  const why = refundFailure(result.record.value);
  if (why === undefined) return result;
  const failure = new PayError('charge_failed', why, {
    hint: 'nothing was paid back; run the same command again, or give another destination',
  });
  return { ...result, failure };
};

/** Throws a usage error for a refund of a transfer without a destination. */
export const checkDestination = (paid: Paid | undefined, { provider }: { readonly provider?: unknown }): void => {
  if (paid?.isTransfer !== true || provider !== undefined) return;
  throw usageError('a refund of a bank transfer needs the account to pay to; nothing was sent', {
    hint: "give the customer's bank and account with --provider and --account-number",
  });
};

/** The given options, with the account to pay back a transfer to: a terminal asks for it. */
const withDestination = async (
  given: RefundOf['given'],
  paid: Paid | undefined,
  { io, globals }: Run,
): Promise<RefundOf['given']> => {
  const isMissing = globals.validate && paid?.isTransfer === true && given.provider === undefined;
  if (isMissing && (globals.dryRun || !canAsk(io, globals))) checkDestination(paid, given);
  if (!isMissing) return given;
  const provider = await askText(io.stdin, 'Bank to pay to (its code, such as gtb): ');
  return { ...given, provider, account_number: await askText(io.stdin, 'Account number (10 digits): ') };
};

const REFUNDABLE: Able<unknown> = {
  one: 'payment',
  can: (activity) => paymentShown(activity) !== 'refunded' && PAYMENTS[paymentShown(activity)].brings,
};

const createOneRefund = async (named: RefundOf, run: Run): Promise<Result> => {
  if (canBeName('ony', named.activity)) {
    throw usageError(`"${named.activity}" is an e-mail address, and may have payments that this ledger doesn't know`, {
      hint: 'give the ref of the payment request, or the activity, act.…',
    });
  }
  const { activity, ugwo } = canBeName('ugw', named.activity)
    ? await activityNamed(named.activity, REFUNDABLE, run)
    : { activity: named.activity, ugwo: named.given.ugwo };
  const asked = { ...named, activity, given: { ...named.given, ...(ugwo !== undefined && { ugwo }) } };
  const { asCurl, dryRun } = run.globals;
  const needsLook = !asCurl || asked.amount?.flag === '--amount';
  const refunded = { activity, ugwo: asked.given.ugwo };
  const paid = needsLook ? await lookAtPaid(refunded, run) : undefined;
  const given = await withDestination(asked.given, paid, run);
  const input = { ...asked, given };
  const amount = minorOf(input, paid);
  const body = buildBody(REFUND_FIELDS, { ...given, activity, amount });
  try {
    if (asCurl) return await previewCall('refund.create', { body }, run);
    const [what, typed] = [refundText(input, amount, paid), typedFor(input, amount, paid)];
    const look = async (): Promise<Reading> => {
      const now = await lookAtPaid(refunded, run);
      if (refundText(input, amount, now) === what) return refundReading(amount, now);
      throw new PayError('refused', `${activity} was not refunded: its payment has changed`, {
        hint: 'run the same command again to see what would be paid back',
      });
    };
    const question = [what, 'Pay this back?'];
    const how = {
      about: activity,
      question,
      typed,
      reading: refundReading(amount, paid),
      look,
      once: true,
      again: given.again === true,
      failure: refundFailure,
    };
    if (dryRun) {
      const planned = await planOnce('refund.create', { body }, how, run);
      await run.say(`Nothing was sent. Without --dry-run, this pays back ${what}`);
      return planned;
    }
    return withFailure({ kind: 'record', view: refundView, ...(await makeOnce('refund.create', { body }, how, run)) });
  } catch (thrown) {
    throw namingFlags(thrown, findFlag(REFUND_FIELDS, given), undefined, paid?.currency);
  }
};

export const refundsMadeView = ({ kind }: RefundCreateInput): View => (kind === 'one' ? refundView : refundsView);

/** Refunds an activity, or a file of activities (docs/service.md, Refunds), under the ledger protocol. */
export const createRefunds = async (input: RefundCreateInput, run: Run): Promise<Result> => {
  if (input.kind === 'one') return createOneRefund(input, run);
  const [{ refundKind }, { runFile }] = [await import('./create-kind.ts'), await import('../../bulk/run-file.ts')];
  return runFile(input.bulk, refundKind(input.given, run), refundsView, run, await openRowServices(run));
};

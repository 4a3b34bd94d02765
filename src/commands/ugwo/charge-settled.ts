import type { RowEnd } from '../../bulk/row-end.ts';
import { standingOf, statusOf } from '../../core/charge.ts';
import { EXIT_CODES } from '../../core/exit.ts';
import { printExact } from '../../core/json.ts';
import { isStepUnreadable } from '../../core/next-action.ts';
import { valueAt } from '../../core/path.ts';
import { rowStateOf } from '../../core/row.ts';
import type { Entry, RequestTerms } from '../../ledger/entry.ts';
import { STEP_UNREADABLE } from '../activity/followed-shared.ts';
import { lastWord } from '../make-rows.ts';

/** What the report says of a charge, besides row, state and error: the activity and what the customer must do. */
export const CHARGE_COLUMNS = [
  'activity',
  'status',
  'next_action',
  'bank_name',
  'account_name',
  'account_number',
  'payable_until',
  'ussd',
  'charge',
  'amount',
  'currency',
  'ref',
  'payment',
] as const;

type Fields = Readonly<Partial<Record<(typeof CHARGE_COLUMNS)[number], unknown>>>;

/** An activity in the service's own fields. */
const activityFields = (activity: unknown): Fields => {
  const header = (name: string): unknown => valueAt(activity, `next_action.headers.${name}`);
  return {
    activity: valueAt(activity, 'uid'),
    // A person who names an activity does not know how it stands.
    status: statusOf(activity) || undefined,
    next_action: valueAt(activity, 'next_action') ?? undefined,
    bank_name: header('bank_name'),
    account_name: header('account_name'),
    account_number: header('account_number'),
    payable_until: header('expires_at'),
    ussd: header('ussd'),
  };
};

/** The exit code of a row whose charge was made, and why somebody has to look at it, where somebody has. */
const madeEnd = (activity: unknown): Pick<RowEnd, 'exitCode' | 'error'> =>
  isStepUnreadable(activity) ? { exitCode: EXIT_CODES.unrecorded, error: STEP_UNREADABLE } : { exitCode: 0 };

const askedFields = ({ amount, currency, ref }: RequestTerms): Fields => ({ amount, currency, ref });

/** A charge that was made by this run. */
export const madeNow = (activity: unknown, id: string, asked: RequestTerms = {}): RowEnd => {
  const payment = standingOf(statusOf(activity));
  const fields = { ...activityFields(activity), charge: id, ...askedFields(asked), payment };
  const state = rowStateOf('accepted', statusOf(activity));
  if (state !== 'failed') return { state, fields, ...madeEnd(activity) };
  const reason = valueAt(activity, 'error.message') ?? valueAt(activity, 'error') ?? null;
  const error = typeof reason === 'string' ? reason : printExact(reason);
  return { state, fields, error: `the charge failed: ${error}` };
};

/** A charge as the ledger has it; `activity` is its activity in the service's own fields. */
export const asKept = (charge: Entry, activity: unknown, payment: string | undefined): RowEnd => {
  const state = rowStateOf(charge.state, charge.activity?.status);
  const { exitCode, id } = charge;
  const fields = { ...activityFields(activity), charge: id, ...askedFields(charge.asked ?? {}), payment };
  const kept = { state, exitCode, fields };
  if (state === 'accepted') return { ...kept, ...madeEnd(activity) };
  return state === 'sending' ? kept : { ...kept, error: lastWord(charge) ?? state.replaceAll('_', ' ') };
};

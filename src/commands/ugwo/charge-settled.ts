import type { EnumLike } from '../../core/medium.ts';
import { machineValue } from '../../core/medium.ts';
import { valueAt } from '../../core/path.ts';
import { rowStateOf } from '../../core/row.ts';
import type { Settled } from '../../core/row-end.ts';
import type { Asked, Charge } from '../../ledger/ledger.ts';

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
] as const;

type Fields = Readonly<Partial<Record<(typeof CHARGE_COLUMNS)[number], unknown>>>;

/** An activity in the service's own fields. */
const activityFields = (activity: unknown): Fields => {
  const header = (name: string): unknown => valueAt(activity, `next_action.headers.${name}`);
  const status = valueAt(activity, 'status') as EnumLike | undefined;
  return {
    activity: valueAt(activity, 'uid'),
    // A person who names an activity does not know how it stands.
    status: status === undefined || status === '' ? undefined : machineValue(status),
    next_action: valueAt(activity, 'next_action') ?? undefined,
    bank_name: header('bank_name'),
    account_name: header('account_name'),
    account_number: header('account_number'),
    payable_until: header('expires_at'),
    ussd: header('ussd'),
  };
};

const askedFields = ({ amount, currency, ref }: Asked): Fields => ({ amount, currency, ref });

/** A charge that was made by this run. */
export const madeNow = (activity: unknown, id: string, asked: Asked = {}): Settled => {
  const fields = { ...activityFields(activity), charge: id, ...askedFields(asked) };
  const state = rowStateOf('accepted', typeof fields.status === 'string' ? fields.status : undefined);
  const reason = valueAt(activity, 'error.message') ?? valueAt(activity, 'error');
  const error = typeof reason === 'string' ? reason : JSON.stringify(reason ?? null);
  return { state, fields, ...(state === 'failed' ? { error: `the charge has failed: ${error}` } : {}) };
};

const lastWord = ({ evidence }: Charge): string | undefined => {
  const word = evidence.findLast(({ message, why }) => message !== undefined || why !== undefined);
  return word === undefined ? undefined : String(word['message'] ?? word['why']);
};

/** A charge as the ledger has it; `activity` is its activity in the service's own fields. */
export const asKept = (charge: Charge, activity: unknown): Settled => {
  const state = rowStateOf(charge.state, charge.activity?.status);
  const error =
    state === 'accepted' || state === 'sending' ? undefined : (lastWord(charge) ?? state.replaceAll('_', ' '));
  const { exitCode, id } = charge;
  return {
    state,
    exitCode,
    fields: { ...activityFields(activity), charge: id, ...askedFields(charge.asked ?? {}) },
    ...(error === undefined ? {} : { error }),
  };
};

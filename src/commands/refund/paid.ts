import { activitiesOf, statusOf } from '../../core/charge.ts';
import { usageError } from '../../core/error.ts';
import { machineValue } from '../../core/medium.ts';
import { valueAt } from '../../core/path.ts';
import type { Deps } from '../deps.ts';

type Needs = Pick<Deps, 'client' | 'ledger'>;

/** What is paid back: by its activity, and its payment request where that was given. */
interface Refunded {
  readonly activity: string;
  readonly ugwo: string | undefined;
}

/** What is paid back, as the service shows it. */
export interface Paid {
  readonly currency: string;
  /** In the minor unit; undefined where the activity does not say it. */
  readonly amount: number | undefined;
  readonly words: readonly string[];
}

const textAt = (value: unknown, path: string): string => machineValue(valueAt(value, path));

/** The payment request of an activity: as it was given, else the one whose charge the ledger knows. */
const requestOf = async ({ ugwo, activity }: Refunded, deps: Needs): Promise<string | undefined> => {
  if (ugwo !== undefined) return ugwo;
  const [entry] = await (await deps.ledger()).list({ activities: [activity], limit: 1 });
  return entry?.about;
};

/** Looks at the payment request; undefined where nobody knows which it is. */
export const lookAt = async (input: Refunded, deps: Needs): Promise<Paid | undefined> => {
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

/** Why a refund failed at once (public material, Refunds); undefined where it has not. */
export const failureOf = (refund: unknown): string | undefined => {
  if (statusOf(refund) !== 'failed') return undefined;
  const why = textAt(refund, 'error.message');
  return `the refund failed${why === '' ? '' : `: ${why}`}`;
};

import type { Activity } from '../../contract/activity.ts';
import { machineValue, paymentStatusOf } from '../../core/charge.ts';
import { valueAt } from '../../core/json.ts';
import type { Tone } from './view.ts';

/** A label for people and its appearance. */
export type State = readonly [word: string, tone: Tone];

const REQUESTS: Readonly<Record<string, State>> = {
  requires_ugwo: ['not paid', 'open'],
  processing: ['processing', 'open'],
  ugwo_successful: ['paid', 'good'],
  cancelled: ['cancelled', 'off'],
  partially_refunded: ['partly refunded', 'off'],
  refunded: ['refunded', 'off'],
};

const ACTIVITIES: Readonly<Record<string, State>> = {
  requires_action: ['waiting for the customer', 'open'],
  processing: ['processing', 'open'],
  successful: ['paid', 'good'],
  failed: ['failed', 'bad'],
  partially_refunded: ['partly refunded', 'off'],
  refunded: ['refunded', 'off'],
};

/** The contract has one status for whatever went wrong; its code says what did. */
const FAILURES: ReadonlyMap<string, State> = new Map([
  ['psp.error.expired', ['expired', 'bad']],
  ['psp.error.reversed', ['taken back', 'bad']],
]);

const known = (states: Readonly<Record<string, State>>, status: string): State =>
  (Object.hasOwn(states, status) ? states[status] : undefined) ?? [status, 'plain'];

export const requestState = (status: unknown): State => known(REQUESTS, machineValue(status ?? ''));

export const activityState = (activity: Activity): State => {
  const failure = FAILURES.get(machineValue(valueAt(activity, 'error.code')));
  const status = machineValue(activity.status);
  if (status === 'successful' && activity['is_double_charge'] === true) return ['paid twice', 'bad'];
  return (status === 'failed' ? failure : undefined) ?? known(ACTIVITIES, status);
};

export const isOpen = ({ status }: Activity): boolean => paymentStatusOf(machineValue(status)) === 'open';

/** Labels of the states of a payment request, with the service's own names. */
export const REQUEST_WORDS = Object.entries(REQUESTS).map(([status, [word]]) => [status, word] as const);

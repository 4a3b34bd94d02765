/** Descriptions in the OpenAPI document. */
import type { OperationId, Safety } from '../src/contract/operations.ts';

/** One line per operation. */
export const SUMMARIES: Readonly<Record<OperationId, string>> = {
  'onye.get': 'Get a customer',
  'onye.create': 'Create a customer',
  'onye.list': 'List customers, newest first',
  'onye.update': 'Update a customer: only the fields sent change, and metadata is replaced whole',
  'onye.delete': 'Delete a customer; the answer is what it was before',
  'ugwo.create': 'Create a payment request; amounts are in the minor unit of the currency',
  'ugwo.charge': 'Charge a payment request through a medium',
  'ugwo.get': 'Get a payment request with every activity on it',
  'activity.get': 'Get an activity, to see what has become of a charge',
  'ugwo.list': 'List payment requests, newest first',
  'ugwo.cancel': 'Cancel a payment request that is not paid yet',
  'checkout.list': 'List checkouts, all at once',
  'checkout.get': 'Get a checkout',
  'checkout.providers': 'List who serves a medium of a checkout, and for which banks',
  'refund.create': 'Pay back what was paid by an activity, all of it where no amount is given',
};

export const SAFETIES: Readonly<Record<Safety, string>> = {
  safe: 'Changes nothing: it may be sent again at any time.',
  checked: 'May be sent again once it is known that nothing was applied: a repetition answers otherwise.',
  'never-repeat': 'Each send makes a new thing, and there is no idempotency key: never send it again blindly.',
};

export const TAGS = {
  onye: 'Customers',
  ugwo: 'Payment requests',
  activity: 'Activities: attempts to charge a payment request',
  checkout: 'Checkouts: the currency and the mediums of payment requests',
  refund: 'Money that goes back',
  webhook: 'What the service sends when something changes',
} as const;

/** Query parameters. */
export const QUERIES: Readonly<Record<string, string>> = {
  cursor: 'The `next_cursor` of the page before; opaque',
  limit: 'How many records a page has at most',
  'filter[status][]': '1: active, 2: inactive; may be given several times',
  'filter[currency][]': 'A currency code; may be given several times',
};

export const UNAUTHORIZED =
  'The key is missing, wrong, or of another environment. The body is empty, `{code, message}`, or of any other shape.';

/** Error statuses with a document. */
export const REFUSED = {
  400: 'The body cannot be read.',
  402: "The workspace's own balance is too low.",
  403: 'The key is not permitted to do this.',
  404: 'There is no such thing in this workspace.',
  405: 'The method is not possible here.',
  409: 'The state of the thing, or another one like it, stands in the way.',
  415: 'The body is not JSON.',
  422: 'The request breaks a rule; `violations` and `errors` name the fields.',
} as const;

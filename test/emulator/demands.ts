/**
 * Requests, and the status that the service's documents demand for each. Written by hand from docs/service.md, not from
 * the schemas, with which the emulator checks its answers. `violates` names the field of a 422.
 */
export interface Demand {
  readonly what: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** UGWO, UNROUTED, PAID, CANCELLED, ONYE, ACTIVITY and CHECKOUT stand for identifiers. */
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
  readonly violates?: string;
}

const CHARGE = '/v1/ugwo/UGWO/activities';
const charge = (data: object) => ({ type: 'charge', data });
const IN_10_MINUTES = '2026-11-20T12:10:00+00:00';
const IN_16_MINUTES = '2026-11-20T12:16:00+00:00';
const A_MINUTE_AGO = '2026-11-20T11:59:00+00:00';
const LONG = 'x'.repeat(151);

/** The clock of the service stands at 2026-11-20T12:00:00Z. */
export const DEMANDS: readonly Demand[] = [
  // Charges
  { what: 'a transfer', method: 'POST', path: CHARGE, body: charge({ medium: 'bank_transfer' }), status: 200 },
  {
    what: 'a transfer with an end',
    method: 'POST',
    path: CHARGE,
    body: charge({ medium: 'bank_transfer', expires_at: IN_10_MINUTES }),
    status: 200,
  },
  {
    what: 'a transfer that ends too late',
    method: 'POST',
    path: CHARGE,
    body: charge({ medium: 'bank_transfer', expires_at: IN_16_MINUTES }),
    status: 422,
    violates: 'data.expires_at',
  },
  {
    what: 'a transfer that has ended',
    method: 'POST',
    path: CHARGE,
    body: charge({ medium: 'bank_transfer', expires_at: A_MINUTE_AGO }),
    status: 422,
    violates: 'data.expires_at',
  },
  { what: 'ussd', method: 'POST', path: CHARGE, body: charge({ medium: 'ussd', provider: 'zenith' }), status: 200 },
  {
    what: 'ussd without a bank',
    method: 'POST',
    path: CHARGE,
    body: charge({ medium: 'ussd' }),
    status: 422,
    violates: 'data.provider',
  },
  {
    what: 'ussd with a blank bank',
    method: 'POST',
    path: CHARGE,
    body: charge({ medium: 'ussd', provider: '' }),
    status: 422,
    violates: 'data.provider',
  },
  {
    what: 'ussd with an unknown bank',
    method: 'POST',
    path: CHARGE,
    body: charge({ medium: 'ussd', provider: 'nobank' }),
    status: 422,
    violates: 'data.provider',
  },
  {
    what: 'a medium that the checkout lacks',
    method: 'POST',
    path: CHARGE,
    body: charge({ medium: 'mobile_money', provider: 'mtn', phone: '+233241234567' }),
    status: 422,
    violates: 'data.medium',
  },
  {
    what: 'mobile money without a phone',
    method: 'POST',
    path: CHARGE,
    body: charge({ medium: 'mobile_money', provider: 'mtn' }),
    status: 422,
    violates: 'data.phone',
  },
  { what: 'no medium', method: 'POST', path: CHARGE, body: charge({}), status: 422, violates: 'data.medium' },
  { what: 'no data', method: 'POST', path: CHARGE, body: { type: 'charge' }, status: 422, violates: 'data' },
  {
    what: 'no type',
    method: 'POST',
    path: CHARGE,
    body: { data: { medium: 'bank_transfer' } },
    status: 422,
    violates: 'type',
  },
  {
    what: 'another type',
    method: 'POST',
    path: CHARGE,
    body: { type: 'refund', data: { medium: 'bank_transfer' } },
    status: 422,
    violates: 'type',
  },
  {
    what: 'a charge without a checkout',
    method: 'POST',
    path: '/v1/ugwo/UNROUTED/activities',
    body: charge({ medium: 'bank_transfer' }),
    status: 422,
    violates: 'checkout',
  },
  {
    what: 'a charge of a paid request',
    method: 'POST',
    path: '/v1/ugwo/PAID/activities',
    body: charge({ medium: 'bank_transfer' }),
    status: 409,
  },
  {
    what: 'a charge of a cancelled request',
    method: 'POST',
    path: '/v1/ugwo/CANCELLED/activities',
    body: charge({ medium: 'bank_transfer' }),
    status: 409,
  },
  {
    what: 'a charge of an unknown request',
    method: 'POST',
    path: '/v1/ugwo/ugw.Lcal.nothing/activities',
    body: charge({ medium: 'bank_transfer' }),
    status: 404,
  },
  { what: 'an activity', method: 'GET', path: '/v1/ugwo/PAID/activities/ACTIVITY', status: 200 },
  { what: 'an activity of another request', method: 'GET', path: '/v1/ugwo/UGWO/activities/ACTIVITY', status: 404 },
  // Customers
  { what: 'an update', method: 'PATCH', path: '/v1/onye/ONYE', body: { first_name: 'Ada' }, status: 200 },
  { what: 'an update of nothing', method: 'PATCH', path: '/v1/onye/ONYE', body: {}, status: 200 },
  {
    what: 'an e-mail address without @',
    method: 'PATCH',
    path: '/v1/onye/ONYE',
    body: { email: 'ada' },
    status: 422,
    violates: 'email',
  },
  {
    what: 'a first name that is too long',
    method: 'PATCH',
    path: '/v1/onye/ONYE',
    body: { first_name: 'x'.repeat(101) },
    status: 422,
    violates: 'first_name',
  },
  {
    what: 'a last name that is too long',
    method: 'PATCH',
    path: '/v1/onye/ONYE',
    body: { last_name: 'x'.repeat(101) },
    status: 422,
    violates: 'last_name',
  },
  {
    what: 'a reference that is too long',
    method: 'PATCH',
    path: '/v1/onye/ONYE',
    body: { ref: LONG },
    status: 422,
    violates: 'ref',
  },
  {
    what: 'a country of three letters',
    method: 'PATCH',
    path: '/v1/onye/ONYE',
    body: { billing_address: { country: 'NGA' } },
    status: 422,
    violates: 'billing_address.country',
  },
  { what: 'an unknown customer', method: 'PATCH', path: '/v1/onye/ony.Lcal.nothing', body: {}, status: 404 },
  {
    what: 'a customer without an address',
    method: 'POST',
    path: '/v1/onye',
    body: { first_name: 'Ada' },
    status: 422,
    violates: 'email',
  },
  // Lists
  { what: 'a list', method: 'GET', path: '/v1/ugwo', status: 200 },
  { what: 'the largest page', method: 'GET', path: '/v1/ugwo?limit=100', status: 200 },
  { what: 'a page that is too large', method: 'GET', path: '/v1/ugwo?limit=101', status: 422, violates: 'limit' },
  { what: 'an empty page', method: 'GET', path: '/v1/ugwo?limit=0', status: 422, violates: 'limit' },
  { what: 'a list of customers', method: 'GET', path: '/v1/onye?limit=1', status: 200 },
  { what: 'active checkouts', method: 'GET', path: '/v1/checkouts?filter%5Bstatus%5D%5B%5D=1', status: 200 },
  // Payment requests
  {
    what: 'a payment request',
    method: 'POST',
    path: '/v1/ugwo',
    body: { amount: 20_000, currency: 'NGN' },
    status: 200,
  },
  {
    what: 'one of the plugin',
    method: 'POST',
    path: '/v1/ugwo',
    body: { amount: 20_000, currency: 'NGN', onye_email: 'ada@example.com', meta: { order: '7' } },
    status: 200,
  },
  {
    what: 'an amount that is too small',
    method: 'POST',
    path: '/v1/ugwo',
    body: { amount: 19_999, currency: 'NGN' },
    status: 422,
    violates: 'amount',
  },
  {
    what: 'a reference twice',
    method: 'POST',
    path: '/v1/ugwo',
    body: { amount: 20_000, currency: 'NGN', ref: 'ONCE' },
    status: 409,
  },
  {
    what: 'a description that is too long',
    method: 'POST',
    path: '/v1/ugwo',
    body: { amount: 20_000, currency: 'NGN', description: LONG },
    status: 422,
    violates: 'description',
  },
  {
    what: 'a checkout that is null',
    method: 'POST',
    path: '/v1/ugwo',
    body: { amount: 20_000, currency: 'NGN', checkout: null },
    status: 422,
    violates: 'checkout',
  },
  { what: 'a cancellation', method: 'DELETE', path: '/v1/ugwo/UGWO', status: 200 },
  { what: 'a cancellation of a paid request', method: 'DELETE', path: '/v1/ugwo/PAID', status: 409 },
  // Refunds
  {
    what: 'a refund',
    method: 'POST',
    path: '/v1/refunds',
    body: { ugwo_activity: 'ACTIVITY', amount: 20_000 },
    status: 200,
  },
  {
    what: 'a refund of too much',
    method: 'POST',
    path: '/v1/refunds',
    body: { ugwo_activity: 'ACTIVITY', amount: 500_001 },
    status: 422,
    violates: 'amount',
  },
  {
    what: 'a refund of too little',
    method: 'POST',
    path: '/v1/refunds',
    body: { ugwo_activity: 'ACTIVITY', amount: 19_999 },
    status: 422,
    violates: 'amount',
  },
];

/** Examples in the OpenAPI document; people, accounts and identifiers are invented. */
import type { OperationId } from '../src/contract/operations.ts';

const CREATED = '2026-11-20T12:49:30+00:00';

const CUSTOMER = {
  uid: 'ony.Kw9a.8Zp3Qr5Tt7Vv9Xx1Bb3Dd5Ff',
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Lovelace',
  ref: 'crm-1815',
  billing_address: { address: '12 Marina Road', city: 'Lagos', country: 'NG' },
  meta: { tier: 'vip' },
  status: 'active',
  created_at: CREATED,
};

const CHECKOUT = {
  uid: 'chk.Kw9a.1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr',
  name: 'Nigeria',
  currency: 'NGN',
  status: 'active',
  mediums: [
    { medium: 'bank_transfer', position: 0, is_default: true },
    { medium: 'ussd', position: 1, is_default: false },
  ],
};

const ACTIVITY = {
  uid: 'act.Kw9a.4Ij5Kl6Mn7Op8Qr9St1Uv2Wx',
  ugwo_uid: 'ugw.Kw9a.2Mn4Op6Qr8St1Uv3Wx5Yz7Ab',
  activity_type: 'charge',
  amount: 500_000,
  checkout: {
    uid: CHECKOUT.uid,
    currency: ['NGN', 'Nigerian Naira (NGN)'],
    mediums: [{ medium: 'bank_transfer' }, { medium: 'ussd' }],
  },
  ugwo_medium: null,
  psp: 'paystack_ng',
  psp_external_id: 'T-77120034',
  next_action: {
    type: 'user_action',
    instruction: 'Transfer NGN 5,000.00 to the account below before it expires.',
    headers: {
      bank_name: 'Wema Bank',
      account_name: 'KWUGWO / ADA LOVELACE',
      account_number: '0123456789',
      expires_at: '2026-11-20T13:04:30+00:00',
    },
  },
  status: 'requires_action',
  error: null,
  created_at: CREATED,
  updated_at: CREATED,
};

const PAID = { ...ACTIVITY, charged_amount: 500_000, is_double_charge: false, next_action: null, status: 'successful' };

const REQUEST = {
  uid: ACTIVITY.ugwo_uid,
  amount: 500_000,
  total_amount_paid: 0,
  currency: 'NGN',
  status: 'requires_ugwo',
  ref: 'INV-1',
  description: 'Two tickets',
  metadata: { channel: 'web' },
  onye: CUSTOMER,
  checkout: ACTIVITY.checkout,
  created_at: CREATED,
};

interface Example {
  readonly body?: unknown;
  readonly answer: unknown;
}

/** The body and the answer of each operation. */
export const EXAMPLES: Readonly<Record<OperationId, Example>> = {
  'onye.get': { answer: CUSTOMER },
  'onye.create': {
    body: { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', ref: 'crm-1815' },
    answer: CUSTOMER,
  },
  'onye.list': { answer: { data: [CUSTOMER], next_cursor: null } },
  'onye.update': { body: { meta: { tier: 'vip' } }, answer: CUSTOMER },
  'onye.delete': { answer: CUSTOMER },
  'ugwo.create': { body: { amount: 500_000, currency: 'NGN', onye: CUSTOMER.uid, ref: 'INV-1' }, answer: REQUEST },
  'ugwo.charge': { body: { type: 'charge', data: { medium: 'bank_transfer' } }, answer: ACTIVITY },
  'ugwo.get': {
    answer: {
      ...REQUEST,
      status: 'ugwo_successful',
      total_amount_paid: 500_000,
      lastest_ugwo_activity: PAID,
      activities: [PAID],
    },
  },
  'activity.get': { answer: PAID },
  'ugwo.list': {
    answer: {
      data: [
        {
          uid: REQUEST.uid,
          amount: 500_000,
          currency: ['NGN', 'enum.currency.NGN'],
          status: ['requires_ugwo', 'enum.ugwo_status.requires_ugwo'],
          ref: 'INV-1',
          created_at: CREATED,
        },
      ],
      next_cursor: null,
    },
  },
  'ugwo.cancel': { answer: { uid: REQUEST.uid, status: 'cancelled', amount: 500_000, currency: 'NGN' } },
  'checkout.list': { answer: [CHECKOUT] },
  'checkout.get': { answer: CHECKOUT },
  'checkout.providers': { answer: [{ psp: 'paystack_ng', banks: [{ code: 'gtb', name: 'Guaranty Trust Bank' }] }] },
  'refund.create': {
    body: {
      ugwo_activity: ACTIVITY.uid,
      amount: 250_000,
      reason: 'One ticket less',
      destination: { provider: 'gtb', account_number: '0123456789' },
    },
    answer: {
      uid: 'rfd.Kw9a.5Ef6Gh7Ij8Kl9Mn1Op2Qr3St',
      status: 'processing',
      amount: 250_000,
      ugwo_activity: ACTIVITY.uid,
      error: null,
      created_at: CREATED,
    },
  },
};

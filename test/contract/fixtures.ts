/**
 * Answers of the service, written after docs/service.md; identifiers, people and accounts are
 * invented. Every documented shape appears once.
 */
const CUSTOMER_ID = 'ony.Kw9a.8Zp3Qr5Tt7Vv9Xx1Bb3Dd5Ff';
const UGWO_ID = 'ugw.Kw9a.2Mn4Op6Qr8St1Uv3Wx5Yz7Ab';
const CHECKOUT_ID = 'chk.Kw9a.1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr';

export const customer = {
  uid: CUSTOMER_ID,
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Lovelace',
  ref: 'crm-1815',
  billing_address: {
    address: '12 Marina Road',
    address2: '',
    city: 'Lagos',
    state: 'Lagos',
    zip: '101001',
    country: 'NG',
  },
  meta: { tier: 'vip', referred_by: null },
  status: 'active',
  created_at: '2026-11-03T09:15:27+01:00',
};

/** An empty PHP map is `[]`; the enum is a pair. */
export const customerOfFewWords = {
  uid: 'ony.Kw9a.9Yz8Xw7Vu6Ts5Rq4Po3Nm2_t',
  email: 'grace@example.com',
  first_name: null,
  last_name: null,
  ref: null,
  billing_address: [],
  meta: [],
  status: ['active', 'Active'],
  created_at: null,
};

export const checkoutSnapshot = {
  uid: CHECKOUT_ID,
  currency: ['NGN', 'Nigerian Naira (NGN)'],
  mediums: [{ medium: 'bank_transfer' }, { medium: 'ussd' }],
};

const ghanaSnapshot = {
  uid: 'chk.Kw9a.3Gh4Ij5Kl6Mn7Op8Qr9St1Uv',
  currency: ['GHS', 'Ghanaian Cedi (GHS)'],
  mediums: [{ medium: 'mobile_money' }],
};

export const ugwoWithCheckout = {
  uid: UGWO_ID,
  amount: 500000,
  currency: 'NGN',
  status: 'requires_ugwo',
  ref: 'order-1042',
  description: 'Two tickets',
  metadata: { channel: 'web' },
  onye: { uid: CUSTOMER_ID, email: 'ada@example.com' },
  checkout: checkoutSnapshot,
  created_at: '2026-11-20T13:49:30+01:00',
};

export const ugwoWithoutCheckout = {
  uid: 'ugw.Kw9a.7Ab6Cd5Ef4Gh3Ij2Kl1Mn9_t',
  amount: 20000,
  currency: ['NGN', 'Nigerian Naira (NGN)'],
  status: ['ugwo_successful', 'Successful'],
  ref: null,
  description: null,
  metadata: [],
  onye: null,
  checkout: null,
  created_at: '2026-11-19T08:00:00Z',
};

const chargeOf = (uid: string) => ({
  uid,
  activity_type: 'charge',
  checkout: checkoutSnapshot,
  ugwo_medium: null,
  psp: 'psp.Kw9a.5Ef6Gh7Ij8Kl9Mn1Op2Qr3St',
  psp_external_id: 'T-77120034',
  next_action: null,
  status: 'requires_action',
  error: null,
  created_at: '2026-11-20T13:50:02+01:00',
  updated_at: '2026-11-20T13:50:03+01:00',
});

export const bankTransferActivity = {
  ...chargeOf('act.Kw9a.4Ij5Kl6Mn7Op8Qr9St1Uv2Wx'),
  next_action: {
    type: 'user_action',
    instruction: 'Transfer NGN 5,000.00 to the account below before it expires.',
    headers: {
      bank_name: 'Wema Bank',
      expires_at: '2026-11-20T14:05:02+01:00',
      account_name: 'KWUGWO / ADA LOVELACE',
      account_number: '0123456789',
    },
  },
};

export const ussdActivity = {
  ...chargeOf('act.Kw9a.6Kl7Mn8Op9Qr1St2Uv3Wx4Yz'),
  next_action: {
    type: 'user_action',
    instruction: 'Dial *737*000*4821# on your phone to complete the payment.',
    headers: { ussd: '*737*000*4821#' },
  },
};

export const mobileMoneyActivity = {
  ...chargeOf('act.Kw9a.8Mn9Op1Qr2St3Uv4Wx5Yz6Ab'),
  checkout: ghanaSnapshot,
  psp_external_id: null,
  status: 'processing',
};

export const failedActivity = {
  ...chargeOf('act.Kw9a.1Op2Qr3St4Uv5Wx6Yz7Ab8Cd'),
  psp_external_id: null,
  status: 'failed',
  error: { code: 'psp_unavailable', message: 'The bank did not answer' },
};

/** Paid from a stored wallet and refunded later: what a GET may return. */
export const laterActivity = {
  ...chargeOf('act.Kw9a.2Qr3St4Uv5Wx6Yz7Ab8Cd9_t'),
  ugwo_medium: { uid: 'ume.Kw9a.1', brand: 'wallet' },
  status: ['partially_refunded', 'Partially refunded'],
  ugwo_uid: UGWO_ID,
  amount: 500000,
  charged_amount: 507500,
  is_double_charge: false,
};

export const middlePage = {
  data: [ugwoWithCheckout, ugwoWithoutCheckout],
  next_cursor: 'eyJpZCI6IjJNbjRPcDZRciJ9/+==',
};
export const lastPage = { data: [ugwoWithoutCheckout], next_cursor: null };
export const emptyPage = { data: [], next_cursor: null };

export const validationProblem = {
  type: 'https://symfony.com/errors/validation',
  title: 'Validation Failed',
  status: 422,
  detail: 'data.provider: This value should not be blank.',
  violations: [
    { propertyPath: 'data.provider', title: 'This value should not be blank.', code: 'c1051bb4-d103-4f74-8988' },
    { propertyPath: '', title: 'The payment request has no checkout.' },
  ],
};
export const notFoundProblem = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'ugwo.error.not_found' };
export const leanProblem = { title: 'Unauthorized', status: 401 };
export const messageProblem = {
  message: 'nzube.ugwo.error.ref_already_exists',
  errors: [{ field: 'ref', message: 'This reference is taken.' }, { message: 'Nothing was created.' }],
};

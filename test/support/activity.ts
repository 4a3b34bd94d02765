/** An activity without an expiry that requires a customer action: it can be paid for as long as the tests run. */
export const ACTIVITY = {
  uid: 'act.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l',
  activity_type: 'charge',
  checkout: null,
  ugwo_medium: null,
  psp: 'psp.AbCd.000000000000000000000001',
  psp_external_id: 'PX-1',
  next_action: {
    type: 'user_action',
    instruction: 'Dial *737*000*5000# to pay.',
    headers: { ussd: '*737*000*5000#' },
  },
  status: 'requires_action',
  error: null,
  created_at: '2026-11-20T10:00:00+00:00',
  updated_at: '2026-11-20T10:00:00+00:00',
} as const;

/** A time in the service's format. */
export const atom = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}+00:00`;

/** The next action of a transfer: an account that lives for this long from now. */
export const transferTo = (accountNumber: string, livesFor: number): object => ({
  type: 'user_action',
  instruction: 'Transfer to this account.',
  headers: {
    bank_name: 'Test Bank',
    account_name: 'Ada Obi',
    account_number: accountNumber,
    expires_at: atom(Date.now() + livesFor),
  },
});

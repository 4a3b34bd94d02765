import { ACTIVITY } from '../../support/activity.ts';

// Realistic output of the service, operators and this program: the seeds of the mutators.

export const UGWO = 'ugw.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';
export const ONYE = 'ony.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';
/** Longer than any excerpt that is shown, with all characters that encodings escape. */
export const KEY = `sk.Kw9a.${['b7/Fq', 'c"8+x', "d'9=y", 'e\\0.z'].join('Rs1').repeat(4)}TAIL`;

const ACCOUNT = {
  type: 'user_action',
  instruction: 'Transfer to this account.',
  headers: {
    bank_name: 'Wema Bank',
    account_name: 'Ada Obi',
    account_number: '0123456789',
    expires_at: '2026-11-20T14:05:00+01:00',
  },
};

/** Answers to a charge. */
export const ACTIVITIES: readonly object[] = [
  { ...ACTIVITY, ugwo_uid: UGWO },
  ACTIVITY,
  { ...ACTIVITY, next_action: ACCOUNT, status: ['requires_action', 'enum.activity_status.requires_action'] },
  { uid: ACTIVITY.uid, status: 'successful', next_action: null, activity_type: ['charge', 'Charge'] },
  { uid: ACTIVITY.uid, status: 'failed', error: { message: 'declined', code: 51 } },
];

export const REQUESTS: readonly object[] = [
  {
    uid: UGWO,
    amount: 500000,
    currency: ['NGN', 'Naira (NGN)'],
    status: 'requires_ugwo',
    ref: 'order-1042',
    description: 'School fees, first term',
    onye: { uid: ONYE, email: 'ada@example.com', first_name: 'Ada' },
    metadata: { tier: 'gold', weight: 1.5 },
    checkout: { uid: 'chk.AbCd.1' },
    activities: [ACTIVITY],
    created_at: '2026-11-20T14:05:00+01:00',
  },
];

export const CUSTOMERS: readonly object[] = [
  {
    uid: ONYE,
    email: 'ada@example.com',
    first_name: 'Ada',
    last_name: 'Obi',
    meta: { loyalty: '0042', n: 1.5 },
    billing_address: { line1: '1 Broad St', city: 'Lagos' },
    status: ['active', 'enum.onye_status.active'],
    created_at: '2026-11-20T14:05:00.123456+0100',
  },
];

export const PROBLEMS: readonly object[] = [
  {
    type: 'about:blank',
    title: 'No',
    status: 422,
    detail: 'x',
    violations: [{ propertyPath: 'data.provider', title: 'y' }],
  },
  { title: 'Too many', status: 429 },
  { message: 'nzube.ugwo.error.ref_already_exists', errors: [] },
  { message: 'No', errors: [{ field: 'x', message: 'y' }] },
  { code: 401, message: 'JWT Token not found' },
  { errors: { x: ['y'] } },
];

export const PAGES: readonly object[] = [
  { data: REQUESTS, next_cursor: 'eyJpZCI6MTB9' },
  { data: [], next_cursor: null },
];

/** Answers about something else. */
const OTHERS: readonly object[] = [
  { ...ACTIVITY, ugwo_uid: 'ugw.AbCd.other' },
  { ...ACTIVITY, activity_type: ['refund', 'Refund'] },
  { ...ACTIVITY, uid: UGWO },
];

export const JSON_SEEDS: readonly object[] = [
  ...ACTIVITIES,
  ...OTHERS,
  ...REQUESTS,
  ...CUSTOMERS,
  ...PROBLEMS,
  ...PAGES,
];
export const JSON_TEXTS: readonly string[] = [
  ...JSON_SEEDS.map((value) => JSON.stringify(value)),
  JSON.stringify(REQUESTS[0], null, 2),
  '[1.50 , -0 , 1E5, "a\\"b\\\\", null, true, false, {"a":{}}]',
  '<html>No</html>',
  '""',
  '-0.0e+10',
  // Almost JSON.
  ...['[1,]', '{"a":1,}', '[,1]', '{"a" 1}', '{"a":1 "b":2}', '{1:2}', '[1]]', '[1', '01', '1.', '.5', '+1', '-', '1e'],
  ...['tru', 'NaN', "'a'", '"\\x"', '"\\u12g4"', '"\t"', '"a', '\ufeff1', '\u00a01', '1 2', ''],
];

export const CSV: readonly string[] = [
  `ugwo,medium,provider,param.note\n${UGWO},ussd,gtb,"a, ""b"""\n${UGWO},bank_transfer,,\n`,
  `\ufeffugwo;medium;expires_in\r\n${UGWO};bank_transfer;10m\r\n\r\n${UGWO};ussd;"x\r\ny"`,
  `onye\tfirst_name\tmeta.tier\r${ONYE}\tAda\t="0042"\r`,
  'a,b\n"1\n2",é東😀\n',
];
export const NDJSON: readonly string[] = [
  `{"ugwo":"${UGWO}","medium":"ussd","provider":"gtb"}\n{"ugwo":"${UGWO}","param":{"n":1.50}}\n`,
  `\ufeff{"onye":"${ONYE}","meta":{"a":[1,2,{"b":null}]}}\r\n\r\n{"onye":"x","n":12345678901234567890}`,
];

export const HEADERS: readonly string[] = [
  ...[
    '120',
    '0',
    '999999999',
    'Fri, 20 Nov 2026 13:05:00 GMT',
    'Sun, 29 Feb 2024 23:59:59 GMT',
    '1.5',
    ' 7 ',
    '-1',
    '+1',
  ],
  ...['Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994', 'Mon, 01 Jan 0001 00:00:00 GMT', ''],
];
export const TIMES: readonly string[] = [
  ...['2026-11-20T14:05:00+01:00', '2026-11-20T13:05:07.123456789Z', '2026-11-20 13:05:00.123456', '2024-02-29T12:00Z'],
  ...['0000-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59', '0099-12-31T23:59:59Z', '2026-11-20T13:05:07,2-0930'],
];

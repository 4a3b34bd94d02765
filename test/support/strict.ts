import { ACTIVITY, json, ONYE_ID, problem, type Seen, type Service, serveAllBy, UGWO_ID, ugwo } from './service.ts';

// A service that knows docs/service.md only, not paycli's own contract: it accepts what they
// document, and rejects everything else.

export const ACT_ID = 'act.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';
export const CHECKOUT_ID = 'chk.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';

const ONYE = {
  uid: ONYE_ID,
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Obi',
  ref: null,
  meta: {},
  status: 'active',
};
const UGWO = { ...ugwo(1), uid: UGWO_ID };
const CHECKOUT = {
  uid: CHECKOUT_ID,
  name: 'Naira',
  currency: 'NGN',
  status: ['active', 'Active'],
  mediums: [{ medium: ['ussd', 'enum.medium.ussd'], position: 1, is_default: true }],
};
const REFUND = {
  uid: 'anything',
  status: ['processing', 'enum.refund_status.processing'],
  amount: 20_000,
  error: null,
};
const CUSTOMER_FIELDS = ['email', 'ref', 'first_name', 'last_name', 'meta', 'billing_address'];
const pageOf = (record: object): object => ({ data: [record], next_cursor: null });

interface Route {
  readonly answer: unknown;
  /** The allowed fields of the body; those with a `!` are required. Without this there is no body. */
  readonly fields?: readonly string[];
  readonly query?: readonly string[];
}

const ROUTES: Readonly<Record<string, Route>> = {
  'POST /v1/onye': { answer: ONYE, fields: ['email!', ...CUSTOMER_FIELDS] },
  'GET /v1/onye': { answer: pageOf(ONYE), query: ['cursor', 'limit'] },
  'GET /v1/onye/{ony}': { answer: ONYE },
  'PATCH /v1/onye/{ony}': { answer: ONYE, fields: CUSTOMER_FIELDS },
  'DELETE /v1/onye/{ony}': { answer: ONYE },
  'POST /v1/ugwo': {
    answer: UGWO,
    fields: ['amount!', 'currency!', 'onye', 'onye_email', 'ref', 'description', 'checkout', 'metadata', 'meta'],
  },
  'GET /v1/ugwo': { answer: pageOf(UGWO), query: ['cursor', 'limit'] },
  'GET /v1/ugwo/{ugw}': { answer: { ...UGWO, activities: [] } },
  'DELETE /v1/ugwo/{ugw}': { answer: { ...UGWO, status: 'cancelled' } },
  'POST /v1/ugwo/{ugw}/activities': { answer: ACTIVITY, fields: ['type!', 'data!'] },
  'GET /v1/ugwo/{ugw}/activities/{act}': { answer: { ...ACTIVITY, uid: ACT_ID } },
  'GET /v1/checkouts': { answer: [CHECKOUT], query: ['filter[status][]', 'filter[currency][]'] },
  'GET /v1/checkouts/{chk}': { answer: CHECKOUT },
  'GET /v1/checkouts/{chk}/ussd': { answer: [{ psp: 'psp.AbCd.1', banks: [{ code: 'gtb', name: 'GTBank' }] }] },
  'POST /v1/refunds': { answer: REFUND, fields: ['ugwo_activity!', 'amount', 'ref', 'reason', 'destination'] },
};

const patternOf = (path: string): string => path.replaceAll(/\/(ony|ugw|act|chk)\.\w{4}\.\w{24}(?=\/|$)/g, '/{$1}');

const bodyFault = (body: string, fields: readonly string[]): string | undefined => {
  const value: unknown = JSON.parse(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'the body is no object';
  const names = Object.keys(value);
  const missing = fields.filter((field) => field.endsWith('!') && !names.includes(field.slice(0, -1)));
  const unknown = names.filter((name) => !fields.some((field) => field.replace('!', '') === name));
  return [...missing, ...unknown][0];
};

/** How a request violates the documentation. */
const faultOf = ({ url, headers, body }: Seen, { fields, query = [] }: Route): string | undefined => {
  const asked = [...new URL(url, 'http://x').searchParams.keys()].find((name) => !query.includes(name));
  if (asked !== undefined) return `the query ${asked}`;
  if (!/^Bearer sk\.\w{4}\.\w{80}$/.test(String(headers['authorization']))) return 'authorization';
  if (headers['accept'] !== 'application/json') return 'accept';
  if (fields !== undefined)
    return headers['content-type'] === 'application/json' ? bodyFault(body, fields) : 'content-type';
  const told = ['content-type', 'content-length', 'transfer-encoding'].find((name) => headers[name] !== undefined);
  return told ?? (body === '' ? undefined : 'a body');
};

/** Starts the service; an unknown request fails the test. */
export const serveStrict = (): Promise<Service> =>
  serveAllBy((seen) => {
    const route = ROUTES[`${seen.method} ${patternOf(new URL(seen.url, 'http://x').pathname)}`];
    if (route === undefined) return undefined;
    const fault = faultOf(seen, route);
    return fault === undefined
      ? json(200, route.answer)
      : problem(422, 'Validation Failed', [{ propertyPath: fault, title: 'is not as documented' }]);
  });

import { describe, expect, it } from 'vitest';
import { openFollowing } from '../../src/commands/activity/follow-shared.ts';
import { waitedOf } from '../../src/commands/activity/followed-shared.ts';
import { activitiesOf, statusOf } from '../../src/core/charge.ts';
import { EXIT_CODES, PayError } from '../../src/core/error.ts';
import { judgeRead } from '../../src/ledger/reconcile.ts';
import { PLACE } from '../ledger/support/charges.ts';
import { charge, memoryLedger, momentAt } from '../ledger/support/memory.ts';
import { sendOnce } from '../support/outcome.ts';
import { json, ONYE_ID, serveAllBy, UGWO_ID, ugwo } from '../support/service.ts';
import { type Bench, bench } from './support.ts';

// Documented, likely and possible future answers, in the real client, the ledger's protocol and its judgement of a
// read. `[]` is an empty object in PHP's JSON.

const NOW = Math.floor(Date.now() / 1000) * 1000;
const iso = (ms: number): string => new Date(ms).toISOString();
const ACT_ID = 'act.AbCd.0a1b2c3d4e5f6g7h8i9j0k1l';
const OTHER_UGWO = 'ugw.AbCd.9z9z9z9z9z9z9z9z9z9z9z9z';

const ACCOUNT = {
  bank_name: 'Wema Bank',
  account_name: 'ADA',
  account_number: '0123456789',
  expires_at: iso(NOW + 900_000),
};
const step = (headers: unknown, more: object = {}): object => ({
  next_action: { type: 'user_action', instruction: 'Transfer it', headers, ...more },
});
const mute = (headers: unknown, more: object = {}): object => step(headers, { instruction: null, ...more });

const ACTIVITY = {
  uid: ACT_ID,
  activity_type: 'charge',
  checkout: { uid: 'chk.AbCd.1a', currency: ['NGN', 'Naira (NGN)'], mediums: [{ medium: 'bank_transfer' }] },
  ugwo_medium: null,
  psp: 'psp.AbCd.1a',
  psp_external_id: 'PX-1',
  ...step(ACCOUNT),
  status: 'requires_action',
  error: null,
  created_at: iso(NOW),
  updated_at: iso(NOW),
};

/** State and exit code in the ledger; exit codes of a read and a wait; the result of reconciling. */
type Ends = readonly [charge: string, get: number, wait: number, reconcile: string];
const OPEN: Ends = ['accepted 0', 0, 12, 'accepted'];
const PAID: Ends = ['accepted 0', 0, 0, 'accepted'];
const FAILED: Ends = ['accepted 11', 0, 11, 'accepted'];
/** Created, but the next action is unreadable. */
const MUTE: Ends = ['accepted 7', 0, 12, 'accepted'];
/** Created, but without proof of the time. */
const TIMELESS: Ends = ['accepted 0', 0, 12, 'unknown doubtful'];
const NONE: Ends = ['unknown 6', 8, 8, 'unknown doubtful'];

type Shape<T> = readonly [what: string, answer: unknown, ends: T];
const activities = (ends: Ends, shapes: Readonly<Record<string, object>>): Shape<Ends>[] =>
  Object.entries(shapes).map(([what, patch]) => [what, { ...ACTIVITY, ...patch }, ends]);
const without = (name: string): object => {
  const { [name]: _left, ...rest } = ACTIVITY as Record<string, unknown>;
  return rest;
};

const ACTIVITIES: readonly Shape<Ends>[] = [
  ...activities(OPEN, {
    'as documented': {},
    'of the request that is charged': { ugwo_uid: UGWO_ID },
    'with a request that is no identifier': { ugwo_uid: 7 },
    'with a request that is null': { ugwo_uid: null },
    'with a type in a pair': { activity_type: ['charge', 'enum.activity_type.charge'] },
    'with a type that is null': { activity_type: null },
    'with a type that is an object': { activity_type: {} },
    'with a type that is a number': { activity_type: 1 },
    'with fields that nobody knows': { amount: '500000', charged_amount: null, is_double_charge: 0 },
    'with a status in a pair': { status: ['requires_action', 'enum.status.requires_action'] },
    'with a status of its own': { status: 'on_hold' },
    'with a status that is null': { status: null },
    'with a status that is empty': { status: '' },
    'with a status that is a number': { status: 3 },
    'with a status that is an empty list': { status: [] },
    'with a status that is an object': { status: { value: 'requires_action' } },
    'with a status that is a pair of numbers': { status: [1, 2] },
    'that is with the provider': { status: 'processing', next_action: null },
    'with a checkout that is an empty list': { checkout: [] },
    'with a checkout that is null': { checkout: null },
    'with a checkout that is a text': { checkout: 'chk.AbCd.1a' },
    'with a checkout without identifier': { checkout: { currency: 'NGN' } },
    'with mediums that are texts': { checkout: { ...ACTIVITY.checkout, mediums: ['bank_transfer'] } },
    'with mediums that are an object': { checkout: { ...ACTIVITY.checkout, mediums: { 0: { medium: 'ussd' } } } },
    'with mediums in pairs': { checkout: { ...ACTIVITY.checkout, mediums: [{ medium: ['ussd', 'USSD'] }] } },
    'with a currency of three': { checkout: { ...ACTIVITY.checkout, currency: ['NGN', 'Naira', '₦'] } },
    'with a tokenised medium that is an empty list': { ugwo_medium: [] },
    'with a provider that is null': { psp: null },
    'with a provider in a pair': { psp: ['psp.AbCd.1a', 'Bank'] },
    'with a provider that is a number': { psp: 7 },
    'with a provider that is an object': { psp: { uid: 'psp.AbCd.1a' } },
    'with a reference that is a number': { psp_external_id: 12345678901234 },
    'with a reference that is a list': { psp_external_id: [] },
    'with an error that is an empty list': { error: [] },
    'with an error that is a number': { error: 0 },
    'with an error that is no': { error: false },
    'updated at no time': { updated_at: 'now' },
    'updated at a number': { updated_at: NOW },
    'made at a microsecond': { created_at: iso(NOW).replace('Z', '123+0000') },
    'with an action that is null': { next_action: null },
    'with an action that is an empty list': { next_action: [] },
    'with an action that is an empty object': { next_action: {} },
    'with an action that is no': { next_action: false },
    'with an action in a text': { next_action: 'Transfer it' },
    'with an action of a type in a pair': step(ACCOUNT, { type: ['user_action', 'User action'] }),
    'with an action of no type': step(ACCOUNT, { type: null }),
    'with an action of a number for a type': step(ACCOUNT, { type: 1 }),
    'with another action and words for it': step({ url: 'https://pay.example' }, { type: 'confirm' }),
    'with headers that are an empty list': step([]),
    'with headers that are null': step(null),
    'with headers that are a text': step('0123456789'),
    'without headers': step(undefined),
    'with an account without words': mute(ACCOUNT),
    'with words that are a number': step(ACCOUNT, { instruction: 7 }),
    'with words that are a list': step(ACCOUNT, { instruction: ['Transfer it'] }),
    'with an account number that is a number': mute({ ...ACCOUNT, account_number: 7364512890 }),
    'with an account number in a pair': mute({ ...ACCOUNT, account_number: ['0123456789', 'NUBAN'] }),
    'with an account number alone': mute({ account_number: '0123456789' }),
    'with a bank that is null': mute({ ...ACCOUNT, bank_name: null }),
    'with a bank that is an object': mute({ ...ACCOUNT, bank_name: { code: 'wema' } }),
    'with a holder that is empty': mute({ ...ACCOUNT, account_name: '' }),
    'with half an account and words': step({ bank_name: 'Wema Bank' }),
    'with an account that ends without an offset': step({ ...ACCOUNT, expires_at: '2026-11-20 14:05:00' }),
    'with an account that ends at a number': step({ ...ACCOUNT, expires_at: 1_795_179_900 }),
    'with an account that ends some time': step({ ...ACCOUNT, expires_at: 'soon' }),
    'with an account that never ends': step({ ...ACCOUNT, expires_at: null }),
    'with an amount among the headers': step({ ...ACCOUNT, amount: { value: 5 } }),
  }),
  ['minimal', { uid: ACT_ID }, TIMELESS],
  ...activities(PAID, {
    'that is paid': { status: 'successful' },
    'that is paid, in a pair': { status: ['successful', 'enum.status.successful'] },
    'that is paid, with an odd step': { status: 'successful', next_action: { type: 'confirm' } },
    'that is paid, all else being odd': { status: 'successful', checkout: 5, psp: {}, error: 7, updated_at: [] },
    'that is paid back in part': { status: 'partially_refunded' },
  }),
  ...activities(FAILED, {
    'that has failed': { status: 'failed', error: { message: 'declined' } },
    'that has failed with a text': { status: 'failed', error: 'declined' },
    'that has failed with a list': { status: 'failed', error: [] },
    'that has failed with a number': { status: 'failed', error: 51 },
    'that has failed, with an odd step': { status: 'failed', next_action: { type: 'confirm' } },
  }),
  ...activities(['accepted 11', 0, 12, 'accepted'], {
    'that has expired, in a pair': { status: ['expired', 'Expired'] },
  }),
  ...activities(['accepted 0', 0, 11, 'accepted'], {
    'that is paid back': { status: 'refunded' },
    'that is paid back, in a pair': { status: ['refunded', 'enum.status.refunded'] },
  }),
  ...activities(MUTE, {
    'with half an account and no words': mute({ bank_name: 'Wema Bank', account_name: 'ADA' }),
    'with an account number that is empty': mute({ ...ACCOUNT, account_number: '' }),
    'with an account number that is null': mute({ ...ACCOUNT, account_number: null }),
    'with an account number that is an object': mute({ ...ACCOUNT, account_number: { nuban: '0123456789' } }),
    'with a code that is an empty list': mute({ ussd: [] }),
    'with headers that are an empty list, and no words': mute([]),
    'with headers that are a text, and no words': mute('0123456789'),
    'with an action of a type alone': { next_action: { type: 'confirm' } },
    'with an action of another kind': { next_action: { url: 'https://pay.example' } },
    'with actions in a list': { next_action: [{ type: 'user_action', instruction: 'x' }] },
    'with words that are an object': mute([], { instruction: { en: 'Transfer it' } }),
    'with an odd step, and a status that is null': { status: null, next_action: { type: 'confirm' } },
  }),
  ...activities(TIMELESS, {
    'made at no time': { created_at: null },
    'made at a time without an offset': { created_at: '2026-11-20 13:05:00' },
    'made at a number': { created_at: NOW },
    'made at a text': { created_at: 'today' },
  }),
  ...activities(NONE, {
    'without identifier': { uid: undefined },
    'with an identifier that is null': { uid: null },
    'with a number for an identifier': { uid: 7 },
    "with another thing's identifier": { uid: UGWO_ID },
    'with half an identifier': { uid: 'act.' },
    'with its identifier in a pair': { uid: [ACT_ID, 'Activity'] },
  }),
  ...activities(['unknown 6', 8, 8, expect.any(String)], { 'of another request': { ugwo_uid: OTHER_UGWO } }),
  ...activities(['unknown 6', 0, 12, expect.any(String)], {
    'that is a refund': { activity_type: 'refund' },
    'that is a refund, in a pair': { activity_type: ['refund', 'Refund'] },
  }),
  ['in an envelope', { data: ACTIVITY }, NONE],
  ['in a list', [ACTIVITY], NONE],
  ['as an empty list', [], NONE],
  ['as null', null, NONE],
  ['as text', ACT_ID, NONE],
  ...['status', 'activity_type', 'checkout', 'psp', 'next_action', 'error', 'updated_at'].map(
    (name): Shape<Ends> => [`without ${name}`, without(name), OPEN],
  ),
];

/** The exit code of the result or the error. */
const codeOf = async (promise: Promise<unknown>): Promise<number> => {
  try {
    const given = await promise;
    return typeof given === 'number' ? given : 0;
  } catch (thrown) {
    if (!(thrown instanceof PayError)) throw thrown;
    return EXIT_CODES[thrown.kind];
  }
};

/** Answers every request about an activity with the same one. */
const serviceOf = (answer: unknown) =>
  serveAllBy(({ url }) =>
    json(200, url.includes('/activities') ? answer : { ...ugwo(1), uid: UGWO_ID, activities: [answer] }),
  );

const charged = async ({ client }: Bench): Promise<string> => {
  const ledger = memoryLedger();
  const body = { type: 'charge', data: { medium: 'bank_transfer' } };
  const params = { ugwoUid: UGWO_ID };
  const { data } = body;
  await codeOf(
    sendOnce(
      { client: { longestWrite: 60_000, longestAttempt: 20_000 }, ledger, place: PLACE },
      { ugwo: UGWO_ID, data, again: false },
      { now: () => NOW, send: () => client.write('ugwo.charge', { params, body }) },
    ),
  );
  const [row] = await ledger.list({ about: UGWO_ID, limit: 1 });
  if (row?.state === 'accepted') expect(row.activity?.uid).toBe(ACT_ID);
  return `${row?.state} ${row?.exitCode}`;
};

const waited = async ({ client, io }: Bench): Promise<number> => {
  const place = { local: false, profile: undefined, baseUrl: undefined };
  const deps = { client, io, observe: async () => undefined };
  const following = openFollowing({ params: { ugwoUid: UGWO_ID, activityUid: ACT_ID }, limit: 3000 }, deps);
  await following.read();
  const followed = await following.end(() => undefined);
  const { failure } = await waitedOf(followed, { ugwoUid: UGWO_ID, limit: 3000, place }, deps);
  return failure === undefined ? 0 : EXIT_CODES[failure.kind];
};

const reconciled = async ({ client }: Bench): Promise<string> => {
  const { value } = await client.call('ugwo.get', { params: { uid: UGWO_ID } });
  const [begun, at] = [momentAt(NOW), NOW + 2000];
  const unknown = charge({
    medium: 'bank_transfer',
    createdAt: NOW,
    begun: begun.mark,
    deadline: NOW + 60_000,
    took: 1000,
  });
  const look = { activities: activitiesOf(value), status: statusOf(value), askedAt: NOW + 1000, servedAt: at };
  const conclusion = judgeRead(unknown, { ...look, ...momentAt(at) }, new Set());
  return conclusion.state === 'unknown' ? `unknown ${conclusion.why}` : conclusion.state;
};

describe('an activity', () => {
  it.each(ACTIVITIES)('%s', async (_what, answer, ends) => {
    const { origin } = await serviceOf(answer);
    const used = bench(origin);
    const get = () => used.client.call('activity.get', { params: { ugwoUid: UGWO_ID, activityUid: ACT_ID } });
    const seen = [await charged(used), await codeOf(get()), await codeOf(waited(used)), await reconciled(used)];
    expect(seen).toEqual(ends);
  });
});

const REQUESTS: readonly Shape<'taken' | 'no page'>[] = [
  ...Object.entries<object>({
    'as documented': {},
    'without identifier': { uid: undefined },
    'with a number for an identifier': { uid: 7 },
    'with an amount that is a text': { amount: '500000' },
    'with an amount that is null': { amount: null },
    'with an amount that is a fraction': { amount: 0.5 },
    'with an amount in an object': { amount: { value: 500_000 } },
    'with a currency in a pair': { currency: ['NGN', 'Naira (NGN)'] },
    'with a currency that is an object': { currency: { code: 'NGN' } },
    'with a currency that is null': { currency: null },
    'with a status that is a number': { status: 1 },
    'with a status that is an empty list': { status: [] },
    'with a status in a pair': { status: ['ugwo_successful', 'enum.ugwo_status.ugwo_successful'] },
    'with a status that nobody knows': { status: 'held' },
    'without status': { status: undefined },
    'with a ref that is a number': { ref: 1042 },
    'with a ref that is a list': { ref: ['order'] },
    'with a description that is no': { description: false },
    'with metadata that is an empty list': { metadata: [] },
    'with metadata that is a text': { metadata: 'x' },
    'with a customer that is a text': { onye: ONYE_ID },
    'with a customer that is an empty list': { onye: [] },
    'with a customer that is a number': { onye: 7 },
    'with a checkout that is an empty list': { checkout: [] },
    'with a checkout that is a number': { checkout: 7 },
    'with a checkout without identifier': { checkout: {} },
    'made at a time without an offset': { created_at: '2026-11-20 10:00:00' },
    'made at a number': { created_at: 1_795_179_900 },
    'made some time': { created_at: 'today' },
    'made at a microsecond': { created_at: '2026-11-20T10:00:00.000001+0100' },
    'with activities that are null': { activities: null },
    'with activities that are an object': { activities: { 0: ACTIVITY } },
    'with activities that are texts': { activities: [ACT_ID] },
    'with everything of another type': { amount: [], currency: 5, status: {}, ref: {}, metadata: 7, created_at: false },
  }).map(([what, patch]): Shape<'taken'> => [what, { ...ugwo(1), ...patch }, 'taken']),
  ['as an empty object', {}, 'taken'],
  ['as text', 'ugw.AbCd.1', 'no page'],
  ['as null', null, 'no page'],
  ['as an empty list', [], 'no page'],
];

describe('a payment request in a list', () => {
  it.each(REQUESTS)('%s', async (_what, record, end) => {
    const { origin } = await serveAllBy(({ url }) =>
      url.includes('cursor')
        ? json(200, { data: [ugwo(2)], next_cursor: null })
        : json(200, { data: [record], next_cursor: 'more' }),
    );
    const { client } = bench(origin);
    const seen: unknown[] = [];
    const walked = (async () => {
      for await (const { records } of client.pages('ugwo.list', { query: { limit: '1' } }, {})) seen.push(...records);
    })();
    expect(await codeOf(walked)).toBe(end === 'taken' ? 0 : 8);
    expect(seen.map((one) => (one as { text: string }).text)).toEqual(
      end === 'taken' ? [JSON.stringify(record), JSON.stringify(ugwo(2))] : [],
    );
  });

  it.each(REQUESTS.filter(([, , end]) => end === 'taken'))('read alone: %s', async (_what, record) => {
    const { origin } = await serveAllBy(() => json(200, { ...(record as object), uid: UGWO_ID }));
    expect(await codeOf(bench(origin).client.call('ugwo.get', { params: { uid: UGWO_ID } }))).toBe(0);
  });
});

const CUSTOMERS: readonly Shape<number>[] = [
  ...Object.entries<object>({
    'as documented': {},
    'of few words': { email: undefined },
    'with names that are null': { first_name: null, last_name: null },
    'with names that are numbers': { first_name: 1, last_name: 2 },
    'with an e-mail address in a list': { email: ['ada@example.com'] },
    'with a ref that is a number': { ref: 7 },
    'with metadata that is an empty list': { meta: [] },
    'with metadata that is a text': { meta: 'tier=vip' },
    'with an address that is an empty list': { billing_address: [] },
    'with an address that is a text': { billing_address: 'Lagos' },
    'with a status in a pair': { status: ['active', 'enum.onye_status.active'] },
    'with a status that is a number': { status: 1 },
    'with a status that is an object': { status: {} },
    'made at a time without an offset': { created_at: '2026-11-20 10:00:00' },
    'made some time': { created_at: 'today' },
    'with everything of another type': { email: {}, first_name: [], ref: false, meta: 5, created_at: {} },
    'that is another one': { uid: 'ony.AbCd.other' },
  }).map(([what, patch]): Shape<number> => [what, { uid: ONYE_ID, email: 'ada@example.com', ...patch }, 0]),
  ['without an id', { email: 'ada@example.com' }, 6],
  ['with an id of another kind', { uid: UGWO_ID }, 6],
  ['in an envelope', { data: { uid: ONYE_ID } }, 6],
  ['as an empty list', [], 6],
  ['as null', null, 6],
];

describe('an updated customer', () => {
  it.each(CUSTOMERS)('%s', async (_what, answer, code) => {
    const { origin } = await serveAllBy(() => json(200, answer));
    const body = { first_name: 'Ada' };
    expect(await codeOf(bench(origin).client.call('onye.update', { params: { uid: ONYE_ID }, body }))).toBe(code);
  });
});

/** Exit codes of a charge, an update and a read. */
type No = readonly [charge: number, update: number, get: number];
const REJECTED: No = [3, 3, 3];
const DENIED: No = [4, 4, 4];
const UNSURE: No = [6, 6, 8];

const DOCUMENTS: Readonly<Record<string, unknown>> = {
  'RFC 7807': { type: 'about:blank', title: 'No', status: 422, violations: [{ propertyPath: 'x', title: 'y' }] },
  'RFC 7807 without a status': { title: 'No' },
  'a message': { message: 'No' },
  'a code and a message': { code: 401, message: 'JWT Token not found' },
  'a message and no errors': { message: 'No', errors: [] },
  'errors alone': { errors: [{ field: 'x', message: 'y' }] },
  'errors by path': { errors: { x: ['y'] } },
  'violations by path': { violations: { 'data[provider]': 'y' } },
  'an error': { error: 'No' },
  'an empty object': {},
  'an empty list': [],
};
const PAGES: Readonly<Record<string, string>> = { 'a page': '<html>No</html>', nothing: '', 'a JSON text': '"no"' };

const REFUSALS: readonly (readonly [status: number, what: string, body: unknown, ends: No])[] = [
  ...Object.entries(DOCUMENTS).flatMap(([what, body]) => [
    ...[400, 402, 404, 405, 409, 415, 422].map((status) => [status, what, body, REJECTED] as const),
    ...[401, 403].map((status) => [status, what, body, DENIED] as const),
  ]),
  ...Object.entries(PAGES).flatMap(([what, body]) => [
    ...[400, 404, 405, 409, 422].map((status) => [status, what, body, UNSURE] as const),
    [401, what, body, DENIED] as const,
    [403, what, body, [6, 6, 4]] as const,
  ]),
];

describe('a rejection', () => {
  it.each(REFUSALS)('%i with %s', async (status, _what, body, ends) => {
    const { origin } = await serveAllBy(() => json(status, body));
    const { client } = bench(origin);
    const [ugwoUid, onye] = [UGWO_ID, { params: { uid: ONYE_ID }, body: {} }];
    const data = { medium: 'bank_transfer' };
    expect([
      await codeOf(client.call('ugwo.charge', { params: { ugwoUid }, body: { type: 'charge', data } })),
      await codeOf(client.call('onye.update', onye)),
      await codeOf(client.call('ugwo.get', { params: { uid: UGWO_ID } })),
    ]).toEqual(ends);
  });
});

it('the tables cover more than 150 shapes', () => {
  expect(ACTIVITIES.length + REQUESTS.length + CUSTOMERS.length).toBeGreaterThan(150);
});

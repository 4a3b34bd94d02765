import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodySchema, openapi } from '../../scripts/openapi.ts';
import { EXAMPLES } from '../../scripts/openapi-examples.ts';
import { type Operation, type OperationId, operations } from '../../src/contract/operations.ts';
import { messageAnswer, problemAnswer } from '../../src/contract/problem.ts';
import { REJECTIONS } from '../../src/core/error.ts';
import { EVENTS } from '../../src/core/webhook-event.ts';
import { kindOfName } from '../../src/output/cell.ts';
import * as fixtures from './fixtures.ts';

type Json = Readonly<Record<string, unknown>>;
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Json; readonly example?: unknown }>>;
}
interface Documented {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Json }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

const document = openapi() as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly responses: Readonly<Record<string, Content>>;
  };
};
const table = Object.entries(operations) as [OperationId, Operation][];

const documented = ({ path, method }: Operation): Documented =>
  document.paths[path]?.[method.toLowerCase()] as Documented;

// An independent reader of the document, which knows nothing of zod.
const ajv = new Ajv2020({ strict: false });
ajv.addSchema({ $id: 'https://paycli.invalid/', components: document.components });
const readerOf = (schema: Json) => {
  const text = JSON.stringify(schema).replaceAll('"#/components', '"https://paycli.invalid/#/components');
  return ajv.compile(JSON.parse(text) as Json);
};
const componentReader = (name: string) => readerOf({ $ref: `#/components/schemas/${name}` });

const CHECKOUT = {
  ...fixtures.checkoutSnapshot,
  name: 'Naira',
  status: ['active', 'Active'],
  mediums: [{ medium: 'ussd', position: 1, is_default: true }, { medium: ['bank_transfer', 'x'] }],
};
const REFUND = {
  uid: 'ref.Kw9a.1',
  status: 'processing',
  amount: 20_000,
  currency: 'NGN',
  ref: null,
  reason: 'twice',
  ugwo_activity: fixtures.ussdActivity.uid,
  ugwo: { uid: fixtures.ugwoWithCheckout.uid },
  destination: { provider: 'gtb', account_number: '0123456789' },
  error: { message: 'no' },
  created_at: '2026-11-20T13:50:02+01:00',
};
const ADDRESS = { address: '1 Broad Street', address2: '', city: 'Lagos', state: 'LA', zip: '100001', country: 'NG' };
const CUSTOMER = { email: 'ada@example.com', ref: 'a', first_name: 'Ada', last_name: 'Obi', billing_address: ADDRESS };
const activities = [
  fixtures.bankTransferActivity,
  fixtures.ussdActivity,
  fixtures.mobileMoneyActivity,
  fixtures.failedActivity,
  fixtures.laterActivity,
];

/** Example answers of each operation. */
const ANSWERS: Readonly<Record<OperationId, readonly unknown[]>> = {
  'onye.get': [fixtures.customer, fixtures.customerOfFewWords],
  'onye.create': [fixtures.customer],
  'onye.list': [{ data: [fixtures.customer], next_cursor: null }],
  'onye.update': [fixtures.customer],
  'onye.delete': [fixtures.customer],
  'ugwo.create': [fixtures.ugwoWithCheckout, fixtures.ugwoWithoutCheckout],
  'ugwo.charge': activities,
  'ugwo.get': [{ ...fixtures.ugwoWithCheckout, activities: activities.slice(1, 3) }],
  'activity.get': activities,
  'ugwo.list': [fixtures.middlePage, fixtures.emptyPage],
  'ugwo.cancel': [fixtures.ugwoWithCheckout],
  'checkout.list': [[CHECKOUT]],
  'checkout.get': [CHECKOUT],
  'checkout.providers': [[{ psp: 'psp', banks: [{ code: 'gtb', name: 'GTBank' }] }]],
  'refund.create': [REFUND],
};

/** Example bodies of each operation that has one. */
const BODIES: Partial<Record<OperationId, readonly unknown[]>> = {
  'onye.create': [{ ...CUSTOMER, meta: { tier: 'vip' } }],
  'onye.update': [{ ...CUSTOMER, meta: {} }],
  'ugwo.create': [
    {
      ...{ amount: 500_000, currency: 'NGN', onye: fixtures.customer.uid, onye_email: 'ada@example.com', ref: 'INV-1' },
      ...{ description: 'Two', checkout: fixtures.checkoutSnapshot.uid, metadata: { a: null }, meta: { b: 'c' } },
    },
  ],
  'ugwo.charge': [
    { type: 'charge', data: { medium: 'bank_transfer', expires_at: '2026-11-20T14:05:02+01:00' } },
    { type: 'charge', data: { medium: 'ussd', provider: 'gtb' } },
    { type: 'charge', data: { medium: 'mobile_money', provider: 'mtn', phone: '+233241234567' } },
  ],
  'refund.create': [
    {
      ...{ ugwo_activity: fixtures.ussdActivity.uid, amount: 20_000, ref: 'r', reason: 'twice' },
      destination: { provider: 'gtb', account_number: '0123456789' },
    },
  ],
};

const long = (text: string): string[] => [50, 51, 100, 101, 150, 151, 255, 256].map((length) => text.repeat(length));

/** Values to put anywhere, right or wrong there. No impossible dates: JSON Schema can't reject them. */
const ANYTHING: readonly unknown[] = [
  ...[null, true, 0, 1, -1, 1.5, 20_000, 2 ** 53 - 1, 2 ** 53, '', ' ', 'x', '1', '2', '3', [], {}, [null], ['1', '3']],
  ...[{ a: 1 }, { a: 'b' }, { a: null }, ['a'], ['a', 'b'], ['', 'b'], ['a', ''], ['a', 1], ['a', 'b', 'c']],
  ...['ony.A.b', 'ugw.A.b', 'act.A.b', 'chk.A.b', 'act.A', 'act..b', 'act.A.b-c'],
  ...['ony', 'ugw', 'act', 'chk'].flatMap((kind) => [250, 251].map((length) => `${kind}.A.${'b'.repeat(length)}`)),
  ...['a@b', 'a b@c', '"a b"@c', 'a@b c', 'NGN', 'ngn', 'NGNX', 'NG', 'N1', 'charge', 'a.b', '.a', 'a b.c'],
  ...['+2348031234567', '08031234567', '+12345', '+1234567890123456', '0123456789', '01234567890'],
  ...['2026-11-20T13:50:02Z', '2026-11-20t13:50+0100', ' 2026-11-20T13:50:02,5z ', '2026-11-20T13:50:02.1234567890Z'],
  ...['2026-13-20T13:50:02Z', '2026-11-32T13:50:02Z', '2026-11-20T24:50:02Z', '2026-11-20T13:60:02Z'],
  ...['2026-11-20 13:50:02Z', '2026-11-20T13:50:60Z', '2026-11-20T13:50:02', '2026-11-20T13:50:02+24:00'],
  ...[{ type: 'user_action' }, { type: '' }, { type: 'new' }, { type: 'user_action', headers: {} }, 'user_action'],
  ...['bank_transfer', 'ussd', 'mobile_money', 'card', ...long('\u00e9'), ...long('\u{1f600}')],
];
const LITTLE: readonly unknown[] = ['x', '', null, {}];
const NAMES = [
  'x_new',
  'ussd',
  'bank_name',
  'account_name',
  'account_number',
  'expires_at',
  'type',
  'status',
  'headers',
];

/** The example with one value replaced, removed or added. */
function* changesOf(value: unknown): Generator<unknown> {
  yield* ANYTHING;
  if (Array.isArray(value)) {
    yield* LITTLE.map((one) => [...value, one]);
    // Records of a list are equivalent; the two texts of a status are not.
    const members = typeof value[0] === 'object' ? value.slice(0, 1) : value;
    for (const [index, one] of members.entries()) for (const by of changesOf(one)) yield value.with(index, by);
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    for (const gone of entries) yield Object.fromEntries(entries.filter((one) => one !== gone));
    for (const name of NAMES) yield* LITTLE.map((by) => ({ ...value, [name]: by }));
    for (const [name, one] of entries) for (const by of changesOf(one)) yield { ...value, [name]: by };
  }
}

interface Reader {
  safeParse(value: unknown): { readonly success: boolean; readonly error?: unknown };
}

/** Checks that both readers agree on the examples, on each single change, and on some double changes. */
const agree = (zod: Reader | undefined, other: (value: unknown) => unknown, examples: readonly unknown[]): void => {
  expect(examples.map((one) => [zod?.safeParse(one).success, other(one)])).toEqual(examples.map(() => [true, true]));
  const once = examples.flatMap((one) => [...changesOf(one)]);
  const read = once.map((one) => ({ one, ours: zod?.safeParse(one).success, theirs: other(one) }));
  expect(read.filter(({ ours, theirs }) => ours !== theirs)).toEqual([]);
  expect(new Set(read.map(({ ours }) => ours))).toEqual(new Set([true, false]));
  const twice = fc.constantFrom(...once).chain((one) => fc.constantFrom(...changesOf(one)));
  // Each run computes all changes of its value.
  fc.assert(
    fc.property(twice, (one) => other(one) === zod?.safeParse(one).success),
    { numRuns: 20 },
  );
};

describe('the OpenAPI document', () => {
  it('lists every operation of the contract, and no other', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((one) => one.operationId),
    );
    expect(ids.sort()).toEqual(table.map(([id]) => id).sort());
  });

  it.each(table)('%s has its parameters and its statuses', (id, operation) => {
    const { operationId, parameters, responses, requestBody } = documented(operation);
    expect(operationId).toBe(id);
    const query = operation.query?.() as { readonly shape: object } | undefined;
    expect(parameters.map(({ name }) => name)).toEqual([
      ...Object.keys(operation.params),
      ...Object.keys(query?.shape ?? {}),
    ]);
    const statuses = [operation.success.status, ...REJECTIONS.keys(), 429].map(String);
    expect(Object.keys(responses).sort()).toEqual([...statuses, '5XX'].sort());
    expect(requestBody !== undefined).toBe(operation.body !== undefined);
    for (const status of REJECTIONS.keys()) expect(document.components.responses).toHaveProperty(String(status));
  });

  it('requires a bearer key', () => {
    expect(document).toMatchObject({
      security: [{ secretKey: [] }],
      components: { securitySchemes: { secretKey: { type: 'http', scheme: 'bearer' } } },
    });
  });
});

describe('the example of an operation', () => {
  it.each(table)('%s is in the document and valid', (id, operation) => {
    const { responses, requestBody } = documented(operation);
    const answer = responses['200']?.content?.['application/json'];
    expect(answer?.example).toEqual(EXAMPLES[id].answer);
    expect(readerOf(answer?.schema ?? {})(answer?.example)).toBe(true);
    const body = requestBody?.content?.['application/json'];
    expect(body?.example).toEqual(EXAMPLES[id].body);
    if (body !== undefined) expect(readerOf(body.schema)(body.example)).toBe(true);
  });
});

const CHARGE = fixtures.bankTransferActivity;
const REQUEST = fixtures.ugwoWithCheckout;
const ACCOUNT = CHARGE.next_action.headers;
const ACTION = { ...CHARGE.next_action, type: ['user_action', 'enum.next_action_type.user_action'] };
const SHORT = {
  uid: REQUEST.uid,
  amount: 5,
  currency: 'NGN',
  status: 'requires_ugwo',
  ref: null,
  created_at: '2026-11-20T12:00:00Z',
};
const LATEST = {
  uid: CHARGE.uid,
  status: ['successful', 'enum.ugwo_activity_status.successful'],
  psp_external_id: 'T-1',
  is_double_charge: true,
};

/** What the service may answer, beyond the documented examples (public material). */
const TAKEN: readonly (readonly [what: string, id: OperationId, status: number, answer: unknown])[] = [
  ['an amount as text', 'ugwo.get', 200, { ...REQUEST, amount: '90000', total_amount_paid: '40000' }],
  ['an amount with decimals', 'ugwo.get', 200, { ...REQUEST, amount: '90000.00' }],
  ['both names of metadata, empty', 'ugwo.get', 200, { ...REQUEST, metadata: [], meta: [] }],
  ['a customer under its other name', 'ugwo.create', 200, { ...REQUEST, onye_nzube: { uid: fixtures.customer.uid } }],
  ['empty objects in a request', 'ugwo.get', 200, { ...REQUEST, onye: [], onye_nzube: [], checkout: [] }],
  ['the latest activity', 'ugwo.get', 200, { ...REQUEST, latest_ugwo_activity: LATEST }],
  ['the latest activity in its other spelling', 'ugwo.get', 200, { ...REQUEST, lastest_ugwo_activity: LATEST }],
  ['no latest activity', 'ugwo.get', 200, { ...REQUEST, latest_ugwo_activity: null, lastest_ugwo_activity: [] }],
  ['a short cancellation', 'ugwo.cancel', 200, { uid: REQUEST.uid, status: 'cancelled', amount: '5', currency: 'NGN' }],
  ['a short record of a list', 'ugwo.list', 200, { data: [SHORT], next_cursor: null }],
  ['a reference that is a number', 'ugwo.get', 200, { ...REQUEST, ref: 1042, description: 7 }],
  ['a time with microseconds', 'ugwo.get', 200, { ...REQUEST, created_at: '2026-11-20T12:00:00.000000+00:00' }],
  ['a time with a short offset', 'ugwo.get', 200, { ...REQUEST, created_at: '2026-11-20T13:00:00+0100' }],
  ['a time without an offset', 'ugwo.get', 200, { ...REQUEST, created_at: '2026-11-20 12:00:00' }],
  ['a next action of a pair', 'ugwo.charge', 200, { ...CHARGE, next_action: ACTION }],
  ['an empty next action', 'activity.get', 200, { ...CHARGE, next_action: [] }],
  ['empty headers', 'activity.get', 200, { ...CHARGE, next_action: { ...ACTION, headers: [] } }],
  ['empty objects in an activity', 'activity.get', 200, { ...CHARGE, checkout: [], ugwo_medium: [], error: [] }],
  ['a psp that is a pair', 'activity.get', 200, { ...CHARGE, psp: ['paystack_ng', 'enum.psp.paystack_ng'] }],
  [
    'the money of an activity',
    'activity.get',
    200,
    { ...CHARGE, ugwo_uid: REQUEST.uid, amount: '90000', charged_amount: '40000', is_double_charge: false },
  ],
  ['a refund in texts', 'refund.create', 200, { ...REFUND, amount: '20000', status: ['failed', 'x'], destination: [] }],
  ['a checkout in texts', 'checkout.get', 200, { ...CHECKOUT, mediums: [{ medium: ['ussd', 'x'], position: '0' }] }],
  ['a 401 without a body', 'onye.get', 401, undefined],
  ['a 401 of the framework', 'onye.get', 401, { code: 401, message: 'Invalid credentials.' }],
  ['a 401 with a document', 'onye.get', 401, fixtures.leanProblem],
  ['a refusal without errors', 'ugwo.create', 402, { message: 'nzube.ugwo.error.balance' }],
  ['a refusal in both shapes', 'ugwo.charge', 422, { ...fixtures.validationProblem, ...fixtures.messageProblem }],
];

const badly = (name: string, id: OperationId, answer: unknown) => [`a bad ${name}`, id, 200, answer] as const;

/** The same fields in forms that nothing reads. */
const NOT_TAKEN: readonly (readonly [what: string, id: OperationId, status: number, answer: unknown])[] = [
  ...['amount', 'total_amount_paid'].map((name) => badly(name, 'ugwo.get', { ...REQUEST, [name]: '5,000' })),
  ...['metadata', 'meta', 'checkout', 'latest_ugwo_activity', 'lastest_ugwo_activity'].map((name) =>
    badly(name, 'ugwo.get', { ...REQUEST, [name]: 'x' }),
  ),
  ...['onye', 'onye_nzube'].map((name) => badly(name, 'ugwo.get', { ...REQUEST, [name]: 7 })),
  ...['ugwo_uid', 'amount', 'charged_amount', 'is_double_charge', 'next_action', 'updated_at'].map((name) =>
    badly(name, 'activity.get', { ...CHARGE, [name]: 'x' }),
  ),
  [
    'half an account',
    'ugwo.charge',
    200,
    { ...CHARGE, next_action: { ...ACTION, headers: { ...ACCOUNT, bank_name: '' } } },
  ],
  ['a cancellation without a uid', 'ugwo.cancel', 200, { status: 'cancelled' }],
  ['a refusal without a body', 'ugwo.create', 409, undefined],
];

describe('the document on what a service may answer', () => {
  const takes = (id: OperationId, status: number, answer: unknown): boolean => {
    const { responses } = documented(operations[id]);
    const content = (status === 200 ? responses['200'] : document.components.responses[status])?.content;
    return content === undefined || readerOf(content['application/json']?.schema ?? {})(answer) === true;
  };

  it.each(TAKEN)('takes %s', (_what, id, status, answer) => {
    expect(takes(id, status, answer)).toBe(true);
  });

  it.each(NOT_TAKEN)('does not take %s', (_what, id, status, answer) => {
    expect(takes(id, status, answer)).toBe(false);
  });
});

describe('a schema shared by several operations', () => {
  const schemaOf = (one: Operation): unknown => documented(one).responses['200']?.content?.['application/json']?.schema;

  it('is documented once', () => {
    for (const [, one] of table)
      for (const [, other] of table.filter(([, { success }]) => success.schema === one.success.schema))
        expect(schemaOf(one)).toEqual(schemaOf(other));
  });
});

describe('ajv agrees with zod', () => {
  const schemas = table.map(([, { success }]) => success.schema);
  const different = table.filter(([, { success }], index) => schemas.indexOf(success.schema) === index);

  it.each(different)('on the answers of %s', (id, operation) => {
    const { schema } = documented(operation).responses['200']?.content?.['application/json'] ?? { schema: {} };
    agree(operation.success.schema(), readerOf(schema), ANSWERS[id]);
  });

  it.each(table.filter(([, { body }]) => body !== undefined))('on the bodies of %s', (id, operation) => {
    const { schema } = documented(operation).requestBody?.content?.['application/json'] ?? { schema: {} };
    agree(bodySchema(operation), readerOf(schema), BODIES[id] ?? []);
  });

  it.each([
    ['Problem', problemAnswer(), [fixtures.validationProblem, fixtures.notFoundProblem, fixtures.leanProblem]],
    ['Message', messageAnswer(), [fixtures.messageProblem, { message: 'a.b', errors: [] }]],
  ] as const)('on the error document %s', (name, schema, examples) => {
    agree(schema, componentReader(name), examples);
  });

  it.each(table.filter(([, { query }]) => query !== undefined))('on the queries of %s', (_id, operation) => {
    for (const { name, schema } of documented(operation).parameters) {
      const isNumber = schema['type'] === 'integer';
      const read = readerOf(schema);
      const texts = ['', 'x', '1', '2', '3', 'NGN', 'ngn', 'NGNX', '1e1', '-1', '0', '100', '101'];
      const values = schema['type'] === 'array' ? [[], ...texts.map((one) => [one]), ['1', 'x'], ['NGN', '1']] : texts;
      for (const value of values) {
        const sent = isNumber && /^-?\d+$/.test(String(value)) ? Number(value) : value;
        expect([value, read(sent)]).toEqual([value, operation.query?.().safeParse({ [name]: value }).success]);
      }
    }
  });

  it.each(table.filter(([, { params }]) => Object.keys(params).length > 0))('on the paths of %s', (_id, operation) => {
    for (const { name, schema } of documented(operation).parameters.filter((one) => one.in === 'path')) {
      const kind = operation.params[name];
      expect(readerOf(schema)(kind === 'text' ? 'ussd' : `${kind}.AbCd.0a1b2c3d4e5f6g7h8i9j0k1_t`)).toBe(true);
      expect(readerOf(schema)(kind === 'text' ? '' : 'xyz.AbCd.1')).toBe(false);
    }
  });
});

describe('the documented webhooks', () => {
  const { webhooks } = openapi() as { readonly webhooks: Readonly<Record<string, { readonly post: Documented }>> };
  const DATA = {
    nzube: { uid: 'ony.Kw9a.1', email: 'ada@example.com' },
    ugwo: { ...fixtures.ugwoWithCheckout, activities: [fixtures.ussdActivity] },
    activity: fixtures.ussdActivity,
    refund: REFUND,
  };
  const dataOf = (event: string) =>
    event.startsWith('ugwo.activity.') ? DATA.activity : DATA[event.split('.')[0] as keyof typeof DATA];

  it('are all known events, and no other', () => {
    expect(Object.keys(webhooks)).toEqual([...EVENTS]);
  });

  it.each(EVENTS)('%s accepts only its own resource', (event) => {
    const content = webhooks[event]?.post.requestBody?.content?.['application/json'];
    const takes = readerOf(content?.schema ?? {});
    const body = { uid: 'evt.Kw9a.1', event, data: dataOf(event) };
    expect(takes(body), JSON.stringify(takes.errors)).toBe(true);
    expect(takes({ ...body, event: 'ugwo.other' })).toBe(false);
    expect(takes({ ...body, data: { uid: 'chk.Kw9a.1' } })).toBe(false);
  });
});

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** The names of the properties that may be a pair of machine value and label, at any depth. */
const pairsIn = (schema: unknown): string[] => {
  if (typeof schema !== 'object' || schema === null) return [];
  const isPair = (one: Schema): boolean => [one, ...(one.anyOf ?? [])].some(({ $ref }) => $ref?.endsWith('/Enum'));
  const properties = Object.entries((schema as Schema).properties ?? {});
  return [
    ...properties.filter(([, one]) => isPair(one)).map(([name]) => name),
    ...Object.values(schema).flatMap(pairsIn),
  ];
};

it('tsv and csv print one value for each field that may be a pair', () => {
  const names = [...new Set(pairsIn(document.components.schemas))];
  expect(names).toEqual(expect.arrayContaining(['status', 'currency', 'medium', 'activity_type']));
  expect(names.filter((name) => kindOfName(`x.${name}`) !== 'enum')).toEqual([]);
});

const CUSTOMER_PROPERTIES = [
  'uid',
  'email',
  'first_name',
  'last_name',
  'ref',
  'billing_address',
  'meta',
  'status',
  'created_at',
];

it.each([
  ['Ugwo', 'onye', CUSTOMER_PROPERTIES],
  ['Ugwo', 'onye_nzube', CUSTOMER_PROPERTIES],
  ['UgwoWithActivities', 'onye', CUSTOMER_PROPERTIES],
  ['Activity', 'error', ['code', 'message']],
  ['Refund', 'error', ['code', 'message']],
])('describes the properties of %s.%s', (name, property, described) => {
  const { properties = {} } = document.components.schemas[name] as Schema;
  expect(Object.keys(properties[property]?.properties ?? {})).toEqual(described);
});

/** The OpenAPI document, generated from the contract's table of operations. */

import { readFileSync } from 'node:fs';
import type * as z from 'zod';
import { activity } from '../src/contract/activity.ts';
import { checkout, checkoutSnapshot, provider } from '../src/contract/checkout.ts';
import { enumLike, numeric, time } from '../src/contract/common.ts';
import { onye, onyeCreate, onyeUpdate } from '../src/contract/onye.ts';
import { type Operation, type OperationId, operations } from '../src/contract/operations.ts';
import { messageAnswer, problemAnswer } from '../src/contract/problem.ts';
import { refund, refundCreate, ugwo, ugwoCreate, ugwoWithActivities } from '../src/contract/ugwo.ts';
import { loadSchemas } from '../src/contract/zod.ts';
import { REJECTIONS } from '../src/core/error.ts';
import { ID_KINDS, type IdPrefix, nounOf } from '../src/core/ids.ts';
import { EVENTS } from '../src/core/webhook-event.ts';
import { componentsOf, type JsonSchema, jsonSchemaOf, type Named } from './json-schema.ts';
import { EXAMPLES } from './openapi-examples.ts';
import { QUERIES, REFUSED, SAFETIES, SUMMARIES, TAGS, UNAUTHORIZED } from './openapi-words.ts';

await loadSchemas();

const { version, license } = JSON.parse(readFileSync('package.json', 'utf8')) as Readonly<Record<string, string>>;

export const NAMED: Named = new Map<z.core.$ZodType, string>([
  [onye(), 'Onye'],
  [onyeCreate(), 'OnyeCreate'],
  [onyeUpdate(), 'OnyeUpdate'],
  [ugwo(), 'Ugwo'],
  [ugwoWithActivities(), 'UgwoWithActivities'],
  [ugwoCreate(), 'UgwoCreate'],
  [activity(), 'Activity'],
  [checkout(), 'Checkout'],
  [checkoutSnapshot(), 'CheckoutSnapshot'],
  [provider(), 'Provider'],
  [refund(), 'Refund'],
  [refundCreate(), 'RefundCreate'],
  [problemAnswer(), 'Problem'],
  [messageAnswer(), 'Message'],
  [enumLike(), 'Enum'],
  [numeric(), 'Numeric'],
  [time(), 'Time'],
]);

const isSchema = (judge: object): judge is z.ZodType => '_zod' in judge;

/** Schema of an operation's request body. */
export const bodySchema = ({ body }: Operation): z.ZodType | undefined => {
  const judge = body?.(0);
  return judge === undefined || isSchema(judge) ? judge : judge.schema;
};

const json = (schema: JsonSchema, more: { readonly example?: unknown } = {}): object => ({
  'application/json': { schema, ...more },
});

const parameterIn = (name: string, kind: IdPrefix | 'text'): object => ({
  name,
  in: 'path',
  required: true,
  description: kind === 'text' ? `The ${name}` : `The identifier of ${ID_KINDS[kind]}`,
  schema:
    kind === 'text'
      ? { type: 'string', minLength: 1 }
      : { type: 'string', pattern: `^${kind}(\\.[A-Za-z0-9_]+){2,}$`, title: nounOf(kind) },
});

const parametersOf = ({ params, query }: Operation): object[] => {
  const asked = query === undefined ? {} : (jsonSchemaOf(query(), NAMED)['properties'] as Record<string, JsonSchema>);
  return [
    ...Object.entries(params).map(([name, kind]) => parameterIn(name, kind)),
    ...Object.entries(asked).map(([name, schema]) => ({
      name,
      in: 'query',
      description: QUERIES[name] ?? name,
      schema,
      ...(schema['type'] === 'array' ? { style: 'form', explode: true } : {}),
    })),
  ];
};

const refused = (description: string): object => {
  const schema = { $ref: '#/components/schemas/Refusal' };
  return { description, content: { 'application/problem+json': { schema }, 'application/json': { schema } } };
};

const responsesOf = ({ success }: Operation, example: unknown): object => ({
  [success.status]: { description: 'Done.', content: json(jsonSchemaOf(success.schema(), NAMED), { example }) },
  ...Object.fromEntries([...REJECTIONS.keys()].map((status) => [status, { $ref: `#/components/responses/${status}` }])),
  429: { $ref: '#/components/responses/429' },
  '5XX': { $ref: '#/components/responses/5XX' },
});

const operationOf = (id: OperationId): object => {
  const operation: Operation = operations[id];
  const [tag = ''] = id.split('.');
  const body = bodySchema(operation);
  const example = EXAMPLES[id];
  return {
    operationId: id,
    tags: [tag],
    summary: SUMMARIES[id],
    description: SAFETIES[operation.safety],
    parameters: parametersOf(operation),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: json(jsonSchemaOf(body, NAMED), { example: example.body }) } }),
    responses: responsesOf(operation, example.answer),
  };
};

const pathsOf = (): object => {
  const paths: Record<string, Record<string, object>> = {};
  for (const id of Object.keys(operations) as OperationId[]) {
    const { method, path } = operations[id];
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(id) };
  }
  return paths;
};

/** The resource that an event is about. */
const resourceOf = (event: string): z.ZodType => {
  if (event.startsWith('nzube.onye.')) return onye();
  if (event.startsWith('refund.')) return refund();
  return event.startsWith('ugwo.activity.') ? activity() : ugwoWithActivities();
};

const header = (name: string, description: string): object => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

const webhookOf = (event: string): object => ({
  post: {
    operationId: `webhook.${event}`,
    tags: ['webhook'],
    summary: `Tells of ${event}`,
    security: [],
    parameters: [
      header(
        'X-Kwugwo-Signature',
        "Hex HMAC-SHA256 of the raw body with the endpoint's secret; empty where it has none",
      ),
      header('X-Kwugwo-Delivery-Id', 'Another one in each attempt'),
    ],
    requestBody: {
      required: true,
      content: json({
        type: 'object',
        required: ['uid', 'event', 'data'],
        properties: {
          uid: { type: 'string', description: 'evt.…, the same in each attempt' },
          event: { const: event },
          data: jsonSchemaOf(resourceOf(event), NAMED),
        },
      }),
    },
    responses: {
      '2XX': { description: 'Taken.' },
      default: { description: 'Not taken: tried twice more, 30 minutes apart.' },
    },
  },
});

/** The whole document. */
export const openapi = (): Readonly<Record<string, unknown>> => ({
  openapi: '3.1.0',
  info: {
    title: 'Payments service',
    summary: 'Customers (onye), payment requests (ugwo), their charges and refunds, as paycli reads the service',
    description:
      'Answers are described as they are read: unknown fields and new values of enums pass, an enum may come as a pair ' +
      '`[value, label]`, a number as a text of digits, an empty object as `[]`, and a documented field may be missing. ' +
      'Amounts are in the minor unit of the currency. Of rules about the moment, and of those that only the service ' +
      'knows, nothing is said.',
    version,
    license: { name: license, identifier: license },
  },
  servers: [
    { url: 'https://sandbox-api.kwugwo.africa', description: 'Sandbox' },
    { url: 'https://api.kwugwo.africa', description: 'Live' },
    {
      url: 'http://127.0.0.1:{port}',
      description: '`paycli emulator start --port 8080`',
      variables: { port: { default: '8080' } },
    },
  ],
  security: [{ secretKey: [] }],
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  paths: pathsOf(),
  webhooks: Object.fromEntries(EVENTS.map((event) => [event, webhookOf(event)])),
  components: {
    securitySchemes: {
      secretKey: { type: 'http', scheme: 'bearer', description: 'The secret key of a workspace, `sk.…`' },
    },
    responses: {
      ...Object.fromEntries(Object.entries(REFUSED).map(([status, why]) => [status, refused(why)])),
      // Without content, a body of any shape, or none, is valid.
      401: { description: UNAUTHORIZED },
      429: {
        ...refused('Too many requests; nothing was done.'),
        headers: { 'Retry-After': { description: 'Seconds to wait, or a date', schema: { type: 'string' } } },
      },
      '5XX': { description: 'The service failed; what was to be written may have been.' },
    },
    schemas: {
      ...componentsOf(NAMED),
      Refusal: {
        description: 'Either shape, or both at once; another object is read as far as possible.',
        anyOf: [{ $ref: '#/components/schemas/Problem' }, { $ref: '#/components/schemas/Message' }, { type: 'object' }],
      },
    },
  },
});

import type * as zod from 'zod';
import { MEDIUM_FIELD_NAMES } from '../charge/mediums.ts';
import { memo } from '../core/async.ts';
import { CHARGE_WRITE, type WriteKind } from '../core/charge.ts';
import type { IdPrefix } from '../core/ids.ts';
import { isObject } from '../core/json.ts';
import { activity, activityCreate } from './activity.ts';
import { checkout, checkoutQuery, provider } from './checkout.ts';
import { type Judge, listOf, type OutputOf, pageQuery, pageShape } from './common.ts';
import { onye, onyeCreate, onyeUpdate } from './onye.ts';
import { PROBLEM_FIELDS } from './problem.ts';
import {
  isNoOtherType,
  type ListRecord,
  namesNoOther,
  type Params,
  type Proof,
  provesList,
  provesPage,
  provesRefund,
  provesResource,
  type Resource,
  type ResourcePage,
} from './proof.ts';
import { refund, refundCreate, ugwo, ugwoCreate, ugwoWithActivities } from './ugwo.ts';
import { z } from './zod.ts';

export type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';

/**
 * Repeatability of an operation. `safe`: may be repeated at any time. `checked`: a repeat does no harm, but it gets
 * another answer (404, 409) or overwrites later changes by others, so it is repeated only when nothing was applied.
 * `never-repeat`: each send creates a new object, and there is no idempotency key.
 */
export type Safety = 'safe' | 'checked' | 'never-repeat';

export interface Operation {
  readonly method: Method;
  /** Path under the origin; `{name}` is a path parameter. */
  readonly path: string;
  /** Type of each path parameter: an identifier, or a plain text such as the name of a medium. */
  readonly params: Readonly<Record<string, IdPrefix | 'text'>>;
  readonly query?: () => zod.ZodType;
  /** Validates the body at a moment in milliseconds, since some rules are about time. */
  readonly body?: (now: number, clock?: string) => Judge;
  /**
   * `schema` is the whole answer as documented; `proof` checks the part that must hold for the answer to be accepted.
   */
  readonly success: { readonly status: number; readonly schema: () => zod.ZodType; readonly proof: Proof };
  readonly safety: Safety;
  /** Description of a write: for messages about an unknown outcome, and for its intent in the ledger. */
  readonly effect?: WriteKind;
}

/** The table of endpoints: the single source for client and emulator (docs/service.md). */
export const operations = {
  'onye.get': {
    method: 'GET',
    path: '/v1/onye/{uid}',
    params: { uid: 'ony' },
    success: { status: 200, schema: onye, proof: provesResource('ony') },
    safety: 'safe',
  },
  'onye.create': {
    method: 'POST',
    path: '/v1/onye',
    params: {},
    body: onyeCreate,
    success: { status: 200, schema: onye, proof: provesResource('ony') },
    safety: 'never-repeat',
    effect: {
      kind: 'customer',
      done: 'created',
      hint: 'look for it by its e-mail address before you send it again: `paycli onye list --email …`',
    },
  },
  'onye.list': {
    method: 'GET',
    path: '/v1/onye',
    params: {},
    query: pageQuery,
    success: { status: 200, schema: memo(() => pageShape(onye())), proof: provesPage },
    safety: 'safe',
  },
  'onye.update': {
    method: 'PATCH',
    path: '/v1/onye/{uid}',
    params: { uid: 'ony' },
    body: onyeUpdate,
    success: { status: 200, schema: onye, proof: provesResource('ony') },
    safety: 'checked',
    effect: {
      kind: 'update',
      done: 'applied',
      hint: 'check the record; sending the same values again does no harm',
    },
  },
  'onye.delete': {
    method: 'DELETE',
    path: '/v1/onye/{uid}',
    params: { uid: 'ony' },
    success: { status: 200, schema: onye, proof: provesResource('ony') },
    safety: 'checked',
    effect: { kind: 'deletion', done: 'applied', hint: 'look for the customer; deleting it again does no harm' },
  },
  'ugwo.create': {
    method: 'POST',
    path: '/v1/ugwo',
    params: {},
    body: ugwoCreate,
    success: { status: 200, schema: ugwo, proof: provesResource('ugw') },
    safety: 'never-repeat',
    effect: {
      kind: 'payment_request',
      done: 'created',
      hint: "don't run it again until you know, or the customer may be asked twice",
    },
  },
  'ugwo.charge': {
    method: 'POST',
    path: '/v1/ugwo/{ugwoUid}/activities',
    params: { ugwoUid: 'ugw' },
    body: activityCreate,
    success: { status: 200, schema: activity, proof: provesResource('act', namesNoOther, isNoOtherType) },
    safety: 'never-repeat',
    effect: CHARGE_WRITE,
  },
  'ugwo.get': {
    method: 'GET',
    path: '/v1/ugwo/{uid}',
    params: { uid: 'ugw' },
    success: { status: 200, schema: ugwoWithActivities, proof: provesResource('ugw') },
    safety: 'safe',
  },
  'activity.get': {
    method: 'GET',
    path: '/v1/ugwo/{ugwoUid}/activities/{activityUid}',
    params: { ugwoUid: 'ugw', activityUid: 'act' },
    success: { status: 200, schema: activity, proof: provesResource('act', namesNoOther) },
    safety: 'safe',
  },
  'ugwo.list': {
    method: 'GET',
    path: '/v1/ugwo',
    params: {},
    query: pageQuery,
    success: { status: 200, schema: memo(() => pageShape(ugwo())), proof: provesPage },
    safety: 'safe',
  },
  'ugwo.cancel': {
    method: 'DELETE',
    path: '/v1/ugwo/{uid}',
    params: { uid: 'ugw' },
    success: { status: 200, schema: ugwo, proof: provesResource('ugw') },
    safety: 'checked',
    effect: {
      kind: 'cancellation',
      done: 'applied',
      hint: 'look at the payment request; cancelling it again does no harm',
    },
  },
  'checkout.list': {
    method: 'GET',
    path: '/v1/checkouts',
    params: {},
    query: checkoutQuery,
    success: { status: 200, schema: memo(() => listOf(checkout())), proof: provesList },
    safety: 'safe',
  },
  'checkout.get': {
    method: 'GET',
    path: '/v1/checkouts/{uid}',
    params: { uid: 'chk' },
    success: { status: 200, schema: checkout, proof: provesResource('chk') },
    safety: 'safe',
  },
  'checkout.providers': {
    method: 'GET',
    path: '/v1/checkouts/{uid}/{medium}',
    params: { uid: 'chk', medium: 'text' },
    success: { status: 200, schema: memo(() => listOf(provider())), proof: provesList },
    safety: 'safe',
  },
  'refund.create': {
    method: 'POST',
    path: '/v1/refunds',
    params: {},
    body: refundCreate,
    success: { status: 200, schema: refund, proof: provesRefund },
    safety: 'never-repeat',
    effect: { kind: 'refund', done: 'made', hint: "don't run it again until you know, or it may be paid back twice" },
  },
} as const satisfies Record<string, Operation>;

export type Operations = typeof operations;
/** The name of an operation: `ugwo.charge`. */
export type OperationId = keyof Operations;
export type AnswerOf<K extends OperationId> = OutputOf<Operations[K]['success']['schema']>;
/** The operations that answer with pages. */
export type ListId = { [K in OperationId]: AnswerOf<K> extends { data: unknown[] } ? K : never }[OperationId];
/** The proven part of an operation's answer. */
export type ProvenOf<K extends OperationId> = K extends ListId
  ? ResourcePage
  : AnswerOf<K> extends readonly unknown[]
    ? readonly ListRecord[]
    : Resource;

/** True if an operation answers with a page of a list; a bare array is not a page. */
export const answersPage = ({ success }: Operation): boolean => success.proof === provesPage;

/** Main fields of answers and error documents. An answer that exceeds the bounds is read by these alone. */
export const MAIN_FIELDS: readonly string[] = [
  ...['uid', 'amount', 'currency', 'status', 'ref', 'description', 'metadata', 'onye', 'checkout', 'created_at'],
  ...['activities', 'activity_type', 'ugwo_medium', 'psp', 'psp_external_id', 'next_action', 'error', 'updated_at'],
  ...['email', 'first_name', 'last_name', 'billing_address', 'meta', 'name', 'mediums', 'reason', 'ugwo_activity'],
  ...['ugwo', 'destination', 'data', 'next_cursor', 'banks', 'ugwo_uid', ...MEDIUM_FIELD_NAMES],
  ...['total_amount_paid', 'onye_nzube', 'latest_ugwo_activity', 'lastest_ugwo_activity', 'charged_amount'],
  ...['is_double_charge'],
  ...PROBLEM_FIELDS,
];

/** The path of an operation with its encoded parameters. Unsafe segments must have been refused before. */
export const filledPath = (operation: Operation, params: Readonly<Record<string, string>>): string =>
  operation.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params[name] ?? ''));

/** Violations of a request's rules in the service's form: dotted property paths and short titles. */
export const breaches = (error: zod.ZodError): { propertyPath: string; title: string }[] =>
  error.issues.map((issue) => ({ propertyPath: issue.path.join('.'), title: issue.message }));

/** A request to any path of the service, in the table or not. */
export interface AnyRequest {
  readonly method: Method;
  /** Under the origin, without a query. */
  readonly path: string;
  /** The answer is a page of a list. */
  readonly paged?: boolean;
}

const provesJson: Proof = (answer) => (isObject(answer) ? undefined : 'the answer is neither a JSON object nor a list');

/** An operation for an undocumented method and path: handled by the same rules as the others. */
export const anyOperation = ({ method, path, paged }: AnyRequest): Operation => ({
  method,
  path,
  params: {},
  ...(method === 'POST' || method === 'PUT' || method === 'PATCH' ? { body: () => z.looseObject({}) } : {}),
  success: { status: 200, schema: () => z.unknown(), proof: paged === true ? provesPage : provesJson },
  safety: ({ GET: 'safe', POST: 'never-repeat', PUT: 'checked', PATCH: 'checked', DELETE: 'checked' } as const)[method],
});

/** The parameters of a path by its template; undefined if the path does not match. */
const paramsIn = (template: string, path: string): Params | undefined => {
  const [names, segments] = [template.split('/'), path.split('/')];
  if (names.length !== segments.length) return undefined;
  const params: Record<string, string> = Object.create(null);
  for (const [index, name] of names.entries()) {
    const segment = decodeURIComponent(segments[index] ?? '');
    if (name.startsWith('{')) params[name.slice(1, -1)] = segment;
    else if (name !== segment) return undefined;
  }
  return params;
};

/** The operation of the table that matches a request, with its parameters; undefined if none does. */
export const operationOf = ({
  method,
  path,
}: AnyRequest): { readonly id: OperationId; readonly params: Params } | undefined => {
  for (const [id, operation] of Object.entries(operations)) {
    const params = operation.method === method ? paramsIn(operation.path, path) : undefined;
    if (params !== undefined) return { id: id as OperationId, params };
  }
  return undefined;
};

import type * as z from 'zod';
import type { Effect } from '../core/effect.ts';
import { CHARGE_EFFECT } from '../core/effect.ts';
import type { IdPrefix } from '../core/ids.ts';
import { memo } from '../core/memo.ts';
import { activity, activityCreate } from './activity.ts';
import { checkout, checkoutQuery, provider } from './checkout.ts';
import type { Judge, OutputOf } from './common.ts';
import { listOf } from './common.ts';
import { onye, onyeCreate, onyeUpdate } from './onye.ts';
import { page, pageQuery } from './page.ts';
import { PROBLEM_FIELDS } from './problem.ts';
import type { ListRecord, Proof, Thing, ThingPage } from './proof.ts';
import { isNoOtherType, namesNoOther, provesList, provesPage, provesRefund, provesThing } from './proof.ts';
import { refund, refundCreate } from './refund.ts';
import { ugwo, ugwoCreate, ugwoWithActivities } from './ugwo.ts';

export type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';

/**
 * May an operation be sent again? `safe`: any time. `checked`: repeating it does no harm, but it answers otherwise (404, 409)
 * or writes over what others have set since, so again only when nothing was applied. `never-repeat`: each send makes a new thing, and there is no idempotency key.
 */
export type Safety = 'safe' | 'checked' | 'never-repeat';

export interface Operation {
  readonly method: Method;
  /** Path under the origin; `{name}` is a path parameter. */
  readonly path: string;
  /** What each parameter of the path is: an identifier, or a plain text such as the name of a medium. */
  readonly params: Readonly<Record<string, IdPrefix | 'text'>>;
  readonly query?: () => z.ZodType;
  /** What judges the body at a moment in milliseconds, since some rules are about time. */
  readonly body?: (now: number) => Judge;
  /** `schema` is the whole answer as documented; `proof`, what of it must hold to be believed. */
  readonly success: { readonly status: number; readonly schema: () => z.ZodType; readonly proof: Proof };
  readonly safety: Safety;
  /** What a write does, for what is said where nobody knows whether it was done, and what its intent is kept as. */
  readonly effect?: Effect;
}

/** Statuses with which the service says no, having applied nothing: 401 with whatever body, the others with a JSON object. */
export const REFUSALS: readonly number[] = [400, 401, 402, 403, 404, 405, 409, 415, 422];

const onyePage = memo(() => page(onye()));
const ugwoPage = memo(() => page(ugwo()));
const checkoutList = memo(() => listOf(checkout()));
const providerList = memo(() => listOf(provider()));

/** The table of endpoints: the single truth for client and emulator (interface.md section 4). */
export const operations = {
  'onye.get': {
    method: 'GET',
    path: '/v1/onye/{uid}',
    params: { uid: 'ony' },
    success: { status: 200, schema: onye, proof: provesThing('ony') },
    safety: 'safe',
  },
  'onye.create': {
    method: 'POST',
    path: '/v1/onye',
    params: {},
    body: onyeCreate,
    success: { status: 200, schema: onye, proof: provesThing('ony') },
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
    success: { status: 200, schema: onyePage, proof: provesPage },
    safety: 'safe',
  },
  'onye.update': {
    method: 'PATCH',
    path: '/v1/onye/{uid}',
    params: { uid: 'ony' },
    body: onyeUpdate,
    success: { status: 200, schema: onye, proof: provesThing('ony') },
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
    success: { status: 200, schema: onye, proof: provesThing('ony') },
    safety: 'checked',
    effect: { kind: 'deletion', done: 'applied', hint: 'look for the customer; deleting it again does no harm' },
  },
  'ugwo.create': {
    method: 'POST',
    path: '/v1/ugwo',
    params: {},
    body: ugwoCreate,
    success: { status: 200, schema: ugwo, proof: provesThing('ugw') },
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
    success: { status: 200, schema: activity, proof: provesThing('act', namesNoOther, isNoOtherType) },
    safety: 'never-repeat',
    effect: CHARGE_EFFECT,
  },
  'ugwo.get': {
    method: 'GET',
    path: '/v1/ugwo/{uid}',
    params: { uid: 'ugw' },
    success: { status: 200, schema: ugwoWithActivities, proof: provesThing('ugw') },
    safety: 'safe',
  },
  'activity.get': {
    method: 'GET',
    path: '/v1/ugwo/{ugwoUid}/activities/{activityUid}',
    params: { ugwoUid: 'ugw', activityUid: 'act' },
    success: { status: 200, schema: activity, proof: provesThing('act', namesNoOther) },
    safety: 'safe',
  },
  'ugwo.list': {
    method: 'GET',
    path: '/v1/ugwo',
    params: {},
    query: pageQuery,
    success: { status: 200, schema: ugwoPage, proof: provesPage },
    safety: 'safe',
  },
  'ugwo.cancel': {
    method: 'DELETE',
    path: '/v1/ugwo/{uid}',
    params: { uid: 'ugw' },
    success: { status: 200, schema: ugwo, proof: provesThing('ugw') },
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
    success: { status: 200, schema: checkoutList, proof: provesList },
    safety: 'safe',
  },
  'checkout.get': {
    method: 'GET',
    path: '/v1/checkouts/{uid}',
    params: { uid: 'chk' },
    success: { status: 200, schema: checkout, proof: provesThing('chk') },
    safety: 'safe',
  },
  'checkout.providers': {
    method: 'GET',
    path: '/v1/checkouts/{uid}/{medium}',
    params: { uid: 'chk', medium: 'text' },
    success: { status: 200, schema: providerList, proof: provesList },
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
/** What an operation answers with, as documented. */
export type AnswerOf<K extends OperationId> = OutputOf<Operations[K]['success']['schema']>;
/** The lists that come page by page. */
export type ListId = { [K in OperationId]: AnswerOf<K> extends { data: unknown[] } ? K : never }[OperationId];
/** What of an operation's answer is proven. */
export type ProvenOf<K extends OperationId> = K extends ListId
  ? ThingPage
  : AnswerOf<K> extends readonly unknown[]
    ? readonly ListRecord[]
    : Thing;

/** Whether an operation answers with a page of a list; a bare array is a thing of its own. */
export const isPaged = ({ success }: Operation): boolean => success.proof === provesPage;

/** What of an answer is looked at beside its documented fields. */
const LOOKED_AT = ['ugwo_uid', 'medium', 'provider', 'phone', 'data'];

/** The names of the fields that matter in the answer of an operation. */
export const fieldsOf = ({ success }: Operation): readonly string[] => {
  const schema = success.schema();
  return [...Object.keys('shape' in schema ? (schema.shape as object) : {}), ...LOOKED_AT];
};

/** The same of all of them, and of their error documents; for an answer that is beyond the bounds. */
export const keptFields = memo((): readonly string[] => [
  ...new Set([...Object.values<Operation>(operations).flatMap(fieldsOf), ...PROBLEM_FIELDS]),
]);

/** The path of an operation with its parameters in place, each encoded. Unsafe segments must have been refused before. */
export const pathOf = (operation: Operation, params: Readonly<Record<string, string>>): string =>
  operation.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params[name] ?? ''));

/** Breaches of a request's rules as the service would word them: dotted property paths and short titles. */
export const breaches = (error: z.ZodError): { propertyPath: string; title: string }[] =>
  error.issues.map((issue) => ({ propertyPath: issue.path.join('.'), title: issue.message }));

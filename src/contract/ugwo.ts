import { memo } from '../core/async.ts';
import { cutName } from '../core/bounds.ts';
import { activity } from './activity.ts';
import { checkoutSnapshot } from './checkout.ts';
import {
  anyMembers,
  boundedText,
  customerOrText,
  enumLike,
  errorOrText,
  idShape,
  jsonSchemas,
  listOf,
  maybe,
  membersOrText,
  notBlank,
  numeric,
  type OutputOf,
  someText,
  textMap,
  textShape,
  time,
} from './common.ts';
import { onyeCreate } from './onye.ts';
import { z } from './zod.ts';

/** A payment request as lists show it (docs/service.md, Payment requests). Amounts in the minor unit. */
export const ugwo = memo(() =>
  z.looseObject({
    uid: idShape('ugw'),
    amount: numeric().nullish(),
    total_amount_paid: numeric().nullish(),
    currency: enumLike().nullish(),
    status: enumLike().nullish(),
    ref: textShape().nullish(),
    description: textShape().nullish(),
    metadata: anyMembers().optional(),
    meta: anyMembers().optional(),
    onye: customerOrText().optional(),
    onye_nzube: customerOrText().optional(),
    checkout: maybe(checkoutSnapshot()),
    latest_ugwo_activity: maybe(activity()),
    /** The same in the service's other spelling. */
    lastest_ugwo_activity: maybe(activity()),
    created_at: time().nullish(),
  }),
);
export type Ugwo = OutputOf<typeof ugwo>;

/** One payment request with every activity on it (docs/service.md, Payment requests); `activities` may be missing. */
export const ugwoWithActivities = memo(() => ugwo().extend({ activities: listOf(activity()).nullish() }));
export type UgwoWithActivities = OutputOf<typeof ugwoWithActivities>;

/** An amount in a request, in the minor unit. */
const minorAmount = memo(() =>
  z
    .number({ error: (issue) => (issue.input === undefined ? 'is required' : 'should be a whole number') })
    .refine((amount) => Number.isSafeInteger(amount), { error: 'should be a whole number of the minor unit' })
    .refine((amount) => amount > 0, { error: 'should be more than 0' })
    .register(jsonSchemas(), { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
);

/**
 * The body that creates a payment request (docs/service.md, Payment requests); the service's own plugin sends `meta`
 * and `onye_email`.
 */
export const ugwoCreate = memo(() =>
  z.looseObject({
    amount: minorAmount(),
    currency: z
      .string({ error: (issue) => (issue.input === undefined ? 'is required' : 'should be text') })
      .regex(/^[A-Za-z]{3}$/, { error: 'is not a currency code of three letters' }),
    onye: idShape('ony').optional(),
    onye_email: onyeCreate().shape.email.optional(),
    ref: boundedText(0, 150).optional(),
    description: boundedText(0, 150).optional(),
    checkout: idShape('chk').optional(),
    metadata: textMap().optional(),
    meta: textMap().optional(),
  }),
);

/** A refund (docs/service.md, Refunds). The prefix of its identifiers is not known. */
export const refund = memo(() =>
  z.looseObject({
    uid: someText(),
    status: enumLike(),
    amount: numeric().nullish(),
    currency: enumLike().nullish(),
    ref: textShape().nullish(),
    reason: textShape().nullish(),
    ugwo_activity: membersOrText().optional(),
    ugwo: membersOrText().optional(),
    destination: anyMembers().optional(),
    error: errorOrText().optional(),
    created_at: time().nullish(),
    updated_at: time().nullish(),
  }),
);
export type Refund = OutputOf<typeof refund>;

/** The body that refunds the payment of an activity; without an amount, all of it. */
export const refundCreate = memo(() =>
  z.looseObject({
    ugwo_activity: idShape('act'),
    amount: minorAmount().optional(),
    ref: boundedText(0, 150).optional(),
    reason: boundedText(0, 255).optional(),
    destination: z
      .looseObject(
        {
          provider: notBlank(),
          account_number: z.string({ error: 'should be text' }).regex(/^\d{10}$/, {
            error: ({ input }) => `${JSON.stringify(cutName(String(input)))} is not an account number of 10 digits`,
          }),
        },
        { error: 'should be an object' },
      )
      .optional(),
  }),
);

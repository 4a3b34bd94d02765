import * as z from 'zod';
import { memo } from '../core/memo.ts';
import { activity } from './activity.ts';
import { checkoutSnapshot } from './checkout.ts';
import type { OutputOf } from './common.ts';
import { anyMembers, described, enumLike, id, instant, listOf, objectOrText, textMap, textOf } from './common.ts';
import { onyeCreate } from './onye.ts';

/** A payment request as lists show it: interface.md 2.2, the rest from public material. Amounts in the minor unit. */
export const ugwo = memo(() =>
  z.looseObject({
    uid: id('ugw'),
    amount: z.number().nullish(),
    currency: enumLike().nullish(),
    status: enumLike().nullish(),
    ref: z.string().nullish(),
    description: z.string().nullish(),
    metadata: anyMembers().optional(),
    onye: objectOrText().optional(),
    checkout: checkoutSnapshot().nullish(),
    created_at: instant().nullish(),
  }),
);
export type Ugwo = OutputOf<typeof ugwo>;

/** One payment request with every activity on it (public material); `activities` may be missing. */
export const ugwoWithActivities = memo(() => ugwo().extend({ activities: listOf(activity()).nullish() }));
export type UgwoWithActivities = OutputOf<typeof ugwoWithActivities>;

/** An amount in a request, in the minor unit. */
export const minorAmount = memo(() =>
  z
    .number({ error: (issue) => (issue.input === undefined ? 'is required' : 'should be a whole number') })
    .refine((amount) => Number.isSafeInteger(amount), { error: 'should be a whole number of the minor unit' })
    .refine((amount) => amount > 0, { error: 'should be more than 0' })
    .register(described, { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
);

/** The body that creates a payment request (public material); the service's own plugin says `meta` and `onye_email`. */
export const ugwoCreate = memo(() =>
  z.looseObject({
    amount: minorAmount(),
    currency: z
      .string({ error: (issue) => (issue.input === undefined ? 'is required' : 'should be text') })
      .regex(/^[A-Za-z]{3}$/, { error: 'is not a currency code of three letters' }),
    onye: id('ony').optional(),
    onye_email: onyeCreate().shape.email.optional(),
    ref: textOf(0, 150).optional(),
    description: textOf(0, 150).optional(),
    checkout: id('chk').optional(),
    metadata: textMap().optional(),
    meta: textMap().optional(),
  }),
);

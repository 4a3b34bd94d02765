import * as z from 'zod';
import { activity } from './activity.ts';
import { checkoutSnapshot } from './checkout.ts';
import { anyMembers, enumLike, id, instant, listOf, objectOrText } from './common.ts';

/** A payment request as lists show it: interface.md 2.2, the rest from public material. Amounts in the minor unit. */
export const ugwo = z.looseObject({
  uid: id('ugw'),
  amount: z.number().nullish(),
  currency: enumLike.nullish(),
  status: enumLike.nullish(),
  ref: z.string().nullish(),
  description: z.string().nullish(),
  metadata: anyMembers.optional(),
  onye: objectOrText.optional(),
  checkout: checkoutSnapshot.nullish(),
  created_at: instant.nullish(),
});
export type Ugwo = z.output<typeof ugwo>;

/** One payment request with every activity on it (public material); `activities` may be missing. */
export const ugwoWithActivities = ugwo.extend({ activities: listOf(activity).nullish() });

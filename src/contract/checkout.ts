import * as z from 'zod';
import { enumLike, id } from './common.ts';

/** The snapshot of a checkout inside an activity or a payment request: interface.md 2.3. */
export const checkoutSnapshot = z.looseObject({
  uid: id('chk'),
  currency: enumLike.optional(),
  mediums: z.array(z.looseObject({ medium: enumLike })).optional(),
});
export type CheckoutSnapshot = z.output<typeof checkoutSnapshot>;

import * as z from 'zod';
import { enumLike, id, listOf } from './common.ts';

/** The snapshot of a checkout inside an activity or a payment request: interface.md 2.3. */
export const checkoutSnapshot = z.looseObject({
  uid: id('chk'),
  currency: enumLike.nullish(),
  mediums: listOf(z.looseObject({ medium: enumLike })).nullish(),
});
export type CheckoutSnapshot = z.output<typeof checkoutSnapshot>;

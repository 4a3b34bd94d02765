import { memo } from '../core/async.ts';
import { enumLike, idShape, listOf, numeric, type OutputOf, textShape } from './common.ts';
import { z } from './zod.ts';

/** The snapshot of a checkout inside an activity or a payment request (docs/service.md, Checkouts). */
export const checkoutSnapshot = memo(() =>
  z.looseObject({
    uid: idShape('chk'),
    currency: enumLike().nullish(),
    mediums: listOf(z.looseObject({ medium: enumLike() })).nullish(),
  }),
);
export type CheckoutSnapshot = OutputOf<typeof checkoutSnapshot>;

/** A checkout itself (docs/service.md, Checkouts). */
export const checkout = memo(() =>
  z.looseObject({
    uid: idShape('chk'),
    name: textShape().nullish(),
    currency: enumLike().nullish(),
    status: enumLike().nullish(),
    mediums: listOf(
      z.looseObject({ medium: enumLike(), position: numeric().nullish(), is_default: z.boolean().nullish() }),
    ).nullish(),
  }),
);
export type Checkout = OutputOf<typeof checkout>;

/**
 * Query of the checkout list; both filters may be repeated. Statuses: 1 is active, 2 inactive. Currencies: ISO codes.
 */
export const checkoutQuery = memo(() =>
  z.looseObject({
    'filter[status][]': z.array(z.enum(['1', '2'], { error: 'should be 1 (active) or 2 (inactive)' })).optional(),
    'filter[currency][]': z
      .array(z.string().regex(/^[A-Za-z]{3}$/, { error: 'is not a currency code of three letters' }))
      .optional(),
  }),
);

/** A provider of a checkout's medium and its banks (docs/service.md, Checkouts); the shape varies by medium. */
export const provider = memo(() =>
  z.looseObject({
    psp: enumLike().nullish(),
    banks: listOf(z.looseObject({ code: textShape().nullish(), name: textShape().nullish() })).nullish(),
  }),
);

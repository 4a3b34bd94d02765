import * as z from 'zod';
import { cutName } from '../core/bounds.ts';
import { memo } from '../core/memo.ts';
import type { OutputOf } from './common.ts';
import { anyMembers, enumLike, id, instant, notBlank, objectOrText, textOf } from './common.ts';
import { minorAmount } from './ugwo.ts';

/** Money that goes back (public material). What its identifiers begin with is not known. */
export const refund = memo(() =>
  z.looseObject({
    uid: z.string().min(1),
    status: enumLike(),
    amount: z.number().nullish(),
    currency: enumLike().nullish(),
    ref: z.string().nullish(),
    reason: z.string().nullish(),
    ugwo_activity: objectOrText().optional(),
    ugwo: objectOrText().optional(),
    destination: anyMembers().optional(),
    error: z
      .union([z.looseObject({ message: z.string().nullish() }), z.string(), z.array(z.unknown()), z.null()])
      .optional(),
    created_at: instant().nullish(),
    updated_at: instant().nullish(),
  }),
);
export type Refund = OutputOf<typeof refund>;

/** The body that gives back what was paid by an activity, all of it where no amount is said. */
export const refundCreate = memo(() =>
  z.looseObject({
    ugwo_activity: id('act'),
    amount: minorAmount().optional(),
    ref: textOf(0, 150).optional(),
    reason: textOf(0, 255).optional(),
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

import { memo } from '../core/async.ts';
import { anyMembers, boundedText, enumLike, idShape, noEntries, type OutputOf, textShape, time } from './common.ts';
import { z } from './zod.ts';

/** A customer in an answer (docs/service.md, Customers). */
export const onye = memo(() =>
  z.looseObject({
    uid: idShape('ony'),
    email: textShape().nullish(),
    first_name: textShape().nullish(),
    last_name: textShape().nullish(),
    ref: textShape().nullish(),
    billing_address: anyMembers().optional(),
    meta: anyMembers().optional(),
    status: enumLike().nullish(),
    created_at: time().nullish(),
  }),
);
export type Onye = OutputOf<typeof onye>;

/** An address in a request (docs/service.md, Customers): all texts, `country` an ISO 3166-1 alpha-2 code. */
const addressShape = memo(() =>
  z.looseObject(
    {
      address: boundedText(1, 100).optional(),
      address2: boundedText(0, 100).optional(),
      city: boundedText(1, 50).optional(),
      state: boundedText(1, 50).optional(),
      zip: boundedText(1, 10).optional(),
      country: z
        .string({ error: 'should be text' })
        .regex(/^[A-Za-z]{2}$/, { error: 'is not a two-letter country code' })
        .optional(),
    },
    { error: 'should be an object' },
  ),
);

const emailShape = memo(() =>
  z
    .string({ error: (issue) => (issue.input === undefined ? 'is required' : 'should be text') })
    .regex(/^(?:"[^"]+"|[^\s@"]+)@[^\s@]+$/, { error: 'is not a valid e-mail address' }),
);

const meta = memo(() => z.record(z.string(), z.unknown(), { error: 'should be an object of keys and values' }));

/**
 * The body of a partial update (docs/service.md, Customers). Checks only the rules that the service states, such as an
 * @ in an e-mail address; the service checks everything finer. Other fields are sent unchanged.
 */
export const onyeUpdate = memo(() =>
  z.looseObject({
    email: emailShape().optional(),
    ref: boundedText(0, 150).optional(),
    first_name: boundedText(0, 100).optional(),
    last_name: boundedText(0, 100).optional(),
    billing_address: addressShape().optional(),
    meta: meta().optional(),
  }),
);

/** The body that creates a customer (docs/service.md, Customers). */
export const onyeCreate = memo(() =>
  onyeUpdate().extend({
    email: emailShape(),
    // The service's own older plugin leaves these two blank on creation.
    billing_address: addressShape()
      .extend({ state: boundedText(0, 50).optional(), zip: boundedText(0, 10).optional() })
      .optional(),
    meta: z.union([meta(), noEntries()], { error: 'should be an object of keys and values' }).optional(),
  }),
);

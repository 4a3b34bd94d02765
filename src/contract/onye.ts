import { memo } from '../core/async.ts';
import { anyMembers, enumLike, id, noEntries, type OutputOf, text, textOf, time } from './common.ts';
import { z } from './zod.ts';

/** A customer in an answer: interface.md 2.1, the rest from public material. */
export const onye = memo(() =>
  z.looseObject({
    uid: id('ony'),
    email: text().nullish(),
    first_name: text().nullish(),
    last_name: text().nullish(),
    ref: text().nullish(),
    billing_address: anyMembers().optional(),
    meta: anyMembers().optional(),
    status: enumLike().nullish(),
    created_at: time().nullish(),
  }),
);
export type Onye = OutputOf<typeof onye>;

/** An address as on customer creation (public material): all strings, `country` an ISO 3166-1 alpha-2 code. */
const updatedAddress = memo(() =>
  z.looseObject(
    {
      address: textOf(1, 100).optional(),
      address2: textOf(0, 100).optional(),
      city: textOf(1, 50).optional(),
      state: textOf(1, 50).optional(),
      zip: textOf(1, 10).optional(),
      country: z
        .string({ error: 'should be text' })
        .regex(/^[A-Za-z]{2}$/, { error: 'is not a two-letter country code' })
        .optional(),
    },
    { error: 'should be an object' },
  ),
);

/** The service's own older plugin leaves these two blank on creation. */
const address = memo(() => updatedAddress().extend({ state: textOf(0, 50).optional(), zip: textOf(0, 10).optional() }));

const email = memo(() =>
  z
    .string({ error: (issue) => (issue.input === undefined ? 'is required' : 'should be text') })
    .regex(/^(?:"[^"]+"|[^\s@"]+)@[^\s@]+$/, { error: 'is not a valid e-mail address' }),
);

const meta = memo(() => z.record(z.string(), z.unknown(), { error: 'should be an object of keys and values' }));

/**
 * The body of a partial update (interface.md 4.1). Checks only the rules that the service states: an address without
 * an @, for example, can't be valid; the service checks everything finer. Other fields are sent unchanged.
 */
export const onyeUpdate = memo(() =>
  z.looseObject({
    email: email().optional(),
    ref: textOf(0, 150).optional(),
    first_name: textOf(0, 100).optional(),
    last_name: textOf(0, 100).optional(),
    billing_address: updatedAddress().optional(),
    meta: meta().optional(),
  }),
);

/** The body that creates a customer (public material). */
export const onyeCreate = memo(() =>
  onyeUpdate().extend({
    email: email(),
    billing_address: address().optional(),
    meta: z.union([meta(), noEntries()], { error: 'should be an object of keys and values' }).optional(),
  }),
);

import { memo } from '../core/async.ts';
import { isObject } from '../core/json.ts';
import { parseDuration } from '../core/time.ts';
import { EVENTS, isWanted } from '../core/webhook-event.ts';
import type { OutputOf } from './common.ts';
import { z } from './zod.ts';

/** Limits on the use of a rule: a share of the matching requests or events, and a number of times. */
const turns = memo(() => ({ share: z.number().gt(0).max(1).optional(), times: z.int().min(1).optional() }));

const duration = memo(() =>
  z.string().refine((text) => parseDuration(text) !== undefined, { error: 'is not a duration such as 5s or 2m' }),
);

/** The effects of a rule; it needs one of them. */
const EFFECTS = ['status', 'delay', 'reset', 'cut', 'bad_json'] as const;

/**
 * A rule that makes the emulator misbehave. It selects requests by `method`, by `path` (`*` stands for one segment, a
 * final `**` for the rest), by the `share` of the matching ones, and for at most so many `times`. Effects: a `delay`;
 * then an answer with another `status`, a `reset` of the connection, an answer that is `cut` after so many bytes, or
 * one that is `bad_json`. `when` says if a status or a reset comes before the request is executed (the default) or
 * after.
 */
const faultRule = memo(() =>
  z
    .strictObject({
      method: z.enum(['DELETE', 'GET', 'PATCH', 'POST']).optional(),
      path: z.string().startsWith('/', { error: 'should begin with /' }).optional(),
      ...turns(),
      delay: duration().optional(),
      status: z.int().min(400).max(599).optional(),
      retry_after: z.int().min(0).optional(),
      reset: z.literal(true).optional(),
      cut: z.int().min(0).optional(),
      bad_json: z.literal(true).optional(),
      when: z.enum(['before', 'after']).optional(),
    })
    .refine((rule) => EFFECTS.some((effect) => rule[effect] !== undefined), {
      error: `has no effect: give one of ${EFFECTS.join(', ')}`,
    })
    .refine(
      ({ status, reset, cut, bad_json }) =>
        [status, reset, cut, bad_json].filter((one) => one !== undefined).length < 2,
      {
        error: 'has more than one of status, reset, cut and bad_json',
      },
    ),
);
export type FaultRule = OutputOf<typeof faultRule>;

const DELIVERY_EFFECTS = ['twice', 'late', 'out_of_order', 'signature', 'cut', 'slow', 'never'] as const;

/** A rule for deliveries to webhooks: `event` selects them; `*` stands for any text. */
const deliveryRule = memo(() =>
  z
    .strictObject({
      event: z.string().refine((pattern) => EVENTS.some((event) => isWanted(event, [pattern])), {
        error: 'is no event, nor a pattern such as ugwo.* that any fits',
      }),
      ...turns(),
      twice: z.literal(true).optional(),
      /** A delay by the emulator's clock. */
      late: duration().optional(),
      /** Delivered after the event that follows it. */
      out_of_order: z.literal(true).optional(),
      signature: z.enum(['wrong', 'none']).optional(),
      cut: z.int().min(0).optional(),
      /** Duration of the sending, by the real clock. */
      slow: duration().optional(),
      never: z.literal(true).optional(),
    })
    .refine((rule) => DELIVERY_EFFECTS.filter((effect) => rule[effect] !== undefined).length === 1, {
      error: `has no effect, or several: give one of ${DELIVERY_EFFECTS.join(', ')}`,
    }),
);
export type DeliveryRule = OutputOf<typeof deliveryRule>;

export const isDeliveryRule = (rule: FaultRule | DeliveryRule): rule is DeliveryRule => 'event' in rule;

/** Validated as the intended kind of rule, so that the error names the actual fault. */
const anyRule = memo(() =>
  z.unknown().transform((rule, { issues }) => {
    const isOfDeliveries = isObject(rule) && 'event' in rule;
    const { error, data } = (isOfDeliveries ? deliveryRule() : faultRule()).safeParse(rule);
    if (data !== undefined) return data;
    for (const issue of error.issues) issues.push({ ...issue, code: 'custom', input: rule });
    return z.NEVER;
  }),
);

/** The rules of a file, and of the control endpoint. */
export const faultRules = memo(() =>
  z.strictObject({ rules: z.array(anyRule(), { error: 'should be a list of rules' }) }),
);

import * as z from 'zod';
import { parseDuration } from '../core/duration.ts';

/** The effects of which a rule needs one. */
const EFFECTS = ['status', 'delay', 'reset', 'cut', 'bad_json'] as const;

/**
 * A rule of how the emulator is to misbehave. Which requests: `method`, a `path` in which `*` stands for one segment and a
 * `**` at its end for the rest, the `share` of those, and at most how many `times`. What becomes of them: a `delay`; then
 * an answer with another `status`, a `reset` of the connection, an answer that is `cut` behind so many bytes, or one that
 * is `bad_json`. `when`: whether a status or a reset comes before the request is executed, as it does unless this says
 * otherwise, or after.
 */
const faultRule = z
  .strictObject({
    method: z.enum(['DELETE', 'GET', 'PATCH', 'POST']).optional(),
    path: z.string().startsWith('/', { error: 'should begin with /' }).optional(),
    share: z.number().gt(0).max(1).optional(),
    times: z.int().min(1).optional(),
    delay: z
      .string()
      .refine((text) => parseDuration(text) !== undefined, { error: 'is not a duration such as 5s or 2m' })
      .optional(),
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
    ({ status, reset, cut, bad_json }) => [status, reset, cut, bad_json].filter((one) => one !== undefined).length < 2,
    {
      error: 'has more than one of status, reset, cut and bad_json',
    },
  );
export type FaultRule = z.output<typeof faultRule>;

/** The rules of a file, and of the control endpoint. */
export const faultRules = z.strictObject({ rules: z.array(faultRule, { error: 'should be a list of rules' }) });

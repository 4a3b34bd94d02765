import * as z from 'zod';
import type { IdPrefix } from '../core/ids.ts';
import { isId } from '../core/ids.ts';
import { parseInstant } from '../core/time.ts';

/**
 * Answers are read tolerantly: fields that paycli does not know pass through, an enum's value may be new or come as a
 * `[value, label]` pair, and a documented field may be missing. What is there must have its documented type.
 */
export const id = (prefix: IdPrefix) =>
  z.string().refine((text) => isId(prefix, text), { error: `is not an identifier ${prefix}.XXXX.YYYY…` });

export const enumLike = z.union([z.string().min(1), z.tuple([z.string().min(1), z.string()])]);

export const instant = z
  .string()
  .refine((text) => parseInstant(text) !== undefined, { error: 'is not an ISO 8601 time with an offset' });

/** Length in characters as a reader counts them, not in UTF-16 units. */
export const textOf = (min: number, max: number) =>
  z.string().superRefine((text, context) => {
    const length = [...text].length;
    if (length < min) context.addIssue({ code: 'custom', message: 'should not be blank' });
    if (length > max)
      context.addIssue({ code: 'custom', message: `is too long: ${length} characters, at most ${max}` });
  });

export const notBlank = z
  .string({ error: (issue) => (issue.input === undefined ? 'is required' : 'should be a text') })
  .refine((text) => text.trim() !== '', { error: 'should not be blank' });

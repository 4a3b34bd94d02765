import * as z from 'zod';
import { memo } from '../core/memo.ts';
import { PAGE_DEFAULT, PAGE_MAX } from '../core/page.ts';
import { described } from './common.ts';

/** A page of any list: interface.md 2.6; how many records it may hold is asked before (proof.ts). `next_cursor` must be there: a page that forgets it would end a walk in silence. */
export const page = <T extends z.ZodType>(record: T) =>
  z.looseObject({ data: z.array(record), next_cursor: z.string().min(1).nullable() });

/** What a list is asked with (interface.md 4.3), as strings of a query. */
export const pageQuery = memo(() =>
  z.looseObject({
    cursor: z.string().optional(),
    limit: z
      .string()
      .superRefine((text, context) => {
        const limit = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
        if (Number.isNaN(limit)) context.addIssue('should be a whole number');
        else if (limit < 1) context.addIssue('should be at least 1');
        else if (limit > PAGE_MAX) context.addIssue(`should be at most ${PAGE_MAX}`);
      })
      // What a query says as text.
      .register(described, { type: 'integer', minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT })
      .optional(),
  }),
);

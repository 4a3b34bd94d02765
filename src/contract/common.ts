import * as z from 'zod';
import { memo } from '../core/async.ts';
import { BOUNDS } from '../core/bounds.ts';
import { type IdPrefix, isId } from '../core/ids.ts';
import { PAGE_DEFAULT, PAGE_MAX } from '../core/record.ts';
import { parseInstant } from '../core/time.ts';

// Answers are read tolerantly: fields that paycli does not know pass through, an enum's value may be new or come as a
// `[value, label]` pair, and a documented field may be missing. What is there must have its documented type.

/**
 * What a check of one's own lets through, in JSON Schema, where a schema of zod's may stand for its own. It takes the whole
 * place of what zod would say, and the OpenAPI document is made of it; nothing at run time reads it.
 */
export const described = z.registry<Readonly<Record<string, unknown>>>();

/** What is made of a value by a schema, which is made when it is first asked for: most runs need few, and each takes a tenth of a millisecond. */
export type OutputOf<T extends () => z.ZodType> = z.output<ReturnType<T>>;

/** What judges a value: a schema, or what stands for one. */
export interface Judge<T = unknown> {
  /** What it judges the shape by, where it looks at more than that. */
  readonly schema?: z.ZodType;
  safeParse(
    value: unknown,
  ): { success: true; data: T; error?: undefined } | { success: false; data?: undefined; error: z.ZodError };
}

/** An identifier with this prefix: interface.md section 2. */
export const id = (prefix: IdPrefix) =>
  z
    .string()
    .refine((text) => isId(prefix, text), { error: `is not an identifier ${prefix}.XXXX.YYYY…` })
    .register(described, { type: 'string', pattern: `^${prefix}(\\.[A-Za-z0-9_]+){2,}$`, maxLength: BOUNDS.id });

// These are asked of every field of every record of a walk: one function each, where a union would try schema by schema.

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';

const isEnumLike = (value: unknown): boolean =>
  isName(value) || (Array.isArray(value) && value.length === 2 && isName(value[0]) && typeof value[1] === 'string');

/** The value of an enum, known or not: a text, or a pair `[machine value, label]` (public material). */
export const enumLike = memo(() =>
  z
    .custom<string | [value: string, label: string]>(isEnumLike, { error: 'is neither text nor a pair [value, label]' })
    .register(described, {
      anyOf: [
        { type: 'string', minLength: 1 },
        {
          type: 'array',
          prefixItems: [{ type: 'string', minLength: 1 }, { type: 'string' }],
          minItems: 2,
          maxItems: 2,
        },
      ],
    }),
);

/** Says of a fault that an object was wanted: a check of one's own gives all faults one code. */
const byMembers = { byMembers: true };

/** What may hold anything, under whatever names: an object, or a list, as an empty object of the service's language comes. */
export const anyMembers = memo(() =>
  z
    .custom<Record<string, unknown> | unknown[] | null>((value) => typeof value === 'object', {
      error: 'is not an object',
      params: byMembers,
    })
    .register(described, { type: ['object', 'array', 'null'] }),
);

/** Of the faults in a list the first are enough: there may be a million of them, each of which takes a thousand bytes. */
const MOST_ISSUES = 20;

/** A list of what a schema describes. */
export const listOf = <T extends z.ZodType>(element: T) =>
  z
    .array(z.unknown())
    .superRefine((elements, context) => {
      let issues = 0;
      for (const [index, one] of elements.entries()) {
        const { error } = element.safeParse(one);
        for (const { path, ...issue } of error?.issues ?? []) {
          issues += 1;
          context.addIssue({ ...issue, path: [index, ...path] } as Parameters<typeof context.addIssue>[0]);
        }
        if (issues >= MOST_ISSUES) return;
      }
    })
    .register(described, { type: 'array', items: element }) as unknown as z.ZodArray<T>;

/** An object of its own, the name of one, or none. */
export const objectOrText = memo(() =>
  z
    .custom<Record<string, unknown> | string | null>(
      (value) => typeof value === 'string' || (typeof value === 'object' && !Array.isArray(value)),
      { error: 'is neither an object nor text', params: byMembers },
    )
    .register(described, { type: ['object', 'string', 'null'] }),
);

/** As `parseInstant` reads it, but for days that a month has not: no pattern knows those. */
const instantPattern = [
  String.raw`^\s*\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d{1,9})?)?`,
  String.raw`([Zz]|[+-]([01]\d|2[0-3]):?[0-5]\d)\s*$`,
].join('');

/** A moment as ISO 8601 with an offset (interface.md 2.4), for whoever checks it by `parseInstant`. */
export const INSTANT = { type: 'string', pattern: instantPattern };

export const instant = memo(() =>
  z
    .string()
    .refine((text) => parseInstant(text) !== undefined, { error: 'is not an ISO 8601 time with an offset' })
    .register(described, INSTANT),
);

/** How some servers write an empty map. */
export const noEntries = memo(() => z.tuple([]).register(described, { type: 'array', maxItems: 0 }));

/** Keys and texts: interface.md 2.1, and public material. */
export const textMap = memo(() =>
  z.union([z.record(z.string(), z.string().nullable()), noEntries()], {
    error: 'should be an object of keys and texts',
  }),
);

/** Length in characters as a reader counts them, not in UTF-16 units. */
export const textOf = (min: number, max: number) =>
  z
    .string({ error: 'should be text' })
    .superRefine((text, context) => {
      const length = [...text].length;
      if (length < min) context.addIssue('should not be blank');
      if (length > max) context.addIssue(`is too long: ${length} characters, at most ${max}`);
    })
    .register(described, { type: 'string', minLength: min, maxLength: max });

/** A required text: interface.md section 7, "a required value is blank or missing". */
export const notBlank = memo(() =>
  z
    .string({ error: (issue) => (issue.input === undefined ? 'is required' : 'should be text') })
    .refine((text) => text.trim() !== '', { error: 'should not be blank' })
    .register(described, { type: 'string', pattern: '\\S' }),
);

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

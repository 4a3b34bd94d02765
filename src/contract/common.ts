import type * as zod from 'zod';
import { memo } from '../core/async.ts';
import { BOUNDS } from '../core/bounds.ts';
import { type IdPrefix, isId } from '../core/ids.ts';
import { PAGE_DEFAULT, PAGE_MAX } from '../core/record.ts';
import { parseInstant, readInstant } from '../core/time.ts';
import { z } from './zod.ts';

// Answers are validated tolerantly (docs/service.md, Shapes): unknown fields pass through, a documented field may be
// missing, and a present one may have another form. Its TypeScript type is the documented form alone, which the emulator
// makes.

/**
 * JSON Schema of the values that a custom check accepts; zod schemas are allowed inside it. It replaces zod's own
 * description, and the OpenAPI document is generated from it; nothing reads it at run time.
 */
export const jsonSchemas = memo(() => z.registry<Readonly<Record<string, unknown>>>());

/**
 * Output type of a memoized schema. Schemas are created on first use: most runs need few, and each takes a tenth of a
 * millisecond.
 */
export type OutputOf<T extends () => zod.ZodType> = zod.output<ReturnType<T>>;

/** A schema, or an object that validates like one. */
export interface Judge<T = unknown> {
  /** The schema for the shape, when more than the shape is checked. */
  readonly schema?: zod.ZodType;
  safeParse(
    value: unknown,
  ): { success: true; data: T; error?: undefined } | { success: false; data?: undefined; error: zod.ZodError };
}

/** An identifier with this prefix (docs/service.md, Identifiers). */
export const idShape = (prefix: IdPrefix) =>
  z
    .string({ error: `is not an identifier ${prefix}.XXXX.YYYY…` })
    .refine((text) => isId(prefix, text), { error: `is not an identifier ${prefix}.XXXX.YYYY…` })
    .register(jsonSchemas(), { type: 'string', pattern: `^${prefix}(\\.[A-Za-z0-9_]+){2,}$`, maxLength: BOUNDS.id });

// These checks run on every field of every record of a walk: one function each, where a union would try schema by
// schema.

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';

const isEnumLike = (value: unknown): boolean =>
  isName(value) || (Array.isArray(value) && value.length === 2 && isName(value[0]) && typeof value[1] === 'string');

/** An enum value, known or not: a text, or a pair `[machine value, label]` (docs/service.md, Shapes). */
export const enumLike = memo(() =>
  z
    .custom<string | [value: string, label: string]>(isEnumLike, { error: 'is neither text nor a pair [value, label]' })
    .register(jsonSchemas(), {
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

/** A text, which may come as a number. */
export const textShape = memo(() =>
  z
    .custom<string>((value) => typeof value === 'string' || typeof value === 'number', { error: 'is not text' })
    .register(jsonSchemas(), { type: ['string', 'number'] }),
);

/** A text that is not empty, or a number. */
export const someText = memo(() =>
  z
    .custom<string>((value) => isName(value) || typeof value === 'number', { error: 'is not text' })
    .register(jsonSchemas(), { type: ['string', 'number'], minLength: 1 }),
);

const WHOLE_NUMBER = /^-?\d+(?:\.0+)?$/;

/** A number, which may come as a text of digits. */
export const numeric = memo(() =>
  z
    .custom<number>((value) => typeof value === 'number' || (typeof value === 'string' && WHOLE_NUMBER.test(value)), {
      error: 'is neither a number nor a text of digits',
    })
    .register(jsonSchemas(), { type: ['number', 'string'], pattern: WHOLE_NUMBER.source }),
);

/**
 * An object with any members, or a list, since the service's language writes an empty object as one; null is allowed.
 */
export const anyMembers = memo(() =>
  z
    .custom<Record<string, unknown> | unknown[] | null>((value) => typeof value === 'object', {
      error: 'is not an object',
    })
    .register(jsonSchemas(), { type: ['object', 'array', 'null'] }),
);

/** Members of any value by name, with what each one is, for the OpenAPI document. */
type Described = Readonly<Record<string, string>>;

const orText = (more: Readonly<Record<string, unknown>>) =>
  z
    .custom<Record<string, unknown> | unknown[] | string | null>(
      (value) => typeof value === 'string' || typeof value === 'object',
      { error: 'is neither an object nor text' },
    )
    .register(jsonSchemas(), { type: ['object', 'array', 'string', 'null'], ...more });

/** Like `anyMembers`, or a text: the name of an object, or a sentence. */
export const membersOrText = memo(() => orText({}));

/** Like `membersOrText`, with the members that paycli reads. They may have any form. */
const describedOrText = (members: Described) =>
  orText({
    properties: Object.fromEntries(Object.entries(members).map(([name, description]) => [name, { description }])),
  });

/** The customer of a payment request: whole, or in short. */
export const customerOrText = memo(() =>
  describedOrText({
    uid: 'The identifier of the customer',
    email: 'The e-mail address',
    first_name: 'The first name',
    last_name: 'The last name',
    ref: "The workspace's own reference",
    billing_address: 'The address for bills',
    meta: 'Texts by name',
    status: 'The status, such as active',
    created_at: 'The time of its creation',
  }),
);

/** Reason why an activity or a refund failed. */
export const errorOrText = memo(() =>
  describedOrText({ code: 'A code such as psp.error.declined', message: 'The reason, in words' }),
);

/** An empty map, which some servers write as a list. */
export const noEntries = memo(() => z.tuple([]).register(jsonSchemas(), { type: 'array', maxItems: 0 }));

type Context = zod.core.$RefinementCtx;

/** Passes issues on, under the path of the value that they are about. */
export const passIssues = (
  context: Context,
  issues: readonly zod.core.$ZodIssue[] = [],
  at: readonly number[] = [],
): void => {
  for (const { path, ...issue } of issues)
    context.addIssue({ ...issue, path: [...at, ...path] } as Parameters<Context['addIssue']>[0]);
};

/** An object that matches a schema. It may be missing, null, or an empty list. */
export const maybe = <T extends zod.ZodType>(schema: T) =>
  z
    .unknown()
    .superRefine((value, context) => {
      const isNone = value === null || (Array.isArray(value) && value.length === 0);
      if (!isNone) passIssues(context, schema.safeParse(value).error?.issues);
    })
    .register(jsonSchemas(), { anyOf: [schema, { type: 'null' }, noEntries()] })
    .optional() as unknown as zod.ZodOptional<zod.ZodNullable<T>>;

/** Limit on the reported issues of a list: there may be a million, and each takes a thousand bytes. */
const MOST_ISSUES = 20;

/** A list whose elements match a schema. */
export const listOf = <T extends zod.ZodType>(element: T) =>
  z
    .array(z.unknown())
    .superRefine((elements, context) => {
      let issues = 0;
      for (const [index, one] of elements.entries()) {
        const { error } = element.safeParse(one);
        passIssues(context, error?.issues, [index]);
        issues += error?.issues.length ?? 0;
        if (issues >= MOST_ISSUES) return;
      }
    })
    .register(jsonSchemas(), { type: 'array', items: element }) as unknown as zod.ZodArray<T>;

// Patterns for JSON Schema. None can exclude days that a month does not have.
const DAY_PATTERN = String.raw`\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`;
const CLOCK_PATTERN = String.raw`([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d{1,9})?)?`;
const OFFSET = String.raw`([Zz]|[+-]([01]\d|2[0-3]):?[0-5]\d)`;

/** An ISO 8601 time with an offset (docs/service.md, Activities) in a request. */
export const instant = memo(() =>
  z
    .string({ error: 'should be text' })
    .refine((text) => parseInstant(text) !== undefined, { error: 'is not an ISO 8601 time with an offset' })
    .register(jsonSchemas(), {
      type: 'string',
      pattern: String.raw`^\s*${DAY_PATTERN}[Tt]${CLOCK_PATTERN}${OFFSET}\s*$`,
    }),
);

/** A time in an answer: also without an offset, or with a blank for the T. */
export const time = memo(() =>
  z
    .custom<string>((value) => readInstant(value) !== undefined, { error: 'is not an ISO 8601 time' })
    .register(jsonSchemas(), {
      type: 'string',
      pattern: String.raw`^\s*${DAY_PATTERN}([Tt]| +)${CLOCK_PATTERN}${OFFSET}?\s*$`,
    }),
);

/** Texts by name (docs/service.md, Customers). */
export const textMap = memo(() =>
  z.union([z.record(z.string(), z.string().nullable()), noEntries()], {
    error: 'should be an object of keys and texts',
  }),
);

/** A text with a length in characters as a reader counts them, not in UTF-16 units. */
export const boundedText = (min: number, max: number) =>
  z
    .string({ error: 'should be text' })
    .superRefine((text, context) => {
      const length = [...text].length;
      if (length < min) context.addIssue('should not be blank');
      if (length > max) context.addIssue(`is too long: ${length} characters, at most ${max}`);
    })
    .register(jsonSchemas(), { type: 'string', minLength: min, maxLength: max });

/** A required text (docs/service.md, Errors). */
export const notBlank = memo(() =>
  z
    .string({ error: (issue) => (issue.input === undefined ? 'is required' : 'should be text') })
    .refine((text) => text.trim() !== '', { error: 'should not be blank' })
    .register(jsonSchemas(), { type: 'string', pattern: '\\S' }),
);

/**
 * A page of any list (docs/service.md, Lists). Its proof has checked the number of records. `next_cursor` is required:
 * a page without it would end a walk silently.
 */
export const pageShape = <T extends zod.ZodType>(record: T) =>
  z.looseObject({ data: z.array(record), next_cursor: z.string().min(1).nullable() });

/** Reason why the limit of a page is not valid; undefined for a valid one. */
export const limitFault = (text: string): string | undefined => {
  if (!/^-?\d+$/.test(text)) return 'should be a whole number';
  if (Number(text) < 1) return 'should be at least 1';
  return Number(text) > PAGE_MAX ? `should be at most ${PAGE_MAX}` : undefined;
};

/** Query of a paged list (docs/service.md, Lists), with values as strings. */
export const pageQuery = memo(() =>
  z.looseObject({
    cursor: z.string().optional(),
    limit: z
      .string()
      .superRefine((text, context) => {
        const fault = limitFault(text);
        if (fault !== undefined) context.addIssue(fault);
      })
      // A query has numbers as text.
      .register(jsonSchemas(), { type: 'integer', minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT })
      .optional(),
  }),
);

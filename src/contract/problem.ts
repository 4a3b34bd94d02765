import { memo } from '../core/async.ts';
import { BOUNDS, cutList, cutText } from '../core/bounds.ts';
import type { Violation } from '../core/error.ts';
import { isObject, namesAlong, valueAt } from '../core/json.ts';
import { jsonSchemas, listOf, type OutputOf } from './common.ts';
import { z } from './zod.ts';

/**
 * The service's own error document: RFC 7807 with `violations`. A proxy may also answer 429; only a document of the
 * service's own shapes proves that the service did.
 */
export const problemAnswer = memo(() =>
  z.looseObject({
    type: z.string().optional(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string().nullish(),
    violations: listOf(z.looseObject({ propertyPath: z.string(), title: z.string() })).nullish(),
  }),
);
export type ProblemAnswer = OutputOf<typeof problemAnswer>;

/** An error code such as `nzube.ugwo.error.ref_already_exists`. */
const DOTTED_CODE = /^[A-Za-z][\w-]*(?:\.[\w-]+)+$/;

/**
 * The service's second shape: `{message: "<code>", errors: [{field, message}]}` (docs/service.md, Errors). Gateways
 * also send `{message: "Conflict", errors: []}`: only a code of the service, or a named error, makes the document its
 * own.
 */
const message = memo(() =>
  z.looseObject({
    message: z.string(),
    errors: listOf(z.looseObject({ field: z.string().optional(), message: z.string() })),
  }),
);
export const messageAnswer = memo(() =>
  message()
    .refine(({ message, errors }) => errors.length > 0 || DOTTED_CODE.test(message))
    .register(jsonSchemas(), {
      allOf: [message()],
      anyOf: [
        { properties: { errors: { minItems: 1 } } },
        { properties: { message: { pattern: DOTTED_CODE.source } } },
      ],
    }),
);

/** True if an error document has one of the service's own shapes and matches its status. */
export const isOwnDocument = (status: number, body: unknown): boolean => {
  const first = problemAnswer().safeParse(body);
  return first.success ? first.data.status === status : messageAnswer().safeParse(body).success;
};

/** Content of an error document of any shape. */
export interface Problem {
  /** Empty if there is none. */
  readonly title: string;
  readonly detail: string | undefined;
  /** The first `BOUNDS.violations` of them. */
  readonly violations: readonly Violation[];
  /** Number of the omitted violations; absent when there are none. */
  readonly more?: number;
}

const sentenceOf = (value: unknown): string =>
  typeof value === 'string' ? cutText(value.trim(), BOUNDS.sentence) : '';

/** The first text among these members. */
const firstSentence = (value: unknown, names: readonly string[]): string =>
  names.map((name) => sentenceOf(valueAt(value, name))).find((text) => text !== '') ?? '';

/** Violations of one entry of a list, or of the value under a path. */
const violationsIn = (entry: unknown, path: string): Violation[] => {
  if (Array.isArray(entry)) return entry.flatMap((one) => violationsIn(one, path));
  const title = isObject(entry)
    ? firstSentence(entry, ['title', 'message', 'detail', 'error', 'code'])
    : sentenceOf(entry);
  const propertyPath =
    firstSentence(entry, ['propertyPath', 'property_path', 'field', 'path', 'property', 'name']) || path;
  return title === '' ? [] : [{ propertyPath, title }];
};

/** Violations from a list, or from an object whose names are the paths. */
const violationsOf = (listed: unknown): Violation[] => {
  if (Array.isArray(listed)) return violationsIn(listed, '');
  return isObject(listed) ? Object.entries(listed).flatMap(([path, entry]) => violationsIn(entry, path)) : [];
};

const keyOf = ({ propertyPath, title }: Violation): string => JSON.stringify([namesAlong(propertyPath, []), title]);

/** The violations of all shapes, without duplicates. */
const allViolations = (body: unknown): Violation[] => {
  const said = violationsOf(valueAt(body, 'violations'));
  const keys = new Set(said.map(keyOf));
  const others = ['errors', 'error.violations', 'error.errors'].flatMap((name) => violationsOf(valueAt(body, name)));
  return [...said, ...others.filter((one) => !keys.has(keyOf(one)))];
};

/** Members that may hold the title, in order; the next one with another text holds the detail. */
const SENTENCE_NAMES = [
  'title',
  'message',
  'error',
  'error.title',
  'error.message',
  'error_description',
  'detail',
  'code',
];

/**
 * Reads a JSON object of any shape as an error document: RFC 7807, `{message}`, `{code, message}`, `{errors}`,
 * violations by path. An empty list is an empty object of the service's language. Undefined for anything else.
 */
export const readProblem = (body: unknown): Problem | undefined => {
  if (!isObject(body) || (Array.isArray(body) && body.length > 0)) return undefined;
  const words = [...new Set(SENTENCE_NAMES.map((name) => sentenceOf(valueAt(body, name))))].filter(
    (text) => text !== '',
  );
  const { first, more } = cutList(allViolations(body), BOUNDS.violations);
  return { title: words[0] ?? '', detail: words[1], violations: first, ...(more === 0 ? {} : { more }) };
};

/**
 * True if a 404 is about an object, by one of its names, and not about its address: a service without this read
 * names the path, or a route.
 */
export const namesThing = (body: unknown, names: readonly string[]): boolean => {
  const plain = (text: string): string => text.toLowerCase().replaceAll('_', ' ');
  return ['detail', 'message', 'code', 'error.detail', 'error.message', 'error.code'].some((member) => {
    const text = plain(sentenceOf(valueAt(body, member)));
    if (/\b(?:route|endpoint)\b/.test(text)) return false;
    const words = text.replaceAll(/\S*\/\S*/g, '');
    return names.some((name) => words.includes(plain(name)));
  });
};

/** The paths of all members that are read from an error document. */
export const PROBLEM_FIELDS: readonly string[] = [...SENTENCE_NAMES, 'violations', 'errors'];

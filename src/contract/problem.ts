import * as z from 'zod';
import type { Violation } from '../core/error.ts';

/**
 * The service's own error documents. Only these prove that it was the service that said no: a proxy's page, or an
 * answer whose document names another status than its own, proves nothing.
 */
const problemDocument = z.looseObject({
  type: z.string().optional(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string().nullish(),
  violations: z.array(z.looseObject({ propertyPath: z.string(), title: z.string() })).nullish(),
});
/** `nzube.ugwo.error.ref_already_exists` */
const DOTTED_CODE = /^[a-z][\w-]*(?:\.[\w-]+)+$/i;
/**
 * The second shape that is live: `{message: "<code>", errors: [{field, message}]}` (public material). A gateway says
 * `{message: "Conflict", errors: []}`, too: only a code of the service's, or a fault that it names, makes it its own.
 */
const messageDocument = z
  .looseObject({
    message: z.string(),
    errors: z.array(z.looseObject({ field: z.string().optional(), message: z.string() })),
  })
  .refine(({ message, errors }) => errors.length > 0 || DOTTED_CODE.test(message));

/** An error document of either shape, in one. */
export interface Problem {
  readonly title: string;
  readonly detail: string | undefined;
  readonly violations: readonly Violation[];
}

/** The error document that came with HTTP status `status`; undefined when it is not the service's. */
export const readProblem = (status: number, body: unknown): Problem | undefined => {
  const first = problemDocument.safeParse(body);
  if (first.success) {
    if (first.data.status !== status) return undefined;
    const violations = (first.data.violations ?? []).map(({ propertyPath, title }) => ({ propertyPath, title }));
    return { title: first.data.title, detail: first.data.detail ?? undefined, violations };
  }
  const second = messageDocument.safeParse(body);
  if (!second.success) return undefined;
  const violations = second.data.errors.map(({ field, message }) => ({ propertyPath: field ?? '', title: message }));
  return { title: second.data.message, detail: undefined, violations };
};

/** What the emulator answers with: RFC 7807 with the service's `violations`. */
export const problemAnswer = problemDocument;
export type ProblemAnswer = z.output<typeof problemDocument>;

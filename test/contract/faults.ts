import type * as z from 'zod';
import { breaches } from '../../src/contract/operations.ts';

/** The rules that a value breaks, as a user would see them: empty when the schema takes it. */
export const faultsOf = (schema: z.ZodType, value: unknown): { propertyPath: string; title: string }[] => {
  const result = schema.safeParse(value);
  return result.success ? [] : breaches(result.error);
};

export const pathsOf = (schema: z.ZodType, value: unknown): string[] =>
  faultsOf(schema, value).map(({ propertyPath }) => propertyPath);

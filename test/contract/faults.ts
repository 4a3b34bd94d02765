import type { Judge } from '../../src/contract/common.ts';
import { breaches } from '../../src/contract/operations.ts';

/** The rules that a value breaks, as a user would see them: empty when the schema takes it. */
export const faultsOf = (schema: Judge, value: unknown): { propertyPath: string; title: string }[] => {
  const result = schema.safeParse(value);
  return result.success ? [] : breaches(result.error);
};

export const pathsOf = (schema: Judge, value: unknown): string[] =>
  faultsOf(schema, value).map(({ propertyPath }) => propertyPath);

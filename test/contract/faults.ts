import type { Judge } from '../../src/contract/common.ts';
import { breaches } from '../../src/contract/operations.ts';

/** The faults of a value as a user sees them; empty if the schema accepts it. */
export const faultsOf = (schema: Judge, value: unknown): { propertyPath: string; title: string }[] => {
  const result = schema.safeParse(value);
  return result.success ? [] : breaches(result.error);
};

export const pathsOf = (schema: Judge, value: unknown): string[] =>
  faultsOf(schema, value).map(({ propertyPath }) => propertyPath);

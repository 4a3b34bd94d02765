/** The contract's schemas as JSON Schema (2020-12), the dialect of OpenAPI 3.1. */
import * as z from 'zod';
import { jsonSchemas } from '../src/contract/common.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Named schemas. Other schemas refer to them by name. */
export type Named = ReadonlyMap<z.core.$ZodType, string>;

const isSchema = (value: unknown): value is z.ZodType => value instanceof z.ZodType;

/** Converts every zod schema within a value. */
const converted = (value: unknown, named: Named): unknown => {
  if (isSchema(value)) return jsonSchemaOf(value, named);
  if (Array.isArray(value)) return value.map((one) => converted(one, named));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, converted(one, named)]));
};

const replace = (target: Record<string, unknown>, by: object): void => {
  for (const name of Object.keys(target)) delete target[name];
  Object.assign(target, by);
};

/** zod's JSON Schema. For checks by functions, the contract's own description replaces it. */
const whole = (schema: z.ZodType, named: Named): JsonSchema => {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const name = zodSchema === (schema as z.core.$ZodType) ? undefined : named.get(zodSchema);
      const said = jsonSchemas().get(zodSchema as z.core.$ZodType as z.ZodType);
      if (name !== undefined) replace(jsonSchema, { $ref: `#/components/schemas/${name}` });
      else if (said !== undefined) replace(jsonSchema, converted(said, named) as object);
    },
  });
  return json;
};

/** JSON Schema of a schema, or a reference if it has a name. */
export const jsonSchemaOf = (schema: z.ZodType, named: Named): JsonSchema => {
  const name = named.get(schema);
  return name === undefined ? whole(schema, named) : { $ref: `#/components/schemas/${name}` };
};

/** All named schemas, by name. */
export const componentsOf = (named: Named): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries([...named].map(([schema, name]) => [name, whole(schema as z.ZodType, named)]));

import Ajv, { type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { schemaDocument } from '../../scripts/schema/document.ts';

interface Document {
  readonly commands: readonly {
    readonly name: string;
    readonly danger: string;
    readonly exit_codes: readonly { readonly code: number }[];
    readonly output: { readonly columns: readonly string[]; readonly json: object; readonly ndjson_line: object };
  }[];
  readonly error: object;
  readonly $defs: Readonly<Record<string, object>>;
}

/** The schema, computed from the source. A test compares it with the program's output. */
export const document = JSON.parse(JSON.stringify(schemaDocument())) as Document;

export const command = (path: string) => document.commands.find(({ name }) => name === path);

const ajv = new Ajv.default({ strict: false, allErrors: true });
const validators = new Map<object, ValidateFunction>();

/** Validates JSON text against a printed schema. */
export const judged = (schema: object, text: string): void => {
  const validate = validators.get(schema) ?? ajv.compile({ ...schema, $defs: document.$defs });
  validators.set(schema, validate);
  const valid = validate(JSON.parse(text));
  expect(validate.errors ?? [], text).toEqual([]);
  expect(valid).toBe(true);
};

import Ajv from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { schemaDocument } from '../../scripts/schema/document.ts';

export interface Document {
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

/** Validates JSON text against a printed schema. */
export const judged = (schema: object, text: string): void => {
  const ajv = new Ajv.default({ strict: false, allErrors: true });
  const valid = ajv.validate({ ...schema, $defs: document.$defs }, JSON.parse(text));
  expect(ajv.errors ?? [], text).toEqual([]);
  expect(valid).toBe(true);
};

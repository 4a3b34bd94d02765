import { readFileSync } from 'node:fs';
import Ajv from 'ajv/dist/2020.js';
import { expect } from 'vitest';

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

/** The committed schema. A test compares it with the program's output. */
export const kept = readFileSync('docs/schema.json', 'utf8');
export const document = JSON.parse(kept) as Document;

export const command = (path: string) => document.commands.find(({ name }) => name === path);

/** Validates JSON text against a printed schema. */
export const judged = (schema: object, text: string): void => {
  const ajv = new Ajv.default({ strict: false, allErrors: true });
  const valid = ajv.validate({ ...schema, $defs: document.$defs }, JSON.parse(text));
  expect(ajv.errors ?? [], text).toEqual([]);
  expect(valid).toBe(true);
};

/** A row as its file has it. */
export interface InputRow {
  /** The first data row is 1; blank lines are not counted. */
  readonly number: number;
  /** CSV: texts; NDJSON: values. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The fields of a row, without a prototype: a column may be called `__proto__`, and none is called `constructor` unasked. */
export const fieldsOf = (entries: Iterable<readonly [string, unknown]>): Readonly<Record<string, unknown>> => {
  const fields: Record<string, unknown> = Object.create(null);
  for (const [name, value] of entries) fields[name] = value;
  return fields;
};

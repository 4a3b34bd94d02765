/** The fields of a row, without a prototype: a column may be called `__proto__`, and none is called `constructor` unasked. */
export const fieldsOf = (entries: Iterable<readonly [string, unknown]>): Readonly<Record<string, unknown>> => {
  const fields: Record<string, unknown> = Object.create(null);
  for (const [name, value] of entries) fields[name] = value;
  return fields;
};

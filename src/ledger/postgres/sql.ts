import type { Value } from '../columns.ts';
import type { Statement } from '../sql/statement.ts';

/** PostgreSQL keeps no NUL. */
export const withoutNul = (text: string): string => text.replaceAll('\0', '\uFFFD');

/** Where a text is taken as it stands, a backslash is one; half of a surrogate pair is kept by nobody. */
const quoted = (text: string): string => {
  const kept = withoutNul(text).toWellFormed().replaceAll("'", "''");
  return kept.includes('\\') ? `E'${kept.replaceAll('\\', '\\\\')}'` : `'${kept}'`;
};

/**
 * A value as it stands in a statement. Several statements go to the server in one message, which saves a round trip for each
 * and takes no parameters; the connection is of the encoding UTF-8.
 */
export const literal = (value: Value | boolean | undefined): string => {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error('only finite numbers are kept');
  if (value instanceof Uint8Array) throw new Error('no bytes are kept');
  return String(value);
};

/** `('a', 'b')`; of nothing, what nothing is in. */
export const list = (values: readonly Value[]): string =>
  values.length === 0 ? '(NULL)' : `(${values.map(literal).join(', ')})`;

/** A statement with its values where they stand. */
export const inlined = ([sql, ...values]: Statement): string => {
  let at = 0;
  return sql.replaceAll('?', () => literal(values[at++]));
};

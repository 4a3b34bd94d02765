import { usageError } from './error.ts';

/**
 * A path of the service: words and ids. A server may read anything else as another spelling of a path that creates a
 * charge or a refund: a format suffix (`.csv`), parameters (`;a`), a percent escape, capitals.
 */
const PATH = /^(?:\/(?:[a-z0-9_-]+|[a-z]{3}(?:\.[A-Za-z0-9_]+){2,}))+\/?$/;

/** Characters allowed in a query; everything else must be percent-encoded. */
const QUERY = /^[\w\-.~!$&'()*+,;=:@%/?[\]]*$/;

const withoutQuery = (text: string): string => text.split('?')[0] ?? '';

/** Reason why a text is not a path under the service's origin; undefined for a valid path. */
export const pathProblem = (text: string): string | undefined => {
  if (/^[a-z]:[/\\]/i.test(text))
    return 'was made a path of this machine by the shell: write it without its first slash, as v1/ugwo';
  if (!text.startsWith('/')) return 'must start with /, as /v1/ugwo does; the origin comes from the profile';
  const path = withoutQuery(text);
  if (!PATH.test(path)) return 'is no path of the service: its parts are words of a-z, 0-9, _ and -, or ids';
  if (!QUERY.test(text.slice(path.length))) return 'has a character that a query must not have: percent-encode it';
  return undefined;
};

/** True if a write to this path creates a charge. */
export const isChargePath = (text: string): boolean => /\/ugwo\/[^/]+\/activities$/.test(barePath(text));

/**
 * The query of a path plus more pairs, as names and values. A name that ends in `[]` gets a list. Throws a usage error
 * when any other name occurs twice.
 */
export const readQuery = (
  text: string,
  more: readonly (readonly [name: string, value: string])[],
): Readonly<Record<string, string | readonly string[]>> => {
  const query = new Map<string, string | readonly string[]>();
  const own = new URLSearchParams(text.slice(withoutQuery(text).length));
  for (const [name, value] of [...own, ...more]) {
    const before = query.get(name) ?? [];
    if (name.endsWith('[]')) query.set(name, [...before, value]);
    else if (query.has(name)) throw usageError(`"${name}" is given twice; leave one out`);
    else query.set(name, value);
  }
  return Object.fromEntries(query);
};

/** The path without its query and without a trailing slash. */
export const barePath = (text: string): string => withoutQuery(text).replace(/(?<=.)\/$/, '');

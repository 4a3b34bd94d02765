import { attempt } from './async.ts';
import { usageError } from './error.ts';

/** Characters allowed in a path of the service and its query; everything else must be percent-encoded. */
const CHARACTERS = /^[\w\-.~!$&'()*+,;=:@%/?[\]]*$/;

/** The path without its query. */
const pathOf = (text: string): string => text.split('?')[0] ?? '';

/** The decoded segments of a path; undefined when a percent escape is invalid. */
const segmentsOf = (text: string): readonly string[] | undefined =>
  attempt(() => pathOf(text).slice(1).split('/').map(decodeURIComponent));

/** A segment that leads to another resource than it shows, or that changes when it is decoded twice. */
const isDevious = (segment: string): boolean =>
  segment === '.' || segment === '..' || /[%/\\?#\s\p{Cc}]/u.test(segment);

/** Reason why a text is not a path under the service's origin; undefined for a valid path. */
export const pathProblem = (text: string): string | undefined => {
  if (/^[a-z]:[/\\]/i.test(text))
    return 'was made a path of this machine by the shell: write it without its first slash, as v1/ugwo';
  if (!text.startsWith('/')) return 'must start with /, as /v1/ugwo does; the origin comes from the profile';
  if (pathOf(text).includes('//')) return 'has // in it';
  if (!CHARACTERS.test(text)) return 'has a character that a path must not have: percent-encode it';
  const segments = segmentsOf(text);
  if (segments === undefined) return 'has a % that begins no percent-encoded character';
  return segments.some(isDevious) ? 'has a segment that would lead elsewhere' : undefined;
};

/** Removes the parts of a segment that servers ignore: parameters (`;a=b`) and a format suffix (`.json`). */
const withoutTrimmings = (segment: string): string =>
  segment
    .replace(/;.*$/s, '')
    .toLowerCase()
    .replace(/\.(?:json\w*|xml|html?)?$/, '');

/** The one normalized spelling of all paths that a service may treat as equal; without its query. */
export const plainPath = (text: string): string =>
  `/${(segmentsOf(text) ?? [])
    .map(withoutTrimmings)
    .filter((segment) => segment !== '')
    .join('/')}`;

/** True when a write to this path creates a charge, in any spelling of the path. */
export const isChargePath = (text: string): boolean => /^\/v\d+\/ugwo\/[^/]+\/activities$/.test(plainPath(text));

/**
 * The query of a path plus more pairs, as names and values. A name that ends in `[]` gets a list. Throws a usage error
 * when any other name occurs twice.
 */
export const queryOf = (
  text: string,
  more: readonly (readonly [name: string, value: string])[],
): Readonly<Record<string, string | readonly string[]>> => {
  const query = new Map<string, string | readonly string[]>();
  const own = new URLSearchParams(text.slice(pathOf(text).length));
  for (const [name, value] of [...own, ...more]) {
    const before = query.get(name) ?? [];
    if (name.endsWith('[]')) query.set(name, [...before, value]);
    else if (query.has(name)) throw usageError(`"${name}" is given twice; leave one out`);
    else query.set(name, value);
  }
  return Object.fromEntries(query);
};

/** The path without its query and without trailing slashes. */
export const barePath = (text: string): string => pathOf(text).replace(/(?<=.)\/+$/, '');

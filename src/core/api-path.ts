import { attempt } from './async.ts';
import { usageError } from './error.ts';

/** What a path of the service is made of, and its query; everything else must be percent-encoded. */
const CHARACTERS = /^[\w\-.~!$&'()*+,;=:@%/?[\]]*$/;

/** The path without its query. */
const pathOf = (text: string): string => text.split('?')[0] ?? '';

/** The segments of a path as the service reads them; undefined where an escape is none. */
const segmentsOf = (text: string): readonly string[] | undefined =>
  attempt(() => pathOf(text).slice(1).split('/').map(decodeURIComponent));

/** A segment that names another place than it seems to, or that whoever decodes it twice reads otherwise. */
const isDevious = (segment: string): boolean =>
  segment === '.' || segment === '..' || /[%/\\?#\s\p{Cc}]/u.test(segment);

/** Why a text is no path under the service's origin; undefined where it is one. */
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

/** What servers leave out of a segment: its parameters (`;a=b`), and the name of a format. */
const withoutTrimmings = (segment: string): string =>
  segment
    .replace(/;.*$/s, '')
    .toLowerCase()
    .replace(/\.(?:json\w*|xml|html?)?$/, '');

/** The one spelling of all that a service may read as the same path; without its query. */
export const plainPath = (text: string): string =>
  `/${(segmentsOf(text) ?? [])
    .map(withoutTrimmings)
    .filter((segment) => segment !== '')
    .join('/')}`;

/** Whether a write to a path makes a charge, however the path is written. */
export const isChargePath = (text: string): boolean => /^\/v\d+\/ugwo\/[^/]+\/activities$/.test(plainPath(text));

/**
 * The query of a path with more pairs behind it, as names and values: those of a name that ends in `[]` are a list. Throws a usage error
 * where another name is there twice.
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

/** The path alone, without its query and without slashes at its end. */
export const barePath = (text: string): string => pathOf(text).replace(/(?<=.)\/+$/, '');

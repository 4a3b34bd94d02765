import { BOUNDS } from './bounds.ts';

/**
 * Identifiers: a prefix, then dot-separated segments (docs/service.md, Identifiers). Beyond the prefix they are opaque.
 */
export const ID_KINDS = {
  ony: 'a customer (onye)',
  ugw: 'a payment request (ugwo)',
  act: 'an activity',
  chk: 'a checkout',
} as const;
export type IdPrefix = keyof typeof ID_KINDS;

/** The noun for identifiers of this kind, without its article. */
export const nounOf = (prefix: IdPrefix): string => ID_KINDS[prefix].replace(/^an? /, '');

/** The names of one kind: `payment request` and `ugwo`. */
export const wordsFor = (prefix: IdPrefix): readonly string[] => nounOf(prefix).match(/\w[\w ]*\b/g) ?? [];

export const isAnyId = (text: string): boolean =>
  text.length <= BOUNDS.id && /^[a-z]+(?:\.[A-Za-z0-9_]+){2,}$/.test(text);

export const isId = (prefix: IdPrefix, text: string): boolean => text.startsWith(`${prefix}.`) && isAnyId(text);

/** Reason why `text` is not an identifier of this kind, in the user's terms; undefined if it is one. */
export const idProblem = (prefix: IdPrefix, text: string): string | undefined => {
  if (isId(prefix, text)) return undefined;
  const wanted = `${ID_KINDS[prefix]}: ${prefix}.XXXX.YYYY…`;
  const other = Object.entries(ID_KINDS).find(([known]) => text.startsWith(`${known}.`));
  if (other !== undefined && other[0] !== prefix) return `is the identifier of ${other[1]}, not of ${wanted}`;
  const alone = text.includes('/') ? ', alone, in a URL, or in a path that starts with /v1/' : '';
  return `is not the identifier of ${wanted}${alone}`;
};

export const LONGEST_REF = 150;
const ANY_PREFIX = Object.keys(ID_KINDS).join('|');
/** A text meant as an id, also as a table shortens it, as a link to one, or as a key. */
const LIKE_ID = new RegExp(`^…|(?:^|\\W)(?:${ANY_PREFIX}|[sp]k)\\.|^(?:${ANY_PREFIX})$|^https?://`, 'i');

/** Kinds of records that a name identifies, too: a payment request's ref, a customer's e-mail address. */
export type NamedPrefix = 'ugw' | 'ony';

/** True if a text in place of an identifier of this kind is a name. */
export const canBeName = (prefix: IdPrefix, text: string): prefix is NamedPrefix => {
  if (LIKE_ID.test(text.trim())) return false;
  if (prefix === 'ony') return /^[^\s@]+@[^\s@]+$/.test(text.trim());
  return prefix === 'ugw' && text.trim() !== '' && [...text].length <= LONGEST_REF;
};

/** The ids of a kind in a URL or a path, each once. */
const idsIn = (prefix: string, text: string): readonly string[] => [
  ...new Set(text.split(/[/?#&=\s]/).filter((part) => part.startsWith(`${prefix}.`) && isAnyId(part))),
];

/**
 * The id in a text that was copied with blanks around it, or as part of a URL or of a path of the service: of this
 * kind, else of another kind, for an error that names it. The text itself if it has none, or several of one kind.
 */
export const idIn = (prefix: IdPrefix, text: string): string => {
  const bare = text.trim();
  if (isAnyId(bare)) return bare;
  if (!/^(?:https?:\/\/|\/v1\/)/i.test(bare)) return text;
  const found = [prefix, ...Object.keys(ID_KINDS)].map((kind) => idsIn(kind, bare)).find((ids) => ids.length > 0);
  return found?.length === 1 ? (found[0] ?? text) : text;
};

/** A path parameter that would change the addressed resource, whatever its encoding. */
export const isUnsafeSegment = (text: string): boolean => text === '' || text === '.' || text === '..';

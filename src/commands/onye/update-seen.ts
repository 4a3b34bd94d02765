import { isJsonObject, NumberText } from '../../core/json.ts';

type Fields = Readonly<Record<string, unknown>>;
type Same = (shown: unknown, sent: unknown) => boolean;

const isNumber = (value: unknown): value is number | NumberText =>
  typeof value === 'number' || value instanceof NumberText;

/**
 * Compares numbers by value, since a service may write `1.50` as `1.5`. Beyond the safe integers a double may hide a
 * difference, so the texts must match.
 */
const sameNumber = (shown: number | NumberText, sent: number | NumberText): boolean =>
  String(shown) === String(sent) ||
  (Number(shown) === Number(sent) && Math.abs(Number(sent)) <= Number.MAX_SAFE_INTEGER);

/** Compares exactly parsed JSON values. The order of keys does not matter. */
const sameJson: Same = (shown, sent) => {
  if (isNumber(shown) && isNumber(sent)) return sameNumber(shown, sent);
  if (Array.isArray(shown) && Array.isArray(sent)) {
    return shown.length === sent.length && sent.every((member, index) => sameJson(shown[index], member));
  }
  if (!isJsonObject(shown) || !isJsonObject(sent)) return shown === sent;
  const names = Object.keys(sent);
  return (
    names.length === Object.keys(shown).length &&
    names.every((name) => Object.hasOwn(shown, name) && sameJson(shown[name], sent[name]))
  );
};

/** The service shows an empty text as "" or omits it. */
const sameText: Same = (shown, sent) => sameJson(shown ?? '', sent ?? '');

/**
 * The service lower-cases e-mail addresses and title-cases names, by rules that we don't fully know. So case is
 * ignored.
 */
const sameWord: Same = (shown, sent) =>
  typeof shown === 'string' && typeof sent === 'string'
    ? shown.toLowerCase() === sent.toLowerCase()
    : sameText(shown, sent);

/** The service shows an empty map as `{}` or `[]`, or omits it. */
const sameMap: Same = (shown, sent) => {
  const isEmpty = shown === undefined || shown === null || (Array.isArray(shown) && shown.length === 0);
  return sameJson(isEmpty ? {} : shown, sent);
};

/** True if all sent fields are there. The service may keep or drop the others. */
const holdsFields: Same = (shown, sent) => {
  if (!isJsonObject(sent)) return sameJson(shown, sent);
  const known = isJsonObject(shown) ? shown : {};
  return Object.entries(sent).every(([name, value]) =>
    sameText(Object.hasOwn(known, name) ? known[name] : undefined, value),
  );
};

const SAME: ReadonlyMap<string, Same> = new Map([
  ['email', sameWord],
  ['first_name', sameWord],
  ['last_name', sameWord],
  ['ref', sameText],
  ['billing_address', holdsFields],
  ['meta', sameMap],
]);

/** True if the metadata has every key to set and none to remove. Values come from `parseExact`. */
export const isMerged = (
  meta: Fields,
  { set, unset }: { readonly set: Fields; readonly unset: readonly string[] },
): boolean =>
  Object.entries(set).every(([name, value]) => Object.hasOwn(meta, name) && sameJson(meta[name], value)) &&
  unset.every((name) => !Object.hasOwn(meta, name));

/** Lists the fields in which a customer differs from a body. Both come from `parseExact`. */
export const differing = (customer: Fields, body: Fields): readonly string[] =>
  Object.entries(body)
    .filter(([name, sent]) => {
      const shown = Object.hasOwn(customer, name) ? customer[name] : undefined;
      return !(SAME.get(name) ?? sameJson)(shown, sent);
    })
    .map(([name]) => name);

/**
 * True if a customer has every value of an update's body (docs/service.md, Customers). Also true for an update that was
 * never applied, if the customer had those values before.
 */
export const isApplied = (customer: unknown, body: Fields): boolean =>
  isJsonObject(customer) && differing(customer, body).length === 0;

import { isJsonObject, NumberText } from '../../core/json.ts';

type Fields = Readonly<Record<string, unknown>>;
type Same = (shown: unknown, sent: unknown) => boolean;

const isNumber = (value: unknown): value is number | NumberText =>
  typeof value === 'number' || value instanceof NumberText;

/** A service may write `1.50` as `1.5`; a number that a double can't tell from its neighbours must be the same text. */
const sameNumber = (shown: number | NumberText, sent: number | NumberText): boolean =>
  String(shown) === String(sent) ||
  (Number(shown) === Number(sent) && Math.abs(Number(sent)) <= Number.MAX_SAFE_INTEGER);

/** Values of JSON, parsed exactly; the order of keys says nothing. */
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

/** An empty text is shown as one, or as nothing. */
const sameText: Same = (shown, sent) => sameJson(shown ?? '', sent ?? '');

/** E-mail addresses are lower-cased and names title-cased by the service, we don't know by which rules to the last letter. */
const sameWord: Same = (shown, sent) =>
  typeof shown === 'string' && typeof sent === 'string'
    ? shown.toLowerCase() === sent.toLowerCase()
    : sameText(shown, sent);

/** An empty map is shown as `{}`, as `[]` or as nothing. */
const sameMap: Same = (shown, sent) => {
  const isEmpty = shown === undefined || shown === null || (Array.isArray(shown) && shown.length === 0);
  return sameJson(isEmpty ? {} : shown, sent);
};

/** Whether the fields that were sent are there; the service may keep the others or drop them. */
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

/** Whether metadata has every key that is to be set, and none that is to be removed. Parsed by `parseExact`. */
export const isMerged = (
  meta: Fields,
  { set, unset }: { readonly set: Fields; readonly unset: readonly string[] },
): boolean =>
  Object.entries(set).every(([name, value]) => Object.hasOwn(meta, name) && sameJson(meta[name], value)) &&
  unset.every((name) => !Object.hasOwn(meta, name));

/** The fields of a body that a customer, as a read shows it, has otherwise. Both as parsed by `parseExact`. */
export const differing = (customer: Fields, body: Fields): readonly string[] =>
  Object.entries(body)
    .filter(([name, sent]) => {
      const shown = Object.hasOwn(customer, name) ? customer[name] : undefined;
      return !(SAME.get(name) ?? sameJson)(shown, sent);
    })
    .map(([name]) => name);

/**
 * Whether a customer has every value that the body of an update sets (interface.md 4.1). True of an update that was never
 * applied, too, where the customer had those values before.
 */
export const isApplied = (customer: unknown, body: Fields): boolean =>
  isJsonObject(customer) && differing(customer, body).length === 0;

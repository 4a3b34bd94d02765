import { BOUNDS, cutText, grouped } from '../core/bounds.ts';
import { textAt } from '../core/charge.ts';
import { ID_KINDS, type IdPrefix, isId } from '../core/ids.ts';
import { isJsonObject, valueAt } from '../core/json.ts';

// An answer is accepted by its proof: the identifier of the object, or the envelope of a list. The rest of it is read
// field by field, and may be missing or of any shape.

/** An object of the service, as far as an answer proves it. */
export interface Resource {
  readonly uid: string;
  readonly [name: string]: unknown;
}

/** A record of a list: proven to be an object, and nothing else. */
export type ListRecord = Readonly<Record<string, unknown>>;

/** A page of a list (docs/service.md, Lists), as far as an answer proves it. */
export interface ResourcePage {
  readonly data: readonly ListRecord[];
  readonly next_cursor: string | null;
}

export type Params = Readonly<Record<string, string>>;

/** Returns a sentence that says why an answer with HTTP 2xx does not belong to its operation; undefined if it does. */
export type Proof = (answer: unknown, params: Params) => string | undefined;

/** Proves a JSON object with an identifier of the kind; then runs the proofs in `more`. */
export const provesResource =
  (prefix: IdPrefix, ...more: readonly Proof[]): Proof =>
  (answer, params) => {
    if (!isJsonObject(answer)) return 'the answer is not a JSON object';
    const uid = valueAt(answer, 'uid');
    if (typeof uid !== 'string' || !isId(prefix, uid)) {
      return `the answer has no "uid" of ${ID_KINDS[prefix]}, ${prefix}.XXXX.YYYY…`;
    }
    return more.map((proof) => proof(answer, params)).find((fault) => fault !== undefined);
  };

/** Proves a JSON object with an identifier of any form: the prefix of refund identifiers is not known. */
export const provesRefund: Proof = (answer) => {
  if (!isJsonObject(answer)) return 'the answer is not a JSON object';
  const uid = valueAt(answer, 'uid');
  return typeof uid === 'string' && uid.trim() !== '' ? undefined : 'the answer has no "uid" of a refund';
};

/** Rejects an activity of another payment request; one that names none is accepted. */
export const namesNoOther: Proof = (answer, { ugwoUid }) => {
  const named = textAt(answer, 'ugwo_uid');
  return !isId('ugw', named) || named === ugwoUid
    ? undefined
    : `the answer is about another payment request, ${named} ("ugwo_uid")`;
};

/** Rejects an activity of another type than charge. A number carries no information about the type. */
export const isNoOtherType: Proof = (answer) => {
  const type = textAt(answer, 'activity_type');
  return type === 'charge' || !Number.isNaN(Number(type))
    ? undefined
    : `the answer is not a charge but a ${cutText(type, BOUNDS.word)} ("activity_type")`;
};

/** Proves a bare array of objects, the form of an unpaged list. */
export const provesList: Proof = (answer) => {
  if (!Array.isArray(answer)) return 'the answer is not a list';
  if (answer.length > BOUNDS.records) {
    return `the answer has ${grouped(answer.length)} records, but may have at most ${grouped(BOUNDS.records)}`;
  }
  return answer.every(isJsonObject) ? undefined : 'the answer is not a list of objects';
};

/** Proves the envelope of a page: its records are objects, and a valid next cursor is present. */
export const provesPage: Proof = (answer) => {
  const [data, next] = [valueAt(answer, 'data'), valueAt(answer, 'next_cursor')];
  if (!Array.isArray(data)) return 'the answer is not a page: "data" is not a list';
  if (data.length > BOUNDS.records) {
    return `the answer has ${grouped(data.length)} records, but a page may have at most ${grouped(BOUNDS.records)}`;
  }
  if (!data.every(isJsonObject)) return 'the answer is not a page: a record in "data" is not an object';
  if (typeof next === 'string' && next.length > BOUNDS.cursor) {
    return `the answer has a "next_cursor" of more than ${grouped(BOUNDS.cursor)} characters`;
  }
  return next === null || (typeof next === 'string' && next !== '')
    ? undefined
    : 'the answer is not a page: "next_cursor" is neither text nor null';
};

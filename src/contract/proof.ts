import { BOUNDS, cutText, grouped } from '../core/bounds.ts';
import { machineValue } from '../core/charge.ts';
import { ID_KINDS, type IdPrefix, isId } from '../core/ids.ts';
import { valueAt } from '../core/json.ts';

// An answer is believed by what proves it: the identifier of the thing, the envelope of a list. Everything else in it is read
// field by field, and may be missing or of any shape.

/** A thing of the service, as far as an answer proves it. */
export interface Resource {
  readonly uid: string;
  readonly [name: string]: unknown;
}

/** A record of a list: an object, and nothing more is proven of it. */
export type ListRecord = Readonly<Record<string, unknown>>;

/** A page of a list (interface.md 2.6), as far as an answer proves it. */
export interface ResourcePage {
  readonly data: readonly ListRecord[];
  readonly next_cursor: string | null;
}

/** The parameters of the path that was asked. */
export type Params = Readonly<Record<string, string>>;

/** Why an answer with HTTP 2xx is none of its operation, as a sentence; undefined where it is one. */
export type Proof = (answer: unknown, params: Params) => string | undefined;

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A JSON object with an identifier of the kind; `more` is asked once that is there. */
export const provesResource =
  (prefix: IdPrefix, ...more: readonly Proof[]): Proof =>
  (answer, params) => {
    if (!isObject(answer)) return 'the answer is not a JSON object';
    const uid = valueAt(answer, 'uid');
    if (typeof uid !== 'string' || !isId(prefix, uid)) {
      return `the answer has no "uid" of ${ID_KINDS[prefix]}, ${prefix}.XXXX.YYYY…`;
    }
    return more.map((proof) => proof(answer, params)).find((fault) => fault !== undefined);
  };

/** A JSON object with an identifier of any form: what those of refunds begin with is not known. */
export const provesRefund: Proof = (answer) => {
  if (!isObject(answer)) return 'the answer is not a JSON object';
  const uid = valueAt(answer, 'uid');
  return typeof uid === 'string' && uid.trim() !== '' ? undefined : 'the answer has no "uid" of a refund';
};

/** An activity that names another payment request than the one that was asked about; one that names none may be its. */
export const namesNoOther: Proof = (answer, { ugwoUid }) => {
  const named = machineValue(valueAt(answer, 'ugwo_uid'));
  return !isId('ugw', named) || named === ugwoUid
    ? undefined
    : `the answer is about another payment request, ${named} ("ugwo_uid")`;
};

/** An activity that says it is something else than a charge. A number is no word of the service: it says nothing. */
export const isNoOtherType: Proof = (answer) => {
  const type = machineValue(valueAt(answer, 'activity_type'));
  return type === '' || type === 'charge' || /^-?[\d.]+$/.test(type)
    ? undefined
    : `the answer is not a charge but a ${cutText(type, BOUNDS.word)} ("activity_type")`;
};

/** Objects in a bare array: what isn't given page by page. */
export const provesList: Proof = (answer) => {
  if (!Array.isArray(answer)) return 'the answer is not a list';
  if (answer.length > BOUNDS.records) {
    return `the answer has ${grouped(answer.length)} records, but may have at most ${grouped(BOUNDS.records)}`;
  }
  return answer.every(isObject) ? undefined : 'the answer is not a list of objects';
};

/** The envelope of a list: its records are objects, and the way on is told. */
export const provesPage: Proof = (answer) => {
  const [data, next] = [valueAt(answer, 'data'), valueAt(answer, 'next_cursor')];
  if (!Array.isArray(data)) return 'the answer is not a page: "data" is not a list';
  if (data.length > BOUNDS.records) {
    return `the answer has ${grouped(data.length)} records, but a page may have at most ${grouped(BOUNDS.records)}`;
  }
  if (!data.every(isObject)) return 'the answer is not a page: a record in "data" is not an object';
  if (typeof next === 'string' && next.length > BOUNDS.cursor) {
    return `the answer has a "next_cursor" of more than ${grouped(BOUNDS.cursor)} characters`;
  }
  return next === null || (typeof next === 'string' && next !== '')
    ? undefined
    : 'the answer is not a page: "next_cursor" is neither text nor null';
};

import type { Dialect } from '../core/data-files.ts';
import { isJsonObject, parseExact, pick, printExact } from '../core/json.ts';
import { formatDateAtom, parseInstant } from '../core/time.ts';
import { testId } from './ids.ts';

/** Converts a value of an answer to the live service's form. */
export type Shape = (value: unknown) => unknown;

/** Converts an object field by field; an empty one becomes `[]`, as PHP writes it. Unnamed fields keep their value. */
const fields =
  (shapes: Readonly<Record<string, Shape>>): Shape =>
  (value) => {
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).map(([name, member]) => {
      const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
      return [name, (shape ?? plainForm)(member)];
    });
    return members.length === 0 ? [] : Object.fromEntries(members);
  };

const listForm =
  (shape: Shape): Shape =>
  (value) =>
    Array.isArray(value) ? value.map(shape) : value;

/** Converts a value of any structure: only its empty objects change. */
const plainForm: Shape = (value) => (Array.isArray(value) ? value.map(plainForm) : fields({})(value));

/** Converts an object that the contract gives as null if it is absent. */
const orEmpty =
  (shape: Shape): Shape =>
  (value) =>
    value === null ? [] : shape(value);

/** `["ugwo_successful","enum.ugwo_status.ugwo_successful"]`: the label is a translation key, not text for people. */
const pair =
  (name: string): Shape =>
  (value) => {
    const machine = Array.isArray(value) ? value[0] : value;
    return typeof machine === 'string' ? [machine, `enum.${name}.${machine}`] : value;
  };

const text: Shape = (value) => (value === null ? null : String(value));
const idForm: Shape = (value) => (typeof value === 'string' ? testId(value) : value);

/** Converts a time to another form; any other value stays. */
const momentForm =
  (offset: number, form: (atom: string) => string): Shape =>
  (value) => {
    const ms = typeof value === 'string' ? parseInstant(value)?.ms : undefined;
    return ms === undefined ? value : form(formatDateAtom({ ms, offset }));
  };

/** `2026-11-20T12:00:00.000000+00:00` */
const micros = momentForm(0, (atom) => atom.replace('+', '.000000+'));
/** `2026-11-20T13:00:00+0100` */
const lagos = momentForm(60, (atom) => atom.replace(/:(\d\d)$/, '$1'));

const CHECKOUT = fields({
  uid: idForm,
  currency: pair('currency'),
  mediums: listForm(fields({ medium: pair('medium') })),
});

const CUSTOMER = fields({ uid: idForm, status: pair('onye_status'), created_at: micros });

const ACTIVITY = fields({
  uid: idForm,
  ugwo_uid: idForm,
  activity_type: pair('ugwo_activity_type'),
  amount: text,
  charged_amount: text,
  checkout: CHECKOUT,
  ugwo_medium: orEmpty(plainForm),
  psp: pair('psp'),
  next_action: orEmpty(fields({ type: pair('next_action_type'), headers: fields({ expires_at: lagos }) })),
  status: pair('ugwo_activity_status'),
  error: orEmpty(plainForm),
  created_at: micros,
  updated_at: lagos,
});

const REFUND_SHAPE = fields({
  uid: idForm,
  status: pair('refund_status'),
  amount: text,
  ugwo_activity: idForm,
  ugwo: fields({ uid: idForm }),
  destination: orEmpty(plainForm),
  error: orEmpty(plainForm),
  created_at: micros,
  updated_at: lagos,
});

/** A checkout resource: its currency is a plain code. */
const WHOLE_CHECKOUT = fields({
  uid: idForm,
  status: pair('checkout_status'),
  mediums: listForm(fields({ medium: pair('medium') })),
});

/** Keeps the currency as plain text, as the service's own plugin reads it on a single payment request. */
const REQUEST = {
  uid: idForm,
  amount: text,
  total_amount_paid: text,
  status: pair('ugwo_status'),
  onye: CUSTOMER,
  onye_nzube: CUSTOMER,
  checkout: CHECKOUT,
  lastest_ugwo_activity: ACTIVITY,
  activities: listForm(ACTIVITY),
  created_at: micros,
} as const;

const REQUEST_IN_LIST = fields({ ...REQUEST, currency: pair('currency') });

/** Keeps the only fields that the service's documentation shows in its list of payment requests. */
const inList: Shape = (value) =>
  REQUEST_IN_LIST(
    isJsonObject(value) ? pick(value, ['uid', 'amount', 'currency', 'status', 'ref', 'created_at']) : value,
  );

/** Shapes of resources and lists in the live dialect. */
export const SHAPES = {
  customer: CUSTOMER,
  customers: fields({ data: listForm(CUSTOMER) }),
  ugwo: fields(REQUEST),
  ugwos: fields({ data: listForm(inList) }),
  activity: ACTIVITY,
  checkout: WHOLE_CHECKOUT,
  checkouts: listForm(WHOLE_CHECKOUT),
  providers: listForm(fields({ psp: pair('psp') })),
  refund: REFUND_SHAPE,
} as const;

const shapeOf = (event: string): Shape => {
  if (event.startsWith('nzube.onye.')) return SHAPES.customer;
  if (event.startsWith('refund.')) return SHAPES.refund;
  return event.startsWith('ugwo.activity.') ? SHAPES.activity : SHAPES.ugwo;
};

export const eventShape = (event: string): Shape => fields({ uid: idForm, data: shapeOf(event) });

/** Converts to the second shape of an error document only, with fields in the form of a PHP form: `data[provider]`. */
const problem = (value: unknown): unknown => {
  const { message, errors } = value as {
    readonly message: string;
    readonly errors: readonly { readonly field: string; readonly message: string }[];
  };
  return { message, errors: errors.map((one) => ({ ...one, field: one.field.replaceAll(/\.(\w+)/g, '[$1]') })) };
};

/** The form of answers in a dialect, made after the check against the contract. JSON in, JSON out. */
export interface WireForm {
  answer(shape: Shape, json: string): string;
  /** Converts an identifier, for pages. */
  id(uid: string): string;
  readonly problemType: string;
  problem(json: string): string;
}

/**
 * `documented` follows the contract. `live` follows the service's output as far as it was seen (docs/service.md,
 * Shapes), and else the worst case: enums as pairs, `[]` for every empty object, amounts as text, times in several
 * forms, identifiers that end in `_t`, lists with few fields, and the second shape of an error. It shows clients
 * whether they can read that.
 */
export const WIRE_FORMS: Readonly<Record<Dialect, WireForm>> = {
  documented: {
    answer: (_shape, json) => json,
    id: (uid) => uid,
    problemType: 'application/problem+json',
    problem: (json) => json,
  },
  live: {
    answer: (shape, json) => printExact(shape(parseExact(json))),
    id: testId,
    problemType: 'application/json',
    problem: (json) => printExact(problem(parseExact(json))),
  },
};

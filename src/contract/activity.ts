import type * as zod from 'zod';
import { type ChargeField, MEDIUM_NAMES, MEDIUMS, type Medium, mediumNamed, propertyOf } from '../charge/mediums.ts';
import { memo } from '../core/async.ts';
import { counted } from '../core/bounds.ts';
import { ACCOUNT_KEYS, DIAL_HEADER } from '../core/charge.ts';
import { valueAt } from '../core/json.ts';
import { parseInstant, utcAtom } from '../core/time.ts';
import { checkoutSnapshot } from './checkout.ts';
import {
  anyMembers,
  enumLike,
  errorOrText,
  idShape,
  instant,
  type Judge,
  jsonSchemas,
  maybe,
  notBlank,
  numeric,
  type OutputOf,
  passIssues,
  someText,
  textShape,
  time,
} from './common.ts';
import { z } from './zod.ts';

/** A plus, a country code and the rest: 6 to 15 digits in all. */
const INTERNATIONAL = /^\+[1-9]\d{5,14}$/;
const [FEWEST, MOST] = [6, 15];
const EXAMPLE = '+2348031234567';

/** Characters that people write between digits, and `(0)`, which is dialled at home only. */
const SEPARATORS = /\(0\)|[\s().\-\u2010-\u2015]+/g;

/** National formats of mobile numbers. */
const NATIONAL = [
  { country: 'Nigeria', code: '+234', form: /^0([789]\d{9})$/ },
  { country: 'Ghana', code: '+233', form: /^0([25]\d{8})$/ },
] as const;

const nationalFault = (text: string): string => {
  const found = NATIONAL.find(({ form }) => form.test(text));
  const example = found === undefined ? EXAMPLE : text.replace(found.form, `${found.code}$1 for ${found.country}`);
  return `looks like a national number: add the country code, such as ${example}`;
};

const digitsFault = (digits: string): string | undefined => {
  if (digits.startsWith('0')) return `has a 0 after the plus: the country code comes first, such as ${EXAMPLE}`;
  if (digits.length < FEWEST) return `is too short: ${counted(digits.length, 'digit')}, at least ${FEWEST}`;
  return digits.length > MOST ? `is too long: ${digits.length} digits, at most ${MOST}` : undefined;
};

/** Fault of a number without separators; undefined for a valid one. */
const bareFault = (text: string): string | undefined => {
  if (!/^\+?\d+$/.test(text)) return `should be a plus and digits only, such as ${EXAMPLE}`;
  if (text.startsWith('+')) return digitsFault(text.slice(1));
  if (text.startsWith('00')) return digitsFault(text.slice(2)) ?? `begins with 00: write +${text.slice(2)}`;
  if (text.startsWith('0')) return nationalFault(text);
  return digitsFault(text) ?? `needs a plus in front: +${text}`;
};

/**
 * Reason why a text is not a phone number in international format (docs/service.md, Activities), as the end of a
 * sentence.
 */
const phoneFault = (text: string): string | undefined => {
  if (INTERNATIONAL.test(text)) return undefined;
  const bare = text.replaceAll(SEPARATORS, '');
  return bareFault(bare) ?? `has spaces or other characters in it: write ${bare}`;
};

const bankAccount = memo(() =>
  z.looseObject({ bank_name: someText(), account_name: someText(), account_number: someText(), expires_at: time() }),
);
const dialString = memo(() => z.looseObject({ [DIAL_HEADER]: someText() }));

/** In JSON Schema: an object that has the key. */
const holds = (key: string) => ({ properties: { [key]: {} }, required: [key] });

/**
 * `headers` of a next action (docs/service.md, Next actions). Their keys tell the medium. The keys of a known medium
 * must be complete, since half an account number sends a customer's money to a wrong account.
 */
const headers = memo(() =>
  anyMembers()
    .superRefine((value, context) => {
      if (typeof value !== 'object' || value === null) return;
      const known =
        DIAL_HEADER in value ? dialString() : ACCOUNT_KEYS.some((key) => key in value) ? bankAccount() : undefined;
      passIssues(context, known?.safeParse(value).error?.issues);
    })
    .register(jsonSchemas(), {
      anyOf: [
        { type: ['array', 'null'] },
        dialString(),
        { allOf: [bankAccount()], not: holds(DIAL_HEADER) },
        { type: 'object', not: { anyOf: [DIAL_HEADER, ...ACCOUNT_KEYS].map(holds) } },
      ],
    }),
);

/** An activity (docs/service.md, Activities). New values of `status` are accepted. */
export const activity = memo(() =>
  z.looseObject({
    uid: idShape('act'),
    ugwo_uid: idShape('ugw').nullish(),
    activity_type: enumLike().nullish(),
    amount: numeric().nullish(),
    charged_amount: numeric().nullish(),
    is_double_charge: z.boolean().nullish(),
    checkout: maybe(checkoutSnapshot()),
    ugwo_medium: anyMembers().optional(),
    psp: enumLike().nullish(),
    psp_external_id: textShape().nullish(),
    next_action: maybe(
      z.looseObject({ type: enumLike(), instruction: textShape().nullish(), headers: headers().optional() }),
    ),
    status: enumLike(),
    error: errorOrText().optional(),
    created_at: time().nullish(),
    updated_at: time().nullish(),
  }),
);
export type Activity = OutputOf<typeof activity>;

const phone = memo(() =>
  notBlank()
    .superRefine((text, context) => {
      const message = text.trim() === '' ? undefined : phoneFault(text);
      if (message !== undefined) context.addIssue(message);
    })
    .register(jsonSchemas(), { type: 'string', pattern: INTERNATIONAL.source }),
);

const variantOf = ({ name, fields }: Medium) => {
  const properties = new Map<string, zod.ZodType>();
  for (const field of fields) {
    const { form, needs } = field;
    // A duration sets the property of another field.
    if (form === 'duration') continue;
    const schema = form === 'time' ? instant() : form === 'phone' ? phone() : notBlank();
    properties.set(propertyOf(field), needs === undefined ? schema.optional() : schema);
  }
  return z.looseObject({ medium: z.literal(name), ...Object.fromEntries(properties) });
};
type Variant = ReturnType<typeof variantOf>;

/**
 * The body that creates a charge (docs/service.md, Activities), with one variant per medium. Other keys of `data` are
 * sent unchanged.
 */
const chargeBody = memo(() =>
  z.looseObject({
    type: z.literal('charge', { error: (issue) => (issue.input === undefined ? 'is required' : 'should be charge') }),
    data: z.discriminatedUnion('medium', MEDIUMS.map(variantOf) as [Variant, ...Variant[]], {
      error: (issue) => {
        if (issue.code !== 'invalid_union') return issue.input === undefined ? 'is required' : 'should be an object';
        const medium = (issue.input as { medium?: unknown }).medium;
        if (medium === undefined || medium === null || medium === '') return 'should not be blank';
        return `should be one of ${MEDIUM_NAMES.join(', ')}`;
      },
    }),
  }),
);
export type ActivityCreate = OutputOf<typeof chargeBody>;

/** A charge by a medium that paycli doesn't know, with its parameters. The service judges both. */
const openBody = memo(() => z.looseObject({ type: z.literal('charge'), data: z.looseObject({ medium: notBlank() }) }));

/** True for a medium that isn't listed and has parameters. Without any, its name is probably mistyped. */
const isOfUnlistedMedium = (body: unknown): boolean => {
  const [data, medium] = [valueAt(body, 'data'), valueAt(body, 'data.medium')];
  const isListed = typeof medium !== 'string' || medium.trim() === '' || mediumNamed(medium) !== undefined;
  return !isListed && Object.keys(data as object).length > 1;
};

/** Fault of a time in `data` at the moment `now`; undefined without one. `clock` names a clock that may be wrong. */
const timeFault = (
  { within = Number.POSITIVE_INFINITY }: ChargeField,
  text: unknown,
  now: number,
  clock?: string,
): string | undefined => {
  const at = typeof text === 'string' ? parseInstant(text) : undefined;
  if (at === undefined) return undefined;
  if (at.ms <= now) return `should be in the future${clock === undefined ? '' : `; ${clock} says ${utcAtom(now)}`}`;
  return at.ms > now + within ? `should be at most ${within / 60_000} minutes ahead` : undefined;
};

const timeFaults = (body: unknown, now: number, clock?: string): zod.core.$ZodIssue[] => {
  const faults: zod.core.$ZodIssue[] = [];
  for (const field of mediumNamed(valueAt(body, 'data.medium'))?.fields ?? []) {
    if (field.form !== 'time') continue;
    const property = propertyOf(field);
    const message = timeFault(field, valueAt(body, `data.${property}`), now, clock);
    if (message !== undefined) faults.push({ code: 'custom', path: ['data', property], message, input: body });
  }
  return faults;
};

/**
 * Checks the body of a charge at a moment in milliseconds, against which its times are compared. The moment is not
 * part of the schema: creating a schema costs a hundred times as much as a check, and a file has a million bodies.
 */
export const activityCreate = (now: number, clock?: string): Judge<ActivityCreate> => ({
  schema: chargeBody(),
  safeParse: (body) => {
    const result = (isOfUnlistedMedium(body) ? openBody() : chargeBody()).safeParse(body);
    const late = timeFaults(body, now, clock);
    if (late.length === 0) return result;
    return { success: false, error: new z.ZodError([...(result.error?.issues ?? []), ...late]) };
  },
});

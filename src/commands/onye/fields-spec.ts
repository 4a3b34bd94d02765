import type { GivenOptions } from '../../cli/define.ts';
import { option, rarely } from '../../cli/define.ts';
import { asSource, asText } from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';
import type { Pair } from '../../core/pairs.ts';
import type { Source } from '../../core/source.ts';

/** The parts of a billing address, each an option of its own. */
const PARTS = ['address', 'address2', 'city', 'state', 'zip', 'country'] as const;

/** What a customer is made of, but for the metadata: shared by all commands that write one. */
export const FIELD_OPTIONS = rarely(PARTS, {
  email: option('--email <address>', 'e-mail address', asText),
  ref: option('--ref <text>', 'your reference, at most 150 characters', asText),
  firstName: option('--first-name <text>', 'at most 100 characters', asText),
  lastName: option('--last-name <text>', 'at most 100 characters', asText),
  billingAddress: option('--billing-address <json|@file|->', 'address, address2, city, state, zip, country', asSource),
  address: option('--address <text>', 'billing address by parts: street and number', asText),
  address2: option('--address2 <text>', 'its second line', asText),
  city: option('--city <text>', 'its city', asText),
  state: option('--state <text>', 'its state', asText),
  zip: option('--zip <text>', 'its postal code', asText),
  country: option('--country <code>', 'its country, two letters such as NG', asText),
} as const);

/** A body with any fields, under what the other options give. */
export const DATA_OPTION = {
  data: option('--data <json|@file|->', 'a JSON object with any fields; options override it', asSource),
} as const;

/** The metadata as a whole, in one way. */
export type WholeMeta =
  | { readonly kind: 'pairs'; readonly pairs: readonly Pair[] }
  | { readonly kind: 'json'; readonly source: Source }
  | { readonly kind: 'clear' };

/** A billing address as JSON, or by its parts. */
export type GivenAddress = { readonly source: Source } | { readonly parts: Readonly<Record<string, string>> };

/** What the options give of a customer; `texts` are plain, by their name in the body. */
export interface FieldInput {
  readonly texts: Readonly<Record<string, string>>;
  /** Names of fields that are to become empty. */
  readonly cleared: readonly string[];
  readonly billingAddress: GivenAddress | undefined;
  readonly meta: WholeMeta | undefined;
  readonly data: Source | undefined;
}

const given = (values: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined));

type Options = typeof FIELD_OPTIONS;

const readAddress = (options: GivenOptions<Options>): GivenAddress | undefined => {
  const { billingAddress: source } = options;
  const parts = given(Object.fromEntries(PARTS.map((name) => [name, options[name]])));
  const [first] = Object.keys(parts);
  if (first === undefined) return source && { source };
  if (source === undefined) return { parts };
  throw usageError(`--billing-address and --${first} can't be used together`, {
    hint: 'give the address as JSON, or by its parts',
  });
};

/** The texts and the address that were given. */
export const readTexts = (options: GivenOptions<Options>): Pick<FieldInput, 'texts' | 'billingAddress'> => ({
  texts: given({
    email: options.email,
    ref: options.ref,
    first_name: options.firstName,
    last_name: options.lastName,
  }),
  billingAddress: readAddress(options),
});

/** A change of the metadata, too, may have a source or none. */
interface Sourced extends Pick<FieldInput, 'billingAddress' | 'data'> {
  readonly meta: { readonly kind: string; readonly source?: Source } | undefined;
}

/** What the options read from. */
export const sourcesOf = ({ billingAddress, meta, data }: Sourced): readonly (Source | undefined)[] => [
  billingAddress !== undefined && 'source' in billingAddress ? billingAddress.source : undefined,
  meta?.source,
  data,
];

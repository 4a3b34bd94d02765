import { flag, type GivenOptions, option, rarely, repeated } from '../../cli/define.ts';
import { asPair, asSource, asText, type DATA_OPTION } from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';
import { asFlag, type Pair, pairsToObject } from '../../core/input.ts';

const addressPart = (name: string, value: string, about: string) => {
  const path = `billing_address.${name}`;
  const part = option(`--${name} <${value}>`, about, asText, { property: path, column: path });
  return { ...part, rare: true as const };
};

const ADDRESS_PARTS = {
  address: addressPart('address', 'text', 'billing address by parts: street and number'),
  address2: addressPart('address2', 'text', 'its second line'),
  city: addressPart('city', 'text', 'its city'),
  state: addressPart('state', 'text', 'its state'),
  zip: addressPart('zip', 'text', 'its postal code'),
  country: addressPart('country', 'code', 'its country, two letters such as NG'),
} as const;

export const CUSTOMER_OUTPUT = 'uid, email, first_name, last_name, ref, status, billing_address, meta, created_at';

/** Fields of a customer except the metadata. */
export const CUSTOMER_FIELDS = {
  email: option('--email <address>', 'e-mail address', asText, { own: true }),
  ref: option('--ref <text>', 'your reference, at most 150 characters', asText, { clearable: true }),
  first_name: option('--first-name <text>', 'at most 100 characters', asText, { clearable: true }),
  last_name: option('--last-name <text>', 'at most 100 characters', asText, { clearable: true }),
  billing_address: option(
    '--billing-address <json|@file|->',
    'address, address2, city, state, zip, country',
    asSource,
    { column: 'billing_address.k' },
  ),
  ...ADDRESS_PARTS,
} as const;

const META = {
  column: 'meta.k',
  clearable: true,
  value: (pairs: readonly Pair[]) => pairsToObject(pairs, '--meta'),
} as const;
const OTHER_META = { property: 'meta', column: false } as const;

export const NEW_FIELDS = rarely(['meta_json'], {
  ...CUSTOMER_FIELDS,
  meta: repeated('--meta <k=v>', 'metadata; k:=json sets a value that is not text', asPair, META),
  meta_json: option('--meta-json <json|@file|->', 'metadata as one JSON object', asSource, OTHER_META),
} as const);

const asKey = (text: string): string => {
  if (text !== '') return text;
  throw usageError('the key is empty');
};

/** Fields of an update. What --merge-meta and --unset-meta make of the metadata is known after a read. */
export const CHANGED_FIELDS = rarely(['meta_json', 'clear_meta', 'unset_meta'], {
  ...CUSTOMER_FIELDS,
  meta: repeated('--meta <k=v>', 'replace all metadata; k:=json sets a value that is not text', asPair, META),
  meta_json: option('--meta-json <json|@file|->', 'replace all metadata with one JSON object', asSource, OTHER_META),
  clear_meta: { ...flag('--clear-meta', 'remove all metadata'), ...OTHER_META, value: () => ({}) },
  merge_meta: repeated(
    '--merge-meta <k=v>',
    'set metadata keys (k:=json) and keep the others: reads the customer, then writes all metadata',
    asPair,
    { property: 'meta', column: 'merge_meta.k', value: () => undefined },
  ),
  unset_meta: repeated('--unset-meta <k>', 'remove a metadata key and keep the others, in the same way', asKey, {
    ...OTHER_META,
    value: () => undefined,
  }),
} as const);

export type CustomerOptions = GivenOptions<typeof CHANGED_FIELDS & typeof DATA_OPTION> & {
  readonly clear?: readonly string[];
};

/** The options with cleared fields as empty ones. Throws a usage error if two options set the same field. */
export const readFieldOptions = (given: CustomerOptions, metaWays: string): CustomerOptions => {
  const isGiven = (name: string): boolean => given[name as keyof CustomerOptions] !== undefined;
  const cleared = Object.fromEntries(
    (given.clear ?? []).map((name) => (name === 'meta' ? ['clear_meta', true] : [name, ''])),
  );
  const both = Object.keys(cleared).find((name) => name !== 'clear_meta' && isGiven(name));
  if (both !== undefined) throw usageError(`--clear ${both} and ${asFlag(both)} can't be used together`);
  const part = Object.keys(ADDRESS_PARTS).find(isGiven);
  if (part !== undefined && isGiven('billing_address')) {
    throw usageError(`--billing-address and --${part} can't be used together`, {
      hint: 'give the address as JSON, or by its parts',
    });
  }
  const { meta, meta_json, clear_meta, merge_meta, unset_meta } = { ...given, ...cleared };
  if ([meta, meta_json, clear_meta, merge_meta ?? unset_meta].filter((way) => way !== undefined).length > 1) {
    throw usageError(`${metaWays} can't be used together`);
  }
  return { ...given, ...cleared };
};

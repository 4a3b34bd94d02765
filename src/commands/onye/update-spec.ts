import { BULK_OPTIONS, BULK_OUTPUT, type BulkInput, readBulk } from '../../cli/bulk-options.ts';
import {
  defineCommand,
  flag,
  type GivenOptions,
  option,
  optional,
  rarely,
  repeated,
  WRITE_EXITS,
} from '../../cli/define.ts';
import { asPair, asSource, asText, readId } from '../../cli/options.ts';
import { SEEDED } from '../../core/data-files.ts';
import { usageError } from '../../core/error.ts';
import { asFlag, type Pair, refuseSharedStdin, type Source, sourceOf } from '../../core/input.ts';
import { definedIn } from '../../core/json.ts';
import { didYouMean } from '../../core/text.ts';

/** Parts of a billing address. Each has its own option. */
const PARTS = ['address', 'address2', 'city', 'state', 'zip', 'country'] as const;

/** Options for all customer fields except the metadata. Shared by all commands that write a customer. */
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

/** Option for a body with any fields. Other options override it. */
export const DATA_OPTION = {
  data: option('--data <json|@file|->', 'a JSON object with any fields; options override it', asSource),
} as const;

/** The complete metadata, given in one way. */
export type WholeMeta =
  | { readonly kind: 'pairs'; readonly pairs: readonly Pair[] }
  | { readonly kind: 'json'; readonly source: Source }
  | { readonly kind: 'clear' };

/** A billing address, as JSON or by parts. */
export type GivenAddress = { readonly source: Source } | { readonly parts: Readonly<Record<string, string>> };

/** Customer fields that the options set. `texts` holds plain texts, by their name in the body. */
export interface FieldInput {
  readonly texts: Readonly<Record<string, string>>;
  /** Names of fields to empty. */
  readonly cleared: readonly string[];
  readonly billingAddress: GivenAddress | undefined;
  readonly meta: WholeMeta | undefined;
  readonly data: Source | undefined;
}

type Options = typeof FIELD_OPTIONS;

const readAddress = (options: GivenOptions<Options>): GivenAddress | undefined => {
  const { billingAddress: source } = options;
  const parts = definedIn(Object.fromEntries(PARTS.map((name) => [name, options[name]])));
  const [first] = Object.keys(parts);
  if (first === undefined) return source && { source };
  if (source === undefined) return { parts };
  throw usageError(`--billing-address and --${first} can't be used together`, {
    hint: 'give the address as JSON, or by its parts',
  });
};

/** Reads the given texts and address. */
export const readTexts = (options: GivenOptions<Options>): Pick<FieldInput, 'texts' | 'billingAddress'> => ({
  texts: definedIn({
    email: options.email,
    ref: options.ref,
    first_name: options.firstName,
    last_name: options.lastName,
  }),
  billingAddress: readAddress(options),
});

/** Inputs that may read from a source; a metadata change may have none. */
interface Sourced extends Pick<FieldInput, 'billingAddress' | 'data'> {
  readonly meta: { readonly kind: string; readonly source?: Source } | undefined;
}

/** Sources that the options read from. */
export const sourcesOf = ({ billingAddress, meta, data }: Sourced): readonly (Source | undefined)[] => [
  billingAddress !== undefined && 'source' in billingAddress ? billingAddress.source : undefined,
  meta?.source,
  data,
];

const asKey = (text: string): string => {
  if (text !== '') return text;
  throw usageError('the key is empty');
};

/** Fields that may be empty (interface.md 2.1; public material). */
const CLEARABLE = ['ref', 'first_name', 'last_name', 'meta'];
/** Reason for each field that can't be cleared. */
const FIXED = new Map([
  ['email', 'a customer always has an e-mail address'],
  ['billing_address', 'the service takes no empty address; replace it, or blank its second line with --address2 ""'],
]);

const asCleared = (text: string): string => {
  const name = text.replaceAll('-', '_');
  if (CLEARABLE.includes(name)) return name;
  const why = FIXED.get(name) ?? `"${text}" is no field that can be cleared`;
  const meant = didYouMean(name, CLEARABLE);
  const guess = meant === undefined || FIXED.has(name) ? '' : `did you mean ${meant}? `;
  throw usageError(why, { hint: `${guess}fields that can be cleared: ${CLEARABLE.join(', ')}` });
};

const options = rarely(['metaJson', 'clearMeta', 'unsetMeta'], {
  ...FIELD_OPTIONS,
  clear: repeated('--clear <field>', 'make a field empty: ref, first_name, last_name or meta', asCleared, {
    choices: CLEARABLE,
  }),
  meta: repeated('--meta <k=v>', 'replace all metadata; k:=json sets a value that is not text', asPair),
  metaJson: option('--meta-json <json|@file|->', 'replace all metadata with one JSON object', asSource),
  clearMeta: flag('--clear-meta', 'remove all metadata'),
  mergeMeta: repeated(
    '--merge-meta <k=v>',
    'set metadata keys (k:=json) and keep the others: reads the customer, then writes all metadata',
    asPair,
  ),
  unsetMeta: repeated('--unset-meta <k>', 'remove a metadata key and keep the others, in the same way', asKey),
  ...DATA_OPTION,
  ...BULK_OPTIONS,
} as const);

/** Metadata is replaced as a whole or changed key by key. Only one way may be given. */
type MetaInput =
  | WholeMeta
  | { readonly kind: 'merge'; readonly set: readonly Pair[]; readonly unset: readonly string[] };

/** Changes to a customer that the options ask for. */
export interface Changes extends Omit<FieldInput, 'meta'> {
  readonly meta: MetaInput | undefined;
}

export type UpdateInput =
  | { readonly kind: 'one'; readonly uid: string; readonly changes: Changes }
  /** A file of updates. Options give the fields for which the file has no column. */
  | { readonly kind: 'file'; readonly bulk: BulkInput; readonly changes: Changes };

const readMerge = (set: readonly Pair[], unset: readonly string[]): MetaInput => {
  const both = set.find(([name]) => unset.includes(name));
  if (both !== undefined) throw usageError(`"${both[0]}" is in both --merge-meta and --unset-meta`);
  return { kind: 'merge', set, unset };
};

const readMeta = (given: GivenOptions<typeof options>): MetaInput | undefined => {
  const merges = given.mergeMeta !== undefined || given.unsetMeta !== undefined;
  const clears = given.clearMeta === true || given.clear?.includes('meta') === true;
  const ways = [given.meta, given.metaJson, clears || undefined, merges || undefined].filter(
    (way) => way !== undefined,
  );
  if (ways.length > 1) {
    throw usageError("--meta, --meta-json, --clear-meta and --merge-meta/--unset-meta can't be used together");
  }
  if (merges) return readMerge(given.mergeMeta ?? [], given.unsetMeta ?? []);
  if (given.meta !== undefined) return { kind: 'pairs', pairs: given.meta };
  if (given.metaJson !== undefined) return { kind: 'json', source: given.metaJson };
  return clears ? { kind: 'clear' } : undefined;
};

const readChanges = (given: GivenOptions<typeof options>): Changes => {
  const { texts, billingAddress } = readTexts(given);
  const cleared = (given.clear ?? []).filter((name) => name !== 'meta');
  const both = cleared.find((name) => texts[name] !== undefined);
  if (both !== undefined) throw usageError(`--clear ${both} and ${asFlag(both)} can't be used together`);
  return { texts, cleared, billingAddress, meta: readMeta(given), data: given.data };
};

const CHANGES = (Object.keys(options) as (keyof typeof options)[]).filter((name) => !Object.hasOwn(BULK_OPTIONS, name));

const readOne = (
  uid: string | undefined,
  given: GivenOptions<typeof options>,
  changes: Changes,
  validate: boolean,
): UpdateInput => {
  if (uid === undefined) {
    throw usageError("missing required argument 'onye': a customer, ony.…", {
      hint: 'or update many from a file: --from customers.csv',
    });
  }
  readId('ony', uid, validate);
  if (CHANGES.every((name) => given[name] === undefined)) {
    throw usageError('nothing to change', { hint: 'give a field to change, such as --email ada@example.com' });
  }
  return { kind: 'one', uid, changes };
};

export const updateCommand = defineCommand({
  path: ['onye', 'update'],
  danger: 'write',
  summary: 'update a customer, or a file of customers; fields that you leave out stay as they are',
  description:
    '--meta, --meta-json and --clear-meta replace all metadata: on a terminal paycli first lists the keys that would be ' +
    'lost; a script is not asked. --merge-meta and --unset-meta read the customer (with --dry-run, too), change those ' +
    'keys and write all metadata back. This is not atomic: a change that somebody else makes in between is lost. If ' +
    'nothing would change, nothing is sent.\n\n' +
    'A billing address is sent as a whole, by --billing-address or by its parts (--address, --city, …): give all that it ' +
    'is to have.\n\n' +
    'With --from, each row of a file is one update. Column names, in any case: uid, email, ref, first_name, last_name, ' +
    'billing_address (JSON) or billing_address.city, meta.k (meta.k: for JSON) or merge_meta.k. Options apply to fields ' +
    'without a column, other columns are copied to the report, and an empty cell leaves a field as it is. The whole file ' +
    'is checked before anything is sent. Run the same command again to continue where it stopped; if the result of an ' +
    'update is unknown, the customer is read before it is sent again.',
  args: [optional('onye', 'the customer, ony.…; or --from', { completes: 'onye' })],
  options,
  examples: {
    'change the e-mail address': `paycli onye update ${SEEDED.onye} --email ada@example.com`,
    'replace all metadata': `paycli onye update ${SEEDED.onye} --meta tier=vip --meta visits:=3`,
    'set one metadata key, remove another, and keep the rest': `paycli onye update ${SEEDED.onye} --merge-meta tier=vip --unset-meta trial`,
    'set the billing address, and clear the reference': `paycli onye update ${SEEDED.onye} --address '12 Marina Road' --city Lagos --country NG --clear ref`,
    'update customers from a spreadsheet, with a report':
      `printf 'uid,email,meta.tier\\n${SEEDED.onye},ada@example.com,vip\\n' > customers.csv\n` +
      'paycli onye update --from customers.csv --report result.csv',
    'send a field that paycli has no option for': `paycli onye update ${SEEDED.onye} --data '{"locale": "en_NG"}'`,
  },
  output:
    'the updated customer: uid, email, first_name, last_name, ref, billing_address, meta, status, created_at. ' +
    BULK_OUTPUT,
  exits: [...WRITE_EXITS, 'ledger'],
  previews: true,
  read: (args, given, { validate }): UpdateInput => {
    const bulk = readBulk(given);
    const changes = readChanges(given);
    refuseSharedStdin([...sourcesOf(changes), bulk && sourceOf(bulk.from)]);
    if (bulk === undefined) return readOne(args[0], given, changes, validate);
    if (args.length > 0) throw usageError("--from and a customer can't be used together");
    return { kind: 'file', bulk, changes };
  },
  load: () => import('./update.ts'),
});

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
import { asFlag, type Pair, readSourceName, refuseSharedStdin, type Source } from '../../core/input.ts';
import { pick } from '../../core/json.ts';
import { didYouMean } from '../../core/text.ts';
import { type Changes, CLEARABLE, type GivenField, PARTS, TEXTS } from './fields-shared.ts';

/** Options for all customer fields except the metadata. Shared by all commands that write a customer. */
export const FIELD_OPTIONS = rarely(PARTS, {
  email: option('--email <address>', 'e-mail address', asText, { own: true }),
  ref: option('--ref <text>', 'your reference, at most 150 characters', asText),
  first_name: option('--first-name <text>', 'at most 100 characters', asText),
  last_name: option('--last-name <text>', 'at most 100 characters', asText),
  billing_address: option('--billing-address <json|@file|->', 'address, address2, city, state, zip, country', asSource),
  address: option('--address <text>', 'billing address by parts: street and number', asText),
  address2: option('--address2 <text>', 'its second line', asText),
  city: option('--city <text>', 'its city', asText),
  state: option('--state <text>', 'its state', asText),
  zip: option('--zip <text>', 'its postal code', asText),
  country: option('--country <code>', 'its country, two letters such as NG', asText),
} as const);

/** Option for a body with any fields. Other options override it. */
export const DATA_OPTION = rarely(['data'], {
  data: option('--data <json|@file|->', 'a JSON object with any fields; options override it', asSource),
} as const);

/** Option values that set customer fields. */
interface FieldsGiven extends GivenOptions<typeof FIELD_OPTIONS> {
  readonly clear?: readonly string[];
  readonly meta?: readonly Pair[];
  readonly meta_json?: Source;
  readonly clear_meta?: boolean;
}

const addressIn = ({ billing_address: source, ...given }: FieldsGiven): readonly GivenField[] => {
  const name = 'billing_address';
  const value = pick(given, PARTS);
  const [first] = Object.keys(value);
  if (first === undefined) return source === undefined ? [] : [{ name, flag: '--billing-address', source }];
  if (source === undefined) return [{ name, flag: asFlag(first), value }];
  throw usageError(`--billing-address and --${first} can't be used together`, {
    hint: 'give the address as JSON, or by its parts',
  });
};

const metaIn = ({ meta: pairs, meta_json: source, clear_meta, clear = [] }: FieldsGiven): readonly GivenField[] => [
  ...(pairs === undefined ? [] : [{ name: 'meta', flag: '--meta', pairs }]),
  ...(source === undefined ? [] : [{ name: 'meta', flag: '--meta-json', source }]),
  ...(clear_meta === true || clear.includes('meta') ? [{ name: 'meta', flag: '--clear-meta', value: {} }] : []),
];

/** Lists the fields that options set. The id of a job depends on their order. */
export const fieldsIn = (given: FieldsGiven): readonly GivenField[] => {
  const texts = Object.entries(pick(given, TEXTS)).map(([name, value]) => ({ name, flag: asFlag(name), value }));
  const cleared = (given.clear ?? []).filter((name) => name !== 'meta');
  const both = texts.find(({ name }) => cleared.includes(name));
  if (both !== undefined) throw usageError(`--clear ${both.name} and ${both.flag} can't be used together`);
  const empty = cleared.map((name) => ({ name, flag: `--clear ${name}`, value: '' }));
  return [...texts, ...empty, ...addressIn(given), ...metaIn(given)];
};

/** Throws if the metadata is set in more than one of these ways. */
export const refuseTwoWays = ({ fields, change }: Pick<Changes, 'fields' | 'change'>, ways: string): void => {
  const set = fields.filter(({ name }) => name === 'meta').length + (change === undefined ? 0 : 1);
  if (set > 1) throw usageError(`${ways} can't be used together`);
};

const asKey = (text: string): string => {
  if (text !== '') return text;
  throw usageError('the key is empty');
};

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

const options = rarely(['meta_json', 'clear_meta', 'unset_meta', 'replaceMeta'], {
  ...FIELD_OPTIONS,
  clear: repeated('--clear <field>', 'make a field empty: ref, first_name, last_name or meta', asCleared, {
    choices: CLEARABLE,
  }),
  meta: repeated('--meta <k=v>', 'replace all metadata; k:=json sets a value that is not text', asPair),
  meta_json: option('--meta-json <json|@file|->', 'replace all metadata with one JSON object', asSource),
  clear_meta: flag('--clear-meta', 'remove all metadata'),
  merge_meta: repeated(
    '--merge-meta <k=v>',
    'set metadata keys (k:=json) and keep the others: reads the customer, then writes all metadata',
    asPair,
  ),
  unset_meta: repeated('--unset-meta <k>', 'remove a metadata key and keep the others, in the same way', asKey),
  replaceMeta: flag('--replace-meta', 'with --from: columns such as meta.tier replace all metadata'),
  ...DATA_OPTION,
  ...BULK_OPTIONS,
} as const);

export type UpdateInput =
  | { readonly kind: 'one'; readonly uid: string; readonly changes: Changes }
  /** A file of updates. Options give the fields for which the file has no column. */
  | { readonly kind: 'file'; readonly bulk: BulkInput; readonly changes: Changes; readonly replaceMeta: boolean };

const changeIn = ({ merge_meta, unset_meta }: GivenOptions<typeof options>): Changes['change'] => {
  if (merge_meta === undefined && unset_meta === undefined) return undefined;
  const [set, unset] = [merge_meta ?? [], unset_meta ?? []];
  const both = set.find(([name]) => unset.includes(name));
  if (both !== undefined) throw usageError(`"${both[0]}" is in both --merge-meta and --unset-meta`);
  return { set, unset };
};

const readChanges = (given: GivenOptions<typeof options>): Changes => {
  const changes = { fields: fieldsIn(given), change: changeIn(given), data: given.data };
  refuseTwoWays(changes, '--meta, --meta-json, --clear-meta and --merge-meta/--unset-meta');
  return changes;
};

const readOne = (uid: string | undefined, changes: Changes, validate: boolean): UpdateInput => {
  if (uid === undefined) {
    throw usageError("missing required argument 'onye': a customer, ony.…", {
      hint: 'or update many from a file: --from customers.csv',
    });
  }
  readId('ony', uid, validate);
  const { fields, change, data } = changes;
  if (fields.length === 0 && change === undefined && data === undefined) {
    throw usageError('nothing to change', { hint: 'give a field to change, such as --email ada@example.com' });
  }
  return { kind: 'one', uid, changes };
};

export const updateCommand = defineCommand({
  path: ['onye', 'update'],
  danger: 'write',
  summary: 'update a customer, or a file of customers; fields that you leave out stay as they are',
  description:
    '--meta, --meta-json and --clear-meta replace all metadata. On a terminal, paycli first lists the keys that ' +
    "would be lost; it doesn't ask a script. --merge-meta and --unset-meta read the customer (also with --dry-run), " +
    'change those keys and write all metadata. This is not atomic: a change by someone else between the read and ' +
    'the write is lost. If nothing would change, nothing is sent.\n\n' +
    'A billing address is sent as a whole, by --billing-address or by its parts (--address, --city, …). Give every ' +
    'part that it should have.\n\n' +
    'With --from, each row of a file is one update. Columns, in any case, also with blanks: uid, email, ref, first_name, ' +
    'last_name, billing_address (JSON) or billing_address.city, meta.k (meta.k: for JSON) or merge_meta.k, meta. ' +
    'meta.k and merge_meta.k set one key and keep the others. The column meta (JSON), --meta and --replace-meta ' +
    'replace all metadata; paycli then reads each customer first, also with --dry-run, and names the keys that ' +
    'would be lost. Options apply to fields without a column. Other columns are copied to the report. An empty cell leaves its field ' +
    'unchanged. The whole file is checked before anything is sent. Run the same command again to continue where it ' +
    "stopped. If an update's result is unknown, paycli reads the customer before it sends the update again.",
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
    refuseSharedStdin([given.billing_address, given.meta_json, given.data, bulk && readSourceName(bulk.from)]);
    const replaceMeta = given.replaceMeta === true;
    if (bulk === undefined && replaceMeta) {
      throw usageError('--replace-meta needs --from', { hint: '--meta replaces all metadata of one customer' });
    }
    if (bulk === undefined) return readOne(args[0], changes, validate);
    if (args.length > 0) throw usageError("--from and a customer can't be used together");
    return { kind: 'file', bulk, changes, replaceMeta };
  },
  load: async () => ({ run: (await import('./update.ts')).update, view: (await import('./update.ts')).view }),
});

import { BULK_OPTIONS, BULK_OUTPUT, type BulkInput, readBulk } from '../../cli/bulk-options.ts';
import {
  type BodyField,
  defineCommand,
  flag,
  type HowToRead,
  optional,
  rarely,
  repeated,
  WRITE_EXITS,
} from '../../cli/define.ts';
import { DATA_OPTION, readId } from '../../cli/options.ts';
import { SEEDED } from '../../core/data-files.ts';
import { usageError } from '../../core/error.ts';
import { readSourceName, refuseSharedStdin } from '../../core/input.ts';
import { didYouMean } from '../../core/text.ts';
import {
  CHANGED_FIELDS,
  CUSTOMER_FIELDS,
  CUSTOMER_OUTPUT,
  type CustomerOptions,
  readFieldOptions,
} from './fields-shared.ts';

const CLEARABLE: string[] = [];
for (const [name, { clearable }] of Object.entries<BodyField>(CHANGED_FIELDS)) if (clearable) CLEARABLE.push(name);

/** Reason for each field that can't be cleared. */
const UNCLEARABLE = new Map([
  ['email', 'a customer always has an e-mail address'],
  ['billing_address', 'the service takes no empty address; replace it, or blank its second line with --address2 ""'],
]);

const asCleared = (text: string): string => {
  const name = text.replaceAll('-', '_');
  if (CLEARABLE.includes(name)) return name;
  const why = UNCLEARABLE.get(name) ?? `"${text}" is no field that can be cleared`;
  const meant = didYouMean(name, CLEARABLE);
  const guess = meant === undefined || UNCLEARABLE.has(name) ? '' : `did you mean ${meant}? `;
  throw usageError(why, { hint: `${guess}fields that can be cleared: ${CLEARABLE.join(', ')}` });
};

const updateInput = rarely(['replaceMeta'], {
  uid: optional('onye', 'the customer, ony.… or the e-mail address; or --from', { completes: 'onye' }),
  ...CUSTOMER_FIELDS,
  clear: repeated('--clear <field>', 'make a field empty: ref, first_name, last_name or meta', asCleared, {
    choices: CLEARABLE,
  }),
  ...CHANGED_FIELDS,
  replaceMeta: flag('--replace-meta', 'with --from: columns such as meta.tier replace all metadata'),
  ...DATA_OPTION,
  ...BULK_OPTIONS,
});

export type UpdateInput = { readonly given: CustomerOptions } & (
  | { readonly kind: 'one'; readonly uid: string }
  /** A file of updates. Options give the fields for which the file has no column. */
  | { readonly kind: 'file'; readonly bulk: BulkInput; readonly replaceMeta: boolean }
);

const readOneUpdate = (uid: string | undefined, given: CustomerOptions, how: HowToRead): UpdateInput => {
  if (uid === undefined) {
    throw usageError("missing required argument 'onye': a customer, ony.…", {
      hint: 'or update many from a file: --from customers.csv',
    });
  }
  const id = readId('ony', uid, how);
  if (![...Object.keys(CHANGED_FIELDS), 'data'].some((name) => Object.hasOwn(given, name))) {
    throw usageError('nothing to change', { hint: 'give a field to change, such as --email ada@example.com' });
  }
  return { kind: 'one', uid: id, given };
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
    'With --from, each row of a file is one update. Columns, in any case, also with blanks: uid (or the e-mail address so far), email, ref, first_name, ' +
    'last_name, billing_address (JSON) or billing_address.city, meta.k (meta.k: for JSON) or merge_meta.k, meta. ' +
    'meta.k and merge_meta.k set one key and keep the others. The column meta (JSON), --meta and --replace-meta ' +
    'replace all metadata; paycli then reads each customer first, also with --dry-run, and lists the keys that ' +
    'would be lost. Options apply to fields without a column. Other columns are copied to the report. An empty cell leaves its field ' +
    'unchanged. The whole file is checked before anything is sent. Run the same command again to continue where it ' +
    "stopped. If an update's result is unknown, paycli reads the customer before it sends the update again.",
  input: updateInput,
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
  output: `the updated customer: ${CUSTOMER_OUTPUT}. ${BULK_OUTPUT}`,
  exits: [...WRITE_EXITS, 'ledger'],
  previews: true,
  read: ({ uid, replaceMeta }, how, options): UpdateInput => {
    const bulk = readBulk(options, uid, 'a customer');
    const given = readFieldOptions(options, '--meta, --meta-json, --clear-meta and --merge-meta/--unset-meta');
    const both = given.merge_meta?.find(([name]) => given.unset_meta?.includes(name));
    if (both !== undefined) throw usageError(`"${both[0]}" is in both --merge-meta and --unset-meta`);
    refuseSharedStdin([given.billing_address, given.meta_json, given.data, bulk && readSourceName(bulk.from)]);
    if (bulk === undefined && replaceMeta) {
      throw usageError('--replace-meta needs --from', { hint: '--meta replaces all metadata of one customer' });
    }
    if (bulk === undefined) return readOneUpdate(uid, given, how);
    return { kind: 'file', bulk, given, replaceMeta };
  },
  load: async () => ({ run: (await import('./update.ts')).update, view: (await import('./update.ts')).updatedView }),
});

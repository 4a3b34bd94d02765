import { BULK_OPTIONS, BULK_OUTPUT, type BulkInput, readBulk, refuseRowFields } from '../../cli/bulk-options.ts';
import { argument, defineCommand, ONCE_EXITS, READ_EXITS, WRITE_EXITS } from '../../cli/define.ts';
import { asId, DATA_OPTION, FILTER_OPTIONS, readList, WALK_OPTIONS } from '../../cli/options.ts';
import { SEEDED } from '../../core/data-files.ts';
import { usageError } from '../../core/error.ts';
import { readSourceName, refuseSharedStdin } from '../../core/input.ts';
import { CUSTOMER_OUTPUT, type CustomerOptions, NEW_FIELDS, readFieldOptions } from './fields-shared.ts';
import { updateCommand } from './update-spec.ts';

export type OnyeCreateInput = { readonly given: CustomerOptions } & (
  | { readonly kind: 'one' }
  /** A file of customers. Options give the fields for which the file has no column. */
  | { readonly kind: 'file'; readonly bulk: BulkInput }
);

const customerArgument = argument(
  'onye',
  'the customer, ony.… or the e-mail address',
  { completes: 'onye' },
  asId('ony'),
);

/** Statuses of a customer (docs/service.md, Customers). The service may add more. */
const CUSTOMER_STATUSES = ['active'];

export const onyeCommands = [
  defineCommand({
    path: ['onye', 'create'],
    danger: 'write',
    summary: 'create a customer, or a file of them',
    description:
      'The service accepts an e-mail address once, so you can run the same command again after a lost answer. If the ' +
      'address is taken, paycli finds its customer and compares the fields. If they are the same, the exit code is 0. ' +
      'If they differ, it is 3, and nothing changes.\n\n' +
      'With --from, each row of a file is one customer. Columns, in any case, also with blanks: email, ref, first_name, last_name, ' +
      'billing_address (JSON) or billing_address.city, meta.k (meta.k: for JSON). Options apply to fields without a ' +
      'column. Other columns are copied to the report. The whole file is checked before anything is sent. Run the ' +
      'same command again to continue where it stopped: no row is sent twice.',
    input: { ...NEW_FIELDS, ...DATA_OPTION, ...BULK_OPTIONS },
    examples: {
      'create a customer': 'paycli onye create --email ada@example.com --first-name Ada --last-name Obi',
      'with a billing address and metadata, for a script that wants the identifier':
        "paycli onye create --email obi@example.com --address '12 Marina Road' --city Lagos --state Lagos --zip 101001 " +
        '--country NG --meta tier=vip -o tsv --columns uid',
      'from a spreadsheet, with a report':
        "printf 'email,first_name,meta.tier\\nada@example.com,Ada,vip\\nobi@example.com,Obi,\\n' > customers.csv\n" +
        'paycli onye create --from customers.csv --report result.csv',
    },
    output: `the customer: ${CUSTOMER_OUTPUT}. ${BULK_OUTPUT}`,
    exits: ONCE_EXITS,
    previews: true,
    read: (_input, _how, given): OnyeCreateInput => {
      readFieldOptions(given, '--meta and --meta-json');
      const bulk = readBulk(given);
      refuseSharedStdin([given.billing_address, given.meta_json, given.data, bulk && readSourceName(bulk.from)]);
      if (bulk !== undefined) {
        refuseRowFields(NEW_FIELDS, given);
        return { kind: 'file', bulk, given };
      }
      if (given.email === undefined && given.data === undefined) {
        throw usageError('no e-mail address given', {
          hint: 'give one with --email ada@example.com, or create many from a file: --from customers.csv',
        });
      }
      return { kind: 'one', given };
    },
    load: async () => ({
      run: (await import('./create.ts')).createCustomers,
      view: (await import('./create.ts')).createdCustomersView,
    }),
  }),
  defineCommand({
    path: ['onye', 'get'],
    danger: 'read',
    summary: 'show a customer',
    input: { uid: customerArgument },
    examples: {
      'a customer': `paycli onye get ${SEEDED.onye}`,
      'the metadata, for a script': `paycli onye get ${SEEDED.onye} -o tsv --columns meta`,
    },
    output: `the customer: ${CUSTOMER_OUTPUT}`,
    exits: [...READ_EXITS, 'ledger'],
    previews: true,
    load: async () => ({ run: (await import('./onye.ts')).getCustomer }),
  }),
  defineCommand({
    path: ['onye', 'list'],
    danger: 'read',
    summary: 'list customers',
    description:
      'The service has no filters, so paycli walks the list and shows the matches: the first ten, --max <n>, or ' +
      '--all. It says how many records it has read.',
    input: { ...WALK_OPTIONS, ...FILTER_OPTIONS, status: { ...FILTER_OPTIONS.status, choices: CUSTOMER_STATUSES } },
    examples: {
      'ten customers': 'paycli onye list',
      'find one by e-mail address': 'paycli onye list --email ada.bello20@example.com',
      'all, as CSV': 'paycli onye list --all -o csv',
    },
    output: `${CUSTOMER_OUTPUT}; json: {"data":[…],"next_cursor":…}`,
    exits: READ_EXITS,
    previews: true,
    read: (_input, how, given) => readList(given, how, CUSTOMER_STATUSES),
    load: async () => ({ run: (await import('./onye.ts')).listCustomers }),
  }),
  updateCommand,
  defineCommand({
    path: ['onye', 'delete'],
    danger: 'write',
    summary: 'delete a customer; their payment requests stay',
    description:
      'Reads the customer, shows what will be lost and asks; a script needs --yes. Prints the deleted customer.',
    input: { uid: customerArgument },
    examples: { 'delete a customer, and print it as JSON': `paycli onye delete ${SEEDED.onye} --yes --json` },
    output: `the customer as it was: ${CUSTOMER_OUTPUT}`,
    exits: [...WRITE_EXITS, 'ledger'],
    confirms: true,
    previews: true,
    load: async () => ({
      run: (await import('./onye.ts')).deleteCustomer,
      view: (await import('./view.ts')).onyeView,
    }),
  }),
];

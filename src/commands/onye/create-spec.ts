import type { BulkInput } from '../../cli/bulk-options.ts';
import { BULK_OPTIONS, BULK_OUTPUT, readBulk, refuseBeside } from '../../cli/bulk-options.ts';
import type { GivenOptions } from '../../cli/define.ts';
import { defineCommand, ONCE_EXITS, option, repeated } from '../../cli/define.ts';
import { asPair, asSource } from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';
import { refuseSharedStdin, sourceOf } from '../../core/source.ts';
import type { FieldInput } from './fields-spec.ts';
import { DATA_OPTION, FIELD_OPTIONS, readTexts, sourcesOf } from './fields-spec.ts';

const options = {
  ...FIELD_OPTIONS,
  meta: repeated('--meta <k=v>', 'metadata; k:=json sets a value that is not text', asPair),
  metaJson: option('--meta-json <json|@file|->', 'metadata as one JSON object', asSource),
  ...DATA_OPTION,
  ...BULK_OPTIONS,
} as const;

export type CreateInput =
  | { readonly kind: 'one'; readonly fields: FieldInput }
  /** A file of customers, whose rows the options fill where it has no column. */
  | { readonly kind: 'file'; readonly bulk: BulkInput; readonly fields: FieldInput };

const readMeta = ({ meta, metaJson }: GivenOptions<typeof options>): FieldInput['meta'] => {
  if (meta !== undefined && metaJson !== undefined) throw usageError("--meta and --meta-json can't be used together");
  if (meta !== undefined) return { kind: 'pairs', pairs: meta };
  return metaJson && { kind: 'json', source: metaJson };
};

export const createCommand = defineCommand({
  path: ['onye', 'create'],
  danger: 'write',
  summary: 'create a customer, or a file of them',
  description:
    'An e-mail address belongs to one customer, so the same command can be run again after a lost answer: where the address ' +
    'is taken, paycli finds its customer and compares it with what was asked for. The same fields: done, exit 0. Others: ' +
    'exit 3, and nothing is changed.\n\n' +
    'With --from, each row of a file is one customer. Column names, in any case: email, ref, first_name, last_name, ' +
    'billing_address (JSON) or billing_address.city, meta.k (meta.k: for JSON). Options apply to fields without a column, ' +
    'and other columns are copied to the report. The whole file is checked before anything is sent. Run the same command ' +
    'again to continue where it stopped: a row that was sent is never sent twice.',
  options,
  examples: {
    'create a customer': 'paycli onye create --email ada@example.com --first-name Ada --last-name Obi',
    'with a billing address and metadata, for a script that wants the identifier':
      "paycli onye create --email obi@example.com --address '12 Marina Road' --city Lagos --state Lagos --zip 101001 " +
      '--country NG --meta tier=vip -o tsv --columns uid',
    'from a spreadsheet, with a report':
      "printf 'email,first_name,meta.tier\\nada@example.com,Ada,vip\\nobi@example.com,Obi,\\n' > customers.csv\n" +
      'paycli onye create --from customers.csv --report result.csv',
  },
  output: `the customer: uid, email, first_name, last_name, ref, status, billing_address, meta, created_at. ${BULK_OUTPUT}`,
  exits: ONCE_EXITS,
  previews: true,
  read: (_args, given): CreateInput => {
    const fields = { ...readTexts(given), cleared: [], meta: readMeta(given), data: given.data };
    const bulk = readBulk(given);
    refuseSharedStdin([...sourcesOf(fields), bulk && sourceOf(bulk.from)]);
    if (bulk !== undefined) {
      refuseBeside(options, given, ['email']);
      return { kind: 'file', bulk, fields };
    }
    if (given.email === undefined && given.data === undefined) {
      throw usageError('no e-mail address given', {
        hint: 'give one with --email ada@example.com, or create many from a file: --from customers.csv',
      });
    }
    return { kind: 'one', fields };
  },
  load: () => import('./create.ts'),
});

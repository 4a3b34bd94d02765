import type { BulkInput } from '../../cli/bulk-options.ts';
import { BULK_OPTIONS, readBulk } from '../../cli/bulk-options.ts';
import type { GivenOptions } from '../../cli/define.ts';
import { defineCommand, flag, option, repeated } from '../../cli/define.ts';
import { asText } from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';
import { idProblem } from '../../core/ids.ts';
import { SEEDED } from '../../core/local.ts';
import type { Pair } from '../../core/pairs.ts';
import { parsePair } from '../../core/pairs.ts';
import type { Source } from '../../core/source.ts';
import { sourceOf } from '../../core/source.ts';

const asKey = (text: string): string => {
  if (text !== '') return text;
  throw usageError('the key is empty');
};

const options = {
  email: option('--email <address>', 'e-mail address', asText),
  ref: option('--ref <text>', 'your reference, at most 150 characters', asText),
  firstName: option('--first-name <text>', 'at most 100 characters', asText),
  lastName: option('--last-name <text>', 'at most 100 characters', asText),
  billingAddress: option('--billing-address <json|@file|->', 'address, address2, city, state, zip, country', sourceOf),
  meta: repeated('--meta <k=v>', 'replace all metadata; k:=json sets a value that is not text', parsePair),
  metaJson: option('--meta-json <json|@file|->', 'replace all metadata with one JSON object', sourceOf),
  clearMeta: flag('--clear-meta', 'remove all metadata'),
  mergeMeta: repeated(
    '--merge-meta <k=v>',
    'set metadata keys (k:=json) and keep the others: reads the customer, then writes all metadata',
    parsePair,
  ),
  unsetMeta: repeated('--unset-meta <k>', 'remove a metadata key and keep the others, in the same way', asKey),
  data: option('--data <json|@file|->', 'a JSON object with any fields; options override it', sourceOf),
  ...BULK_OPTIONS,
} as const;

/** Metadata is replaced as a whole or changed key by key, so it is given in exactly one way. */
export type MetaInput =
  | { readonly kind: 'pairs'; readonly pairs: readonly Pair[] }
  | { readonly kind: 'json'; readonly source: Source }
  | { readonly kind: 'clear' }
  | { readonly kind: 'merge'; readonly set: readonly Pair[]; readonly unset: readonly string[] };

/** What the options change of a customer; `fields` are plain texts, by their name in the body. */
export interface Changes {
  readonly fields: Readonly<Record<string, string>>;
  readonly billingAddress: Source | undefined;
  readonly meta: MetaInput | undefined;
  readonly data: Source | undefined;
}

export type UpdateInput =
  | { readonly kind: 'one'; readonly uid: string; readonly changes: Changes }
  /** A file of updates, whose rows the options fill where it has no column. */
  | { readonly kind: 'file'; readonly bulk: BulkInput; readonly changes: Changes };

const readMerge = (set: readonly Pair[], unset: readonly string[]): MetaInput => {
  const both = set.find(([name]) => unset.includes(name));
  if (both !== undefined) throw usageError(`"${both[0]}" is in both --merge-meta and --unset-meta`);
  return { kind: 'merge', set, unset };
};

const readMeta = (given: GivenOptions<typeof options>): MetaInput | undefined => {
  const merges = given.mergeMeta !== undefined || given.unsetMeta !== undefined;
  const ways = [given.meta, given.metaJson, given.clearMeta, merges || undefined].filter((way) => way !== undefined);
  if (ways.length > 1) {
    throw usageError("--meta, --meta-json, --clear-meta and --merge-meta/--unset-meta can't be used together");
  }
  if (merges) return readMerge(given.mergeMeta ?? [], given.unsetMeta ?? []);
  if (given.meta !== undefined) return { kind: 'pairs', pairs: given.meta };
  if (given.metaJson !== undefined) return { kind: 'json', source: given.metaJson };
  return given.clearMeta === true ? { kind: 'clear' } : undefined;
};

const texts = (given: GivenOptions<typeof options>): Record<string, string> => {
  const fields = { email: given.email, ref: given.ref, first_name: given.firstName, last_name: given.lastName };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  );
};

const readChanges = (given: GivenOptions<typeof options>): Changes => ({
  fields: texts(given),
  billingAddress: given.billingAddress,
  meta: readMeta(given),
  data: given.data,
});

const CHANGES = [
  'email',
  'ref',
  'firstName',
  'lastName',
  'billingAddress',
  'meta',
  'metaJson',
  'clearMeta',
  'mergeMeta',
  'unsetMeta',
  'data',
] as const satisfies readonly (keyof typeof options)[];

const readOne = (uid: string | undefined, given: GivenOptions<typeof options>, validate: boolean): UpdateInput => {
  if (uid === undefined) {
    throw usageError("missing required argument 'onye': a customer, ony.…", {
      hint: 'or update many from a file: --from customers.csv',
    });
  }
  const problem = validate ? idProblem('ony', uid) : undefined;
  if (problem !== undefined) throw usageError(`"${uid}" ${problem}`);
  if (CHANGES.every((name) => given[name] === undefined)) {
    throw usageError('nothing to change', { hint: 'give a field to change, such as --email ada@example.com' });
  }
  return { kind: 'one', uid, changes: readChanges(given) };
};

const readFile = (bulk: BulkInput, args: readonly string[], given: GivenOptions<typeof options>): UpdateInput => {
  if (args.length > 0) throw usageError("--from and a customer can't be used together");
  return { kind: 'file', bulk, changes: readChanges(given) };
};

const oneStdin = (sources: readonly (Source | undefined)[]): void => {
  if (sources.filter((source) => source?.kind === 'stdin').length > 1) {
    throw usageError('only one option can read standard input (-)');
  }
};

export const updateCommand = defineCommand({
  path: ['onye', 'update'],
  summary: 'update a customer, or a file of customers; fields that you leave out stay as they are',
  description:
    '--meta, --meta-json and --clear-meta replace all metadata: on a terminal paycli first lists the keys that would be ' +
    'lost; a script is not asked. --merge-meta and --unset-meta read the customer (with --dry-run, too), change those ' +
    'keys and write all metadata back. This is not atomic: a change that somebody else makes in between is lost. If ' +
    'nothing would change, nothing is sent.\n\n' +
    'With --from, each row of a file is one update. Column names, in any case: uid, email, ref, first_name, last_name, ' +
    'billing_address (JSON) or billing_address.city, meta.k (meta.k: for JSON) or merge_meta.k. Options apply to fields ' +
    'without a column, other columns are copied to the report, and an empty cell leaves a field as it is. The whole file ' +
    'is checked before anything is sent. Run the same command again to continue where it stopped; if the result of an ' +
    'update is unknown, the customer is read before it is sent again.',
  args: [{ name: 'onye', about: 'the customer, ony.…; or --from', required: false }],
  options,
  examples: [
    {
      about: 'change the e-mail address',
      line: `paycli onye update ${SEEDED.onye} --email ada@example.com`,
    },
    {
      about: 'replace all metadata',
      line: `paycli onye update ${SEEDED.onye} --meta tier=vip --meta visits:=3`,
    },
    {
      about: 'set one metadata key, remove another, and keep the rest',
      line: `paycli onye update ${SEEDED.onye} --merge-meta tier=vip --unset-meta trial`,
    },
    {
      about: 'update customers from a spreadsheet, with a report',
      line:
        `printf 'uid,email,meta.tier\\n${SEEDED.onye},ada@example.com,vip\\n' > customers.csv\n` +
        'paycli onye update --from customers.csv --report result.csv',
    },
    {
      about: 'send a field that paycli has no option for',
      line: `paycli onye update ${SEEDED.onye} --data '{"locale": "en_NG"}'`,
    },
  ],
  output:
    'the updated customer: uid, email, first_name, last_name, ref, billing_address, meta, status, created_at. ' +
    'With --from a summary: job, command, file, rows, a count for each state, not_started, skipped, report',
  exits: ['usage', 'rejected', 'auth', 'not_sent', 'unknown', 'unrecorded', 'read_failed', 'ledger', 'interrupted'],
  previews: true,
  read: (args, given, { validate }) => {
    const bulk = readBulk(given);
    oneStdin([given.billingAddress, given.metaJson, given.data, bulk && sourceOf(bulk.from)]);
    return bulk === undefined ? readOne(args[0], given, validate) : readFile(bulk, args, given);
  },
  load: () => import('./update.ts'),
});

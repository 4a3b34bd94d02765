import type { CommandSpec, Given } from '../../cli/define.ts';
import { argument, defineCommand, flag, option, repeated } from '../../cli/define.ts';
import { asText } from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';
import { idProblem } from '../../core/ids.ts';
import type { Pair } from '../../core/pairs.ts';
import { parsePair } from '../../core/pairs.ts';
import type { Source } from '../../core/source.ts';
import { sourceOf } from '../../core/source.ts';

const options = {
  email: option('--email <address>', 'e-mail address', asText),
  ref: option('--ref <text>', 'your own reference, at most 150 characters', asText),
  firstName: option('--first-name <text>', 'at most 100 characters', asText),
  lastName: option('--last-name <text>', 'at most 100 characters', asText),
  billingAddress: option('--billing-address <json|@file|->', 'address, address2, city, state, zip, country', sourceOf),
  meta: repeated('--meta <k=v>', 'metadata; k:=json for a value that is no text; replaces the whole map', parsePair),
  metaJson: option('--meta-json <json|@file|->', 'the whole metadata as one JSON object', sourceOf),
  clearMeta: flag('--clear-meta', 'remove all metadata'),
  data: option('--data <json|@file|->', 'a JSON object merged under the flags; may hold any field', sourceOf),
} as const;

/** Metadata is replaced as a whole, so it is given in exactly one way. */
export type MetaInput =
  | { readonly kind: 'pairs'; readonly pairs: readonly Pair[] }
  | { readonly kind: 'json'; readonly source: Source }
  | { readonly kind: 'clear' };

/** The fields of `onye update` that are plain texts, by their name in the body. */
export interface UpdateInput {
  readonly uid: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly billingAddress: Source | undefined;
  readonly meta: MetaInput | undefined;
  readonly data: Source | undefined;
}

const readMeta = (given: Given<typeof options>): MetaInput | undefined => {
  const ways = [given.meta, given.metaJson, given.clearMeta].filter((way) => way !== undefined);
  if (ways.length > 1) throw usageError('--meta, --meta-json and --clear-meta exclude each other');
  if (given.meta !== undefined) return { kind: 'pairs', pairs: given.meta };
  if (given.metaJson !== undefined) return { kind: 'json', source: given.metaJson };
  return given.clearMeta === true ? { kind: 'clear' } : undefined;
};

const texts = (given: Given<typeof options>): Record<string, string> => {
  const fields = { email: given.email, ref: given.ref, first_name: given.firstName, last_name: given.lastName };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  );
};

const oneStdin = (sources: readonly (Source | undefined)[]): void => {
  if (sources.filter((source) => source?.kind === 'stdin').length > 1) {
    throw usageError('only one option can read standard input (-)');
  }
};

const update = defineCommand<UpdateInput, typeof options>({
  path: ['onye', 'update'],
  summary: 'change fields of a customer; what is not given stays as it is',
  args: [argument('onye', 'the customer, ony.…')],
  options,
  examples: [
    {
      about: 'change the e-mail address',
      line: 'paycli onye update ony.AbCd.1a2b3c4d5e6f7g8h9i0j1k2l --email ada@example.com',
    },
    {
      about: 'replace the metadata',
      line: 'paycli onye update ony.AbCd.1a2b3c4d5e6f7g8h9i0j1k2l --meta tier=vip --meta visits:=3',
    },
    {
      about: 'send a field that paycli has no flag for',
      line: `paycli onye update ony.AbCd.1a2b3c4d5e6f7g8h9i0j1k2l --data '{"locale": "en_NG"}'`,
    },
  ],
  output: 'the updated customer: uid, email, first_name, last_name, ref, billing_address, meta, status, created_at',
  exits: ['usage', 'rejected', 'auth', 'not_sent', 'unknown', 'unrecorded', 'interrupted'],
  previews: true,
  read: (args, given, { validate }) => {
    const uid = args[0] ?? '';
    const problem = validate ? idProblem('ony', uid) : undefined;
    if (problem !== undefined) throw usageError(`"${uid}" ${problem}`);
    oneStdin([given.billingAddress, given.metaJson, given.data]);
    const input: UpdateInput = {
      uid,
      fields: texts(given),
      billingAddress: given.billingAddress,
      meta: readMeta(given),
      data: given.data,
    };
    if (Object.keys(given).length === 0) {
      throw usageError('nothing to change was given', { hint: 'name a field, such as --email ada@example.com' });
    }
    return input;
  },
  load: () => import('./update.ts'),
});

export const onyeCommands: readonly CommandSpec[] = [update];

import type { GivenOptions } from '../../cli/define.ts';
import { defineCommand, option, repeated } from '../../cli/define.ts';
import { usageError } from '../../core/error.ts';
import { parsePair } from '../../core/pairs.ts';
import { refuseSharedStdin, sourceOf } from '../../core/source.ts';
import type { FieldInput } from './fields-spec.ts';
import { DATA_OPTION, FIELD_OPTIONS, readTexts, sourcesOf } from './fields-spec.ts';

const options = {
  ...FIELD_OPTIONS,
  meta: repeated('--meta <k=v>', 'metadata; k:=json sets a value that is not text', parsePair),
  metaJson: option('--meta-json <json|@file|->', 'metadata as one JSON object', sourceOf),
  ...DATA_OPTION,
} as const;

export interface CreateInput {
  readonly kind: 'one';
  readonly fields: FieldInput;
}

const readMeta = ({ meta, metaJson }: GivenOptions<typeof options>): FieldInput['meta'] => {
  if (meta !== undefined && metaJson !== undefined) throw usageError("--meta and --meta-json can't be used together");
  if (meta !== undefined) return { kind: 'pairs', pairs: meta };
  return metaJson && { kind: 'json', source: metaJson };
};

export const createCommand = defineCommand({
  path: ['onye', 'create'],
  summary: 'create a customer',
  description:
    'An e-mail address belongs to one customer, so the same command can be run again after a lost answer: where the address ' +
    'is taken, paycli finds its customer and compares it with what was asked for. The same fields: done, exit 0. Others: ' +
    'exit 3, and nothing is changed.',
  args: [],
  options,
  examples: [
    {
      about: 'create a customer',
      line: 'paycli onye create --email ada@example.com --first-name Ada --last-name Obi',
    },
    {
      about: 'with a billing address and metadata, for a script that wants the identifier',
      line:
        "paycli onye create --email obi@example.com --address '12 Marina Road' --city Lagos --state Lagos --zip 101001 " +
        '--country NG --meta tier=vip -o tsv --columns uid',
    },
  ],
  output: 'the customer: uid, email, first_name, last_name, ref, status, billing_address, meta, created_at',
  exits: ['usage', 'rejected', 'auth', 'not_sent', 'unknown', 'unrecorded', 'read_failed', 'interrupted'],
  previews: true,
  read: (_args, given): CreateInput => {
    const fields = { ...readTexts(given), cleared: [], meta: readMeta(given), data: given.data };
    refuseSharedStdin(sourcesOf(fields));
    if (given.email === undefined && given.data === undefined) {
      throw usageError('no e-mail address given', { hint: 'give one with --email ada@example.com' });
    }
    return { kind: 'one', fields };
  },
  load: () => import('./create.ts'),
});

import { defineCommand, flag, option } from '../../cli/define.ts';
import { asInteger, asText } from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';

const options = {
  limit: option('--limit <n>', 'records per page, 1 to 100 (10; 100 with --all)', asText),
  cursor: option('--cursor <cursor>', 'continue from the next_cursor of an earlier page', asText),
  all: flag('--all', 'list all pages'),
  max: option('--max <n>', 'stop after <n> records', asInteger(1, 1_000_000_000)),
} as const;

export interface ListInput {
  /** As given: whether it is a limit is the contract's to say. */
  readonly limit: string | undefined;
  readonly cursor: string | undefined;
  /** How far to go: one page, so many records, or all. */
  readonly reach: { readonly kind: 'page' } | { readonly kind: 'max'; readonly max: number } | { readonly kind: 'all' };
}

export const listCommand = defineCommand({
  path: ['ugwo', 'list'],
  summary: 'list payment requests, newest first',
  args: [],
  options,
  examples: [
    { about: 'list the newest ten', line: 'paycli ugwo list' },
    { about: 'list all, as JSON', line: 'paycli ugwo list --all --json' },
    { about: 'some columns, for a script', line: 'paycli ugwo list --all -o tsv --columns uid,status,amount' },
  ],
  output:
    'uid, status, amount, currency, ref, description, onye.uid, onye.email, created_at; json: {"data":[…],"next_cursor":…}',
  exits: ['usage', 'rejected', 'auth', 'read_failed', 'interrupted'],
  previews: true,
  read: (_args, given): ListInput => {
    if (given.cursor === '') throw usageError('--cursor is empty');
    return {
      limit: given.limit,
      cursor: given.cursor,
      reach:
        given.max !== undefined
          ? { kind: 'max', max: given.max }
          : given.all === true
            ? { kind: 'all' }
            : { kind: 'page' },
    };
  },
  load: () => import('./list.ts'),
});

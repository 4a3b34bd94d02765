import { defineCommand } from '../../cli/define.ts';
import { FILTER_OPTIONS, readList, WALK_OPTIONS } from '../../cli/list-options.ts';

export const listCommand = defineCommand({
  path: ['onye', 'list'],
  danger: 'read',
  summary: 'list customers',
  description:
    'The service has no filters, so paycli walks the list and shows what matches: the first ten, --max <n>, or --all. It says ' +
    'how far it looked.',
  args: [],
  options: { ...WALK_OPTIONS, ...FILTER_OPTIONS, status: { ...FILTER_OPTIONS.status, choices: ['active'] } },
  examples: [
    { about: 'ten customers', line: 'paycli onye list' },
    { about: 'find one by e-mail address', line: 'paycli onye list --email ada.bello20@example.com' },
    { about: 'all, as CSV', line: 'paycli onye list --all -o csv' },
  ],
  output:
    'uid, email, first_name, last_name, ref, status, billing_address, meta, created_at; json: {"data":[…],"next_cursor":…}',
  exits: ['usage', 'rejected', 'auth', 'read_failed', 'interrupted'],
  previews: true,
  read: (_args, given) => readList(given),
  load: () => import('./list.ts'),
});

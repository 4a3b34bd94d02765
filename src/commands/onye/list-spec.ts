import { defineCommand, READ_EXITS } from '../../cli/define.ts';
import { FILTER_OPTIONS, readList, WALK_OPTIONS } from '../../cli/list-options.ts';

export const listCommand = defineCommand({
  path: ['onye', 'list'],
  danger: 'read',
  summary: 'list customers',
  description:
    'The service has no filters, so paycli walks the list and shows what matches: the first ten, --max <n>, or --all. It says ' +
    'how far it looked.',
  options: { ...WALK_OPTIONS, ...FILTER_OPTIONS, status: { ...FILTER_OPTIONS.status, choices: ['active'] } },
  examples: {
    'ten customers': 'paycli onye list',
    'find one by e-mail address': 'paycli onye list --email ada.bello20@example.com',
    'all, as CSV': 'paycli onye list --all -o csv',
  },
  output:
    'uid, email, first_name, last_name, ref, status, billing_address, meta, created_at; json: {"data":[…],"next_cursor":…}',
  exits: READ_EXITS,
  previews: true,
  read: (_args, given) => readList(given),
  load: () => import('./list.ts'),
});

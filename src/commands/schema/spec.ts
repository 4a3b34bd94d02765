import { defineCommand, optional } from '../../cli/define.ts';

export const schemaCommand = defineCommand({
  path: ['schema'],
  summary: 'print the commands and their output schemas as JSON',
  description:
    'For programs and agents that call paycli. For each command: its danger (read, write or money), its options, ' +
    'its exit codes, and the JSON Schema (2020-12) of what it prints with -o json and of one line with -o ndjson. ' +
    '`error` is the schema of the error line on stderr.',
  danger: 'read',
  args: [optional('command...', 'only this command, or those of this noun')],
  examples: {
    'all commands': 'paycli schema > schema.json',
    'one command': 'paycli schema ugwo charge',
  },
  output: 'the commands, as JSON',
  exits: ['usage'],
  read: (words) => ({ words }),
  load: () => import('./print.ts'),
});

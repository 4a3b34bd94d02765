import { defineCommand, flag, READ_EXITS } from '../../cli/define.ts';

export const doctorCommand = defineCommand({
  path: ['doctor'],
  summary: 'check the key, the service, the ledger and the terminal',
  description:
    'Checks everything a command depends on and says how to fix each problem. Sends at most one GET, and changes ' +
    'nothing. Never prints a key.',
  danger: 'read',
  input: { offline: flag('--offline', "don't ask the service") },
  examples: {
    'check everything': 'paycli doctor',
    'without the network, for a program': 'paycli doctor --offline --json',
  },
  output:
    'a list; each: check, status (ok, warn, fail, skipped), detail, advice, kind (the exit kind that commands would end with)',
  exits: [...READ_EXITS, 'ledger'],
  load: async () => ({ run: (await import('./doctor.ts')).doctor }),
});

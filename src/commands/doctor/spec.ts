import { defineCommand, flag, READ_EXITS } from '../../cli/define.ts';

const doctor = defineCommand({
  path: ['doctor'],
  summary: 'check the setup: profile, key, service, clock, ledger, terminal',
  description:
    'Checks everything a command depends on and says how to fix each problem. Sends at most one GET, and changes ' +
    'nothing. Never prints a key.',
  danger: 'read',
  options: { offline: flag('--offline', "don't ask the service") },
  examples: {
    'check everything': 'paycli doctor',
    'without the network, for a program': 'paycli doctor --offline --json',
  },
  output:
    'a list; each: check, status (ok, warn, fail, skipped), detail, advice, kind (the exit kind that commands would end with)',
  exits: [...READ_EXITS, 'ledger'],
  read: (_args, { offline }) => ({ offline: offline === true }),
  load: async () => ({ run: (await import('./doctor.ts')).doctor }),
});

const whoami = defineCommand({
  path: ['whoami'],
  summary: 'show the profile, origin and key that a command would use',
  description: 'Shows the last four characters of the key and never asks the service, unless you add --check.',
  danger: 'read',
  options: { check: flag('--check', 'ask the service whether it accepts the key') },
  examples: {
    'show who you are': 'paycli whoami',
    'ask the service, too': 'paycli whoami --check',
  },
  output:
    'profile, origin, environment, key (its last four characters), key_from, operator, accepted (null without --check)',
  exits: READ_EXITS,
  read: (_args, { check }) => ({ check: check === true }),
  load: async () => ({ run: (await import('./doctor.ts')).whoami }),
});

/** The commands that show and check the setup. */
export const doctorCommands = [doctor, whoami];

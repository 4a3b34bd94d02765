import { argument, defineCommand, flag, option, optional, READ_EXITS, rarely } from '../../cli/define.ts';
import { asOneOf, asText } from '../../cli/options.ts';
import { type ErrorKind, usageError } from '../../core/error.ts';
import { ENVIRONMENTS, type Environment } from '../../core/origin.ts';

const PROFILE_OUTPUT = 'the profile: name, default, origin, environment, key (its last four characters), created_at';
const STORED_EXITS: readonly ErrorKind[] = ['usage', 'auth'];
const ANSWERED_EXITS: readonly ErrorKind[] = [...STORED_EXITS, 'interrupted'];

export const profileCommands = [
  defineCommand({
    path: ['login'],
    danger: 'write',
    summary: 'store the secret key for a service as a profile',
    description:
      'Asks for the key without showing it, checks it with the service and stores it for one origin only. --profile names ' +
      'the profile ("default" if you leave it out). The first profile becomes the default.',
    input: rarely(['noVerify'], {
      environment: option(
        '--environment <name>',
        'live or sandbox (or give --base-url)',
        asOneOf(Object.keys(ENVIRONMENTS) as Environment[]),
      ),
      keyStdin: flag('--key-stdin', 'read the key from standard input'),
      keyCommand: option(
        '--key-command <command>',
        'store a command that prints the key instead of the key; it runs without a shell',
        asText,
        { type: 'command' },
      ),
      keychain: flag('--keychain', "keep the key in the system's keychain, if there is one"),
      noVerify: flag('--no-verify', 'store the key without checking it with the service'),
    }),
    examples: {
      'ask for the sandbox key': 'paycli login --environment sandbox',
      'in a script: pipe the key in': 'paycli login --profile shop --environment live --key-stdin',
      "keep the key in the system's keychain": 'paycli login --profile shop --environment live --key-stdin --keychain',
      'keep the key in a password manager':
        "paycli login --profile shop --environment live --key-command 'op read op://payments/live/key'",
    },
    output: PROFILE_OUTPUT,
    exits: [...READ_EXITS, 'not_sent'],
    read: ({ environment, keyStdin, keyCommand, keychain, noVerify }) => {
      if (keyStdin && keyCommand !== undefined) {
        throw usageError("--key-stdin and --key-command can't be used together", { hint: 'give one of them' });
      }
      if (keychain && keyCommand !== undefined) {
        throw usageError("--keychain and --key-command can't be used together", { hint: 'give one of them' });
      }
      const key =
        keyCommand === undefined
          ? ({ kind: keyStdin ? 'stdin' : 'prompt' } as const)
          : ({ kind: 'command', line: keyCommand } as const);
      return { environment, key, verify: !noVerify, keychain };
    },
    load: async () => ({ run: (await import('./profiles.ts')).login }),
  }),
  defineCommand({
    path: ['profile', 'list'],
    danger: 'read',
    summary: 'list the stored profiles',
    examples: {
      'list all profiles': 'paycli profile list',
    },
    output: `a list; each ${PROFILE_OUTPUT}`,
    exits: STORED_EXITS,
    load: async () => ({ run: (await import('./profiles.ts')).listProfiles }),
  }),
  defineCommand({
    path: ['profile', 'show'],
    alias: 'whoami',
    danger: 'read',
    summary: 'show the profile, origin and key that a command would use',
    description:
      'Shows the profile NAME, or the one that a command would use now. Shows the last four characters of the key. Never asks ' +
      'the service, unless you add --check.',
    input: {
      name: optional('name', 'the profile (default: the current one)', { completes: 'profile' }),
      check: flag('--check', 'ask the service whether it accepts the key'),
    },
    examples: {
      'show what a command would use': 'paycli profile show',
      'show another profile': 'paycli profile show shop',
      'ask the service, here the built-in one': 'paycli profile show --local --check',
    },
    output: `${PROFILE_OUTPUT}, key_from, operator, accepted (null without --check)`,
    exits: READ_EXITS,
    load: async () => ({ run: (await import('./profiles.ts')).showProfile }),
  }),
  defineCommand({
    path: ['profile', 'use'],
    danger: 'write',
    summary: 'make a profile the default',
    input: { name: optional('name', 'the profile; a terminal asks', { completes: 'profile' }) },
    examples: {
      'use the profile "shop" from now on': 'paycli profile use shop',
    },
    output: PROFILE_OUTPUT,
    exits: ANSWERED_EXITS,
    load: async () => ({ run: (await import('./profiles.ts')).useProfile }),
  }),
  defineCommand({
    path: ['profile', 'rename'],
    danger: 'write',
    summary: 'rename a profile',
    description:
      "Renames the profile with its key, ledger and settings, and in the entries and the policy of this machine's ledger. If the " +
      'command is interrupted, run it again. A shared ledger keeps the old name.',
    input: { from: argument('old', 'the profile', { completes: 'profile' }), to: argument('new', 'its new name') },
    examples: {
      'call the profile "shop" "store"': 'paycli profile rename shop store',
    },
    output: PROFILE_OUTPUT,
    exits: [...ANSWERED_EXITS, 'ledger'],
    load: async () => ({ run: (await import('./profiles.ts')).renameProfile }),
  }),
  defineCommand({
    path: ['profile', 'remove'],
    alias: 'logout',
    danger: 'write',
    summary: 'remove a profile and its stored key',
    description:
      'Removes the profile NAME, or the current one. Asks first; a script needs --yes. The key still works until you rotate it.',
    input: { name: optional('name', 'the profile (default: the current one)', { completes: 'profile' }) },
    examples: {
      'remove the current profile without being asked': 'paycli profile remove --yes',
      'remove another profile': 'paycli profile remove shop --yes',
    },
    output: `${PROFILE_OUTPUT}; as it was before`,
    exits: ANSWERED_EXITS,
    load: async () => ({ run: (await import('./profiles.ts')).removeProfile }),
  }),
];

import { defineCommand, flag, option, optional, READ_EXITS } from '../../cli/define.ts';
import { asOneOf, asText } from '../../cli/options.ts';
import { type ErrorKind, usageError } from '../../core/error.ts';
import { ENVIRONMENTS, type Environment } from '../../core/origin.ts';

const OUTPUT = 'the profile: name, default, origin, environment, key (its last four characters), created_at';
const STORED: readonly ErrorKind[] = ['usage', 'auth'];
const ASKED: readonly ErrorKind[] = [...STORED, 'interrupted'];

const environments = Object.keys(ENVIRONMENTS) as Environment[];

const login = defineCommand({
  path: ['login'],
  danger: 'write',
  summary: 'store the secret key for a service as a profile',
  description:
    'Asks for the key without showing it, checks it with the service and stores it for one origin only. --profile names ' +
    'the profile ("default" if you leave it out). The first profile becomes the default.',
  options: {
    environment: option('--environment <name>', 'live or sandbox (or give --base-url)', asOneOf(environments)),
    keyStdin: flag('--key-stdin', 'read the key from standard input'),
    keyCommand: option(
      '--key-command <command>',
      'store a command that prints the key instead of the key; it runs without a shell',
      asText,
      { type: 'command' },
    ),
    keychain: flag('--keychain', "keep the key in the system's keychain, if there is one"),
    noVerify: flag('--no-verify', 'store the key without checking it with the service'),
  },
  examples: {
    'ask for the sandbox key': 'paycli login --environment sandbox',
    'in a script: pipe the key in': 'paycli login --profile shop --environment live --key-stdin',
    "keep the key in the system's keychain": 'paycli login --profile shop --environment live --key-stdin --keychain',
    'keep the key in a password manager':
      "paycli login --profile shop --environment live --key-command 'op read op://payments/live/key'",
  },
  output: OUTPUT,
  exits: [...READ_EXITS, 'not_sent'],
  read: (_args, given) => {
    if (given.keyStdin === true && given.keyCommand !== undefined) {
      throw usageError("--key-stdin and --key-command can't be used together", { hint: 'give one of them' });
    }
    if (given.keychain === true && given.keyCommand !== undefined) {
      throw usageError("--keychain and --key-command can't be used together", { hint: 'give one of them' });
    }
    const key =
      given.keyCommand !== undefined
        ? ({ kind: 'command', line: given.keyCommand } as const)
        : ({ kind: given.keyStdin === true ? 'stdin' : 'prompt' } as const);
    return { environment: given.environment, key, verify: given.noVerify !== true, keychain: given.keychain === true };
  },
  load: () => import('./login.ts'),
});

const logout = defineCommand({
  path: ['logout'],
  danger: 'write',
  summary: 'remove the current profile and its stored key',
  description: 'Removes the profile named by --profile, or the default one. Asks first; a script needs --yes.',
  examples: {
    'remove the default profile without being asked': 'paycli logout --yes',
    'remove another profile': 'paycli logout --profile shop --yes',
  },
  output: OUTPUT,
  exits: ASKED,
  load: async () => ({ run: (await import('./profiles.ts')).logout }),
});

const list = defineCommand({
  path: ['profile', 'list'],
  danger: 'read',
  summary: 'list the stored profiles',
  examples: {
    'list all profiles': 'paycli profile list',
  },
  output: `a list; each ${OUTPUT}`,
  exits: STORED,
  load: async () => ({ run: (await import('./profiles.ts')).list }),
});

const show = defineCommand({
  path: ['profile', 'show'],
  danger: 'read',
  summary: 'show a profile (default: the current one)',
  args: [optional('name', 'the profile', { completes: 'profile' })],
  examples: {
    'show the current profile': 'paycli profile show',
    'show another profile': 'paycli profile show shop',
  },
  output: OUTPUT,
  exits: STORED,
  read: ([name]) => ({ name }),
  load: async () => ({ run: (await import('./profiles.ts')).show }),
});

const use = defineCommand({
  path: ['profile', 'use'],
  danger: 'write',
  summary: 'make a profile the default',
  args: [optional('name', 'the profile; a terminal asks', { completes: 'profile' })],
  examples: {
    'use the profile "shop" from now on': 'paycli profile use shop',
  },
  output: OUTPUT,
  exits: ASKED,
  read: ([name]) => ({ name }),
  load: async () => ({ run: (await import('./profiles.ts')).use }),
});

const remove = defineCommand({
  path: ['profile', 'remove'],
  danger: 'write',
  summary: 'remove a profile and its stored key',
  description: 'Asks first; a script needs --yes. The key still works until you rotate it.',
  args: [optional('name', 'the profile; a terminal asks', { completes: 'profile' })],
  examples: {
    'remove a profile without being asked': 'paycli profile remove shop --yes',
  },
  output: `${OUTPUT}; as it was before`,
  exits: ASKED,
  read: ([name]) => ({ name }),
  load: async () => ({ run: (await import('./profiles.ts')).remove }),
});

/** Commands for stored profiles: `login`, `logout` and the noun `profile`. */
export const profileCommands = [login, logout, list, show, use, remove];

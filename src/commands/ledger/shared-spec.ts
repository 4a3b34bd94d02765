import { defineCommand, flag, option, optional, repeated } from '../../cli/define.ts';
import { asText } from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';

const WHERE = 'PAYCLI_LEDGER, or `paycli ledger use`, says where it is';

const status = defineCommand({
  path: ['ledger', 'status'],
  danger: 'read',
  summary: 'show where the ledger is and what keeps it from being safe',
  examples: {
    'show where the ledger is': 'paycli ledger status',
  },
  output:
    'kind (file, postgres), at, from, schema; of a shared one also version, user, owner, clock_ahead_ms, standbys, ' +
    'settings, warnings',
  exits: ['usage', 'auth', 'ledger'],
  load: async () => ({ run: (await import('./admin.ts')).status }),
});

export interface UseInput {
  /** undefined: the file of this machine again. */
  readonly url: string | undefined;
  readonly passwordCommand: string | undefined;
}

const use = defineCommand({
  path: ['ledger', 'use'],
  danger: 'write',
  summary: 'choose the ledger of a profile: one in PostgreSQL that a team shares, or the file of this machine',
  description:
    'Stored with the profile that --profile names, or with the default one. PAYCLI_LEDGER overrides it for one call. The ' +
    'password is never part of the address: it comes from a password file (PGPASSFILE, ~/.pgpass), from a command, or is ' +
    'replaced by a client certificate (sslcert, sslkey).',
  args: [optional('url', 'postgres://USER@HOST[:PORT]/DATABASE', { type: 'url' })],
  options: {
    file: flag('--file', 'use the file of this machine again'),
    passwordCommand: option(
      '--password-command <command>',
      'a command that prints the password; it runs without a shell',
      asText,
      { type: 'command' },
    ),
  },
  examples: {
    'share a ledger (exit 4 without a profile)':
      "paycli ledger use postgres://ada@db.example/payments --password-command 'op read op://payments/ledger'",
  },
  output: 'name, ledger',
  exits: ['usage', 'auth'],
  read: (args, given): UseInput => {
    const [url] = args;
    if ((url === undefined) !== (given.file === true)) {
      throw usageError('give the address of a ledger, or --file', {
        hint: 'paycli ledger use postgres://USER@HOST/DATABASE',
      });
    }
    return { url, passwordCommand: given.passwordCommand };
  },
  load: async () => ({ run: (await import('./admin.ts')).use }),
});

const init = defineCommand({
  path: ['ledger', 'init'],
  danger: 'write',
  summary: 'make the tables of a shared ledger, as the owner of its database',
  description: `${WHERE}. Run it again to give another role the rights of an operator.`,
  options: {
    operator: repeated(
      '--operator <role>',
      'give this database role what an operator needs: no DDL, no DELETE',
      asText,
    ),
  },
  examples: {
    'make it, and let the role ada work with it (exit 2 where none is set)': 'paycli ledger init --operator ada',
  },
  output: 'at, made, schema, operators',
  exits: ['usage', 'auth', 'ledger'],
  read: (_args, given) => ({ operators: given.operator ?? [] }),
  load: async () => ({ run: (await import('./admin.ts')).init }),
});

const migrate = defineCommand({
  path: ['ledger', 'migrate'],
  danger: 'write',
  summary: "bring a shared ledger's tables to this version of paycli, as the owner of its database",
  description: `${WHERE}. An older paycli refuses it afterwards.`,
  examples: {
    'after an update of paycli (exit 2 where none is set)': 'paycli ledger migrate',
  },
  output: 'at, from, to',
  exits: ['usage', 'auth', 'ledger'],
  load: async () => ({ run: (await import('./admin.ts')).migrate }),
});

const push = defineCommand({
  path: ['ledger', 'push'],
  danger: 'write',
  summary: 'copy what the ledger of this machine knows into the shared one',
  description: `${WHERE}. Run it on each machine before it uses the shared ledger. The local file stays as it is. Running it again does no harm.`,
  examples: {
    'before the first charge with it (exit 2 where none is set)': 'paycli ledger push',
  },
  output: 'at, charges, jobs, updates, known, kept (charges whose payment request has another open one there)',
  exits: ['usage', 'auth', 'ledger', 'refused'],
  load: async () => ({ run: (await import('./admin.ts')).push }),
});

/** The part of the noun `ledger` that looks after the ledger itself. */
export const sharedCommands = [status, use, init, migrate, push];

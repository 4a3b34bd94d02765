import { argument, defineCommand, option } from '../../cli/define.ts';
import { EVERY_PROFILE, momentIn } from '../../cli/list-options.ts';
import { asText } from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';
import { SEEDED } from '../../core/local.ts';

const CHARGED = `paycli ugwo charge ${SEEDED.ugwo} --medium bank_transfer`;

const backup = defineCommand({
  path: ['ledger', 'backup'],
  summary: 'copy the ledger of this machine into a file, while it is in use',
  description:
    'The copy is as of one moment, is checked, and can be read by you alone. An existing file or link is never overwritten. Keep it ' +
    'away from this disk. A ledger in PostgreSQL is backed up by its server: the message says how.',
  danger: 'write',
  args: [argument('file', 'where to write the copy', { completes: 'file' })],
  examples: {
    'make a copy': `${CHARGED}\npaycli ledger backup "ledger-$(date +%F-%s).sqlite"`,
  },
  output: 'file, bytes, entries',
  exits: ['usage', 'ledger'],
  read: ([file = '']) => {
    if (file === '') throw usageError('name the file to write');
    return { file };
  },
  load: async () => ({ run: (await import('./admin.ts')).backup }),
});

const verify = defineCommand({
  path: ['ledger', 'verify'],
  summary: 'check that the whole ledger is what paycli wrote',
  description:
    'Checks the database and its indexes, the checksum of every entry, that each state can be, and that the rows of files add up. It ' +
    'changes nothing. Exit 10 if anything is wrong.',
  danger: 'read',
  examples: {
    'check it every night': 'paycli ledger verify --json',
  },
  output: 'ok, entries, jobs, faults (a sentence each)',
  exits: ['ledger', 'usage', 'auth', 'interrupted'],
  load: () => import('./verify.ts'),
});

const prune = defineCommand({
  path: ['ledger', 'prune'],
  summary: 'remove details of old charges, but keep what stops them being made twice',
  description:
    'Removes references, customers, account details, what was sent and what was seen of everything that was sent with the profile, was ' +
    'begun before --before and has ended. ' +
    "What is open, unknown or being sent stays as it is. Amounts, states and activities stay, so no charge can be made twice and reports don't " +
    'change. It asks first. The owner of the database does this for a ledger in PostgreSQL.',
  danger: 'write',
  options: {
    ...EVERY_PROFILE,
    before: option('--before <time>', 'what was begun before: 90d, 2026-01-31 or a full timestamp', asText, {
      type: 'time',
    }),
  },
  examples: {
    'keep the details of a year': 'paycli ledger prune --before 365d --yes',
  },
  output: 'before, pruned, open (left, since something may still come of them)',
  exits: ['usage', 'auth', 'ledger', 'interrupted'],
  read: (_args, given) => {
    if (given.before === undefined) throw usageError('--before is required: prune what is older than that');
    try {
      return { before: momentIn('local', 'first', given.before), allProfiles: given.allProfiles ?? false };
    } catch (thrown) {
      throw usageError(`--before: ${(thrown as Error).message}`);
    }
  },
  load: () => import('./prune.ts'),
});

/** The part of the noun `ledger` that keeps it well. */
export const keepingCommands = [backup, verify, prune];

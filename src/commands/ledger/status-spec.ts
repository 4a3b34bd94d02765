import { defineCommand, flag, option } from '../../cli/define.ts';
import { asMoment, EVERY_PROFILE } from '../../cli/options.ts';

export const statusInput = {
  since: option(
    '--since <time>',
    'cases of charges that started since (30d): 2h, 7d, 2026-11-20; unknown and paid twice stay',
    asMoment('first'),
  ),
  sync: flag('--sync', 'run `paycli ledger sync` first'),
  ...EVERY_PROFILE,
};

export const statusCommand = defineCommand({
  path: ['status'],
  danger: 'read',
  metrics: true,
  summary: 'show what needs you now, and the sums of today',
  description:
    'Prints the sums of today, and the cases that need a person, the most serious first, each with the command that ' +
    'settles it. A case ends when its payment request is paid, cancelled or refunded; while another charge of it is ' +
    'open, the case is hidden. A message that was not shared is one until --share-with shares it, or the customer can pay no ' +
    'longer. It reads only the ledger, without a key. Exit 14 if a case needs you; an account that expires ' +
    'within five minutes, or an approval that another person has to give, is only shown. If --sync could not read the ' +
    'service, it says so and ends with 8. With -o prometheus the exit code is 0 whenever the ledger could be read: ' +
    'paycli_cases counts the cases that need a person, and with --sync, paycli_sync_failed and paycli_last_sync_timestamp_seconds say how ' +
    'the sync went.',
  input: statusInput,
  examples: {
    'see what needs you': 'paycli status',
    'ask the service first': 'paycli status --sync',
    'write metrics for a node exporter':
      'paycli status --all-profiles -o prometheus > paycli.tmp && mv paycli.tmp paycli.prom',
  },
  output:
    'profile, day, time_zone; received, refunded, open, refund_open: lists of sums by currency; cases: kind (disputed, paid_twice, overpaid, underpaid, ' +
    'reversed, refund_disputed, refund_failed, unknown, approval, webhooks, not_shared, expires_soon), ugwo, ref, amount, currency, since, command. tsv and csv: ' +
    'the cases. With --all-profiles: a list of these',
  exits: ['usage', 'auth', 'ledger', 'read_failed', 'interrupted', 'attention'],
  reminds: false,
  load: async () => ({ run: (await import('./status.ts')).showStatus }),
});

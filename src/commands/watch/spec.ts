import { defineCommand, flag, option, optional, READ_EXITS, rarely } from '../../cli/define.ts';
import { asText, asWaitTimeout, readId } from '../../cli/options.ts';
import { SEEDED } from '../../core/data-files.ts';
import { usageError } from '../../core/error.ts';

export interface WatchInput {
  /** Payment requests; empty: see `job`. */
  readonly ugwos: readonly string[];
  /** A job, job-…. Without payment requests and without a job, every open charge is watched. */
  readonly job: string | undefined;
  /** End when every charge is paid, failed or expired. */
  readonly untilFinal: boolean;
  /** Maximum time to watch, in milliseconds. */
  readonly limit: number | undefined;
}

export const watchCommand = defineCommand({
  path: ['watch'],
  danger: 'read',
  endless: true,
  summary: 'watch charges until they are paid',
  description:
    'Prints each charge, then a line for each change. On a terminal it is a table that updates in place, with sums ' +
    'per currency. In a pipe, and with ACCESSIBLE, NO_COLOR or TERM=dumb set, it prints lines. While `paycli ' +
    'webhook listen` runs on this machine, webhooks bring the changes. Otherwise it polls: one walk over the list ' +
    'for many charges, and more slowly while nothing changes. It sends no charge. Ctrl-C ends it.',
  args: [optional('ugwo...', 'payment requests, ugw.… or their refs', { completes: 'ugwo' })],
  options: rarely(['open'], {
    job: option('--job <job>', 'the charges of this file, job-…', asText, { completes: 'job' }),
    open: flag('--open', 'every open charge in the ledger, and each new one (default)'),
    untilFinal: flag(
      '--until-final',
      'end when every charge is paid, failed or expired, with the most serious exit code',
    ),
    waitTimeout: option(
      '--wait-timeout <duration>',
      'with --until-final: maximum wait, 1s to 24h (no limit)',
      asWaitTimeout,
    ),
  }),
  examples: {
    'watch one payment request, for a script (exit 12: it is still open)': `paycli ugwo charge ${SEEDED.ugwo} --medium bank_transfer\npaycli watch ${SEEDED.ugwo} --until-final --wait-timeout 1s -o ndjson`,
    'wait until no charge is open': 'paycli watch --until-final',
  },
  output:
    'one object per charge at the start and then per change: at, charge, ugwo, before (null at the start), now (paid, ' +
    'refunded, open, expired, failed, or the state of a charge that was not accepted: sending, unknown, …), status, ' +
    'amount, received, currency, medium, activity, ref, job, row, customer, customer_email',
  exits: [...READ_EXITS, 'unknown', 'ledger', 'charge_failed', 'underpaid', 'pending', 'not_sent'],
  read: (ugwos, given, { validate }): WatchInput => {
    const chosen = [ugwos.length > 0, given.job !== undefined, given.open === true].filter(Boolean);
    if (chosen.length > 1) throw usageError("payment requests, --job and --open can't be used together");
    if (given.waitTimeout !== undefined && given.untilFinal !== true) {
      throw usageError('--wait-timeout needs --until-final');
    }
    for (const uid of ugwos) readId('ugw', uid, validate);
    return { ugwos, job: given.job, untilFinal: given.untilFinal === true, limit: given.waitTimeout };
  },
  load: async () => ({ run: (await import('./watch.ts')).watch, view: (await import('./view.ts')).changesView }),
});

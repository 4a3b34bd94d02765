import { defineCommand, flag, type InputOf, option, READ_EXITS, rarely, repeated, several } from '../../cli/define.ts';
import { asNames, asOneOf, asText, asWaitTimeout, readId } from '../../cli/options.ts';
import { SEEDED } from '../../core/data-files.ts';
import { usageError } from '../../core/error.ts';
import { CHANGES } from '../../core/webhook-event.ts';

const watchInput = rarely(['open', 'execEnv'], {
  ugwos: several('ugwo', 'payment requests, ugw.… or their refs', { completes: 'ugwo' }),
  job: option('--job <job>', 'the charges of this file, job-…', asText, { completes: 'job' }),
  open: flag('--open', 'every open charge in the ledger, and each new one (default)'),
  untilFinal: flag('--until-final', 'end when each is paid, failed or expired, with the most serious exit code'),
  waitTimeout: option('--wait-timeout <duration>', 'with --until-final: maximum, 1s to 24h (no limit)', asWaitTimeout),
  exec: option('--exec <command>', 'run this per change, with its event on standard input; no shell', asText, {
    type: 'command',
  }),
  on: option('--on <kinds>', `with --exec: only ${CHANGES.join(', ')}`, (text) => asNames(text).map(asOneOf(CHANGES)), {
    list: true,
    choices: CHANGES,
  }),
  execEnv: repeated('--exec-env <name>', 'pass this variable to --exec, besides PATH, HOME and the like', asText),
});

/** Without payment requests and without a job, every open charge is watched. */
export type WatchInput = InputOf<typeof watchInput> & { readonly on: readonly string[] };

export const watchCommand = defineCommand({
  path: ['watch'],
  danger: 'read',
  endless: true,
  summary: 'watch charges until they are paid',
  description:
    'Prints each charge, then a line for each change. On a terminal it is a table that updates in place, with sums ' +
    'per currency. In a pipe, and with ACCESSIBLE, NO_COLOR or TERM=dumb set, it prints lines. While `paycli ' +
    'webhook listen` runs on this machine, webhooks bring the changes. Otherwise it polls: one walk over the list ' +
    'for many charges, and more slowly while nothing changes. It sends no charge. Ctrl-C ends it.\n\n' +
    '--exec tells a program about each change at least once: again, with the same id, until it exits with 0, for three ' +
    'days at most. Its next start also tells what changed while nothing watched. Watch reads open charges alone: a ' +
    'reversal or a second payment comes once `ledger sync` or `webhook listen` has read it.',
  input: watchInput,
  examples: {
    'watch one payment request, for a script (exit 12: it is still open)': `paycli ugwo charge ${SEEDED.ugwo} --medium bank_transfer\npaycli watch ${SEEDED.ugwo} --until-final --wait-timeout 1s -o ndjson`,
    'wait until no charge is open': 'paycli watch --until-final',
    'run a program when money comes or goes': 'paycli watch --exec cat --on paid,paid_twice,reversed --until-final',
  },
  output:
    'one object per charge at the start and then per change: at, charge, ugwo, before (null at the start), now (paid, ' +
    'refunded, open, expired, failed, or the state of a charge that was not accepted: sending, unknown, …), status, ' +
    'amount, received, currency, medium, activity, ref, job, row, customer, customer_email; an event of --exec: id, kind, ' +
    'then the same fields; of a refund also refund (its id in the ledger) and refund_amount',
  exits: [...READ_EXITS, 'unknown', 'ledger', 'charge_failed', 'underpaid', 'pending', 'not_sent', 'attention'],
  read: (input, how, given): WatchInput => {
    const chosen = [input.ugwos.length > 0, input.job !== undefined, input.open].filter(Boolean);
    if (chosen.length > 1) throw usageError("payment requests, --job and --open can't be used together");
    if (input.waitTimeout !== undefined && !input.untilFinal) {
      throw usageError('--wait-timeout needs --until-final');
    }
    if (given.exec === undefined && (given.on ?? given.execEnv) !== undefined)
      throw usageError(`--${given.on === undefined ? 'exec-env' : 'on'} needs --exec`);
    return { ...input, on: input.on ?? CHANGES, ugwos: input.ugwos.map((uid) => readId('ugw', uid, how)) };
  },
  load: async () => ({
    run: (await import('./watch.ts')).watch,
    view: (await import('../../records/change.ts')).changesView,
  }),
});

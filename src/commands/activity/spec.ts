import { argument, defineCommand, option, READ_EXITS } from '../../cli/define.ts';
import { asWaitTimeout, readId, readShare, SHARE_OPTIONS, WAIT_DEFAULT_MS } from '../../cli/options.ts';
import { SEEDED } from '../../core/data-files.ts';
import type { ShareOptions } from '../../core/result.ts';

const PAID = `${SEEDED.paid.ugwo} ${SEEDED.paid.activity}`;

const args = [
  argument('ugwo', 'the payment request, ugw.…', { completes: 'ugwo' }),
  argument('activity', 'the activity on it, act.…', { completes: 'activity' }),
];
const output =
  'the activity: uid, status, psp, psp_external_id, next_action (what the customer must do), error, created_at';

/** Identifies an activity. */
export interface ActivityInput {
  readonly ugwoUid: string;
  readonly activityUid: string;
}

export interface ShowInput extends ActivityInput {
  readonly passOn: ShareOptions;
}

export interface WaitInput extends ActivityInput {
  /** Maximum wait, in milliseconds. */
  readonly limit: number;
}

const readIds = ([ugwo, activity]: readonly string[], validate: boolean): ActivityInput => ({
  ugwoUid: readId('ugw', ugwo, validate),
  activityUid: readId('act', activity, validate),
});

const get = defineCommand({
  path: ['activity', 'get'],
  danger: 'read',
  summary: 'show an activity: its status, and what the customer must do',
  args,
  options: SHARE_OPTIONS,
  examples: {
    'show the status of a charge': `paycli activity get ${PAID}`,
    'only the status, for a script': `paycli activity get ${PAID} -o tsv --columns status`,
  },
  output,
  exits: READ_EXITS,
  previews: true,
  read: (words, given, { validate }) => ({ ...readIds(words, validate), passOn: readShare(given) }),
  load: async () => ({ run: (await import('./activity.ts')).get }),
});

const wait = defineCommand({
  path: ['activity', 'wait'],
  danger: 'read',
  summary: 'wait until an activity is paid or has failed',
  description:
    'Polls the service until the status is final. Stops earlier, with exit code 12, when the time is up or soon after the ' +
    'account to pay to has expired. Failed reads are retried. Waiting changes nothing: you can stop it and start again at ' +
    'any time.',
  args,
  options: {
    waitTimeout: option('--wait-timeout <duration>', 'maximum wait, 1s to 24h (15m)', asWaitTimeout, {
      default: '15m',
    }),
  },
  examples: {
    'wait for the customer to pay': `paycli activity wait ${PAID}`,
    'wait at most two minutes, for a script': `paycli activity wait ${PAID} --wait-timeout 2m --json`,
  },
  output,
  exits: [...READ_EXITS, 'charge_failed', 'pending'],
  read: (words, given, { validate }) => ({
    ...readIds(words, validate),
    limit: given.waitTimeout ?? WAIT_DEFAULT_MS,
  }),
  load: async () => ({ run: (await import('./activity.ts')).wait, view: (await import('./activity.ts')).view }),
});

export const activityCommands = [get, wait];

import {
  argument,
  defineCommand,
  type HowToRead,
  type InputOf,
  option,
  optional,
  READ_EXITS,
} from '../../cli/define.ts';
import { asWaitTimeout, readId, readShare, SHARE_OPTIONS } from '../../cli/options.ts';
import { SEEDED } from '../../core/data-files.ts';
import { canBeName, isId } from '../../core/ids.ts';

const PAID_IDS = `${SEEDED.paid.ugwo} ${SEEDED.paid.activity}`;

const idArguments = {
  id: argument('id', 'the activity, act.…, or its payment request, ugw.…, its ref or e-mail address', {
    completes: 'payment',
  }),
  activity: optional('activity', 'the activity of that payment request, act.… (default: its latest)', {
    completes: 'activity',
  }),
};
const EXITS = [...READ_EXITS, 'ledger'] as const;
const ACTIVITY_OUTPUT =
  'the activity: uid, status, psp, psp_external_id, next_action (what the customer must do), error, created_at';

/** Identifies an activity: by itself, by its payment request (the latest one), by both, or by a name. */
export interface ActivityIds {
  readonly name?: string;
  readonly ugwo?: string;
  readonly activity?: string;
}

const readIds = ({ id, activity }: InputOf<typeof idArguments>, how: HowToRead): ActivityIds => {
  if (activity === undefined && how.validate && canBeName('ugw', id)) return { name: id };
  if (activity === undefined && !isId('ugw', id)) return { activity: readId('act', id, how) };
  const ugwo = readId('ugw', id, how);
  return activity === undefined ? { ugwo } : { ugwo, activity: readId('act', activity, how) };
};

const IDS_HELP =
  '`act.…` is enough if you charged it from here. Otherwise give `ugw.… act.…`. `ugw.…` alone is its latest activity. ' +
  "A ref or an e-mail address means its only activity; for `wait`, a failed one doesn't count beside others. If there " +
  'are several, exit 2 lists them.';

export const activityCommands = [
  defineCommand({
    path: ['activity', 'get'],
    danger: 'read',
    summary: 'show an activity: its status, and what the customer must do',
    description: IDS_HELP,
    input: { ...idArguments, ...SHARE_OPTIONS },
    examples: {
      'show the status of a charge': `paycli activity get ${PAID_IDS}`,
      'show the latest charge of a payment request': `paycli activity get ${SEEDED.paid.ugwo}`,
      'only the status, for a script': `paycli activity get ${PAID_IDS} -o tsv --columns status`,
    },
    output: ACTIVITY_OUTPUT,
    exits: EXITS,
    previews: true,
    read: (input, how, given) => ({ ...readIds(input, how), passOn: readShare(given) }),
    load: async () => ({ run: (await import('./activity.ts')).showActivity }),
  }),
  defineCommand({
    path: ['activity', 'wait'],
    danger: 'read',
    summary: 'wait until an activity is paid or has failed',
    description:
      'Polls the service until the status is final. Stops earlier, with exit code 12, when the time is up or soon after the ' +
      'account to pay to has expired. Failed reads are retried. Waiting changes nothing: you can stop it and start again at ' +
      `any time. ${IDS_HELP}`,
    input: {
      ...idArguments,
      waitTimeout: option('--wait-timeout <duration>', 'maximum wait, 1s to 24h (15m)', asWaitTimeout, {
        default: '15m',
      }),
    },
    examples: {
      'wait until the latest charge of a payment request is paid': `paycli activity wait ${SEEDED.paid.ugwo}`,
      'wait at most two minutes, for a script': `paycli activity wait ${PAID_IDS} --wait-timeout 2m --json`,
    },
    output: ACTIVITY_OUTPUT,
    exits: [...EXITS, 'charge_failed', 'underpaid', 'pending'],
    read: (input, how) => ({ ...readIds(input, how), limit: input.waitTimeout }),
    load: async () => ({
      run: (await import('./activity.ts')).waitForActivity,
      view: (await import('./view.ts')).activityView,
    }),
  }),
];

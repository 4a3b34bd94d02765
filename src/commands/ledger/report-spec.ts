import { defineCommand, flag, option } from '../../cli/define.ts';
import { asOneOf, asText, EVERY_PROFILE, momentIn } from '../../cli/options.ts';
import { usageError } from '../../core/error.ts';
import type { RequestedTime } from '../../core/record.ts';
import type { Zone } from '../../core/time.ts';

export const GROUPS = ['day', 'medium', 'profile', 'job'] as const;
export type Group = (typeof GROUPS)[number];

export interface ReportInput {
  readonly since: RequestedTime | undefined;
  readonly until: RequestedTime | undefined;
  /** Start at the beginning of today. */
  readonly today: boolean;
  readonly by: Group | undefined;
  readonly allProfiles: boolean;
  /** Time zone that defines the days. */
  readonly zone: Zone;
}

const momentFor = (zone: Zone, end: 'first' | 'last', name: string, text: string): RequestedTime => {
  try {
    return momentIn(zone, end, text);
  } catch (thrown) {
    throw usageError(`${name}: ${(thrown as Error).message}`);
  }
};

export const report = defineCommand({
  path: ['ledger', 'report'],
  summary: 'add up what was charged from here, and what has become of it',
  description:
    'Reads the ledger and asks the service nothing: run `paycli ledger refresh` first to find out who has paid. ' +
    '"charged" counts every charge that was made; paid, refunded, open, expired and failed are what has become of them. "unknown" ' +
    'may have been charged and isn\'t in "charged". Days are those of this machine\'s time zone, ' +
    'unless --utc is given. It counts what was sent to the service and workspace of the profile; --local counts practice, and ' +
    '--all-profiles each profile for itself.',
  danger: 'read',
  options: {
    since: option('--since <time>', 'charged since: 2h, 7d, 2026-11-20 or a full timestamp', asText, { type: 'time' }),
    until: option('--until <time>', 'charged until: the same; a day counts to its end', asText, { type: 'time' }),
    today: flag('--today', 'charged today'),
    by: option('--by <group>', `one group per ${GROUPS.join(', ')}`, asOneOf(GROUPS)),
    ...EVERY_PROFILE,
    utc: flag('--utc', "days of UTC instead of this machine's time zone"),
  },
  examples: {
    'what came in today': 'paycli ledger report --today',
    'a month, day by day, for a spreadsheet':
      'paycli ledger report --since 2026-11-01 --until 2026-11-30 --by day -o csv',
    'how each file went': 'paycli ledger report --by job',
  },
  output:
    'profile (with --all-profiles), day, medium, profile or job (with --by), reported (charged, paid, refunded, open, expired, failed, unknown, sending), ' +
    'currency, count, amount, without_amount (charges whose amount is not known), since, until, zone; ' +
    'json: {"data":[…],"next_cursor":null}',
  exits: ['usage', 'auth', 'ledger', 'interrupted'],
  read: (_args, given): ReportInput => {
    const { since, until, today = false, by, utc = false, allProfiles = false } = given;
    if (today && (since !== undefined || until !== undefined)) {
      throw usageError("--today can't be used with --since or --until");
    }
    const zone = utc ? 'utc' : 'local';
    return {
      since: since === undefined ? undefined : momentFor(zone, 'first', '--since', since),
      until: until === undefined ? undefined : momentFor(zone, 'last', '--until', until),
      ...{ today, by, zone, allProfiles },
    };
  },
  load: () => import('./report.ts'),
});

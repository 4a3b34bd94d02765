import type { Activity } from '../../contract/activity.ts';
import type { Ugwo } from '../../contract/ugwo.ts';
import type { ActivityEnding } from '../../core/data-files.ts';
import { aboutData, aboutService, controlCurl, serviceCurl } from './lines.ts';
import type { Action } from './parts.ts';
import type { EmulatorPlace } from './view.ts';

const MEDIUM_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ussd: { provider: 'gtb' },
  mobile_money: { provider: 'mtn', phone: '+233241234567' },
};

/** Builds the body of a charge by a medium, from the chosen values or the suggested ones. */
export const chargeBody = (medium: string, chosen: Readonly<Record<string, string>> = {}) => ({
  type: 'charge',
  data: { medium, ...MEDIUM_FIELDS[medium], ...chosen },
});

const chargeOptions = (medium: string): string[] =>
  Object.entries({ medium, ...MEDIUM_FIELDS[medium] }).flatMap(([name, value]) => [`--${name}`, value]);

/** Charges a payment request, as a client does. */
export const chargeAction = (place: EmulatorPlace, { uid }: Ugwo, medium: string): Action => ({
  path: `ugwo/${uid}/charge`,
  label: `Charge by ${medium.replace('_', ' ')}`,
  fields: { medium },
  lines: {
    paycli: aboutService(place, 'ugwo', 'charge', uid, ...chargeOptions(medium)),
    curl: serviceCurl(place, { method: 'POST', url: `/v1/ugwo/${uid}/activities`, body: chargeBody(medium) }),
  },
});

/** Ends an activity, as a customer or a provider does. */
export const settleAction = (
  place: EmulatorPlace,
  { uid }: Activity,
  as: ActivityEnding,
  { amount, ...shown }: Pick<Action, 'label' | 'tone' | 'inputs'> & { readonly amount?: number },
): Action => {
  const [option, paid] = amount === undefined ? [[], {}] : [['--amount-minor', String(amount)], { amount }];
  return {
    ...shown,
    path: `activities/${uid}/settle`,
    fields: { as },
    lines: {
      paycli: aboutData(place, 'settle', uid, '--as', as, ...option),
      curl: controlCurl(place, 'POST', 'settle', { activity: uid, as, ...paid }),
    },
  };
};

/** Stands for the second activity until the shell knows it. */
const SECOND = 'SECOND';

/** The identifier that an answer of the service begins with. */
const ITS_UID = `sed 's/^{"uid":"\\([^"]*\\)".*/\\1/'`;

/**
 * Lets the customer pay two activities of one payment request: an open one and another one, which is created first if
 * it is missing.
 */
export const payTwiceAction = (
  place: EmulatorPlace,
  { uid, ugwo_uid }: Activity,
  other: Activity | undefined,
  medium: string,
): Action => {
  const ugwo = String(ugwo_uid);
  const asText = ['--again', '--columns', 'uid', '-o', 'tsv'];
  const again = `${aboutService(place, 'ugwo', 'charge', ugwo, ...chargeOptions(medium), ...asText)} | cut -f2`;
  const body = chargeBody(medium);
  const post = `${serviceCurl(place, { method: 'POST', url: `/v1/ugwo/${ugwo}/activities`, body })} | ${ITS_UID}`;
  const settle = (activity: string): string => aboutData(place, 'settle', activity, '--as', 'successful');
  const paid = (activity: string): string => controlCurl(place, 'POST', 'settle', { activity, as: 'successful' });
  // The second one is made before the first is paid: what is paid takes no charge.
  const lines = (line: (activity: string) => string, made: string, inShell: string): string =>
    other === undefined
      ? [`second=$(${made})`, line(uid), line(SECOND).replace(SECOND, inShell)].join('\n')
      : [line(uid), line(other.uid)].join('\n');
  return {
    path: `activities/${uid}/pay-twice`,
    label: 'Pay twice',
    lines: { paycli: lines(settle, again, '"$second"'), curl: lines(paid, post, `'"$second"'`) },
  };
};

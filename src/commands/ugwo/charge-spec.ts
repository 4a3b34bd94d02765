import type { Given } from '../../cli/define.ts';
import { argument, defineCommand, flag, option, repeated } from '../../cli/define.ts';
import { asDuration, asOneOf, asText, asWaitTimeout, WAIT_DEFAULT_MS } from '../../cli/options.ts';
import { formatDuration } from '../../core/duration.ts';
import { usageError } from '../../core/error.ts';
import { idProblem } from '../../core/ids.ts';
import type { Medium } from '../../core/medium.ts';
import { EXPIRY_LIMIT_MS, isMedium, MEDIUMS } from '../../core/medium.ts';
import type { Pair } from '../../core/pairs.ts';
import { parsePair } from '../../core/pairs.ts';
import type { Instant } from '../../core/time.ts';
import { parseInstant } from '../../core/time.ts';

const asInstant = (text: string): Instant => {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  throw usageError(`"${text}" is not a time with an offset such as 2026-11-20T14:05:00+01:00`, {
    hint: 'or say how long it lives: --expires-in 10m',
  });
};

const options = {
  medium: option('--medium <medium>', MEDIUMS.join(', '), asText),
  expiresAt: option(
    '--expires-at <time>',
    'bank_transfer: when the account stops accepting; ISO 8601 with an offset',
    asInstant,
  ),
  expiresIn: option(
    '--expires-in <duration>',
    'bank_transfer: the same as a duration; at most 15m, the default',
    asDuration,
  ),
  provider: option('--provider <code>', "ussd: the bank's code (gtb, zenith, …); mobile_money: the provider's", asText),
  phone: option('--phone <number>', 'mobile_money: the number in international format, +233…', asText),
  param: repeated('--param <k=v>', 'any other key of the charge; k:=json for a value that is no text', parsePair),
  wait: flag('--wait', 'wait until the payment is made or has failed'),
  waitTimeout: option('--wait-timeout <duration>', 'with --wait: for so long at most (15m)', asWaitTimeout),
  again: flag('--again', 'charge even if an earlier charge can still be paid, or was paid; never if one is unknown'),
  reuse: flag(
    '--reuse',
    'print the activity that the same customer can still pay, or that was paid, and charge nothing; else charge',
  ),
} as const;
type ChargeGiven = Given<typeof options>;

/** When a bank_transfer account stops accepting: at a moment, or after milliseconds. */
export type Expiry = { readonly at: Instant } | { readonly in: number };

/** What is charged with: one variant a medium, so that no parameter can stand beside a medium it isn't for. */
export type ChargeMedium =
  | { readonly medium: 'bank_transfer'; readonly expiry: Expiry | undefined }
  | { readonly medium: 'ussd'; readonly provider: string }
  | { readonly medium: 'mobile_money'; readonly provider: string; readonly phone: string }
  /** --no-validate: as given, whatever it is. */
  | {
      readonly medium: 'unchecked';
      readonly name: string | undefined;
      readonly expiry: Expiry | undefined;
      readonly provider: string | undefined;
      readonly phone: string | undefined;
    };

export interface ChargeInput {
  readonly ugwo: string;
  readonly with: ChargeMedium;
  readonly params: readonly Pair[];
  /** What to do about an earlier charge that can still be paid, or was paid. */
  readonly earlier: 'refuse' | 'again' | 'reuse';
  /** How long to wait for the payment, in milliseconds; undefined: not at all. */
  readonly wait: number | undefined;
}

const OWN_FLAGS: Readonly<Record<Medium, readonly string[]>> = {
  bank_transfer: ['--expires-at', '--expires-in'],
  ussd: ['--provider'],
  mobile_money: ['--provider', '--phone'],
};

const givenFlags = (given: ChargeGiven): string[] =>
  [
    given.expiresAt === undefined ? [] : ['--expires-at'],
    given.expiresIn === undefined ? [] : ['--expires-in'],
    given.provider === undefined ? [] : ['--provider'],
    given.phone === undefined ? [] : ['--phone'],
  ].flat();

const refuseForeign = (medium: Medium, given: ChargeGiven): void => {
  const foreign = givenFlags(given).find((name) => !OWN_FLAGS[medium].includes(name));
  if (foreign === undefined) return;
  const owners = MEDIUMS.filter((other) => OWN_FLAGS[other].includes(foreign));
  throw usageError(`${foreign} does not belong to --medium ${medium}, only to ${owners.join(' and ')}`);
};

const readExpiry = (given: ChargeGiven): Expiry | undefined => {
  if (given.expiresAt !== undefined && given.expiresIn !== undefined) {
    throw usageError('--expires-at and --expires-in exclude each other');
  }
  if (given.expiresAt !== undefined) return { at: given.expiresAt };
  return given.expiresIn === undefined ? undefined : { in: given.expiresIn };
};

const checkDuration = (given: ChargeGiven): void => {
  const { expiresIn } = given;
  if (expiresIn === undefined || (expiresIn > 0 && expiresIn <= EXPIRY_LIMIT_MS)) return;
  throw usageError(
    `--expires-in: an account lives from 1 s to ${formatDuration(EXPIRY_LIMIT_MS)}, not ${formatDuration(expiresIn)}`,
  );
};

const needed = (value: string | undefined, flag: string, medium: Medium, what: string): string => {
  if (value !== undefined) return value;
  throw usageError(`--medium ${medium} needs ${flag}, ${what}`);
};

const readMedium = (given: ChargeGiven): ChargeMedium => {
  if (given.medium === undefined) throw usageError(`--medium is needed: ${MEDIUMS.join(', ')}`);
  const medium = isMedium(given.medium) ? given.medium : asOneOf(MEDIUMS)(given.medium);
  refuseForeign(medium, given);
  switch (medium) {
    case 'bank_transfer':
      checkDuration(given);
      return { medium, expiry: readExpiry(given) };
    case 'ussd':
      return {
        medium,
        provider: needed(given.provider, '--provider', medium, "the bank's code such as gtb or zenith"),
      };
    case 'mobile_money':
      return {
        medium,
        provider: needed(given.provider, '--provider', medium, "the provider's code"),
        phone: needed(given.phone, '--phone', medium, 'the number in international format'),
      };
  }
};

/** A key that has an option of its own is checked there, and only there. */
const OPTION_OF: Readonly<Record<string, string>> = {
  medium: '--medium',
  expires_at: '--expires-at',
  provider: '--provider',
  phone: '--phone',
};

const refuseOwnParams = (params: readonly Pair[]): void => {
  const own = params.map(([name]) => name).find((name) => Object.hasOwn(OPTION_OF, name));
  if (own !== undefined) throw usageError(`--param ${own}: use ${OPTION_OF[own]}`);
};

const readUnchecked = (given: ChargeGiven): ChargeMedium => ({
  medium: 'unchecked',
  name: given.medium,
  expiry: readExpiry(given),
  provider: given.provider,
  phone: given.phone,
});

const readEarlier = (given: ChargeGiven): ChargeInput['earlier'] => {
  if (given.again === true && given.reuse === true) throw usageError('--again and --reuse exclude each other');
  if (given.again === true) return 'again';
  return given.reuse === true ? 'reuse' : 'refuse';
};

const readWait = (given: ChargeGiven): number | undefined => {
  if (given.wait === true) return given.waitTimeout ?? WAIT_DEFAULT_MS;
  if (given.waitTimeout !== undefined) throw usageError('--wait-timeout is for --wait');
  return undefined;
};

export const chargeCommand = defineCommand<ChargeInput, typeof options>({
  path: ['ugwo', 'charge'],
  summary: 'charge a payment request: one attempt, sent once',
  description:
    'Creates an activity: one attempt to charge the payment request. It is sent once, and kept in the ledger. When the ' +
    'answer is lost, the exit code is 6 and the charge may have been made: `paycli ledger reconcile` finds out, and until ' +
    'then no further charge of that payment request is sent. While an earlier charge by the same medium can still be paid or ' +
    'is under way, or once one was paid, another one is refused (exit 9).',
  args: [argument('ugwo', 'the payment request, ugw.…')],
  options,
  examples: [
    {
      about: 'an account number to transfer to',
      line: 'paycli ugwo charge ugw.AbCd.1a2b3c4d5e6f7g8h9i0j1k2l --medium bank_transfer',
    },
    {
      about: 'the same, for ten minutes',
      line: 'paycli ugwo charge ugw.AbCd.1a2b3c4d5e6f7g8h9i0j1k2l --medium bank_transfer --expires-in 10m',
    },
    {
      about: 'a code to dial',
      line: 'paycli ugwo charge ugw.AbCd.1a2b3c4d5e6f7g8h9i0j1k2l --medium ussd --provider gtb',
    },
    {
      about: 'in a script that may run twice: the customer gets one account',
      line: 'paycli ugwo charge ugw.AbCd.1a2b3c4d5e6f7g8h9i0j1k2l --medium bank_transfer --reuse -o json',
    },
    {
      about: 'and wait for the money',
      line: 'paycli ugwo charge ugw.AbCd.1a2b3c4d5e6f7g8h9i0j1k2l --medium ussd --provider gtb --wait --wait-timeout 5m',
    },
    {
      about: 'see the request, send nothing',
      line: 'paycli ugwo charge ugw.AbCd.1a2b3c4d5e6f7g8h9i0j1k2l --medium ussd --provider gtb --as-curl',
    },
  ],
  output:
    'the activity (with --wait in a pipe: at the end, as it then is; to have the account at once, charge without --wait and ' +
    'then run `paycli activity wait`): uid, status, psp, psp_external_id, next_action (what the customer must do), error, created_at',
  exits: [
    'usage',
    'rejected',
    'auth',
    'not_sent',
    'unknown',
    'unrecorded',
    'refused',
    'ledger',
    'charge_failed',
    'pending',
    'interrupted',
  ],
  previews: true,
  read: (args, given, { validate }) => {
    const ugwo = args[0] ?? '';
    const problem = validate ? idProblem('ugw', ugwo) : undefined;
    if (problem !== undefined) throw usageError(`"${ugwo}" ${problem}`);
    if (validate) refuseOwnParams(given.param ?? []);
    return {
      ugwo,
      with: validate ? readMedium(given) : readUnchecked(given),
      params: given.param ?? [],
      earlier: readEarlier(given),
      wait: readWait(given),
    };
  },
  load: () => import('./charge.ts'),
});

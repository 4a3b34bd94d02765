import type { Deps } from '../../cli/deps.ts';
import type { Activity } from '../../contract/activity.ts';
import { BANK_CODES } from '../../core/banks.ts';
import { PayError, usageError } from '../../core/error.ts';
import { namingFlags } from '../../core/flags.ts';
import { EXPIRY_LIMIT_MS, MEDIUMS, machineValue } from '../../core/medium.ts';
import { pairsToObject } from '../../core/pairs.ts';
import { valueAt } from '../../core/path.ts';
import { formatDateAtom } from '../../core/time.ts';
import type { Result } from '../../output/view.ts';
import type { ChargeInput, ChargeMedium, Expiry } from './charge-spec.ts';
import { activityView } from './view.ts';

/** Leaves it out when it is the service's own default: 15 minutes by its clock, not by ours. */
const expiresAt = (expiry: Expiry | undefined, now: number): { expires_at?: string } => {
  if (expiry === undefined || ('in' in expiry && expiry.in === EXPIRY_LIMIT_MS)) return {};
  return { expires_at: formatDateAtom('at' in expiry ? expiry.at : { ms: now + expiry.in, offset: 0 }) };
};

/** Leaves out what was not given, so that it hides no --param of the same name. */
const given = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const dataOf = (charge: ChargeMedium, now: number): Record<string, unknown> => {
  switch (charge.medium) {
    case 'bank_transfer':
      return { medium: charge.medium, ...expiresAt(charge.expiry, now) };
    case 'ussd':
      return { medium: charge.medium, provider: charge.provider };
    case 'mobile_money':
      return { medium: charge.medium, provider: charge.provider, phone: charge.phone };
    case 'unchecked':
      return given({
        medium: charge.name,
        ...expiresAt(charge.expiry, now),
        provider: charge.provider,
        phone: charge.phone,
      });
  }
};

const flagOf =
  (input: ChargeInput, params: Readonly<Record<string, unknown>>) =>
  (path: string): string | undefined => {
    const [root, name = ''] = path.split('.');
    if (root !== 'data') return undefined;
    if (name in params) return `--param ${name}`;
    const expiry = 'expiry' in input.with ? input.with.expiry : undefined;
    if (name === 'expires_at') return expiry !== undefined && 'in' in expiry ? '--expires-in' : '--expires-at';
    return ['medium', 'provider', 'phone'].includes(name) ? `--${name}` : undefined;
  };

const guessOf =
  (data: Readonly<Record<string, unknown>>) =>
  (path: string): { typed: string; known: readonly string[] } | undefined => {
    if (path === 'data.provider' && data['medium'] === 'ussd')
      return { typed: String(data['provider']), known: BANK_CODES };
    return path === 'data.medium' ? { typed: String(data['medium']), known: MEDIUMS } : undefined;
  };

/** What the activity says of its failure; the shape of its error is not documented, so the usual names are tried. */
const failureOf = (activity: Activity, medium: unknown): PayError => {
  const said = ['error.message', 'error.title', 'error.code', 'error']
    .map((path) => valueAt(activity, path))
    .find((value) => typeof value === 'string' && value !== '');
  return new PayError('charge_failed', `the charge failed${said === undefined ? '' : `: ${String(said)}`}`, {
    hint: `nothing is to be paid on ${activity.uid}; charge the same payment request with another medium than ${String(medium)}`,
  });
};

const outcomeOf = (activity: Activity, medium: unknown): { notice?: string; failure?: PayError } => {
  const status = machineValue(activity.status);
  if (status === 'failed') return { failure: failureOf(activity, medium) };
  if (status !== 'processing') return {};
  return { notice: 'the charge is with the provider; the customer has nothing more to do here' };
};

export const view = activityView;

/** Charges a payment request (interface.md 4.2): one activity, sent once. */
export const run = async (input: ChargeInput, deps: Deps): Promise<Result> => {
  const params = pairsToObject(input.params, '--param');
  const own = dataOf(input.with, deps.io.clock.now());
  const twice = Object.keys(params).find((name) => name in own);
  if (twice !== undefined) throw usageError(`--param ${twice} says again what another option says`);
  const data = { ...params, ...own };
  const call = { params: { ugwoUid: input.ugwo }, body: { type: 'charge', data } };
  try {
    if (deps.globals.dryRun) return deps.preview((await deps.client('preview')).preview('ugwo.charge', call));
    const client = await deps.client('write');
    const record = await client.call('ugwo.charge', call);
    return { kind: 'record', record, view, wrote: true, ...outcomeOf(record.value, data['medium']) };
  } catch (thrown) {
    throw namingFlags(thrown, flagOf(input, params), guessOf(data));
  }
};

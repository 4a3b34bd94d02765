import { BANK_CODES } from '../../core/banks.ts';
import { EXPIRY_LIMIT_MS, MEDIUMS } from '../../core/charge.ts';
import { usageError } from '../../core/error.ts';
import { pairsToObject } from '../../core/input.ts';
import { definedIn, namesAlong } from '../../core/json.ts';
import { formatDateAtom } from '../../core/time.ts';
import { CHARGE_FIELDS, type ChargeMedium, type Expiry } from './charge-shared.ts';
import type { OneCharge } from './charge-spec.ts';

/** Leaves out an expiry that equals the service's default: its 15 minutes run by its clock, not by ours. */
const expiresAt = (expiry: Expiry | undefined, now: number): { expires_at?: string } => {
  if (expiry === undefined || ('in' in expiry && expiry.in === EXPIRY_LIMIT_MS)) return {};
  return { expires_at: formatDateAtom('at' in expiry ? expiry.at : { ms: now + expiry.in, offset: 0 }) };
};

const dataOf = (charge: ChargeMedium, now: number): Record<string, unknown> => {
  switch (charge.medium) {
    case 'bank_transfer':
      return { medium: charge.medium, ...expiresAt(charge.expiry, now) };
    case 'ussd':
      return { medium: charge.medium, provider: charge.provider };
    case 'mobile_money':
      return { medium: charge.medium, provider: charge.provider, phone: charge.phone };
    case 'unchecked':
      // An undefined field would hide a --param of the same name.
      return definedIn<unknown>({
        medium: charge.name,
        ...expiresAt(charge.expiry, now),
        provider: charge.provider,
        phone: charge.phone,
      });
  }
};

type Sent = Pick<OneCharge, 'with' | 'params'>;

/** Keys in the body of the parameters that the medium has or the options gave. */
const sentBy = ({ with: charge, params }: Sent): readonly string[] => {
  const own = (['provider', 'phone'] as const).filter((name) => name in charge);
  return ['medium', ...own, ...('expiry' in charge ? ['expires_at'] : []), ...params.map(([name]) => name)];
};

/**
 * The key in `data` that a property path means. A path without a leading `data` must name a key that was, or may have
 * been, sent.
 */
export const dataKeyOf = (input: Sent, path: string): string | undefined => {
  const sent = sentBy(input);
  const names = namesAlong(path, ['data', ...CHARGE_FIELDS, ...sent]);
  if (names[0] === 'data') return names[1];
  return names.length === 1 && sent.includes(names[0] ?? '') ? names[0] : undefined;
};

/** The flag that set a property of the body. */
export const flagOf =
  (input: Sent) =>
  (path: string): string | undefined => {
    const name = dataKeyOf(input, path);
    if (name === undefined) return undefined;
    if (input.params.some(([given]) => given === name)) return `--param ${name}`;
    const expiry = 'expiry' in input.with ? input.with.expiry : undefined;
    if (name === 'expires_at') return expiry !== undefined && 'in' in expiry ? '--expires-in' : '--expires-at';
    return ['medium', 'provider', 'phone'].includes(name) ? `--${name}` : undefined;
  };

/** The typed value and the known values, for a suggestion; undefined for other properties. */
export const guessOf =
  (data: Readonly<Record<string, unknown>>) =>
  (path: string): { typed: string; known: readonly string[] } | undefined => {
    const [name, ...more] = namesAlong(path, Object.keys(data)).filter((one) => one !== 'data');
    if (more.length > 0) return undefined;
    if (name === 'provider' && data['medium'] === 'ussd') {
      return { typed: String(data['provider']), known: BANK_CODES };
    }
    return name === 'medium' ? { typed: String(data['medium']), known: MEDIUMS } : undefined;
  };

/** Builds `data` of the body (interface.md 4.2). `now` is in milliseconds. */
export const chargeData = (input: Pick<OneCharge, 'with' | 'params'>, now: number): Record<string, unknown> => {
  const params = pairsToObject(input.params, '--param');
  const own = dataOf(input.with, now);
  const twice = Object.keys(params).find((name) => name in own);
  if (twice !== undefined) throw usageError(`--param ${twice} is already set by another option`);
  return { ...params, ...own };
};

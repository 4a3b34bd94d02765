import { PayError } from '../core/error.ts';
import { isJsonObject, parseIfJson } from '../core/json.ts';
import type { Total } from './approval.ts';
import type { Policy } from './policy.ts';

const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const isAmounts = (value: unknown): boolean =>
  isJsonObject(value) && Object.entries(value).every(([name, amount]) => /^[A-Z]{3}$/.test(name) && isCount(amount));

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string');

const CHECKS: Readonly<Record<keyof Policy, (value: unknown) => boolean>> = {
  maxCharges: isCount,
  maxAmount: isAmounts,
  mediums: isTexts,
  approveAbove: isAmounts,
};

const unreadable = (what: string, text: string): PayError =>
  new PayError('ledger', `the ledger holds ${what} that this paycli can't read: ${text}`, {
    hint: 'use the newer paycli that has written it',
  });

/** A policy as it is kept. */
export const policyText = (policy: Policy): string => JSON.stringify(policy);

/** A policy that was kept. Throws for a text that is none: a limit that is not understood must not be passed over. */
export const readPolicy = (text: string): Policy => {
  const policy = parseIfJson(text);
  const isWhole =
    isJsonObject(policy) &&
    Object.entries(policy).every(([name, value]) => Object.hasOwn(CHECKS, name) && CHECKS[name as keyof Policy](value));
  if (!isWhole) throw unreadable('a policy', text);
  return policy;
};

/** Sums as they are kept: digits, since they may be more than a number can hold. */
export const amountsText = (amounts: Total['amounts']): string =>
  JSON.stringify(Object.fromEntries([...amounts].map(([currency, amount]) => [currency, String(amount)])));

/** Sums that were kept. Throws for a text that holds none. */
export const readAmounts = (text: string): Total['amounts'] => {
  const amounts = parseIfJson(text);
  const isWhole =
    isJsonObject(amounts) &&
    Object.values(amounts).every((digits) => typeof digits === 'string' && /^\d+$/.test(digits));
  if (!isWhole) throw unreadable('an approval', text);
  return new Map(Object.entries(amounts).map(([currency, digits]) => [currency, BigInt(String(digits))]));
};

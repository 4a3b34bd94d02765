import { didYouMean } from './text.ts';

/**
 * Bank codes that the service's own clients use for ussd in Nigeria. Used for "did you mean" only, never as a gate:
 * the service decides which codes it accepts.
 */
export const BANK_CODES = [
  'access',
  'access_diamond',
  'ecobank',
  'fbn',
  'fcmb',
  'fidelity',
  'finance78',
  'globus',
  'gtb',
  'heritage',
  'jaiz',
  'keystone',
  'kuda',
  'lotus',
  'opay',
  'optimum_trust_bank',
  'palmpay',
  'polaris',
  'premium_trust_bank',
  'providus',
  'rubies_mfb',
  'scb',
  'stanbicibank',
  'sterling',
  'uba',
  'union',
  'unity',
  'vfd',
  'wema',
  'zenith',
] as const;

/** Numbers of Nigerian banks (CBN; six digits: NIP), which other services use, and the code that the service has. */
const NUMBERS: Readonly<Record<string, (typeof BANK_CODES)[number]>> = {
  '011': 'fbn',
  '030': 'heritage',
  '032': 'union',
  '033': 'uba',
  '035': 'wema',
  '044': 'access',
  '050': 'ecobank',
  '057': 'zenith',
  '058': 'gtb',
  '068': 'scb',
  '070': 'fidelity',
  '076': 'polaris',
  '082': 'keystone',
  '101': 'providus',
  '103': 'globus',
  '214': 'fcmb',
  '215': 'unity',
  '221': 'stanbicibank',
  '232': 'sterling',
  '301': 'jaiz',
  '090110': 'vfd',
  '090267': 'kuda',
  '100004': 'opay',
  '100033': 'palmpay',
};

/** The bank code that was probably meant. */
export const bankMeant = (typed: string): string | undefined => {
  const text = typed.trim();
  return Object.hasOwn(NUMBERS, text) ? NUMBERS[text] : didYouMean(text, BANK_CODES);
};

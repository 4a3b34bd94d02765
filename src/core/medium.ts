/** The mediums that a charge can use (interface.md 4.2). The service may come to know more; answers may name any. */
export const MEDIUMS = ['bank_transfer', 'ussd', 'mobile_money'] as const;
export type Medium = (typeof MEDIUMS)[number];

export const isMedium = (text: string): text is Medium => (MEDIUMS as readonly string[]).includes(text);

/** The longest, and the default, life of a bank_transfer account in milliseconds (interface.md section 8). */
export const EXPIRY_LIMIT_MS = 15 * 60_000;

/**
 * The machine value of an enum of the service, which arrives as a text or as a pair `[machine value, label]`; a number becomes
 * its text. Empty where nothing can be read.
 */
export const machineValue = (value: unknown): string => {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' || typeof first === 'number' ? String(first) : '';
};

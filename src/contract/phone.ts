/** A plus, a country code and the rest: 6 to 15 digits in all. */
export const INTERNATIONAL = /^\+[1-9]\d{5,14}$/;
const [FEWEST, MOST] = [6, 15];
const EXAMPLE = '+2348031234567';

/** What people write between digits, and `(0)`: what is dialled at home only. */
const SEPARATORS = /\(0\)|[\s().\-\u2010-\u2015]+/g;

/** The mobile numbers of a country as its people write them. */
const NATIONAL = [
  { country: 'Nigeria', code: '+234', form: /^0([789]\d{9})$/ },
  { country: 'Ghana', code: '+233', form: /^0([25]\d{8})$/ },
] as const;

const nationalFault = (text: string): string => {
  const found = NATIONAL.find(({ form }) => form.test(text));
  const example = found === undefined ? EXAMPLE : text.replace(found.form, `${found.code}$1 for ${found.country}`);
  return `looks like a national number: add the country code, such as ${example}`;
};

const digitsFault = (digits: string): string | undefined => {
  if (digits.startsWith('0')) return `has a 0 after the plus: the country code comes first, such as ${EXAMPLE}`;
  if (digits.length < FEWEST) return `is too short: ${digits.length} digits, at least ${FEWEST}`;
  return digits.length > MOST ? `is too long: ${digits.length} digits, at most ${MOST}` : undefined;
};

/** What is wrong with a number without separators. */
const bareFault = (text: string): string | undefined => {
  if (!/^\+?\d+$/.test(text)) return `should be a plus and digits only, such as ${EXAMPLE}`;
  if (text.startsWith('+')) return digitsFault(text.slice(1));
  if (text.startsWith('00')) return digitsFault(text.slice(2)) ?? `begins with 00: write +${text.slice(2)}`;
  if (text.startsWith('0')) return nationalFault(text);
  return digitsFault(text) ?? `needs a plus in front: +${text}`;
};

/** What keeps a text from being a phone number in international format (interface.md 4.2), as the end of a sentence. */
export const phoneFault = (text: string): string | undefined => {
  if (INTERNATIONAL.test(text)) return undefined;
  const bare = text.replaceAll(SEPARATORS, '');
  return bareFault(bare) ?? `has spaces or other characters in it: write ${bare}`;
};

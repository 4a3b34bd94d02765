import { cutName } from './bounds.ts';

/** A way in which a value gets damaged before it arrives here, most often in a spreadsheet. */
interface Spoilt {
  /** Pattern of such a value. */
  readonly form: RegExp;
  /** The properties or columns to check; all of them if absent. */
  readonly of?: readonly string[];
  /** The end of a sentence that begins with the value. */
  readonly cause: string;
  /** The probable original value. */
  readonly before?: (text: string) => string;
}

const RETYPE_HINT = 'format the column as text and type it again';

/** Country codes whose numbers never continue with a 0, though they are dialled with one at home. */
const WITH_TRUNK_ZERO = '20|27|33|44|49|233|234|251|254|255|256|260|263';
const TRUNK_ZERO = new RegExp(String.raw`^\+(${WITH_TRUNK_ZERO})[\s().\-]*0[\s().\-]*(?=\d)`);

const SPOILT: readonly Spoilt[] = [
  { form: /^[+-]?\d(?:[.,]\d+E[+-]?|E[+-])\d+$/i, cause: `was rounded by a spreadsheet: ${RETYPE_HINT}` },
  { form: /^#(?:[\p{Lu}/0]+[!?]|N\/A|NV)$/u, cause: "is a spreadsheet's error, not a value: fix its formula" },
  { form: /^#{3,}$/, cause: 'was too long for its column in a spreadsheet: widen the column and save again' },
  { form: /\ufffd/, cause: 'has lost characters: save the file as UTF-8 and type it again' },
  {
    form: /\\(?:x(?:[01][0-9a-f]|7f|[89][0-9a-f])|u(?:061c|200[ef]|202[89a-e]|206[6-9]))/,
    cause: 'has an escape that stands in CSV for a character that is not shown: take the value from -o json',
  },
  {
    form: /^[\s\u200b\u2060]+[^\s\u200b\u2060]|[^\s\u200b\u2060][\s\u200b\u2060]+$/,
    cause: 'has a blank at its beginning or end, as copying leaves it',
    before: (text) => text.replace(/^[\s\u200b\u2060]+/, '').replace(/(?<![\s\u200b\u2060])[\s\u200b\u2060]+$/, ''),
  },
  {
    of: ['email', 'onye_email'],
    form: /^(?:mailto:|<)|[>,;]$/i,
    cause: 'has something around the address, as copying leaves it',
    before: (text) => text.replaceAll(/^(?:mailto:|<)+|[>,;]+$/gi, ''),
  },
  {
    of: ['phone'],
    form: /^tel:/i,
    cause: 'is a link',
    before: (text) => text.slice('tel:'.length),
  },
  {
    of: ['phone'],
    form: TRUNK_ZERO,
    cause: 'has a 0 after the country code, which is dialled only at home',
    before: (text) => text.replace(TRUNK_ZERO, '+$1'),
  },
  {
    of: ['account_number'],
    form: /^\d{9}$/,
    cause: 'has 9 digits of 10: a spreadsheet has probably dropped a leading 0',
    before: (text) => `0${text}`,
  },
  {
    of: ['account_number'],
    form: /^\d{10}[.,]0+$/,
    cause: 'was formatted as a number by a spreadsheet',
    before: (text) => text.slice(0, 10),
  },
];

/** Sentence with the value and the likely reason why it is wrong; undefined if it looks right. */
export const spoiltWords = (text: string, name: string): string | undefined => {
  const found = SPOILT.find(({ form, of }) => (of === undefined || of.includes(name)) && form.test(text));
  if (found === undefined) return undefined;
  const { cause, before } = found;
  const shown = (value: string): string => JSON.stringify(cutName(value));
  return `${shown(text)} ${cause}${before === undefined ? '' : `: write ${shown(before(text))}`}`;
};

/**
 * Texts that a program leaves where it had no value or a wrong one: `NaN`, `NULL`, `{{first_name}}`, `O&#39;Brien`,
 * `AdÃ©`. Case counts: Nan and Na are names.
 */
const LEFTOVER =
  /^(?:nan|NaN|NaT|null|Null|NULL|none|None|NONE|nil|undefined|NA|<NA>|n\/a|N\/A|\(null\)|\\N|Invalid Date|\[object Object\]|\{\{.*\}\}|\$\{.*\})$|&(?:amp|lt|gt|quot|#x?[\da-f]+);|[\u00c2\u00c3][\u0080-\u00bf]|_x000D_/;

/** True for a text that a program has probably left. It may be meant: somebody may be called Null. */
export const isLeftover = (text: string, name: string): boolean => {
  // `1001.0`: a whole number as a program writes it once a cell of its column was empty.
  if (name === 'ref' && /^\d{2,}\.0$/.test(text)) return true;
  return LEFTOVER.test(text) && !(text === 'NA' && name.endsWith('country'));
};

/** A value inside a JSON value that looks damaged. */
export interface SpoiltValue {
  readonly propertyPath: string;
  readonly title: string;
}

/** All damaged texts in a value, with their dotted paths. */
export const spoiltIn = (value: unknown, path: readonly string[] = []): readonly SpoiltValue[] => {
  if (typeof value === 'string') {
    const title = spoiltWords(value, path.at(-1) ?? '');
    return title === undefined ? [] : [{ propertyPath: path.join('.'), title }];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => spoiltIn(member, [...path, name]));
};

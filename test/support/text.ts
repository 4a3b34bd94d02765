import fc from 'fast-check';

/** Surrogates, which are not characters by themselves. */
const [HALVES, HOW_MANY] = [0xd800, 0x800];

const numberOf = (text: unknown): number => {
  const code = typeof text === 'string' ? text.codePointAt(0) : undefined;
  if (code === undefined || String.fromCodePoint(code) !== text) throw new Error('not one character');
  return code < HALVES ? code : code - HOW_MANY;
};

/** Any character. fast-check's own `binary` builds a table of all of them, in each process. */
export const ANY_CHARACTER = fc
  .nat({ max: 0x10ffff - HOW_MANY })
  .map((number) => String.fromCodePoint(number < HALVES ? number : number + HOW_MANY), numberOf);

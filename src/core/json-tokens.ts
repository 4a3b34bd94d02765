// The parts of JSON as UTF-8 that are no strings or brackets: escapes, numbers, words.

const [MINUS, DOT, PLUS, ZERO, NINE, E, U, LOWER] = [0x2d, 0x2e, 0x2b, 0x30, 0x39, 0x65, 0x75, 0x20] as const;

/** What may follow a backslash, and the digits behind `u`. */
const [ESCAPE, HEX] = [1, 2] as const;
const KINDS = new Uint8Array(256);
for (const char of '"\\/bfnrt') KINDS[char.charCodeAt(0)] = ESCAPE;
for (const char of '0123456789abcdefABCDEF') KINDS[char.charCodeAt(0)] = (KINDS[char.charCodeAt(0)] ?? 0) | HEX;

const kindOf = (code: number | undefined): number => KINDS[code ?? 0] ?? 0;
const isHex = (code: number | undefined): boolean => (kindOf(code) & HEX) !== 0;

/** How long the escape is that begins here; longer than the text where JSON has none such. Asked of each: nothing is made for it. */
export const escapeSize = (bytes: Uint8Array, at: number): number => {
  if (bytes[at + 1] !== U) return (kindOf(bytes[at + 1]) & ESCAPE) === 0 ? bytes.length : 2;
  const isWhole = isHex(bytes[at + 2]) && isHex(bytes[at + 3]) && isHex(bytes[at + 4]) && isHex(bytes[at + 5]);
  return isWhole ? 6 : bytes.length;
};

/** Behind the digits that stand here; where there are none, the same place. */
const digitsEnd = (bytes: Uint8Array, from: number): number => {
  let at = from;
  for (let code = bytes[at] ?? 0; code >= ZERO && code <= NINE; code = bytes[at] ?? 0) at += 1;
  return at;
};

/** Behind the number that stands here; 0 where there is none. */
const numberEnd = (bytes: Uint8Array, from: number): number => {
  const start = bytes[from] === MINUS ? from + 1 : from;
  let at = bytes[start] === ZERO ? start + 1 : digitsEnd(bytes, start);
  if (at === start) return 0;
  if (bytes[at] === DOT) {
    const fraction = at + 1;
    at = digitsEnd(bytes, fraction);
    if (at === fraction) return 0;
  }
  if (((bytes[at] ?? 0) | LOWER) !== E) return at;
  const sign = bytes[at + 1];
  const exponent = at + (sign === PLUS || sign === MINUS ? 2 : 1);
  at = digitsEnd(bytes, exponent);
  return at === exponent ? 0 : at;
};

/** By their first characters. */
const WORDS: (Uint8Array | undefined)[] = Array.from({ length: 256 });
for (const word of ['true', 'false', 'null']) WORDS[word.charCodeAt(0)] = Buffer.from(word);

/** Behind the number or the word that stands here; 0 where there is neither. Asked of each, so that nothing is made for it. */
export const scalarEnd = (bytes: Uint8Array, from: number): number => {
  const word = WORDS[bytes[from] ?? 0];
  if (word === undefined) return numberEnd(bytes, from);
  for (let index = 1; index < word.length; index += 1) if (bytes[from + index] !== word[index]) return 0;
  return from + word.length;
};

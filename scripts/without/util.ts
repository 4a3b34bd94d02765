/** All that commander takes from node:util, which loads a good part of itself for it; asked for when help is printed. */
export const stripVTControlCharacters = (text: string): string =>
  process.getBuiltinModule('node:util').stripVTControlCharacters(text);

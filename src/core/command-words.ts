import { usageError } from './error.ts';

const WORD = /(?:[^\s'"]|'[^']*'|"[^"]*")+/g;
const QUOTED = /'([^']*)'|"([^"]*)"/g;
const SECRET_KEY = /\bsk\.[A-Za-z0-9]{4}\.[A-Za-z0-9]{16,}/;

/**
 * `op read "op://vault/key"` as a list of arguments. Quotes keep blanks together; nothing else means anything, so
 * there is no way to a shell, a variable or another file.
 */
export const splitCommand = (text: string, from = '--key-command'): readonly string[] => {
  if (SECRET_KEY.test(text)) {
    throw usageError(`${from} contains a secret key, but needs a command that prints it`, {
      hint: 'other users can see arguments while a program runs: get a new key, then store it with --key-stdin',
    });
  }
  const words = text.match(WORD) ?? [];
  if (text.replaceAll(WORD, '').trim() !== '') throw usageError(`${from} has an unclosed quote`);
  if (words.length === 0) throw usageError(`${from} is empty`);
  return words.map((word) =>
    word.replaceAll(QUOTED, (_all, single?: string, double?: string) => single ?? double ?? ''),
  );
};

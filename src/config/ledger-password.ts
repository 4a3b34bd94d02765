import { splitCommand } from '../core/command-words.ts';
import type { Io } from '../core/io.ts';
import { runSecretCommand } from './key-command.ts';
import type { Machine } from './machine.ts';
import type { DatabaseUser } from './password-file.ts';
import { passwordInFile } from './password-file.ts';

/** Tokens that a cloud gives out for a quarter of an hour are long. */
const PASSWORD = {
  command: "the ledger's password command",
  what: 'password',
  longest: 16_384,
  problemOf: (password: string): string | undefined => (/[\r\n]/.test(password) ? 'is more than one line' : undefined),
};

/** The password of a shared ledger: of the command where there is one, else of the password file; undefined where none is known. */
export const ledgerPassword = async (
  asked: DatabaseUser,
  stored: readonly string[] | undefined,
  io: Io,
  machine: Machine,
): Promise<string | undefined> => {
  const given = io.env['PAYCLI_LEDGER_PASSWORD_COMMAND'];
  const command = given === undefined ? stored : splitCommand(given, 'PAYCLI_LEDGER_PASSWORD_COMMAND');
  if (command !== undefined) return runSecretCommand(command, PASSWORD, io, machine);
  const password = passwordInFile(asked, io.env, machine);
  if (password !== undefined) io.redactor.add(password);
  return password;
};

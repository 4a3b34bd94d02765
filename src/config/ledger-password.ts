import { isAbsolute } from 'node:path';
import { attempt } from '../core/async.ts';
import { PayError } from '../core/error.ts';
import { homeFolder } from '../core/files.ts';
import type { Env, Io } from '../core/io.ts';
import { splitCommand } from '../core/shell.ts';
import { runSecretCommand } from './key-command.ts';
import type { Machine } from './machine.ts';
import { readSecretFile } from './secret-file.ts';

/** The account of a password. */
export interface DatabaseUser {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

const FILE = { what: 'the password file', hint: 'name a file of your own in PGPASSFILE' };
const PATH_HINT = 'set PGPASSFILE to an absolute path: a relative one would mean another file in every working folder';

/** Undefined for a user without a home folder who has not set PGPASSFILE. */
const pathOf = (env: Env): string | undefined => {
  const given = env['PGPASSFILE'] || undefined;
  if (given === undefined) return attempt(() => `${env['HOME'] ?? homeFolder()}/.pgpass`);
  if (!isAbsolute(given)) throw new PayError('auth', 'PGPASSFILE is not an absolute path', { hint: PATH_HINT });
  return given;
};

/**
 * The fields of a line, separated by colons. A backslash escapes the next character; at the end of the line it is
 * literal.
 */
const fieldsOf = (line: string): string[] =>
  [...line.matchAll(/((?:\\.|[^:\\]|\\$)*)(?::|$)/g)].map(([, field = '']) => field.replaceAll(/\\(.)/g, '$1'));

const isFor = ([host, port, database, user]: readonly string[], asked: DatabaseUser): boolean => {
  const hosts = asked.host.startsWith('/') || asked.host === '127.0.0.1' ? [asked.host, 'localhost'] : [asked.host];
  return (
    (host === '*' || hosts.includes(host ?? '')) &&
    (port === '*' || port === String(asked.port)) &&
    (database === '*' || database === asked.database) &&
    (user === '*' || user === asked.user)
  );
};

/** The password in PGPASSFILE, or in ~/.pgpass: the first matching line, as in PostgreSQL's own programs. */
export const passwordInFile = (asked: DatabaseUser, env: Env, machine: Machine): string | undefined => {
  const path = pathOf(env);
  const text = path === undefined ? undefined : readSecretFile({ path, ...FILE }, machine)?.toString();
  return text
    ?.split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(fieldsOf)
    .find((fields) => fields[4] !== undefined && fields[4] !== '' && isFor(fields, asked))?.[4];
};

/** Cloud tokens that last a quarter of an hour are long. */
const PASSWORD = {
  command: "the ledger's password command",
  what: 'password',
  longest: 16_384,
  problemOf: (password: string): string | undefined => (/[\r\n]/.test(password) ? 'is more than one line' : undefined),
};

/**
 * The password of a shared ledger: from the command if there is one, else from the password file; undefined when there
 * is none.
 */
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

import { readFileSync, statSync } from 'node:fs';
import { PayError, reasonOf } from '../core/error.ts';
import { homeFolder } from '../core/home.ts';
import type { Env } from '../core/io.ts';
import { shellQuote } from '../core/shell.ts';
import type { Machine } from './machine.ts';

/** What a password is for. */
export interface DatabaseUser {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

const READ_OR_WRITE_BY_OTHERS = 0o077;

const pathOf = (env: Env): string => env['PGPASSFILE'] ?? `${env['HOME'] ?? homeFolder()}/.pgpass`;

const refuse = (path: string, what: string, hint: string): never => {
  throw new PayError('auth', `the password file ${path} ${what}, so it was not used`, { hint });
};

const checkPrivate = (path: string, { platform, uid }: Machine): void => {
  if (platform === 'win32') return;
  const stats = statSync(path);
  if (!stats.isFile()) refuse(path, 'is not a file', 'name the file itself in PGPASSFILE');
  if (uid !== undefined && stats.uid !== uid)
    refuse(path, `belongs to another user (uid ${stats.uid})`, 'use one of your own');
  if ((stats.mode & READ_OR_WRITE_BY_OTHERS) !== 0)
    refuse(path, 'is open to other users', `run: chmod 600 ${shellQuote(path)}`);
};

/** The fields of a line: colons part them, and a backslash takes its meaning from what follows, at the end of the line from itself. */
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

const textOf = (path: string, machine: Machine): string | undefined => {
  try {
    checkPrivate(path, machine);
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if (thrown instanceof PayError) throw thrown;
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return refuse(path, `can't be read: ${reasonOf(thrown)}`, 'make it accessible to you');
  }
};

/** The password that PGPASSFILE, or ~/.pgpass, has for somebody: the first line that fits, as PostgreSQL's own programs read it. */
export const passwordInFile = (asked: DatabaseUser, env: Env, machine: Machine): string | undefined =>
  textOf(pathOf(env), machine)
    ?.split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(fieldsOf)
    .find((fields) => fields[4] !== undefined && fields[4] !== '' && isFor(fields, asked))?.[4];

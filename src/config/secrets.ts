import { accessSync, closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { attempt } from '../core/async.ts';
import { PayError, reasonOf, usageError } from '../core/error.ts';
import { checkPath, homeFolder, OPEN_TO_OTHERS, ROOT, WRITABLE_BY_OTHERS } from '../core/files.ts';
import { askText, canAsk } from '../core/input.ts';
import type { Env, Io } from '../core/io.ts';
import { LONGEST_SECRET_LINE, PRINTABLE, quotesProblem } from '../core/secret.ts';
import { shellQuote, splitCommand } from '../core/shell.ts';
import { refuseRelative } from '../core/unsafe-settings.ts';
import { runSecretCommand } from './key-command.ts';
import { type Machine, realMachine } from './machine.ts';

// Secrets other than the key: the password of a shared ledger's database, and the secrets of a webhook endpoint.

/** A file that a user has named, with its description in messages. */
interface SecretFile {
  readonly path: string;
  /** For example `the secret file`. */
  readonly what: string;
  /** Advice for an unusable file. */
  readonly hint: string;
}

const refuseFile = ({ path, what }: SecretFile, fault: string, hint: string): never => {
  throw new PayError('auth', `${what} ${path} ${fault}, so it was not used`, { hint });
};

const canChange = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

/**
 * True for a file of root that this user can't change, as a container mounts it: the person who mounted it has decided
 * who may read it.
 */
const isMountedSecret = (path: string, { uid, mode }: Stats): boolean =>
  uid === ROOT && (mode & WRITABLE_BY_OTHERS) === 0 && !canChange(path);

const checkStats = (file: SecretFile, stats: Stats, { platform, uid }: Machine): void => {
  // A pipe, such as the shell's <(…), has no content that others could read.
  if (stats.isFIFO()) return;
  if (!stats.isFile()) refuseFile(file, 'is not a file', file.hint);
  if (platform === 'win32' || isMountedSecret(file.path, stats)) return;
  if (uid !== undefined && stats.uid !== uid)
    refuseFile(file, `belongs to another user (uid ${stats.uid})`, 'use one of your own');
  if ((stats.mode & OPEN_TO_OTHERS) !== 0)
    refuseFile(file, 'is open to other users', `run: chmod 600 ${shellQuote(file.path)}`);
};

const readChecked = (file: SecretFile, machine: Machine): Buffer => {
  const check = checkPath(machine.uid);
  check(file.path);
  const descriptor = openSync(file.path, 'r');
  try {
    const stats = fstatSync(descriptor);
    check(file.path, stats);
    checkStats(file, stats, machine);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/**
 * Content of a file with a secret; undefined if it is missing. Throws for one that others can read or change, or may
 * have planted.
 */
const readSecretFile = (file: SecretFile, machine: Machine): Buffer | undefined => {
  try {
    return readChecked(file, machine);
  } catch (thrown) {
    if (thrown instanceof PayError) throw thrown;
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return refuseFile(file, `can't be read: ${reasonOf(thrown)}`, file.hint);
  }
};

export interface DatabaseUser {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/** The path of the password file; undefined for a user without a home folder who has not set PGPASSFILE. */
const passwordFilePath = (env: Env): string | undefined => {
  refuseRelative(env, 'PGPASSFILE');
  return env['PGPASSFILE'] || attempt(() => `${homeFolder(env['HOME'])}/.pgpass`);
};

/**
 * The fields of a line, separated by colons. A backslash escapes the next character; at the end of the line it is
 * literal.
 */
const passwordFields = (line: string): string[] =>
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
const passwordInFile = (asked: DatabaseUser, env: Env, machine: Machine): string | undefined => {
  const path = passwordFilePath(env);
  const text =
    path === undefined
      ? undefined
      : readSecretFile(
          { path, what: 'the password file', hint: 'name a file of your own in PGPASSFILE' },
          machine,
        )?.toString();
  return text
    ?.split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(passwordFields)
    .find((fields) => fields[4] !== undefined && fields[4] !== '' && isFor(fields, asked))?.[4];
};

const PASSWORD = {
  command: "the ledger's password command",
  what: 'password',
  // Cloud services have long tokens for passwords, which last a quarter of an hour.
  longest: 16_384,
  problemOf: (password: string): string | undefined => (/[\r\n]/.test(password) ? 'is more than one line' : undefined),
};

/**
 * The password of a shared ledger: from the command if there is one, else from the password file; undefined if there
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
  // Thrown only if the server asks for a password.
  else if (io.env['PGPASSWORD'] !== undefined) {
    throw new PayError('auth', 'PGPASSWORD is set, but paycli reads no password of a ledger from the environment', {
      hint: 'put it into a password file (PGPASSFILE), or give a command that prints it (PAYCLI_LEDGER_PASSWORD_COMMAND)',
    });
  }
  return password;
};

/** Sources of webhook endpoint secrets: never argv or the environment, which others can read. */
export interface SecretSources {
  readonly files: readonly string[];
  readonly commands: readonly string[];
}

const secretProblem = (secret: string): string | undefined => {
  if (/^[sp]k\./.test(secret)) return 'is a key of the API, not the secret of a webhook endpoint (wsk.…)';
  const quotes = quotesProblem(secret);
  if (quotes !== undefined) return quotes;
  return PRINTABLE.test(secret) ? undefined : 'is not 8 to 512 printable characters, without blanks';
};

const WEBHOOK_SECRET = {
  command: 'the secret command',
  what: 'secret',
  longest: LONGEST_SECRET_LINE,
  problemOf: secretProblem,
};

const secretInFile = (path: string, machine: Machine): string => {
  // The error does not repeat the secret: it would spread from the shell's history to every log.
  if (/^wsk\./.test(path)) {
    throw usageError('a secret was given where the name of a file is needed', {
      hint: 'other users can see arguments while a program runs: make a new secret, and keep it in a file of mode 600',
    });
  }
  const file = { path, what: 'the secret file', hint: 'name a file that holds the secret alone' };
  const bytes = readSecretFile(file, machine) ?? refuseFile(file, 'is not there', file.hint);
  const secret = bytes.toString('latin1').replace(/\r?\n$/, '');
  const problem = secretProblem(secret);
  if (problem !== undefined) {
    throw new PayError('auth', `${file.what} ${path} was not used: the secret in it ${problem}`, { hint: file.hint });
  }
  return secret;
};

/** The secrets of a webhook endpoint, each registered with the redactor before any other use. */
export const webhookSecrets = async (
  { files, commands = [] }: Pick<SecretSources, 'files'> & Partial<SecretSources>,
  io: Io,
  machine: Machine = realMachine,
): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const path of files) found.push(secretInFile(path, machine));
  for (const secret of found) io.redactor.add(secret);
  for (const text of commands) {
    found.push(await runSecretCommand(splitCommand(text, '--secret-command'), WEBHOOK_SECRET, io, machine));
  }
  return found;
};

/** A webhook secret that is typed on a terminal without being shown. */
const askWebhookSecret = async (io: Io): Promise<string> => {
  const secret = await askText(io.stdin, 'Secret of the webhook endpoint (wsk.…): ', true);
  io.redactor.add(secret);
  const problem = secretProblem(secret);
  if (problem !== undefined) throw usageError(`the secret ${problem}`);
  return secret;
};

/** Sources of the secrets: for live events, and for sandbox events if they have others. */
export interface SecretOptions {
  readonly main: SecretSources;
  readonly sandbox: SecretSources;
}

/** The secrets that sign deliveries. Asks for one on a terminal if none is named. */
export const endpointSecrets = async (
  { main, sandbox }: SecretOptions,
  { io, globals }: { readonly io: Io; readonly globals: { readonly input: boolean } },
) => {
  const secrets = { all: await webhookSecrets(main, io), sandbox: await webhookSecrets(sandbox, io) };
  if (secrets.all.length + secrets.sandbox.length > 0) return secrets;
  if (!canAsk(io, globals)) {
    throw usageError("the webhook endpoint's secret is needed", { hint: 'add --secret-file or --secret-command' });
  }
  return { all: [await askWebhookSecret(io)], sandbox: [] };
};

import { hash } from 'node:crypto';
import { reasonOf } from '../core/error.ts';
import type { Io } from '../core/io.ts';
import { findProgram } from './find-program.ts';
import { feedCommand, runKeyCommand } from './key-command.ts';
import type { Machine } from './machine.ts';

/**
 * The system's keychain, by its own program: three lists of arguments, and what the first is told on its standard input. No key
 * is ever an argument, which other users can see.
 */
interface Keychain {
  readonly program: string;
  readonly store: readonly string[];
  readonly input: (key: string) => string;
  readonly read: readonly string[];
  readonly remove: readonly string[];
}

const SERVICE = 'paycli';

const secretTool = (account: string): Keychain => {
  const about = ['service', SERVICE, 'account', account];
  return {
    program: 'secret-tool',
    store: ['store', `--label=paycli: ${account}`, ...about],
    input: (key) => key,
    read: ['lookup', ...about],
    remove: ['clear', ...about],
  };
};

const security = (account: string): Keychain => ({
  program: 'security',
  // It takes its commands from standard input so; and a password in hex, which needs no quotes.
  store: ['-i'],
  input: (key) =>
    `add-generic-password -U -s ${SERVICE} -a ${account} -X ${Buffer.from(key, 'latin1').toString('hex')}\n`,
  read: ['find-generic-password', '-s', SERVICE, '-a', account, '-w'],
  remove: ['delete-generic-password', '-s', SERVICE, '-a', account],
});

const VAULT =
  '$v=New-Object -TypeName ([Windows.Security.Credentials.PasswordVault,Windows.Security.Credentials,ContentType=WindowsRuntime]).FullName;';

const passwordVault = (account: string): Keychain => {
  const script = (text: string): readonly string[] => ['-NoProfile', '-NonInteractive', '-Command', VAULT + text];
  const item = `$c=$v.Retrieve('${SERVICE}','${account}');`;
  return {
    program: 'powershell.exe',
    store: script(
      `$k=[Console]::In.ReadToEnd();$v.Add((New-Object Windows.Security.Credentials.PasswordCredential('${SERVICE}','${account}',$k)))`,
    ),
    input: (key) => key,
    read: script(`${item}$c.RetrievePassword();[Console]::Out.Write($c.Password)`),
    remove: script(`${item}$v.Remove($c)`),
  };
};

/** The name of a profile in the keychain: two folders of settings may have one of the same name. */
const accountOf = (name: string, folder: string): string => `${name}-${hash('sha256', folder).slice(0, 12)}`;

const keychainFor = (name: string, folder: string, { platform }: Machine): Keychain => {
  const account = accountOf(name, folder);
  if (platform === 'darwin') return security(account);
  return platform === 'win32' ? passwordVault(account) : secretTool(account);
};

/** Whether a key command is the one that `keepKey` gave. */
export const isKept = (
  command: readonly string[] | undefined,
  name: string,
  folder: string,
  machine: Machine,
): boolean => {
  const { read } = keychainFor(name, folder, machine);
  return command !== undefined && JSON.stringify(command.slice(1)) === JSON.stringify(read);
};

/** A key in the keychain: the command that prints it; or why it can't be had there, as a sentence without a full stop. */
export type Kept = { readonly command: readonly string[] } | { readonly why: string };

/** Puts the key of a profile into the keychain, and looks whether it is there. */
export const keepKey = async (name: string, key: string, folder: string, io: Io, machine: Machine): Promise<Kept> => {
  const keychain = keychainFor(name, folder, machine);
  const program = findProgram(keychain.program, io.env, machine);
  if (program === undefined) return { why: `${keychain.program} was not found` };
  const command = [program, ...keychain.read];
  try {
    await feedCommand([program, ...keychain.store], keychain.input(key), io, machine);
    // Some of these programs say nothing of a failure.
    const kept = await runKeyCommand(command, io, machine);
    return kept === key ? { command } : { why: `${keychain.program} gave back another key` };
  } catch (thrown) {
    if (io.signals.stop.aborted) throw thrown;
    return { why: reasonOf(thrown) };
  }
};

/** Takes the key of a profile out of the keychain; gives what went wrong. */
export const releaseKey = async (
  command: readonly string[],
  name: string,
  folder: string,
  io: Io,
  machine: Machine,
): Promise<string | undefined> => {
  const { remove } = keychainFor(name, folder, machine);
  try {
    await feedCommand([command[0] ?? '', ...remove], '', io, machine);
    return undefined;
  } catch (thrown) {
    if (io.signals.stop.aborted) throw thrown;
    return reasonOf(thrown);
  }
};

import { hash, randomBytes } from 'node:crypto';
import { interrupted, reasonOf, signalWord } from '../core/error.ts';
import type { Io } from '../core/io.ts';
import { feedCommand, findProgram, runKeyCommand } from './key-command.ts';
import type { Machine } from './machine.ts';

/**
 * The system's keychain, used through its own program: three argument lists, and the standard input of `store`. A key
 * is never an argument, which other users can see.
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
  // `-i` reads commands from standard input. The password is in hex, which needs no quotes.
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

/** Part of the names of a folder's keys in the keychain: two settings folders may have profiles of the same name. */
const folderPart = (folder: string): string => hash('sha256', folder).slice(0, 12);

const keychainFor = (account: string, { platform }: Machine): Keychain => {
  if (platform === 'darwin') return security(account);
  return platform === 'win32' ? passwordVault(account) : secretTool(account);
};

/**
 * A key in the keychain: the command that prints it, or the reason why it can't be stored there, as a sentence without
 * a full stop.
 */
export type KeychainKey = { readonly command: readonly string[] } | { readonly why: string };

/** Stores a key for a profile in the keychain, and verifies it by reading it back. */
export const storeKey = async (
  name: string,
  key: string,
  folder: string,
  io: Io,
  machine: Machine,
): Promise<KeychainKey> => {
  // Each key gets its own name: until a profile is saved with the new key it still refers to the old one, which is for
  // its origin. The name stays when the profile is renamed.
  const account = `${name}-${folderPart(folder)}-${randomBytes(3).toString('hex')}`;
  const keychain = keychainFor(account, machine);
  const program = findProgram(keychain.program, io.env, machine);
  if (program === undefined) return { why: `${keychain.program} was not found` };
  const command = [program, ...keychain.read];
  const { stop } = io.signals;
  let why: string;
  let isStored = false;
  try {
    await feedCommand([program, ...keychain.store], keychain.input(key), io, machine);
    isStored = true;
    // Some of these programs don't report a failure.
    if ((await runKeyCommand(command, io, machine)) === key) return { command };
    why = `${keychain.program} gave back another key`;
  } catch (thrown) {
    if (stop.aborted) {
      throw interrupted(
        stop.reason,
        `no profile was changed, but the keychain may hold the key, as "${SERVICE}" ${account}`,
      );
    }
    why = reasonOf(thrown);
  }
  // Skipped after a failed store: a locked keychain would delay this too.
  if (isStored) await feedCommand([program, ...keychain.remove], '', io, machine).catch(() => undefined);
  return { why };
};

/** The name of the key that a command reads, if `storeKey` created that command for this folder. */
const accountIn = (command: readonly string[], folder: string, machine: Machine): string | undefined => {
  const own = new RegExp(`[\\w.-]+-${folderPart(folder)}-[0-9a-f]{6}`);
  const [, ...args] = command;
  return args
    .map((text) => own.exec(text)?.[0] ?? '')
    .find((account) => JSON.stringify(keychainFor(account, machine).read) === JSON.stringify(args));
};

/**
 * Returns a function that removes the key of a command from the keychain and resolves to an error message, if any;
 * undefined if the key is not this folder's. The function does not throw at a signal: its caller has changed the
 * profile, or is about to.
 */
export const keyRemover = (
  command: readonly string[],
  folder: string,
  io: Io,
  machine: Machine,
): (() => Promise<string | undefined>) | undefined => {
  const account = accountIn(command, folder, machine);
  if (account === undefined) return undefined;
  const [program = ''] = command;
  const { stop } = io.signals;
  return async () => {
    try {
      await feedCommand([program, ...keychainFor(account, machine).remove], '', io, machine);
      return undefined;
    } catch (thrown) {
      return stop.aborted ? `stopped by ${signalWord(stop.reason)}` : reasonOf(thrown);
    }
  };
};

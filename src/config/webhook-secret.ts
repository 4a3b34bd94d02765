import { usageError } from '../core/error.ts';
import { ask } from '../core/input.ts';
import type { Io } from '../core/io.ts';
import { quotesProblem } from '../core/secret.ts';
import { splitCommand } from '../core/shell.ts';
import { runSecretCommand } from './key-command.ts';
import { type Machine, thisMachine } from './machine.ts';
import { readSecretFile, refuseFile } from './secret-file.ts';

/** Sources of webhook endpoint secrets: never argv or the environment, which others can read. */
export interface SecretSources {
  readonly files: readonly string[];
  readonly commands: readonly string[];
}

const LONGEST = 514;
const PRINTABLE = /^[\x21-\x7e]{8,512}$/;
const OTHERS_KEY = /^[sp]k\./;
const SECRET = /^wsk\./;

const problemOf = (secret: string): string | undefined => {
  if (OTHERS_KEY.test(secret)) return 'is a key of the API, not the secret of a webhook endpoint (wsk.…)';
  const quotes = quotesProblem(secret);
  if (quotes !== undefined) return quotes;
  return PRINTABLE.test(secret) ? undefined : 'is not 8 to 512 printable ASCII characters without a blank';
};

const PRINTED = { command: 'the secret command', what: 'secret', longest: LONGEST, problemOf };

const inFile = (path: string, machine: Machine): string => {
  // The error does not repeat the secret: it would spread from the shell's history to every log.
  if (SECRET.test(path)) {
    throw usageError('a secret was given where the name of a file is needed', {
      hint: 'other users can see arguments while a program runs: make a new secret, and keep it in a file of mode 600',
    });
  }
  const file = { path, what: 'the secret file', hint: 'name a file that holds the secret alone' };
  const bytes = readSecretFile(file, machine) ?? refuseFile(file, 'is not there', file.hint);
  const secret = bytes.toString('latin1').replace(/\r?\n$/, '');
  const problem = problemOf(secret);
  if (problem !== undefined) refuseFile(file, `holds something that ${problem}`, 'it must hold the secret alone');
  return secret;
};

/** The secrets of a webhook endpoint, each registered with the redactor before any other use. */
export const webhookSecrets = async (
  { files, commands }: SecretSources,
  io: Io,
  machine: Machine = thisMachine,
): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const path of files) found.push(inFile(path, machine));
  for (const secret of found) io.redactor.add(secret);
  for (const text of commands) {
    found.push(await runSecretCommand(splitCommand(text, '--secret-command'), PRINTED, io, machine));
  }
  return found;
};

/** A webhook secret that is typed on a terminal without being shown. */
export const askWebhookSecret = async (io: Io): Promise<string> => {
  const secret = await ask(io.stdin, 'Secret of the webhook endpoint (wsk.…): ', true);
  io.redactor.add(secret);
  const problem = problemOf(secret);
  if (problem !== undefined) throw usageError(`the secret ${problem}`);
  return secret;
};
